"""What is still to be tried, without trying any class twice ([huang-2016] 2.2, 4.6).

The paper keeps the prefix of each seed and nothing else, so that two seeds
that are permutations of each other reach the same class (4.6). Here the loads
of a trace are decided one after the other, in the order in which the trace
executed them: a seed that changes one keeps *all* that were decided before it.
Two seeds then differ in the value of a load that both execute, so no two
executions are of one class.

That alone would lose behaviours, because what a load can read may depend on
loads that were decided after it. So each new trace is asked what it has to
offer for every decision on its path, down to the first, and not only new
values of that load: also known values together with what is new elsewhere.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Set
from dataclasses import dataclass, replace

from mcr.maximal.decisions import Decision, Decisions, Walk
from mcr.maximal.enforce import Seed
from mcr.maximal.observation import Event, Observation, accepts
from mcr.maximal.phi import BY_ORDER
from mcr.maximal.questions import STUCK, Asker, Goal, last_by_thread, other_values, reads
from replay.memory_model import Access
from replay.operation import UPDATES
from replay.state import NOTHING, State
from replay.values import ValueId


@dataclass
class Standpoint:
    """Where a trace stands on its path through the tree.

    values   all that the trace read, STUCK for what was blocked to its end
    decided  the events of the decisions above
    stalled  the decisions above that the trace never came to
    """

    trace: Observation
    values: dict[State, ValueId]
    decided: tuple[Event, ...] = ()
    stalled: tuple[Decision, ...] = ()

    def pass_by(self, decision: Decision) -> None:
        """Go on to the next decision."""
        if decision.state in self.trace:
            self.decided = (*self.decided, self.trace.event_at(decision.state))
        else:
            self.stalled = (*self.stalled, decision)

    def is_open(self, state: State) -> bool:
        """Whether the trace came to the state, by a way that the stalled decisions allow."""
        return state in self.values and all(above.state.thread != state.thread for above in self.stalled)

    def changed(self, value: ValueId, *changes: Goal) -> Walk:
        """A walk from here, on which the decision takes `value`."""
        return Walk(self.trace, changes, value, self.decided, self.stalled)


class Tree:
    """The decisions that were met; the seeds that are still to be run."""

    def __init__(self, asker: Asker) -> None:
        self.skipped = 0
        self._asker = asker
        self._decisions = Decisions()
        self._seeds: deque[tuple[Seed, object, Set[object]]] = deque()
        self._classes: set[object] = set()
        self._unsettled: dict[Goal, list[tuple[Decision, Walk, object]]] = {}
        self._known = 0

    def next_seed(self) -> Seed | None:
        """A seed that leads to an unknown class; None if there is none."""
        while self._seeds:
            seed, news, known = self._seeds.popleft()
            if news not in known:
                return seed
            self.skipped += 1
        return None

    def learn(self, seed: Seed, trace: Observation, stuck: list[State]) -> None:
        """Take in what the execution of a seed showed, and ask what else could be."""
        values = {**reads(trace), **dict.fromkeys(stuck, STUCK)}
        self._classes.add(frozenset(reads(trace).items()))
        path = self._decisions.insert(values)
        self._resume(path, values)
        self._settle(trace)
        at = Standpoint(trace, values)
        for decision in path:
            for walk in (*self._other_values(at, decision), *self._swapped(at, decision)):
                self._follow(decision, walk)
            self._ask_overtaken(at, decision)
            at.pass_by(decision)
        self._ask_for_stops(trace, stuck)

    # -- changes of a trace, and where they lead --------------------------------------

    def _other_values(self, at: Standpoint, decision: Decision) -> Iterator[Walk]:
        """Phi_state (2.3): all other values of the decision's load."""
        if at.is_open(decision.state):
            for value in other_values(at.trace, decision.state, (at.values[decision.state],)):
                yield at.changed(value, (decision.state, value))

    def _swapped(self, at: Standpoint, decision: Decision) -> Iterator[Walk]:
        """What others do in the place of the decision, which then reads what they wrote: by an update, or by a
        region that is known to follow another value."""
        if not at.is_open(decision.state):
            return
        for event in _leading_up(at.trace, decision, at.decided):
            for state in at.values:
                if state.thread != event.thread and at.is_open(state) and not _is_settled(state, at.decided):
                    values = (event.read,) if _is_rival(state, event) else other_values(at.trace, state, ())
                    for rival in ((state, value) for value in values):
                        yield from self._after_rival(at, decision, rival)

    def _after_rival(self, at: Standpoint, decision: Decision, rival: Goal) -> Iterator[Walk]:
        """What the decision can read only when another thread has read something else."""
        unfolding = at.trace.unfolding
        if rival[1] == at.values[rival[0]] or not accepts(unfolding, *rival):
            return
        changed = at.trace.retargeted(*rival)
        for value in other_values(changed, decision.state, (at.values[decision.state],)):
            yield at.changed(value, rival, (decision.state, value))

    def _follow(self, decision: Decision, walk: Walk) -> None:
        """Follow the tree as long as it knows what the changed trace reads; ask for a seed where it does not."""
        at: Decision | None = decision
        while at is not None:
            if walk.value not in at.taken and not self._leave(at, walk):
                return
            following = at.taken[walk.value]
            if following is None:
                at.walks.setdefault(walk.value, []).append(walk)
                return
            at, walk = following, _one_step(walk, following)
            if walk.value == STUCK:
                return

    def _leave(self, decision: Decision, walk: Walk) -> bool:
        """Ask for a seed that takes the walk's value at the decision; whether there is one.

        As long as nobody knows what follows a change, a "no" is not the last word.
        """
        news = (decision.state, walk.value)
        frozen = last_by_thread(_unchanged(walk))
        question = (_other_changes(walk), news, _context(walk.trace, walk.changes[0][0].thread))
        if question in decision.asked or any(news in above.shown for above in walk.stalled):
            return False
        decision.asked.add(question)
        if self._put(decision, walk.trace, walk.changes, news, frozen):
            decision.taken.setdefault(walk.value, None)
            return True
        unknown = next(((state, value) for state, value in walk.changes if value not in state.children), None)
        if unknown is not None:
            self._unsettled.setdefault(unknown, []).append((decision, walk, question))
        return False

    def _resume(self, path: list[Decision], values: dict[State, ValueId]) -> None:
        """Let walks go on that waited for a decision that a new trace has shown."""
        for decision in path:
            value = values.get(decision.state, STUCK)
            if decision.taken[value] is not None:
                for walk in decision.walks.pop(value, ()):
                    self._follow(decision, walk)

    def _settle(self, trace: Observation) -> None:
        """Repeat questions about changes of which a new trace has shown what follows them."""
        states = trace.unfolding.states
        new, self._known = states[self._known :], len(states)
        for parent, read in [(state.parent, state.read) for state in new] if self._unsettled else ():
            for decision, walk, question in self._unsettled.pop((parent, read), ()) if parent else ():
                decision.asked.discard(question)
                self._follow(decision, walk)

    # -- what changes no decision that was made -----------------------------------------

    def _ask_overtaken(self, at: Standpoint, decision: Decision) -> None:
        """Ask what others could read if an update (rmw, lock) that leads up to the decision were not there yet.

        Whoever comes first writes, and may never let go; what the second would
        do if it were first cannot be seen in a trace in which it is not.
        """
        frozen = last_by_thread(at.decided)
        for event in _leading_up(at.trace, decision, at.decided):
            for state in at.values:
                if state.thread == event.thread or _is_settled(state, at.decided):
                    continue
                for goal in ((state, value) for value in other_values(at.trace, state, ())):
                    question = (goal, _context(at.trace, state.thread), event.before)
                    if goal not in decision.shown and question not in decision.asked:
                        decision.asked.add(question)
                        if not any(goal in above.shown for above in at.stalled):
                            self._put(decision, at.trace, (goal,), goal, frozen, event)

    def _ask_for_stops(self, trace: Observation, stuck: list[State]) -> None:
        """Find what a trace has to offer of executions that end with threads waiting for ever."""
        for seed in self._asker.stuck_seeds(trace, stuck):
            news = frozenset(seed.promised)
            if news not in self._classes:
                self._seeds.append((seed, news, self._classes))

    def _put(
        self,
        decision: Decision,
        trace: Observation,
        goals: tuple[Goal, ...],
        news: Goal,
        frozen: list[Event],
        absent: Event | None = None,
    ) -> bool:
        """Ask the solver; a seed is run later, unless its news have been seen below the decision by then."""
        seed = self._asker.ask(trace, goals, frozen, absent)
        if seed is not None:
            self._seeds.append((seed, news, decision.shown))
        return seed is not None


