"""The unfolding: every local state of every thread seen so far, as one tree per thread.

A *state* is "this thread after this history"; thread code is deterministic,
so a state determines the thread's next request. The tree is a cache: a run
along known states never executes user code; user code runs only to grow it
(docs/algorithms.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import cycle, islice

from replay.code.thread_run import Cut, Ended, Request
from replay.errors import ModelError
from replay.frontend.program import Program
from replay.frontend.threads import FINAL, end_location, start_location
from replay.machine.code_runner import CodeRunner, spawned_by
from replay.machine.spinning import TURNS, repeated_turn
from replay.machine.state import NOTHING, LocationId, State
from replay.world.memory_model import Access
from replay.world.operation import READS, SCHEDULING, UNWRITTEN, UPDATES, Kind, Location, Operation
from replay.world.values import ValueId, ValueTable

DEFAULT_BOUND = 400
"""Operations per thread before it is cut off."""


class ThreadInfo:
    """A thread of the program, in whichever runs it exists.

    name is "0", "1", ... for declared threads, "0.0" for the first child of
    thread 0, "final" for the final function; title is for readers. chooses
    says whether it was seen to ask for an input.
    """

    def __init__(self, index: int, name: str, title: str, end: LocationId) -> None:
        self.index = index
        self.name = name
        self.title = title
        self.end = end
        self.root: State = State(-1, index, None, NOTHING, NOTHING)
        self.chooses = False

    @property
    def is_final(self) -> bool:
        return self.name == FINAL

    @property
    def is_declared(self) -> bool:
        """Whether it exists in every run: neither spawned by a thread nor the final function."""
        return not self.is_final and "." not in self.name


class Unfolding:
    """All local states of a program that were seen so far."""

    def __init__(
        self,
        program: Program,
        bound: int = DEFAULT_BOUND,
        check: Callable[[], None] = lambda: None,
        *,
        cuts_spins: bool = True,
    ) -> None:
        """`check` is called now and then by everybody who works on the unfolding; it ends that by raising something.

        With `cuts_spins`, a thread that goes round a loop of loads that would not end is cut before the bound.
        """
        self.program = program
        self.bound = bound
        self.check = check
        self._cuts_spins = cuts_spins
        self.values = ValueTable()
        self.locations: list[Location] = []
        self.initial: list[ValueId] = []
        self.states: list[State] = []
        self.threads: list[ThreadInfo] = []
        self._location_ids: dict[tuple[str, ValueId], LocationId] = {}
        self._thread_ids: dict[str, int] = {}
        self._returned: dict[int, ValueId] = {}
        self.local_states = 0
        """How many local states were seen: threads with their accesses and values read.

        Spawns, starts and joins are no accesses, and the final function is no
        thread, so neither counts (reference/README.md).
        """
        first = program.instance()
        self._code = CodeRunner(program, self, first)
        for number, call in enumerate(first.threads):
            self._add_thread(str(number), call.title)
        self.final: ThreadInfo | None = self._add_thread(FINAL, "final") if first.final_code else None
        for info in list(self.threads):
            self._plant(info)

    def is_counted(self, state: State) -> bool:
        """Whether a state is one of `local_states`."""
        if self.threads[state.thread].is_final:
            return False
        parent = state.parent
        if parent is None:
            return state.operation is None or state.operation.kind is not Kind.START
        assert parent.operation is not None
        return parent.operation.kind not in SCHEDULING or parent.operation.kind is Kind.START

    def thread_name(self, index: int) -> str:
        return self.threads[index].name

    def thread(self, name: str) -> ThreadInfo | None:
        index = self._thread_ids.get(name)
        return None if index is None else self.threads[index]

    def step(self, state: State, read: ValueId = NOTHING) -> State:
        """The state after `state`'s operation read `read`; runs user code if it was never seen."""
        return state.children.get(read) or self._grow(state, read)

    def audit(self, states: Iterable[State]) -> None:
        """Run the code of these histories again.

        Raises ModelError if it uses more than the model (`CodeRunner.audit`).
        """
        self._code.audit(states)

    def leaves(self) -> Iterator[State]:
        return (state for state in self.states if state.terminal is not None)

    # -- identities --------------------------------------------------------

    def location_id(self, location: Location) -> LocationId:
        initial = self.values.intern(location.initial)
        key = (location.name, initial)
        found = self._location_ids.get(key)
        if found is None:
            found = self._location_ids[key] = len(self.locations)
            self.locations.append(location)
            self.initial.append(initial)
        return found

    def _add_thread(self, name: str, title: str) -> ThreadInfo:
        info = ThreadInfo(len(self.threads), name, title, self.location_id(end_location(name)))
        self.threads.append(info)
        self._thread_ids[name] = info.index
        return info

    def child_of_spawn(self, state: State) -> ThreadInfo:
        """The thread that a state's SPAWN operation starts."""
        assert state.operation is not None
        return self.threads[self._thread_ids[state.operation.target]]

    # -- growing -----------------------------------------------------------

    def _plant(self, info: ThreadInfo) -> None:
        """Make the first state of a thread."""
        root = self._new_state(info.index, None, NOTHING, NOTHING)
        info.root = root
        if info.is_final:
            self._settle(root, Operation(Kind.FINAL))
        elif not info.is_declared:
            self._settle(
                root, Operation(Kind.START, start_location(info.name), ready=lambda spawned: spawned is not None)
            )
        else:
            request = self._code.declared_thread(info.name)
            self._code.suspended_at(root)
            self._settle(root, request)

    def _new_state(self, thread: int, parent: State | None, read: ValueId, wrote: ValueId) -> State:
        state = State(len(self.states), thread, parent, read, wrote)
        self.states.append(state)
        if parent is not None:
            parent.children[read] = state
        return state

    def _grow(self, state: State, read: ValueId) -> State:
        self.check()
        operation = state.operation
        assert operation is not None, "a thread that came to its end has no next state"
        request, updated = self._code.after(state, read)
        wrote = self._written(operation, updated) if operation.kind in UPDATES else state.stored
        child = self._new_state(state.thread, state, read, wrote)
        self._code.suspended_at(child)
        self._settle(child, request)
        return child

    def would_write(self, state: State, read: ValueId) -> ValueId:
        """What `state`'s operation would write if it read `read`; nothing where computing it fails."""
        known = state.children.get(read)
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
            raise ModelError(error.message, str(operation.source or "")) from None

    def _settle(self, state: State, request: Request) -> None:
        """Complete a new state with what its thread asks for next."""
        self._ask(state, request)
        self.local_states += self.is_counted(state)

    def _ask(self, state: State, request: Request) -> None:
        if not isinstance(request, Operation):
            state.terminal = request
            return
        if state.depth >= self.bound:
            state.terminal = Cut(self.bound, request.source)
            return
        if self._cuts_spins and state.depth >= TURNS and self._spins(state, request):
            state.terminal = Cut(self.bound, request.source, spins=True)
            return
        state.operation = request
        state.reads = request.kind in READS
        state.drains = request.access is Access.BARRIER
        if request.location is not None:
            try:
                state.loc = self.location_id(request.location)
            except ModelError as error:
                raise ModelError(error.message, str(request.source or "")) from None
        if request.kind in (Kind.STORE, Kind.UNLOCK):
            state.stored = self._intern(request.value, request)
        elif request.kind is Kind.SPAWN:
            state.stored = self.values.intern(spawned_by(state.number))
            if request.target not in self._thread_ids:
                self._plant(self._add_thread(request.target, request.label))
        elif request.kind is Kind.CHOOSE:
            self.threads[state.thread].chooses = True
            state.inputs = tuple(dict.fromkeys(self._intern(value, request) for value in request.choices))

    def _spins(self, state: State, request: Operation) -> bool:
        """Whether the thread goes round a loop, and will do so as long as nobody else changes what it reads."""
        turn = repeated_turn(state, request)
        return bool(turn) and self._code.goes_on(state, islice(cycle(turn), self.bound - state.depth))

    def returned(self, state: State) -> ValueId:
        """The value id that a join reads from a thread that ended in `state`."""
        found = self._returned.get(state.number)
        if found is None:
            assert isinstance(state.terminal, Ended)
            found = self._returned[state.number] = self.values.intern(("returned", state.terminal.value))
        return found
