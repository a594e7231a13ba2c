"""Everything that a program can do, found by running it directly: a stateless search, prefix by prefix.

The store buffers are those of docs/semantics.md 3, written a second time. Every run
of user code is a run of the whole program from its beginning, all threads in
one instance; so a thread that does not do the same after the same answers,
because others can be seen behind the model, is noticed (`SharedState`).
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.pythonic.configuration import (
    FENCE,
    Configuration,
    LocalState,
    Move,
    Point,
    Step,
    committable,
    in_order,
    is_over,
    rewound,
    wanted,
    without,
)
from tests.pythonic.declarations import text_of
from tests.pythonic.live import FINAL, Live
from tests.pythonic.live_thread import UNWRITTEN, Ask, End

DEEPEST = 60
"""Operations of a thread before the search is given up."""


class SharedState(Exception):
    """A thread asked for something else than it did after the same answers."""


class Failure(NamedTuple):
    """An exception that left a thread; `lines` are those of user code that were active, innermost first."""

    error: str
    message: str
    lines: tuple[int, ...]
    is_final: bool = False


@dataclass
class Behaviours:
    """What a program can do under a model; the words are those of `mcr.oracle.Behaviours`."""

    configurations: int = 0
    complete: bool = True
    points: set[Point] = field(default_factory=set)
    failures: set[Failure] = field(default_factory=set)
    outcomes: set[str] = field(default_factory=set)
    deadlocks: set[frozenset[LocalState]] = field(default_factory=set)


class Executor:
    """The behaviours of one program function (`live.load`) under each model."""

    def __init__(self, function: Callable[[Any], object]) -> None:
        self.values: dict[str, object] = {}
        self._function = function
        self._names: dict[int, LocalState] = {}
        self._numbered: dict[int, Point] = {}
        self._live = live = Live(function)
        self._taken: list[Step] = []
        self._roots = {name: self._point(name, thread.request) for name, thread in live.threads.items()}

    def close(self) -> None:
        self._live.close()

    def explore(self, model: str, limit: int) -> Behaviours:
        """Visit every configuration; when there are too many, the result is a part, with complete=False."""
        found = Behaviours()
        first = self.first()
        seen, waiting = {first.key()}, [first]
        while waiting:
            configuration = waiting.pop()
            found.points.update(configuration.points.values())
            moves = list(self.moves(configuration, model))
            if not moves:
                self.note_last(configuration, found)
            for move in moves:
                after = self.apply(configuration, move, model)
                if (key := after.key()) not in seen:
                    seen.add(key)
                    waiting.append(after)
            if len(seen) > limit or any(point.depth > DEEPEST for point in configuration.points.values()):
                found.complete = False
                break
        found.configurations = len(seen)
        self._summarise(found)
        return found

    def walk(self, model: str, rng: random.Random, times: int) -> None:
        """Run the program as often by moves taken at random. Raises SharedState if a thread behaves as never before."""
        for _ in range(times):
            now = self.first()
            while moves := list(self.moves(now, model)):
                now = self.apply(now, rng.choice(moves), model)
            self._taken = [("", None)]  # what is running is not gone on with
            self._run(now.steps())

    def _summarise(self, found: Behaviours) -> None:
        for point in found.points:
            if isinstance(end := point.request, End) and end.how == "failed":
                found.failures.add(Failure(end.error, end.message, end.lines, point.thread == FINAL))

    # -- the machine -------------------------------------------------------------

    def first(self) -> Configuration:
        points = {name: root for name, root in self._roots.items() if "." not in name}
        return Configuration(points, {}, dict.fromkeys(points, ()))

    def moves(self, now: Configuration, model: str) -> Iterator[Move]:
        """All that is possible."""
        for name, point in now.points.items():
            ask = point.request
            if isinstance(ask, End) or not self._may_take(now, name, ask):
                continue
            if ask.kind == "choose":
                assert isinstance(ask.value, tuple)
                yield from (Move(name, None, value) for value in {repr(each): each for each in ask.value}.values())
            else:
                yield Move(name)
        for name, buffer in now.buffers.items():
            yield from (Move(name, place) for place in committable(buffer, model))

    def _may_take(self, now: Configuration, name: str, ask: Ask) -> bool:
        if ask.kind in ("load", "store", "store fence", "choose"):
            return True
        if now.buffers[name]:
            return False
        match ask.kind:
            case "lock":
                return now.memory.get(ask.place, "None") == "None"
            case "join":
                return ask.place in now.points and is_over(now, ask.place)
            case "final":
                return all(is_over(now, other) for other in now.points if other != FINAL)
        return True

    def apply(self, now: Configuration, move: Move, model: str) -> Configuration:
        """The configuration after a move that is possible."""
        after = Configuration(dict(now.points), dict(now.memory), dict(now.buffers), now)
        if move.commit is not None:
            buffer = now.buffers[move.thread]
            entry = next(entry for entry in buffer if entry[0] == move.commit)
            after.memory[move.commit] = entry[1]
            after.buffers[move.thread] = without(buffer, entry)
            return after
        point = now.points[move.thread]
        assert isinstance(point.request, Ask)
        value = move.chosen if point.request.kind == "choose" else self.visible(now, point)
        read = self._read(point.request, value)
        after.step = (move.thread, read)
        after.points[move.thread] = reached = self._reached(now, point, read)
        self._take_effect(after, point, reached, model)
        return after

    def visible(self, now: Configuration, point: Point) -> object:
        """What a thread's next operation reads."""
        ask = point.request
        assert isinstance(ask, Ask)
        match ask.kind:
            case "load":
                for place, value in reversed(now.buffers[point.thread]):
                    if place == ask.place:
                        return self.values[value]
                return self._in_memory(now, ask)
            case "rmw" | "lock":
                return self._in_memory(now, ask)
            case "join":
                end = now.points[ask.place].request
                assert isinstance(end, End)
                return end.value
            case "start":
                return now.memory[f"start of {point.thread}"]
        return None

    def _in_memory(self, now: Configuration, ask: Ask) -> object:
        return self.values[now.memory[ask.place]] if ask.place in now.memory else ask.initial

    def _take_effect(self, after: Configuration, point: Point, reached: Point, model: str) -> None:
        ask = point.request
        assert isinstance(ask, Ask)
        match ask.kind:
            case "store" if model == "sc":
                after.memory[ask.place] = self._text(ask.value)
            case "store":
                buffer = (*after.buffers[point.thread], (ask.place, self._text(ask.value)))
                after.buffers[point.thread] = in_order(buffer) if model == "pso" else buffer
            case "store fence" if model == "pso" and after.buffers[point.thread]:
                after.buffers[point.thread] += (FENCE,)
            case "rmw" | "lock" if reached.wrote is not UNWRITTEN:
                after.memory[ask.place] = self._text(reached.wrote)
            case "unlock":
                after.memory[ask.place] = self._text(None)
            case "spawn":
                after.memory[f"start of {ask.place}"] = str(point.number)
                after.points[ask.place] = self._root(ask.place)
                after.buffers[ask.place] = ()

    def _text(self, value: object) -> str:
        text = text_of(value)
        self.values.setdefault(text, value)
        return text

    # -- threads -----------------------------------------------------------------

    def _point(
        self,
        thread: str,
        request: Ask | End,
        before: Point | None = None,
        read: str | None = None,
        wrote: object = None,
    ) -> Point:
        number = len(self._numbered)
        self._numbered[number] = point = Point(number, thread, request, before, read, wrote)
        return point

    def _root(self, child: str) -> Point:
        if child not in self._roots:
            self._roots[child] = self._point(child, Ask("start", child))
        return self._roots[child]

    def _read(self, ask: Ask, value: object) -> str | None:
        """The text of what an operation reads or chooses, None if it does neither."""
        if ask.kind == "start":
            return str(value)
        return self._text(value) if ask.kind in ("load", "rmw", "lock", "join", "choose") else None

    def _reached(self, now: Configuration, point: Point, read: str | None) -> Point:
        """Where a thread comes to by reading this; finds out by running the program, the first time."""
        if read not in point.after:
            self._run([*now.steps(), (point.thread, read)])
            thread = self._live.threads[point.thread]
            point.after[read] = self._point(point.thread, thread.request, point, read, thread.wrote)
        return point.after[read]

    def _run(self, steps: list[Step]) -> None:
        """Let the live run have taken these steps: go on with the one that there is, or begin anew."""
        if steps[: len(self._taken)] != self._taken:
            self._live.close()
            self._live, self._taken = Live(self._function), []
        for name, read in steps[len(self._taken) :]:
            if name not in self._live.threads or not isinstance(self._live.threads[name].request, Ask):
                raise SharedState(f"thread {name} went on, and then did not")
            self._live.take(name, None if read is None else self.values.get(read))
        self._check(steps)
        self._taken = steps

    def _check(self, steps: list[Step]) -> None:
        """All threads but the one that came to somewhere new stand where they stood in earlier runs."""
        standing: dict[str, Point | None] = {name: self._root(name) for name in self._live.threads}
        for name, read in steps:
            point = standing[name]
            assert point is not None
            standing[name] = point.after.get(read)
        for name, thread in self._live.threads.items():
            point = standing[name]
            if point is not None and thread.request.shown != point.request.shown:
                raise SharedState(f"thread {name}: {point.request.shown} and then {thread.request.shown}")

    # -- what was found ----------------------------------------------------------

    def note_last(self, last: Configuration, found: Behaviours) -> None:
        """Take note of a configuration in which nothing is possible any more."""
        ends = {name: point.request for name, point in last.points.items() if name != FINAL}
        if all(isinstance(end, End) and end.how == "returned" for end in ends.values()):
            returned = last.points[FINAL].request if FINAL in last.points else self._returned(last)
            if isinstance(returned, End) and returned.how == "returned":
                found.outcomes.add(repr(returned.value))
        elif self._is_deadlock(last):
            found.deadlocks.add(frozenset(self.name(last.points[name]) for name in ends))

    def _is_deadlock(self, last: Configuration) -> bool:
        """Whether a thread waits, and for nobody who failed or stopped at an assumption, not even through others."""
        hopeful, waiting = set[str](), set[str]()
        for name, point in last.points.items():
            end = point.request
            if name == FINAL or (isinstance(end, End) and end.how == "returned"):
                continue
            if isinstance(end, Ask):
                waiting.add(name)
            elif end.how == "blocked" and end.wait >= 0:
                if not self._fails_again(last, point, end.wait):
                    return False
                waiting.add(name)
            else:
                hopeful.add(name)
        for _ in range(len(waiting)):
            hopeful |= {name for name in waiting if not self._awaited(last, name).isdisjoint(hopeful)}
        return bool(waiting - hopeful)

    def _awaited(self, last: Configuration, name: str) -> set[str]:
        """Those for whom a thread waits: the owner of a mutex, the thread that it joins, or anybody."""
        ask = last.points[name].request
        if isinstance(ask, Ask) and ask.kind == "join":
            return {ask.place}
        if isinstance(ask, Ask) and ask.kind == "lock":
            owner = str(ast.literal_eval(last.memory[ask.place]))
            end = last.points[owner].request
            if not (isinstance(end, End) and end.how == "returned"):
                return {owner}
        return {*last.points}

    @staticmethod
    def _returned(last: Configuration) -> End:
        ends = [point.request for name, point in last.points.items() if "." not in name]
        return End("returned", tuple(end.value for end in ends if isinstance(end, End)))

    def _fails_again(self, last: Configuration, point: Point, wait: int) -> bool:
        """Whether the condition of a `wait_until` that began at this step fails on memory as it is."""
        begin = point
        while begin.depth > wait:
            assert begin.before is not None
            begin = begin.before
        now = rewound(last, begin)
        while isinstance(ask := now.points[point.thread].request, Ask) and ask.wait == wait:
            now = self.apply(now, Move(point.thread), "sc")
        return isinstance(ask, End) and ask.how == "blocked" and ask.wait == wait

    def name(self, point: Point) -> LocalState:
        """What a point is in any run: a thread after a history."""
        if point.number not in self._names:
            history: tuple[tuple[str, Any], ...] = ()
            if point.before is not None:
                assert isinstance(point.before.request, Ask)
                ask, read = point.before.request, point.read
                step = (
                    f"{ask.kind} {ask.place}".strip(),
                    self._parent(read) if ask.kind == "start" else self._shown(read),
                )
                history = (*self.name(point.before)[1], step)
            self._names[point.number] = (point.thread, history)
        return self._names[point.number]

    def shown(self, point: Point) -> tuple[LocalState, str]:
        """A point, and what its thread wants next."""
        return self.name(point), wanted(point.request)

    def _shown(self, read: str | None) -> str | None:
        """What was read, with what tells it from others of its name."""
        return None if read is None else text_of(self.values[read])

    def _parent(self, number: str | None) -> LocalState:
        assert number is not None
        return self.name(self._numbered[int(number)])
