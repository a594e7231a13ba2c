"""RVF-SMC, [agarwal-2021] section 5, algorithm 2: at most one maximal execution of each reads-value-from class.

A call extends its trace by all that is no read, and then processes the reads
that come next: for each value that a read may get, the writes of that value
are its good-writes, and VerifySC decides whether there is such a trace; if so,
it is a call of its own. Then the causal map C forbids these writes to the
read, and the next read is processed, as the first one may have to read from a
write that is not there yet. If no such write turned up, no other read is
processed: that is what backtrack signals tell.

Deviations. (1) Work in place of recursion: the while-loop of a call is work
that waits until its calls are done. (2) What the paper has no word for, and
the reasons: an update (`rmw`, a lock, the end of a wait on a condition) is one
event, a read that may write. Lemma 1 is about reads that write nothing: put
before the new write w, an update may take from w what w is to read. So for
updates the loop always goes on, as it does for reads that C knows; they come
last. (3) An update that waits for a value may wait for ever. Where nothing but
such updates is left, VerifySC is asked as well whether memory can end with
values that let all of them wait, and such an execution is maximal. (4) An
input is chosen before any read is processed: all of its values are there. (5) Under TSO and PSO, which the paper leaves
open, line 22 asks a verifier of good-writes over store buffers, and all else is the same.

What the proofs need of SC holds under all three models, where an event's place in time is its execution, not the
commit of its write:

* Prefixes. Dropping events on which nothing kept depends through po or rf leaves an execution consistent
  (docs/semantics.md 5), so the verifier decides whether events with good-writes are a prefix of one.
* Some read can be processed. Of the reads that come next in a trace, take the one that an execution executes first.
  Its source was executed before it (forwarded, or committed, which is later), so it is in the trace.
* Once. If two calls differ in more than values, one lets a read r have a source in the trace which the other forbids
  (C). There r's source follows, in po, a read that the trace does not have, which is thus in r's causal past: another
  class.
* Lemma 1, for loads, also where other threads update. Let w be the write to the location of the load r, not in the
  trace, that commits first. Take the events of the trace, w and its causal past. In that past, a write which is not
  in the trace and commits after w is read only from its own buffer: a read from memory would be executed after w was
  issued, and be outside of w's past. For the same reason no fence waited for it. So w and all such writes can commit
  last, after r, which reads from the trace or from its own buffer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from mcr.consistency.instance import SearchOptions
from mcr.executions.equivalence import OperationId
from mcr.exploration.context import ExplorationContext
from mcr.exploration.contract import Claim, News, Run, Work
from mcr.exploration.events import Counts, GrowingTrace, ThreadEvent, contains, is_guarded
from mcr.exploration.realizing import Sources, Wanted, realized
from mcr.exploration.verdict import Stop
from replay.machine.machine import Choice, make_choice
from replay.machine.state import NOTHING, LocationId, State
from replay.world.operation import Kind
from replay.world.values import ValueId

Good = Mapping[OperationId, Sources]
"""GoodW: by read, the writes that it may read from; all of them write one value."""

CausalMap = Mapping[OperationId, Counts]
"""C: by read, how many events of each thread have no write any more that it may read from."""


@dataclass(eq=False, slots=True)
class Signal:
    """A backtrack signal: whether a write turned up that a read might read from, and could not when it was processed.

    loc, thread  of the read
    is_sent      whether it did
    """

    loc: LocationId
    thread: int
    is_sent: bool = False

    def notice(self, event: ThreadEvent) -> None:
        """Lines 2 to 5, for one event."""
        if event.writes and event.loc == self.loc and event.state.thread != self.thread:
            self.is_sent = True


@dataclass(frozen=True, eq=False, slots=True)
class RvfSmcCall:
    """RVF-SMC(X, GoodW, sigma, C).

    sigma      a schedule that executes X, and shows GoodW
    good       GoodW
    causal     C
    processed  the read that the caller added to X
    ancestors  the signals that callers wait for
    """

    sigma: tuple[Choice, ...] = ()
    good: Good = field(default_factory=dict)
    causal: CausalMap = field(default_factory=dict)
    processed: OperationId | None = None
    ancestors: tuple[Signal, ...] = ()
    depth_first: ClassVar[bool] = True


@dataclass(frozen=True, eq=False, slots=True)
class Loop:
    """The rest of the while-loop of a call.

    call    the call, with C as it is now
    trace   sigma, extended by all that is no read
    mutate  the reads that were not processed yet, one at least
    signal  what the loop goes on for; None if it does so in any case
    """

    call: RvfSmcCall
    trace: GrowingTrace
    mutate: tuple[OperationId, ...]
    signal: Signal | None = None
    depth_first: ClassVar[bool] = True


class RVFSMC:
    """Algorithm 2 as an explorer. What the final function reads counts as well, where it is to be covered.

    calls  how many calls there were
    """

    def __init__(self, context: ExplorationContext, variant: str = "") -> None:
        """
        variant  "no-signals": no backtrack signals end loops; "no-closure": VerifySC does without the closure;
                 "no-auxiliary": the trace of the call neither guides VerifySC nor spares it; "no-heuristics": neither
                 closure nor trace (figure 11 has the first and the last); "paper": loops end by signals for updates
                 too, which misses executions (docs/algorithms.md)
        """
        self._context = context
        self.unfolding = context.unfolding
        self._has_signals = variant != "no-signals"
        self._is_guided = variant not in ("no-auxiliary", "no-heuristics")
        self._as_printed = variant == "paper"
        closure = variant not in ("no-closure", "no-heuristics")
        self._how = SearchOptions(closure=closure, watch=context.limits.check)
        self._is_left_over = False
        """Whether it stopped, as printed, where Lemma 1 does not hold."""
        self.calls = 0

    def begin(self) -> Iterable[Work]:
        return (RvfSmcCall(),)

    def expand(self, work: Work) -> Iterator[News]:
        if isinstance(work, RvfSmcCall):
            yield from self._enter(work)
        else:
            assert isinstance(work, Loop)
            yield from self._process(work)

    # -- the call: what is no read ------------------------------------------------

    def _enter(self, call: RvfSmcCall) -> Iterator[News]:
        self.calls += 1
        trace = self._extended(call)
        reads = trace.open_states()
        for state in reads:
            self.unfolding.refuse_look_at_end(state)
        if all(map(is_guarded, reads)):
            yield from self._maximal(call, trace, reads)
        if reads:
            yield Loop(call, trace, self._ordered(reads, call))

    def _extended(self, call: RvfSmcCall) -> GrowingTrace:
        """Lines 1 to 5: the trace with all that is no read, which may be what callers wait for."""
        trace = self._play(call.sigma)
        known = len(trace.events)
        trace.run_to_reads()
        news = trace.events[known:]
        if call.processed is not None:
            news.append(trace[call.processed])
        for event in news:
            for signal in call.ancestors:
                signal.notice(event)
        return trace

    def _play(self, choices: Iterable[Choice]) -> GrowingTrace:
        """The trace of a schedule."""
        context = self._context
        with context.timed("replaying"):
            trace = GrowingTrace(context.unfolding, context.model, covers_final=context.goals.decides_final)
            trace.follow(choices)
        return trace

    def _ordered(self, reads: Sequence[State], call: RvfSmcCall) -> tuple[OperationId, ...]:
        """Lines 6 to 11: the reads to process, first those of which signals are to be had; or an input."""
        inputs = [state for state in reads if state.inputs]
        if inputs:
            return (_place(inputs[0]),)
        return tuple(_place(state) for state in sorted(reads, key=lambda state: not self._lemma_holds(state, call)))

    def _lemma_holds(self, read: State, call: RvfSmcCall) -> bool:
        """Returns whether Lemma 1 speaks of the read, or is taken to do so as printed."""
        return _place(read) not in call.causal and (not _updates(read) or self._as_printed)

    def _maximal(self, call: RvfSmcCall, trace: GrowingTrace, waiting: list[State]) -> Iterator[Run]:
        """The trace as a maximal one, if memory can end in a way that lets all wait who do."""
        if any(trace.machine.can_run(state.thread) for state in waiting):
            last = unaccepted(trace, waiting)
            choices = self._realized(Wanted(trace.events, call.good, last)) if all(last.values()) else None
            if choices is None:
                return
            trace = self._play(choices)
        self._context.limits.check_executions(self._context.statistics.executions)
        yield Run(trace.choices, trace.machine)

    # -- its while-loop: reads ------------------------------------------------------

    def _process(self, loop: Loop) -> Iterator[Work]:
        """Process the next read, unless the signal that it waits for was never sent."""
        if loop.signal is not None and not loop.signal.is_sent:
            return
        call, (place, *later) = loop.call, loop.mutate
        read = loop.trace.machine.states[place[0]]
        signal = self._signal(read, call) if later else None
        if later:
            causal = {**call.causal, place: executed(loop.trace)}
            yield Loop(replace(call, causal=causal), loop.trace, tuple(later), signal)
        ancestors = (*call.ancestors, signal) if signal else call.ancestors
        for sigma, good in self._children(loop, read):
            yield RvfSmcCall(sigma, good, call.causal, place, ancestors)

    def _signal(self, read: State, call: RvfSmcCall) -> Signal | None:
        """Returns the signal that the loop waits for when it has processed the read; None if it waits for none."""
        if not self._has_signals or not self._lemma_holds(read, call):
            return None
        self._is_left_over |= _updates(read)
        return Signal(read.loc, read.thread)

    def _children(self, loop: Loop, read: State) -> Iterator[tuple[tuple[Choice, ...], Good]]:
        """Lines 17 to 25: for each input, or each value that the read may get, a trace and the good-writes it shows."""
        call, trace = loop.call, loop.trace
        for value in read.inputs:
            yield (*trace.choices, make_choice(read.thread, NOTHING, value)), call.good
        if not read.inputs:
            for value, sources in groups(trace, read, call.causal).items():
                good = {**call.good, _place(read): sources}
                sigma = self._witness(trace, read, value, good)
                if sigma is not None:
                    yield tuple(sigma), good

    def _witness(self, trace: GrowingTrace, read: State, value: ValueId, good: Good) -> Sequence[Choice] | None:
        """Line 22; section 4.2, heuristic 3: the trace itself may be a witness."""
        if self._is_guided and trace.source_of(read) in good[_place(read)]:
            return [*trace.choices, make_choice(read.thread)]
        return self._realized(Wanted([*trace.events, reading(read, value, trace)], good))

    def _realized(self, wanted: Wanted) -> list[Choice] | None:
        context, guided = self._context, self._is_guided
        return context.checked(lambda: realized(wanted, context.unfolding, context.model, self._how, guided=guided))

    # -- the rest of the contract --------------------------------------------------

    def remaining(self) -> Work | None:
        return None

    def claim(self) -> Claim:
        return Claim("rvf-smc", self._stop(), self._context.goals.decides_final, figures=self._figures())

    def _stop(self) -> Stop | None:
        if not self._is_left_over:
            return None
        return Stop("backtrack signals for updates do not lead to every execution", "use --algorithm rvf-smc")

    def _figures(self) -> tuple[tuple[str, int], ...]:
        return (("calls", self.calls),)


def _place(state: State) -> OperationId:
    return state.thread, state.depth


def _updates(read: State) -> bool:
    return read.operation is not None and read.operation.kind is Kind.UPDATE


Writes = list[tuple[OperationId | None, ValueId]]
"""Writes, None for the initial one, with what they write."""


def writes_to(trace: GrowingTrace, loc: LocationId) -> Writes:
    """All writes of a location, the initial one first."""
    written = [(event.place, event.wrote) for event in trace.events if event.writes and event.loc == loc]
    return [(None, trace.machine.unfolding.initial[loc]), *written]


def groups(trace: GrowingTrace, state: State, causal: CausalMap) -> dict[ValueId, frozenset[OperationId | None]]:
    """Line 18: the values that a thread may read next, and from whom; an update that waits takes no others."""
    found: dict[ValueId, set[OperationId | None]] = {}
    for place, value in _viable(trace, state, causal):
        if trace.machine.unfolding.accepts(state, value):
            found.setdefault(value, set()).add(place)
    return {value: frozenset(places) for value, places in found.items()}


def _viable(trace: GrowingTrace, state: State, causal: CausalMap) -> Iterator[tuple[OperationId | None, ValueId]]:
    """Line 17: what its own thread has not overwritten, and C does not forbid."""
    read = (state.thread, state.depth)
    writes = writes_to(trace, state.loc)
    own = max((place for place, _ in writes if place and place[0] == state.thread), default=None)
    for place, value in writes:
        is_hidden = own is not None and own != place and (place is None or place[0] == state.thread)
        if not is_hidden and not _is_forbidden(place, causal.get(read)):
            yield place, value


def _is_forbidden(write: OperationId | None, counts: Counts | None) -> bool:
    """forbids: whether C says that the read was processed when this write was there. The initial one always is."""
    return counts is not None and (write is None or contains(counts, write))


def unaccepted(trace: GrowingTrace, waiting: list[State]) -> dict[LocationId, list[OperationId | None]]:
    """By location for which threads wait in these states: the writes after which all of them go on waiting."""
    accepts = trace.machine.unfolding.accepts
    found: dict[LocationId, list[OperationId | None]] = {}
    for loc in dict.fromkeys(state.loc for state in waiting):
        here = [state for state in waiting if state.loc == loc]
        found[loc] = [
            place for place, value in writes_to(trace, loc) if not any(accepts(state, value) for state in here)
        ]
    return found


def executed(trace: GrowingTrace) -> Counts:
    """How many events of each thread a trace has: what C says of a read that was processed there."""
    return {state.thread: state.depth for state in trace.machine.states if state.depth}


def reading(state: State, value: ValueId, trace: GrowingTrace) -> ThreadEvent:
    """The event of a read that gets that value."""
    return ThreadEvent(state, None, trace.machine.unfolding.would_write(state, value))
