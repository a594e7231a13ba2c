"""Audits of merges: histories that were taken for one local state have to go on alike (docs/local-states.md).

A key that leaves something out makes one local state of two, and what only one of them can do is never seen. So
the code of the history that came second is run on, along continuations that are known of the state, to the end
of its thread: each request, written value and end has to be the known one. A turn of a loop that is said to
repeat is audited in the same way, and besides run again and again up to the bound on operations.

Which merges are audited is decided by *position*, where the code of a thread stands: the first merge there, the first
one of each thread, and of the others fewer and fewer, drawn at random from a fixed seed.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from replay.code.thread_run import Position, ThreadRun
from replay.errors import ModelError, NondeterminismError
from replay.machine.code_runner import CodeRunner
from replay.machine.spinning import comes_round, continues_in, ends_turn, turn_of
from replay.machine.state import NOTHING, Edge, Known, State, describe, same_future, source
from replay.sentences import counted
from replay.world.operation import UNWRITTEN, UPDATES, Kind
from replay.world.shown import shown
from replay.world.values import same

_TURNS = 2
"""How many turns of loops a continuation may complete, unless it is one that goes round and round."""


class Continuations:
    """Continuations of steps, chosen at random, but the same in every run; what is known must not grow meanwhile."""

    def __init__(self, threads: Known) -> None:
        self._threads = threads
        self._random = Random(0)
        self._comes_to_end = _come_to_end(threads.states)

    def after(self, first: Edge, count: int) -> Iterator[list[Edge]]:
        """Continuations that begin with a step, each to the end of its thread or as far as that is known.

        No two are the same. At most `count` of them stay in the thread, and as many go on in threads that it spawns.
        If the step ends a turn, the first continuation goes round and round.
        """
        if comes_round(first):
            yield [first, *self.round_and_round(first, self._threads.bound)]
        taken: Counter[int] = Counter()
        children: deque[list[Edge]] = deque()
        for _ in range(count):
            way = self._extended([first], taken)
            if way is None:
                break
            yield way
            children.extend(self._children(way))
        for _ in range(count):
            begun = self._extended(children.popleft(), taken) if children else None
            if begun is not None:
                yield begun
                children.extend(self._children(begun))

    @staticmethod
    def round_and_round(last: Edge, bound: int) -> Iterator[Edge]:
        """The steps of a turn, again and again until a thread has so many operations; `last` ends the turn."""
        turn = turn_of(last)
        for number in range(bound - last.after.depth):
            yield turn[number % len(turn)]

    def _extended(self, way: list[Edge], taken: Counter[int]) -> list[Edge] | None:
        """The way, extended as far as its thread is known to go; None if all its steps were taken before."""
        is_new = not taken[way[-1].number]
        taken[way[-1].number] += 1
        turns = 0
        while len(way) < self._threads.bound:
            turns += ends_turn(way[-1])
            steps = [*continues_in(way[-1]).edges.values()]
            if not steps or turns > _TURNS:
                break
            step = self._chosen(steps, taken)
            is_new |= not taken[step.number]
            taken[step.number] += 1
            way.append(step)
        return way if is_new else None

    def _chosen(self, steps: list[Edge], taken: Counter[int]) -> Edge:
        """A step that was taken least, of those that lead to an end if there are any."""
        ending = [step for step in steps if step.after.number in self._comes_to_end] or steps
        least = min(taken[step.number] for step in ending)
        return self._random.choice([step for step in ending if taken[step.number] == least])

    def _children(self, way: Sequence[Edge]) -> Iterator[list[Edge]]:
        """For each thread that a thread spawns on its way, the way to there, and the start of the child."""
        for number, step in enumerate(way):
            spawning = step.after
            if spawning.operation is not None and spawning.operation.kind is Kind.SPAWN:
                start = self._threads.child_of_spawn(spawning).root.edges.get(spawning.stored)
                if start is not None:
                    yield [*way[: number + 1], start]


def _come_to_end(states: Sequence[State]) -> set[int]:
    """The states from which the end of their thread is known: any end but to go round a loop."""
    todo = [state for state in states if state.terminal is not None and not _spins(state)]
    found = {state.number for state in todo}
    while todo:
        for edge in todo.pop().entries:
            if edge.before.number not in found:
                found.add(edge.before.number)
                todo.append(edge.before)
    return found


def _spins(state: State) -> bool:
    return bool(state.entries) and ends_turn(state.entry)


CONTINUATIONS = 4
"""Along so many a history is run on."""

_SHARE = 2
"""Of n merges at a position the last one is audited with the probability of this divided by n."""

ROUNDS = 8
"""Explorations after which nothing is merged any more."""

_TWO = "two histories were taken for one local state"


class Difference(NamedTuple):
    """Histories that were taken for one local state, and do not go on alike.

    where      "file:line" of what their thread asks for in that state
    why        a sentence that says what differs
    positions  where the code stands, in either history
    """

    where: str
    why: str
    positions: frozenset[Position]


class WrongMerge(Exception):
    """An audit has failed: what was explored so far need not be everything, nor possible."""

    def __init__(self, differences: Sequence[Difference]) -> None:
        super().__init__("; ".join(difference.why for difference in differences))
        self.differences = tuple(differences)

    def __reduce__(self) -> tuple[type[WrongMerge], tuple[tuple[Difference, ...]]]:
        """It may be raised in one process and told by another."""
        return type(self), (self.differences,)


@dataclass
class AuditLog:
    """What is known from audits, in all unfoldings of one exploration, which begins again when an audit fails.

    everything   whether all merges are audited
    audited      how many merges and turns were
    differences  those that were found; where their code stands, nothing is merged, and no loop is cut
    """

    everything: bool = False
    audited: int = 0
    differences: list[Difference] = field(default_factory=list)
    _rounds: int = 0
    _positions: set[Position] = field(default_factory=set)

    def add(self, differences: Iterable[Difference]) -> None:
        """An audit has failed; the exploration begins again."""
        found = tuple(differences)
        self.differences += found
        self._positions.update(*(difference.positions for difference in found))
        self._rounds += 1

    def forbids(self, run: ThreadRun) -> bool:
        """Whether the local state of a suspended thread is not to be compared with others."""
        return self._rounds > 0 and (self._rounds >= ROUNDS or run.position() in self._positions)


class MergeAudit:
    """The audits of one unfolding."""

    def __init__(self, code: CodeRunner, threads: Known, log: AuditLog, check: Callable[[], None]) -> None:
        self._code = code
        self._threads = threads
        self._log = log
        self._check = check
        self._random = Random(0)
        self._met: Counter[Position] = Counter()
        self._threads_at: set[tuple[int, Position]] = set()
        self._due: deque[Edge] = deque()

    def note(self, edge: Edge) -> None:
        """A step has led to a local state that was known, or to the end of a turn."""
        position, thread = self._code.position(edge.after), edge.after.thread
        self._met[position] += 1
        is_first = (thread, position) not in self._threads_at
        self._threads_at.add((thread, position))
        if self._log.everything or is_first or self._random.random() * self._met[position] < _SHARE:
            self._due.append(edge)

    def confirm_alike(self, root: State, way: Sequence[Edge]) -> None:
        """Run the code of a thread that begins at `root` along the steps of one that it was taken for.

        Raises WrongMerge if it differs.
        """
        thread = self._threads.thread_name(root.thread)
        with self._code.apart():
            steps, wrong = self._along(way, thread)
        if wrong:
            like = way[0].before
            what = f"it was taken for thread {self._threads.thread_name(like.thread)}, which does the same"
            why = f"thread {thread}: {what}, but after {counted(steps, 'operation')} its code {wrong}"
            where = source(continues_in(way[steps]).operation or continues_in(way[steps]).terminal)
            positions = frozenset((self._code.position(root), self._code.position(like)))
            raise WrongMerge([Difference(str(where or ""), why, positions)])

    def run(self) -> None:
        """Make the audits that are due. Raises WrongMerge if one fails."""
        if not self._due:
            return
        found: list[Difference] = []
        continuations = Continuations(self._threads)
        with self._code.apart():
            while self._due:
                found += self._differences(continuations, self._due.popleft())
        if found:
            raise WrongMerge(found)

    def _differences(self, continuations: Continuations, edge: Edge) -> list[Difference]:
        """How the history that ends with this step goes on otherwise than the local state to which it leads."""
        self._log.audited += 1
        for way in continuations.after(edge, CONTINUATIONS):
            self._check()
            found = self._look_along(way)
            if found:
                return found
        return []

    def confirm(self, way: Sequence[Edge]) -> None:
        """Run the code of a history that leads across merges. Raises WrongMerge if it differs by one of them.

        Where it ends with a turn of a loop, that is run up to the bound on operations.
        """
        if way and ends_turn(way[-1]):
            way = [*way, *Continuations.round_and_round(way[-1], self._threads.bound)]
        with self._code.apart():
            found = self._look_along(way)
        if found:
            raise WrongMerge(found)

    def _look_along(self, way: Sequence[Edge]) -> list[Difference]:
        """The merges on a way that are wrong; none if its code does what is known, or differs whatever is merged."""
        steps, _ = self._along(way)
        if steps == len(way):
            return []
        way = way[: steps + 1]
        for number in range(steps, -1, -1):  # the last step whose history differs from that of the state behind it
            if way[number].joins or ends_turn(way[number]):
                rest = way[number:]
                steps, wrong = self._along(rest)
                if steps < len(rest):
                    return [self._difference(rest[0], steps, wrong)]
        return []

    def _along(self, way: Sequence[Edge], thread: str = "") -> tuple[int, str]:
        """How many steps the code takes as is known, and what it does in place of the next one."""
        steps = 0
        try:
            for run in self._code.along(way, thread):
                wrong = self._wrong(way[steps], run)
                if wrong:
                    break
                steps += 1
            else:
                return steps, ""
        except NondeterminismError:
            raise
        except ModelError as error:
            wrong = f"is refused: {error.message}"
        return steps, wrong

    def _wrong(self, edge: Edge, run: ThreadRun) -> str:
        """What a thread does in place of what is known, "" if it does that."""
        state = continues_in(edge)
        if edge.before.asked.kind in UPDATES:
            wrote = UNWRITTEN if edge.wrote == NOTHING else self._threads.values[edge.wrote]
            if not same(wrote, run.wrote):
                return f"writes {shown(run.wrote)} in place of {shown(wrote)}"
        if not same_future(state, run.pending, run.thread.performed - state.depth):
            return f"comes to '{describe(run.pending)}' in place of '{describe(state.operation or state.terminal)}'"
        return ""

    def _difference(self, edge: Edge, steps: int, wrong: str) -> Difference:
        state = continues_in(edge)
        run = next(self._code.along([edge]))
        thread, where = self._threads.thread_name(state.thread), source(state.operation or state.terminal)
        what = "a turn of a loop was taken for one that repeats" if ends_turn(edge) else _TWO
        when = f"{counted(steps, 'operation')} later" if steps else "at once"
        why = f"thread {thread}: {what}, but {when} the code {wrong}"
        return Difference(str(where or ""), why, frozenset((run.position(), self._code.position(edge.after))))
