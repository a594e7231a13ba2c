"""The unfolding: every local state of every thread seen so far, as one graph per thread.

Thread code is deterministic, so what a thread did and read determines what it
asks for next. The unfolding is a cache of that: a run along known states never
executes user code; user code runs only to grow it (docs/algorithms.md).

Histories that leave a thread in the same local state lead to one state, if the
unfolding merges and the two can be compared (docs/local-states.md); else it is
a tree, and a state is "this thread after this history".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from types import FrameType
from typing import TypeVar

from replay.assumed import Assumed
from replay.code.terminals import Blocked, Cut, Ended, Request, Undecided, at_once
from replay.code.thread_run import ThreadRun
from replay.errors import AskOthers, ModelError, NondeterminismError, TellsCalls, TooManyInputs
from replay.frontend.description import NAME_IT
from replay.frontend.program import Program
from replay.frontend.threads import FINAL, end_location, start_location
from replay.machine.audit import Audit
from replay.machine.code_runner import CodeRunner, has_no_code, spawned_by
from replay.machine.merges import Merges, ToldApart
from replay.machine.options import UnfoldingOptions
from replay.machine.spinning import SPIN, TURNS, SpinDetector, looks_only, repeated_turn
from replay.machine.state import NOTHING, Edge, LocationId, State
from replay.world.memory_model import Access
from replay.world.operation import READS, SCHEDULING, UNWRITTEN, UPDATES, Guard, Kind, Location, Operation
from replay.world.shown import shown
from replay.world.terms import Term
from replay.world.values import Case, ValueId, ValueTable

_IS_SPAWNED = Guard(lambda spawned: spawned is not None)

ENUMERATED = 1_000
"""Numbers of a range that are tried one by one, where code runs on values."""


Found = TypeVar("Found")


def explored(program: Program, explore: Callable[[Unfolding], Found], *, follows_calls: bool = True) -> Found:
    """Returns the result of exploring a program whose histories are merged.

    Explores again if threads change something that was taken for constant.
    """
    own = program.apart()
    return own.known(lambda: explore(Unfolding(own, UnfoldingOptions(merges=True, follows_calls=follows_calls))))


@dataclass(eq=False)
class ThreadInfo:
    """A thread of the program, in whichever runs it exists.

    name          "0", "1", ... for declared threads, "0.0" for the first child of thread 0, or "final"
    title         for readers
    end           the location that tells of its end
    is_daemon     whether it may serve for ever
    root          its first state
    like          the thread whose local states are its own as well: itself, unless several are interchangeable
    chooses       whether it was seen to ask for an input
    local_states  how many were seen
    """

    index: int
    name: str
    title: str
    end: LocationId
    is_daemon: bool
    root: State = field(init=False)
    like: ThreadInfo = field(init=False)
    chooses: bool = False
    local_states: int = 0

    def __post_init__(self) -> None:
        self.root, self.like = State(-1, self.index, 0), self

    @property
    def is_final(self) -> bool:
        return self.name == FINAL

    @property
    def is_declared(self) -> bool:
        """True if it exists in every run: neither spawned by a thread nor the final function."""
        return not self.is_final and "." not in self.name


class Unfolding:
    """All local states of a program that were seen so far."""

    def __init__(
        self,
        program: Program,
        options: UnfoldingOptions | None = None,
        check: Callable[[], None] = lambda: None,
        told_apart: ToldApart | None = None,
    ) -> None:
        """An unfolding that knows the first request of each declared thread.

        check       called now and then while somebody works on the unfolding, whom it stops by raising something
        told_apart  histories that are not to be merged
        """
        self.program = program
        self.options = options or UnfoldingOptions()
        self.check = check
        self.values = ValueTable()
        self.locations: list[Location] = []
        self.initial: list[ValueId] = []
        self.states: list[State] = []
        self.edges: list[Edge] = []
        self.threads: list[ThreadInfo] = []
        self._location_ids: dict[tuple[str, ValueId], LocationId] = {}
        self._thread_ids: dict[str, int] = {}
        self._returned: dict[int, ValueId] = {}
        self._known: dict[Hashable, list[State]] = {}
        self.in_vain = 0
        """How many steps were foreseen that lead to nothing known."""
        self._foreseen: dict[Hashable, list[tuple[State, ValueId, ValueId]]] = {}
        self._turns = SpinDetector(self.key, self.options.keeps_turns)
        self.doubts: Counter[str] = Counter()
        """Why local states could not be compared with others, where they should have been, and how many."""
        first = program.instance()
        self.ordinary = first.heap is not None
        """True if the program shares ordinary objects."""
        self.plain = frozenset(first.plain_cells)
        """Names of the cells that the program declares to be plain."""
        self._code = CodeRunner(program, self, first, (told_apart or ToldApart()).forbids)
        self._audit = Audit(self._code, self, first, program)
        self._merges = Merges(self._code, self)
        for number, call in enumerate(first.threads):
            self._add_thread(str(number), call.title, is_daemon=call.daemon)
        self.final: ThreadInfo | None = self._add_thread(FINAL, "final") if first.final_code else None
        for info in list(self.threads):
            self._plant(info)

    @property
    def local_states(self) -> int:
        """How many local states were seen: threads with their accesses and values read.

        Spawns, starts and joins are no accesses, and the final function is no
        thread, so neither counts.
        """
        return sum(info.like.local_states for info in self.threads)

    def is_counted(self, state: State) -> bool:
        """Returns whether a state is one of `local_states`."""
        if self.threads[state.thread].is_final:
            return False
        if not state.entries:
            return state.operation is None or state.operation.kind is not Kind.START
        return any(_is_access(edge) for edge in state.entries)

    def thread_name(self, index: int) -> str:
        return self.threads[index].name

    def thread(self, name: str) -> ThreadInfo | None:
        index = self._thread_ids.get(name)
        return None if index is None else self.threads[index]

    @property
    def assumed(self) -> Assumed:
        """Assumptions about what thread code has done."""
        return self._code.assumed

    def innermost(self, state: State) -> FrameType | None:
        """The innermost frame of user code suspended at a state; None where it has not begun, or ended."""
        return self._code.innermost(state) if state.operation is not None and not has_no_code(state) else None

    def step(self, state: State, read: ValueId = NOTHING) -> Edge:
        """Returns the step of `state`'s operation when it reads `read`; runs user code if it was never seen."""
        return state.edges.get(read) or self._grow(state, read)

    def step_on_terms(self, state: State, read: ValueId, decide: Callable[[Term], object]) -> Edge:
        """As `step`, where code runs on terms: the step is that of the case which `decide` makes of `read`.

        `decide` is asked for each term that the thread has to know, in the order in which it does. What it raises ends
        the step.
        """
        self.check()
        run = self._code.after(state, read)
        asked: Request | Undecided = run.pending
        while isinstance(asked, Undecided):
            asked = run.resume(decide(asked.term))
        if decisions := tuple(run.thread.decisions.items()):
            read = self.values.intern(Case(None if read == NOTHING else self.values[read], decisions))
        return state.edges.get(read) or self._connect_to(state, read, *self._outcome(state, read, run))

    def accepts(self, state: State, value: ValueId) -> bool:
        """Returns whether the state's operation may execute when memory holds `value`."""
        operation = state.operation
        return operation is not None and (operation.ready is None or operation.ready(self.values[value]))

    def key(self, state: State) -> Hashable | None:
        """The key of a known state (`replay.local_state`), whatever its depth; None if it has none."""
        return self._code.key(state)

    def may_know_itself(self, info: ThreadInfo) -> bool:
        """Returns whether a thread's code, or Python's for it, has asked which thread it is."""
        return info.name in self._code.named

    @property
    def checks_stores(self) -> bool:
        """True if threads look at what they are about to overwrite, as it may have been freed."""
        return self._code.frees

    def audit(self, histories: Sequence[tuple[State, Sequence[Edge]]]) -> None:
        """Run the code of these histories again: states, and the steps that led to them.

        Raises ModelError if it uses more than the model (`Audit`), WrongMerge if it differs from what is known since
        the histories lead across a merge that is none.
        """
        try:
            self._audit.look_at(histories)
        except NondeterminismError:
            self.confirm(histories)
            raise

    def confirm_alike(self, info: ThreadInfo, way: Sequence[Edge]) -> None:
        """Run a thread's own code along the steps of the one whose local states it has.

        Raises WrongMerge if it does something else.
        """
        self._merges.confirm_alike(info.root, way)

    def confirm(self, histories: Iterable[tuple[State, Sequence[Edge]]]) -> None:
        """Run the code of an execution again. Raises WrongMerge if it leads across a merge that is none."""
        for _, way in histories:
            self._merges.confirm(way)

    def check_lasting(self) -> None:
        """Raises ModelError if code that ran so far has changed what outlives the runs of a program."""
        self._audit.check_lasting()

    def run_to(self, state: State) -> None:
        """Run the code of a thread to a known state, on the way on which that was met first, for a tracer."""
        self._code.run_to(state)

    def goes_round(self, info: ThreadInfo) -> bool:
        """Returns whether a thread was seen to come back to an earlier state: never, where depths are told apart."""
        return False

    def leaves(self) -> Iterator[State]:
        return (state for state in self.states if state.terminal is not None)

    # -- identities --------------------------------------------------------

    def location_id(self, location: Location) -> LocationId:
        initial = self.values.intern(location.initial)
        key = (location.name, initial)
        found = self._location_ids.get(key)
        if found is None:
            if not location.name:
                raise ModelError(f"what is used here has no name: {NAME_IT}")
            found = self._location_ids[key] = len(self.locations)
            self.locations.append(location)
            self.initial.append(initial)
        return found

    def _add_thread(self, name: str, title: str, *, is_daemon: bool = False) -> ThreadInfo:
        end = self.location_id(end_location(name))
        info = ThreadInfo(len(self.threads), name, title, end, is_daemon)
        self.threads.append(info)
        self._thread_ids[name] = info.index
        return info

    def child_of_spawn(self, state: State) -> ThreadInfo:
        """The thread that a state's SPAWN operation starts."""
        return self.threads[self._thread_ids[state.asked.target]]

    # -- growing -----------------------------------------------------------

    def _plant(self, info: ThreadInfo) -> None:
        """Make the first state of a thread."""
        root = self._new_state(info.index, 0)
        info.root = root
        if info.is_final:
            self._settle(root, Operation(Kind.FINAL))
        elif not info.is_declared:
            self._settle(root, Operation(Kind.START, start_location(info.name), ready=_IS_SPAWNED))
        else:
            request = self._code.declared_thread(info.name)
            self._code.suspended_at(root)
            self._settle(root, request)

    def _new_state(self, thread: int, depth: int) -> State:
        state = State(len(self.states), thread, depth)
        self.states.append(state)
        return state

    def _connect(self, before: State, read: ValueId, wrote: ValueId, after: State) -> Edge:
        """Adds a step to a state of the unfolding; returns it."""
        edge = Edge(len(self.edges), before, read, wrote, after)
        self.edges.append(edge)
        before.edges[read] = edge
        counted = self.is_counted(after) if after.entries else False
        after.entries.append(edge)
        self.threads[after.thread].local_states += not counted and self.is_counted(after)
        return edge

    def _grow(self, state: State, read: ValueId) -> Edge:
        return self._connect_to(state, read, *self._run_on(state, read))

    def _connect_to(self, state: State, read: ValueId, request: Request, wrote: ValueId) -> Edge:
        """A new step: to the known state in which the thread is then, or to a new one."""
        place = self._place(state, request) if self.options.merges else None
        known = self._known_at(place, state, read, wrote)
        if known is not None:
            return self._connect(state, read, wrote, known)
        if self.options.merges and place is None:
            self.doubts[self._code.doubt] += 1
        after = self._new_state(state.thread, state.depth + 1)
        self._code.suspended_at(after)
        edge = self._connect(state, read, wrote, after)
        self._settle(after, request)
        if place is not None:
            self._known.setdefault(place, []).append(after)
            self._connect_foreseen(place)
        return edge

    def _run_on(self, state: State, read: ValueId) -> tuple[Request, ValueId]:
        """Returns what a thread asks for when it has read `read`, and what its operation then wrote."""
        self.check()
        return self._outcome(state, read, self._code.after(state, read))

    def _outcome(self, state: State, read: ValueId, run: ThreadRun) -> tuple[Request, ValueId]:
        """Returns what a thread asks for after a step, unless it only went round a loop, and what the step has
        written."""
        operation, request = state.asked, run.pending
        wrote = self._written(operation, run.wrote) if operation.kind in UPDATES else state.stored
        if isinstance(request, Operation) and self._ends_turns() and looks_only(state, read, wrote):
            start = self._turns.begin(state, request, self._code.latest_key)
            if start is not None:
                return Blocked(SPIN, start.depth, request.source), wrote
        return request, wrote

    def _ends_turns(self) -> bool:
        """Returns whether a thread waits that is back where it was, and has only looked at memory since."""
        return self.options.cuts_spins and self.options.compares

    def _known_at(self, place: Hashable | None, before: State, read: ValueId, wrote: ValueId) -> State | None:
        """The known state to which a step leads that comes to that place; None if there is none."""
        states = self._known.get(place, ())
        return next((after for after in states if self._turns.may_enter(before, read, wrote, after)), None)

    def foresee(self, state: State, read: ValueId) -> None:
        """Find out from the code alone where a step would lead.

        If that is a state which is known, the step is known too, though perhaps nobody can ever take it. If not, it
        will be once that state is. Raises ModelError for what may be wrong only because it is impossible.
        """
        request, wrote = self._run_on(state, read)
        place = self._place(state, request)
        known = self._known_at(place, state, read, wrote)
        if known is not None:
            self._connect(state, read, wrote, known)
            return
        self.in_vain += 1
        if place is not None:
            self._foreseen.setdefault(place, []).append((state, read, wrote))

    def _connect_foreseen(self, place: Hashable) -> None:
        for state, read, wrote in self._foreseen.pop(place, ()):
            known = self._known_at(place, state, read, wrote)
            self.in_vain -= known is not None
            if known is not None and read not in state.edges:
                self._connect(state, read, wrote, known)

    def _place(self, before: State, request: Request) -> Hashable | None:
        """Equal for two states of one depth that have one future; None if that cannot be known."""
        key = self._code.latest_key()
        if key is None:
            return None
        waits = (request.reason, request.wait_from) if isinstance(request, Blocked) else None
        return before.thread, before.depth, key, waits, at_once(request)

    def would_write(self, state: State, read: ValueId) -> ValueId:
        """Returns what `state`'s operation would write if it read `read`; nothing where computing it fails."""
        known = state.edges.get(read)
        if known is not None:
            return known.wrote
        if state.operation is None or state.operation.kind not in UPDATES:
            return state.stored
        return self._written(state.operation, self._code.would_write(state, read))

    def _written(self, operation: Operation, value: object) -> ValueId:
        return NOTHING if value is UNWRITTEN else self._intern(value, operation)

    def _intern(self, value: object, operation: Operation) -> ValueId:
        try:
            return self.values.intern(value)
        except ModelError as error:
            raise type(error)(error.message, str(operation.source or "")) from None

    def _settle(self, state: State, request: Request) -> None:
        """Complete a new state with what its thread asks for next."""
        self._ask(state, request)
        if not state.entries:
            self.threads[state.thread].local_states += self.is_counted(state)

    def _ask(self, state: State, request: Request) -> None:
        if not isinstance(request, Operation):
            state.terminal = request
            return
        bounded = self._is_bounded()
        if bounded and state.depth >= self.options.bound:
            state.terminal = Cut(self.options.bound, request.source)
            return
        if self.options.cuts_spins and bounded and state.depth >= TURNS and self._spins(state, request):
            state.terminal = Cut(self.options.bound, request.source, spins=True)
            return
        if request.kind is Kind.NOTE and not self.options.follows_calls:
            raise TellsCalls("only --algorithm stateful follows a history of calls", str(request.source or ""))
        self._turns.note(state, request)
        state.operation = request
        state.reads = request.kind in READS
        state.drains = request.access is Access.BARRIER
        if request.location is not None:
            try:
                state.loc = self.location_id(request.location)
            except ModelError as error:
                raise type(error)(error.message, str(request.source or "")) from None
        if request.kind in (Kind.STORE, Kind.UNLOCK):
            state.stored = self._intern(request.value, request)
        elif request.kind is Kind.JOIN and self.thread(request.target) is None:
            raise ModelError(
                f"thread {self.thread_name(state.thread)} joins thread {request.target}, which is of another run of a "
                "program: make the handle in the program function, or in its threads",
                str(request.source or ""),
            )
        elif request.kind is Kind.SPAWN:
            state.stored = self.values.intern(spawned_by(state.number))
            self._meet(request)
        elif request.kind is Kind.CHOOSE:
            self.threads[state.thread].chooses = True
            values = self._span(request) if request.spans else request.choices
            state.inputs = tuple(dict.fromkeys(self._intern(value, request) for value in values))

    def _meet(self, spawn: Operation) -> None:
        """Make room for a thread that is spawned, if it is met for the first time."""
        is_daemon = bool(getattr(spawn.code, "daemon", False))
        known = self.thread(spawn.target)
        if known is None:
            self._plant(self._add_thread(spawn.target, spawn.label, is_daemon=is_daemon))
        elif known.is_daemon != is_daemon:
            raise ModelError(
                f"thread {known.name} is a daemon on one way and none on another: let it be the same",
                str(spawn.source or ""),
            )

    def _is_bounded(self) -> bool:
        """Returns whether the thread that asked last is stopped after so many operations."""
        return self.options.stops

    def _span(self, request: Operation) -> Sequence[object]:
        """The numbers of a range that are inputs: those that are asked for by name, where there are many."""
        (numbers,) = request.choices
        assert isinstance(numbers, range)
        count = numbers.stop - numbers.start  # more than `len` can say, perhaps
        if count <= ENUMERATED:
            return numbers
        if self.options.samples:
            return numbers[:1]
        raise TooManyInputs(
            f"an input that is any of {count} numbers: no more than {ENUMERATED} are tried one by one; "
            "--algorithm bmc takes them all",
            str(request.source or ""),
        )

    def input_shown_as(self, state: State, text: str | None) -> list[ValueId]:
        """The values to choose from at a state that are shown so; one that nobody named before becomes one of them."""
        operation = state.operation
        if operation is not None and operation.spans and text is not None and re.fullmatch(r"-?\d+", text):
            (numbers,) = operation.choices
            assert isinstance(numbers, range)
            found = self.values.intern(int(text))
            if int(text) in numbers and found not in state.inputs:
                state.inputs = (*state.inputs, found)
        return [value for value in state.inputs if shown(self.values[value]) == text]

    def _spins(self, state: State, request: Operation) -> bool:
        """Returns whether the thread goes round a loop, and will do so as long as no other changes what it reads."""
        turn = repeated_turn(state, request)
        return bool(turn) and self._code.goes_on(state, islice(cycle(turn), self.options.bound - state.depth))

    def refuse_look_at_end(self, state: State) -> None:
        """Raise ModelError if a read asks whether a thread has ended: for explorers that know of joins only."""
        operation = state.operation
        looks = operation is not None and operation.kind is Kind.LOAD
        if looks and any(state.loc == each.end for each in self.threads):
            raise AskOthers(
                "only --algorithm cover, stateful, mcr and exhaustive look whether a thread has ended, "
                "and auto where it counts no traces",
                str(state.asked.source or ""),
            )

    def returned(self, state: State) -> ValueId:
        """The value id that a join reads from a thread that ended in `state`."""
        found = self._returned.get(state.number)
        if found is None:
            assert isinstance(state.terminal, Ended)
            found = self._returned[state.number] = self.values.intern(("returned", state.terminal.value))
        return found


def _is_access(edge: Edge) -> bool:
    """Returns whether a local state counts a step: it is an access to memory, or the start of a thread."""
    operation = edge.before.operation
    return operation is not None and (operation.kind not in SCHEDULING or operation.kind is Kind.START)
