"""RF-SMC, [bui-2021] section 5, algorithm 3: each class of maximal executions by reads-from exactly once.

A call extends a trace as far as it goes, and mutates its unmarked reads: each
may read from another write, if the program has an execution in which it does,
and what came before it stays as it is. Whether it has is what VerifyTSO and
VerifyPSO decide, and VerifySC where no store is buffered.

Deviations. (1) Work in place of recursion: a mutation is a call as soon as it
is realizable, and the latest one is next. The order in which schedules are
taken decides only when schedules(pre(r)) can be deleted; here each set lives as
long as a call has it. (2) Unrealizable mutations are remembered as well, so
none is asked twice. (3) Two sequences of the same events with the same
reads-from map are one schedule: the order of tau' comes from the trace that the
mutation was found in, and two such calls would explore the same classes.
(4) Marks are kept the other way round: a call lists the reads that are not
marked (`mutations.UnmarkedRead`). The rest is in `mutations`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mcr.consistency.instance import SearchOptions
from mcr.executions.equivalence import OperationId
from mcr.exploration.context import ExplorationContext
from mcr.exploration.contract import Claim, News, Run, Work
from mcr.exploration.events import GrowingTrace, ThreadEvent, is_guarded
from mcr.exploration.observers import ClassTally
from mcr.exploration.realizing import Wanted, realized
from mcr.exploration.verdict import Stop
from mcr.explorers.rf_smc.mutations import Key, Mutation, Mutations, RfSmcCall, UnmarkedRead, named
from replay.machine.machine import Choice
from replay.machine.state import NOTHING, LocationId
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel
from replay.world.operation import Kind


def witness(
    events: Sequence[ThreadEvent], unfolding: Unfolding, model: MemoryModel, how: SearchOptions
) -> list[Choice] | None:
    """Witness(X', RF'): choices that execute the events, every store committed; None if there are none.

    The events are a lower set of program order, in any order that respects it.
    """
    if _is_refuted(events):
        return None
    sources = {event.place: (event.source,) for event in events if event.reads}
    return realized(Wanted(events, sources), unfolding, model, how)


def _is_refuted(events: Iterable[ThreadEvent]) -> bool:
    """Returns whether it is plain that no model allows the events, as of every second mutation that is not
    realizable.

    A read does not see what its own thread has overwritten ([bui-2021] section 4 takes that for granted), and no two
    updates replace the same write.
    """
    latest: dict[tuple[int, LocationId], OperationId] = {}
    replaced: set[tuple[LocationId, OperationId | None]] = set()
    for event in events:
        thread = event.state.thread
        own, source = latest.get((thread, event.loc)), event.source
        if event.reads and source != own and (source[0] == thread if source else own is not None):
            return True
        if event.reads and event.writes:
            if (event.loc, source) in replaced:
                return True
            replaced.add((event.loc, source))
        if event.writes:
            latest[thread, event.loc] = event.place
    return False


class RFSMC:
    """Algorithm 3 as an explorer.

    Where classes are not the objective, what the final function reads counts
    as well, so that it is run in all ways that memory allows.
    """

    def __init__(self, context: ExplorationContext, variant: str = "") -> None:
        """
        variant  "no-closure" decides the consistency of mutations without the closure ([bui-2021] 4.3); "paper" has
                 sequences for sets of events, and no more for updates and locks than remark 1 says: this runs some
                 classes twice, and misses executions of programs with updates (docs/algorithms.md)
        """
        self._context = context
        self.unfolding = context.unfolding
        self._as_printed = variant == "paper"
        self._how = SearchOptions(closure=variant != "no-closure", extends=True, watch=context.limits.check)
        self._is_left_over = False
        """Whether it met an update, for which what is printed is not enough, and kept to that."""
        self._tally = ClassTally(context)

    def begin(self) -> Iterable[Work]:
        return (RfSmcCall(),)

    def expand(self, work: Work) -> Iterator[News]:
        assert isinstance(work, RfSmcCall)
        self._context.limits.check_executions(self._context.statistics.executions)
        with self._context.timed("replaying"):
            trace = self._extended(work)
        run = Run(trace.choices, trace.machine)
        self._tally.count(run)
        yield run
        yield from self._mutate(trace, work)

    def _mutate(self, trace: GrowingTrace, call: RfSmcCall) -> Iterator[RfSmcCall]:
        """Lines 3 to 21: a call for each new mutation that is realizable."""
        slots = [*call.slots, *self._opened(trace, len(call.tau))]
        mutations = Mutations(trace, call.fresh, len(call.tau), as_printed=self._as_printed)
        for number, slot in enumerate(slots):
            for mutation in mutations.of(slot):
                key = self._key(mutation.later)
                if key not in slot.schedules:
                    slot.schedules.add(key)
                    sigma = self._realized(mutation)
                    if sigma is not None:
                        yield _call(mutation, sigma, slots[:number])

    def _realized(self, mutation: Mutation) -> list[Choice] | None:
        """Line 18: a schedule that shows the mutation, None if no execution does."""
        context = self._context
        return context.checked(lambda: witness(mutation.events, context.unfolding, context.model, self._how))

    def _extended(self, call: RfSmcCall) -> GrowingTrace:
        """Lines 1 and 2: play sigma, and let every thread run as far as it goes."""
        trace = GrowingTrace(self.unfolding, self._context.model, covers_final=self._context.goals.decides_final)
        trace.follow(call.sigma)
        trace.arrange(call.tau)
        trace.run()
        return trace

    def _opened(self, trace: GrowingTrace, first: int) -> Iterator[UnmarkedRead]:
        """Lines 3 and 4: a new set of schedules for each read of the extension; whose turn it is was scheduled."""
        for position in range(first, len(trace.events)):
            event = trace.events[position]
            self._is_left_over |= self._as_printed and event.kind is Kind.UPDATE
            if is_guarded(event.state) and event.writes and not self._as_printed:
                yield UnmarkedRead(position, event.place, is_turn=True, schedules={self._key((event,))})
            elif event.reads or event.chosen != NOTHING:
                yield UnmarkedRead(position, event.place)

    def _key(self, events: Iterable[ThreadEvent]) -> Key:
        """Names what comes after a prefix: as a set, or as the sequence that is printed."""
        names = (named(event, self.unfolding) for event in events)
        return tuple(names) if self._as_printed else tuple(sorted(names))

    def remaining(self) -> Work | None:
        return None

    def claim(self) -> Claim:
        covers_final = self._context.goals.decides_final
        return Claim("rf-smc", self._stop(), covers_final, classes=self._tally.counts(), figures=self._figures())

    def _stop(self) -> Stop | None:
        if not self._is_left_over:
            return None
        return Stop(
            "the printed mutations of updates and locks do not lead to every execution", "use --algorithm rf-smc"
        )

    def _figures(self) -> tuple[tuple[str, int], ...]:
        return () if self._tally.counter is None else (("redundant executions", self._context.statistics.redundant),)


def _call(mutation: Mutation, sigma: Sequence[Choice], before: Sequence[UnmarkedRead]) -> RfSmcCall:
    """Line 20: reads before the one that was mutated stay as they are, and so does that one; all others are marked."""
    tau = tuple(event.place for event in mutation.events)
    return RfSmcCall(tau, tuple(sigma), (*before, mutation.slot), mutation.fresh)