def _one_step(walk: Walk, decision: Decision) -> Walk:
    """The walk at the next decision; its value is STUCK if nobody knows what the changed trace reads there."""
    state = decision.state
    changes = dict(walk.changes)
    if state in changes:
        return replace(walk, value=changes[state])
    if state not in walk.trace or any(state.thread == other.thread and state.depth > other.depth for other in changes):
        return replace(walk, value=STUCK)
    event = walk.trace.event_at(state)
    return replace(walk, value=event.read, decided=(*walk.decided, event))


def _other_changes(walk: Walk) -> tuple[Goal, ...]:
    """The changes that the decisions above do not imply: all but those in the thread of the last one."""
    thread = walk.changes[-1][0].thread
    return tuple(change for change in walk.changes if change[0].thread != thread)


def _unchanged(walk: Walk) -> list[Event]:
    """The decided events that the changes leave alone."""
    changed = {state for state, _ in walk.changes}
    return [event for event in walk.decided if event.before not in changed]


def _is_rival(state: State, event: Event) -> bool:
    """Whether the state asks for an update of what another thread's update updates."""
    operation = state.operation
    same = state.loc == event.before.loc and event.kind in UPDATES
    return same and operation is not None and operation.kind in UPDATES


def _leading_up(trace: Observation, decision: Decision, decided: tuple[Event, ...]) -> Iterator[Event]:
    """The updates from the thread's last decided load up to the decision itself."""
    made = {event.before for event in decided}
    events = trace.threads.get(decision.state.thread, [])[: decision.state.depth + 1]
    for event in reversed(events):
        if event.before in made:
            return
        if event.kind in UPDATES and event.wrote != NOTHING:
            yield event


def _is_settled(state: State, frozen: tuple[Event, ...]) -> bool:
    """Whether a frozen event fixes what the state's operation reads."""
    return any(event.thread == state.thread and event.depth >= state.depth for event in frozen)


def _context(trace: Observation, thread: int) -> object:
    """What the answer to a question about a load of `thread` depends on, beside the decisions above it:
    what the other threads did, up to the last event that others could notice."""
    found = []
    for other, events in trace.threads.items():
        if other != thread:
            last = next((e for e in reversed(events) if e.access is not Access.LOAD and e.kind not in BY_ORDER), None)
            found.append((other, last.before.number if last else -1))
    return tuple(found)
