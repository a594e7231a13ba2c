"""TruSt by several processes: subtrees of all graphs are visited at once; what is made of them is that of one process.

The explorations of [kokologiannakis-2022] share no state (section 6.2), so any subtree may be visited elsewhere: the
work that waits is divided into many, and processes that were forked with all of them visit one after the other. What
they show is looked at in the order in which one process would come to it, graph by graph: the same executions are run
as by one process, the same failure is found first, and the same counts come out, whoever visited what.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait

from mcr.executions.schedule import NamedSchedule
from mcr.exploration.context import ExplorationContext
from mcr.exploration.contract import GoOn, News, Run, Work
from mcr.exploration.forking import ForkedProcess, Lifeline
from mcr.exploration.limits import Stopped
from mcr.explorers.trust.exploration import ExploreGraphs
from mcr.explorers.trust.explorer import Fork, Trust
from mcr.explorers.trust.graph import ExecutionGraph
from mcr.explorers.trust.schedule import schedule_of
from mcr.explorers.trust.survey import BATCH, Full
from replay.errors import CheckerError
from replay.machine.machine import Choice
from replay.machine.state import NOTHING
from replay.traces.trace import Failure

SUBTREES = 64
"""For each process: so many that all of them have something to do until the end."""

NEWS = 1
"""Steps that were unknown, for each graph that showed them, from which on nothing is shared: each process would have to
run the same thread code."""

_LOOK = 0.05
"""Seconds between two looks at limits."""


@dataclass(frozen=True, slots=True)
class Found:
    """Something that a subtree has shown when so many full graphs of it had been visited.

    visited   how many, the one that shows it included
    is_full   whether it came with a full graph
    schedule  of a full graph, or of one that shows a failure; by names, as other processes have other numbers
    like      in place of a schedule, when another graph was visited that shows the same; 0 for none
    failed    the failure that the schedule shows, None if it is there for what else it shows
    error     the model is broken
    """

    visited: int
    is_full: bool
    schedule: NamedSchedule | None = None
    like: int = 0
    failed: Failure | None = None
    error: CheckerError | None = None


Told = Found | int
"""Of a subtree: something that it has shown; in the end, how many full graphs it has."""


class NoveltyFilter:
    """Lets graphs pass that show local states, or steps of the final function, which are not old.

    What is executed is decided where all parts are known. A graph is left out here if everything in it was in graphs
    that are a whole batch older, or was executed before the work was shared: it cannot be new then, nor help to choose
    among those that are. It looks at the graphs of one subtree after the other, in the order in which one process
    would come to them.
    """

    def __init__(self, context: ExplorationContext, trust: Trust, executed: set[int]) -> None:
        """`executed` are the local states that executions had shown before the work was shared."""
        self._context = context
        self._trust = trust
        self._covers_final = context.unfolding.final is not None and context.goals.decides_final
        self._endings: dict[Hashable, set[object]] = {}
        """What the final function does, by what is in memory and what the threads returned."""
        self._old: set[object] = {*executed}
        """Was shown a whole batch ago; the other two in the batch before this one, and in this one."""
        self._previous: set[object] = set()
        self._current: set[object] = set()
        self._alike: dict[object, int] = {}
        """By what they showed that was not old, when graphs were visited: in this batch, and in the one before."""
        self._alike_before: dict[object, int] = {}

    def begin(self) -> None:
        """Another subtree is visited."""
        self._trust.forget_failures()
        self._previous, self._current = set(), set()
        self._alike, self._alike_before = {}, {}

    def found(self, visited: int, full: ExecutionGraph | None, *, whatever: bool) -> Iterator[Found]:
        """Yields the results of one more step: failures, and a full graph, the `visited`th, if it led to one.

        With `whatever`, each full graph is told: to find out whether it is new runs the final function, which the
        process that executes graphs takes for new only as long as it has not run.
        """
        failures, self._trust.failures = self._trust.failures, []
        for graph, failed in failures:
            schedule = self._named(schedule_of(graph, self._context.model))
            yield Found(visited, full is not None, schedule, failed=failed)
        if full is not None:
            for graph in self._trust.executions(full):
                shown = Full.of(graph, self._context.model)
                if whatever:
                    yield Found(visited, True, self._named(shown.schedule()))
                else:
                    yield from self._new(visited, shown)
            if visited % BATCH == 0:
                self._turn()

    def _named(self, choices: list[Choice]) -> NamedSchedule:
        return NamedSchedule.of(self._context.unfolding, choices)

    def _new(self, visited: int, full: Full) -> Iterator[Found]:
        """A full graph, if it shows what is not old."""
        new = frozenset((full.states | self._ending(full)) - self._old)
        if not new:
            return
        self._current |= new
        like = self._alike.get(new) or self._alike_before.get(new) or 0
        if not like:
            self._alike[new] = visited
        yield Found(visited, True, None if like else self._named(full.schedule()), like)

    def _turn(self) -> None:
        """A batch of graphs was visited."""
        self._old |= self._previous
        self._previous, self._current = self._current, set()
        self._alike, self._alike_before = {}, self._alike

    def _ending(self, full: Full) -> set[object]:
        """The steps of the final function after an execution, each by its state and what it reads."""
        if not self._covers_final:
            return set()
        key = full.left_behind(self._context.unfolding)
        if key not in self._endings:
            self._endings[key] = self._final_steps(full)
        return self._endings[key]

    def _final_steps(self, full: Full) -> set[object]:
        """The steps; and one that nothing else has where there is a choice, so that the execution tells."""
        found: set[object] = set()
        alone = (NOTHING, len(self._endings))
        try:
            for state, read in full.final_steps(self._context.unfolding, self._context.model):
                if state.inputs:
                    return {*found, alone}
                found.add((state.number, read))
        except CheckerError:
            return {*found, alone}
        return found


class Visitor:
    """Visits subtrees, here and in processes that are forked from this one.

    order  the subtrees of a stack, and what was told of graphs between them, in the order in which one process would
           come to them
    """

    def __init__(
        self, context: ExplorationContext, trust: Trust, executed: set[int], stack: Sequence[ExecutionGraph | Fork]
    ) -> None:
        self._unfolding = context.unfolding
        self._trust = trust
        self._novelty = NoveltyFilter(context, trust, executed)
        self.order: list[ExecutionGraph | Fork | list[Told]] = [*reversed(stack)]
        self._divide(SUBTREES * context.options.jobs)

    def _divide(self, most: int) -> None:
        """Make more subtrees of few: of that first whose graph is smallest, so it is high up in the tree of all."""
        while True:
            works = [(_size(each), place) for place, each in enumerate(self.order) if not isinstance(each, list)]
            if not 0 < len(works) < most:
                return
            _, place = min(works)
            work = self.order[place]
            assert not isinstance(work, list)
            self._novelty.begin()
            found, graphs = self._step(work, 0, whatever=True)
            self.order[place : place + 1] = [[*found, graphs], *reversed(self._taken_aside())]

    def _step(self, work: ExecutionGraph | Fork, graphs: int, *, whatever: bool) -> tuple[list[Found], int]:
        """Go on from a piece of work to a full graph; how many there are then, beside those before."""
        try:
            full = self._trust.advance(work)
            graphs += full is not None
            return [*self._novelty.found(graphs, full, whatever=whatever)], graphs
        except CheckerError as error:
            return [Found(graphs, False, error=error)], graphs

    def _taken_aside(self) -> list[ExecutionGraph | Fork]:
        aside, self._trust.aside = self._trust.aside, []
        return aside

    def visit(self, place: int) -> Iterator[Told]:
        """Visit a subtree. Raises Stopped, and WrongMerge, as only this process knows all that was merged here."""
        work, graphs = self.order[place], 0
        assert not isinstance(work, list)
        stack = [work]
        self._novelty.begin()
        while stack:
            found, graphs = self._step(stack.pop(), graphs, whatever=False)
            yield from found
            if found and found[-1].error is not None:
                break
            stack += self._taken_aside()
        yield graphs

    def serve(self, line: Connection) -> None:
        """Visit the subtrees that the other end of the line asks for, and tell what they show."""
        while True:
            place = line.recv()
            try:
                for told in self.visit(place):
                    line.send(told)
            except Exception as error:  # it is raised over there
                line.send(error)


def _size(work: ExecutionGraph | Fork) -> int:
    return len(work.graph.events if isinstance(work, Fork) else work.events)


@contextmanager
def visited_by_several(visitor: Visitor, jobs: int, check: Callable[[], None]) -> Iterator[Iterator[Told]]:
    """Yields the results of all subtrees, in their order; `check` is called while there is none.

    Processes that have something to do when the block ends do not do it. Raises what a process raised, and Stopped if
    one has died.
    """
    lifeline = Lifeline()
    processes = [ForkedProcess(lifeline, visitor.serve) for _ in range(jobs)]
    try:
        yield _Telling(visitor.order, processes).in_order(check)
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.how_it_ended()
        lifeline.close()


class _Telling:
    """Deals out subtrees, and hears what comes of them."""

    def __init__(self, order: Sequence[object], processes: Iterable[ForkedProcess]) -> None:
        self._told = [deque[Told](each if isinstance(each, list) else ()) for each in order]
        self._waiting = deque(place for place, each in enumerate(order) if not isinstance(each, list))
        self._visiting: dict[Connection, int] = {}
        for process in processes:
            self._deal(process.line)

    def _deal(self, line: Connection) -> None:
        self._visiting.pop(line, None)
        if self._waiting:
            self._visiting[line] = self._waiting.popleft()
            with suppress(OSError):  # if it is dead, the next look at its line tells
                line.send(self._visiting[line])

    def in_order(self, check: Callable[[], None]) -> Iterator[Told]:
        for told in self._told:
            is_over = False
            while not is_over:
                self._hear(0 if told else _LOOK)
                check()
                if told:
                    news = told.popleft()
                    yield news
                    is_over = isinstance(news, int)

    def _hear(self, seconds: float) -> None:
        for line in wait([*self._visiting], seconds):
            assert isinstance(line, Connection)
            try:
                news = line.recv()
            except (EOFError, OSError):
                remedy = "where the system had no memory left, say --memory, or fewer --jobs"
                raise Stopped("one of its processes died", remedy) from None
            if isinstance(news, Exception):
                raise news
            self._told[self._visiting[line]].append(news)
            if isinstance(news, int):
                self._deal(line)


class ExploreInParallel(ExploreGraphs):
    """Visits the graphs of a program; after a while, other processes do. No classes are counted."""

    def begin(self) -> Iterable[Work]:
        self._waiting: list[Work] = [*super().begin()]
        self._next_batch = 0
        return (GoOn(),)

    def expand(self, work: Work) -> Iterator[News]:
        if self._is_worth_sharing():
            yield from self._share()
            return
        for news in super().expand(self._waiting.pop()):
            if isinstance(news, Run):
                yield news
            else:
                self._waiting.append(news)

    def remaining(self) -> Work | None:
        if not self._waiting:
            work = super().remaining()
            if work is None:
                return None
            self._waiting.append(work)
        return GoOn()

    def _is_worth_sharing(self) -> bool:
        """Returns whether it has taken a while, graphs are many beside what they show, and no batch is under way."""
        context, survey = self._context, self.survey
        if not context.may_share(context.statistics.surveying) or survey.found >= NEWS * survey.visited:
            return False
        return survey.is_settled and all(isinstance(work, ExecutionGraph | Fork) for work in self._waiting)

    def _share(self) -> Iterator[Run]:
        """Let others visit what waits, and do at each of their graphs what a single process would have done."""
        context, survey = self._context, self.survey
        stack = [work for work in self._waiting if isinstance(work, ExecutionGraph | Fork)]
        self._waiting.clear()
        self._next_batch = survey.visited + BATCH
        with context.timed("surveying"):
            visitor = Visitor(context, self.trust, survey.executed, stack)
        with visited_by_several(visitor, context.options.jobs, context.limits.check) as subtrees:
            base, graphs = survey.visited, dict[int, Full]()
            while (told := self._next(subtrees)) is not None:
                if isinstance(told, Found):
                    yield from self._execute_batches(base + told.visited - told.is_full)
                    self.note_visited(base + told.visited)
                    yield from self._look_at(told, graphs)
                else:
                    base, graphs = base + told, {}
                    yield from self._execute_batches(base)
                    self.note_visited(base)

    def _next(self, subtrees: Iterator[Told]) -> Told | None:
        with self._context.timed("surveying"):
            return next(subtrees, None)

    def _look_at(self, found: Found, graphs: dict[int, Full]) -> Iterator[Run]:
        """`graphs` are those of the same subtree, by how many had been visited."""
        unfolding, model = self._context.unfolding, self._context.model
        if found.error is not None:
            raise found.error
        if found.failed is not None:
            if not self._context.bugs.has(found.failed):
                assert found.schedule is not None
                yield self.run(found.schedule.choices(unfolding, model))
            return
        if found.schedule is not None:
            graphs[found.visited] = Full.replayed(*found.schedule.play(unfolding, model))
        else:
            graphs[found.visited] = graphs[found.like]
        self.survey.keep(graphs[found.visited])

    def _execute_batches(self, visited: int) -> Iterator[Run]:
        """Execute what is new in the batches that are whole when so many graphs were visited."""
        while self._next_batch <= visited:
            self.note_visited(self._next_batch)
            self._next_batch += BATCH
            yield from self.execute(self.survey.batch())
