"""Runs user code along known histories, and checks that it does the same each time.

The latest runs are kept where they are suspended, so that growing a branch
step by step runs each line of user code once. Any other state is reached by
running its thread again from the beginning in a fresh instance of the program,
feeding it the recorded values.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import FrameType, FunctionType
from typing import TYPE_CHECKING, Any

from replay.assumed import Assumed
from replay.code.facts import facts
from replay.code.foreign import look_for_foreign, look_past_classes
from replay.code.hidden_state import AFTER_IT_WAS_STORED
from replay.code.reachable import reachable
from replay.code.running_thread import Answered, HeapForThreads
from replay.code.slips import WRITE_EQUALS, look_for_slips
from replay.code.terminals import Blocked, Cut, Request
from replay.code.thread_run import Position, ThreadRun
from replay.errors import ModelError, NondeterminismError
from replay.frontend.declarations import Declarations, belongs_to_program
from replay.frontend.program import Program
from replay.frontend.shared import Record
from replay.frontend.threads import FINAL
from replay.machine.spinning import SPIN
from replay.machine.state import NOTHING, Edge, Known, State, cause, describe, same_request, source
from replay.sentences import counted
from replay.world.operation import FREE, FREED, UNWRITTEN, Kind, Operation
from replay.world.shown import shown
from replay.world.values import Case, NoValue, ValueId

if TYPE_CHECKING:
    from replay.local_state.keys import LocalStateKeys

AUDITED = "an audit told histories apart there"
"""Why a local state has no key that could have one."""

MOST_READ = 12
"""Values that a message tells of those which a thread has read."""

KEPT = 2000
"""Runs that are kept."""

_UNKNOWN = -1
"""Stands for a key that nobody has asked for."""


class CodeRunner:
    """Answers what a thread asks for after a history, by running its code.

    newest  the instance of the program that was made last
    latest  the run that asked last; whoever let it run tells where it is suspended (`suspended_at`)
    frees   whether thread code may free something
    named   the threads whose code has asked who they are, by name
    assumed what is taken for granted of what thread code has done
    """

    def __init__(
        self, program: Program, tree: Known, first: Declarations, is_told_apart: Callable[[ThreadRun], bool]
    ) -> None:
        """`first` is an instance of the program, none of whose code has run.

        `is_told_apart` says of a suspended thread whether it is to have no key, though it could have one.
        """
        self._program = program
        self._tree = tree
        self._kept: dict[int, ThreadRun] = {}
        self._spawners: dict[int, ThreadRun] = {}
        self.latest: ThreadRun
        self._keys: LocalStateKeys | None = None
        self._key_numbers: dict[Hashable, int] = {}
        self._positions: list[Position] = []
        """By the number of a key."""
        self._is_told_apart = is_told_apart
        self.named: set[str] = set()
        self.assumed = Assumed()
        self._key_of: dict[int, int | None] = {}
        self._latest_key: int | None = _UNKNOWN
        self._first = self.newest = first
        calls = enumerate(first.threads)
        codes: dict[str, tuple[Any, str]] = {str(number): (call, str(call.source or "")) for number, call in calls}
        if first.final_code is not None:
            codes[FINAL] = first.final_code, program.place
        looked = {
            thread: program.found_out(
                f"what {thread} must not say", partial(_look_at, code, where, ordinary=tree.ordinary)
            )
            for thread, (code, where) in codes.items()
        }
        self.frees = any(frees for frees, _ in looked.values())
        self._compared = {thread: line for thread, (_, line) in looked.items() if line}
        """By the name of a declared thread, a line that compares by `is` what nobody knows."""

    def declared_thread(self, name: str) -> Request:
        """The first request of a thread that the program declares."""
        run = self._declared(name)
        run.start()
        return self._noted(run).pending

    def after(self, state: State, read: ValueId) -> ThreadRun:
        """A run of the thread after its operation in `state` has read `read`, suspended at the request that follows."""
        run = self._taken(state)
        if run is None:
            run = self._run_again(state, self._spawner(state, read), read)
        else:
            run.resume(self.value(read))
        if self._compared:
            self._check_identity(state, self.value(read))
        return self._noted(run)

    def _taken(self, state: State) -> ThreadRun | None:
        """A run suspended at `state` that may go on: a copy of one that is kept if there can be any."""
        kept = self._kept.get(state.number)
        copy = None if kept is None else kept.copied(belongs_to_program)
        return self._kept.pop(state.number, None) if copy is None else copy

    def _check_identity(self, state: State, value: object) -> None:
        """Raise ModelError for a reference that a thread has read which may ask whether it is one object with another.

        Memory has it from the run that stored it, and each run has objects of its own.
        """
        line = self._compared.get(self._tree.thread_name(state.thread).partition(".")[0])
        if line and isinstance(value, NoValue | Record):
            what = f"{value!r} is a reference that a thread has read, and may be another object than here"
            raise ModelError(f"{what}: {WRITE_EQUALS}, if this line compares references", line)

    def _noted(self, run: ThreadRun) -> ThreadRun:
        """The run, which is the latest one now."""
        self.latest, self._latest_key = run, _UNKNOWN
        if run.thread.is_told_apart:
            self.named.add(run.name)
        self.assumed.add(run.interpreted.execution.assumed)
        return run

    def would_write(self, state: State, read: ValueId) -> object:
        """Returns what `state`'s update would make of a value that it may never read; UNWRITTEN if it raises an
        exception.

        The update that the unfolding keeps will not do: what it refers to may
        have changed since the thread went on.
        """
        if self.value(read) is FREED and (state.operation is None or state.operation.tag != FREE):
            return UNWRITTEN
        run = self._at(state)
        _put(self._kept, state, run)
        return run.would_write(self.value(read))

    def suspended_at(self, state: State) -> None:
        """Tell that the latest run made `state`, so that it can go on from there."""
        if self._latest_key != _UNKNOWN:
            self._key_of[state.number] = self._latest_key
        if isinstance(self.latest.pending, Operation):
            _put(self._kept, state, self.latest)

    def innermost(self, state: State) -> FrameType | None:
        """The innermost frame of the code that is suspended at `state`, for a debugger; None if none is active."""
        run = self._at(state)
        _put(self._kept, state, run)
        frame: FrameType | None = run.innermost()
        return frame

    def goes_on(self, state: State, steps: Iterable[Edge]) -> bool:
        """Returns whether the code suspended at `state` takes these steps, if it reads the same."""
        run = self._kept.pop(state.number)
        for step in steps:
            known, request = step.before.operation, run.pending
            assert known is not None
            if not (isinstance(request, Operation) and known.source == request.source and known.same_request(request)):
                return False
            run.resume(self.value(step.read))
        return isinstance(run.pending, Operation)

    def along(self, way: Sequence[Edge], thread: str = "") -> Iterator[ThreadRun]:
        """Run a thread to the first of these steps, as its state was met first, and on: its run after each step.

        If a thread is named, which is one that the program declares, it takes the steps of another one from the first.
        Where the way goes on in a thread that it spawns, so does the run. Nothing is compared with what is known.
        """
        run: ThreadRun | None = None
        for edge in way:
            before = edge.before
            if thread and run is None:
                run = self._declared(thread)
                run.thread.owner = self._tree.thread_name(before.thread)
                run.start()
                run.resume(self.value(edge.read))
            elif has_no_code(before):
                run = self._first_step(before, run or self._spawner(before, edge.read))
                run.start()
            elif run is None:
                run = self._run_again(before, self._shared_spawner(before), edge.read)
            else:
                run.resume(self.value(edge.read))
            yield run

    def position(self, state: State) -> Position:
        """Returns where the code stood when a local state with this one's key was met first; nowhere if there is no
        key."""
        key = self.key(state)
        return () if key is None else self._positions[key]

    def run_to(self, state: State) -> None:
        """Run the code that led to a state once more, up to its next request."""
        if not state.entries:
            if not has_no_code(state):
                self._declared(self._tree.thread_name(state.thread)).start()
            return
        edge = state.entry
        before = edge.before
        spawner = self._shared_spawner(before) if before.entries else self._spawner(before, edge.read)
        self._run_again(before, spawner, edge.read)

    def latest_key(self) -> int | None:
        """The key of the local state in which the latest run is suspended; None if it has none."""
        if self._latest_key == _UNKNOWN:
            self._latest_key = self._number(self.latest)
        return self._latest_key

    @property
    def doubt(self) -> str:
        """Why the local state that was looked at last has no key, in a few words."""
        return self._keys.doubt if self._keys is not None else ""

    def key(self, state: State) -> int | None:
        """The key of a state; None if it has none."""
        if state.number not in self._key_of:
            run = self._kept.get(state.number) or self._run_again(state, self._shared_spawner(state))
            self._key_of[state.number] = self._number(run)
        return self._key_of[state.number]

    def _number(self, run: ThreadRun) -> int | None:
        if self._keys is None:
            from replay.local_state.keys import LocalStateKeys  # late, as few need it

            self._keys = LocalStateKeys(self._first)
        key = self._keys.key_of(run)
        if key is None:
            return None
        if self._is_told_apart(run):
            self._keys.doubt = AUDITED
            return None
        number = self._key_numbers.setdefault(key, len(self._key_numbers))
        if number == len(self._positions):
            self._positions.append(run.position())
        return number

    def _at(self, state: State) -> ThreadRun:
        """A run suspended at `state`, in which the thread's own code has begun, and which is nobody else's.

        Those that spawned it, and that spawned these, serve others as well; else a chain of n spawns took n * n runs.
        """
        kept = self._kept.pop(state.number, None)
        return kept or self._run_again(state, self._shared_spawner(state))

    def _shared_spawner(self, state: State) -> ThreadRun | None:
        """A run suspended where it spawns the thread of `state`; None if none does."""
        shared, wanted = self._spawners, list[State]()
        spawn = self._spawn(state)
        while spawn is not None and spawn.number not in shared:
            wanted.append(spawn)
            spawn = self._spawn(spawn)
        run = None if spawn is None else shared[spawn.number]
        for place in reversed(wanted):
            run = self._run_again(place, run)
            _put(shared, place, run)
        return run

    def _spawner(self, state: State, read: ValueId = NOTHING) -> ThreadRun | None:
        """A run suspended where it spawns the thread of `state`, whose operation reads `read`; None if none does."""
        spawn = self._spawn(state, read)
        return None if spawn is None else self._at(spawn)

    def _spawn(self, state: State, read: ValueId = NOTHING) -> State | None:
        """Returns the state that spawned the thread of `state`; None if it is declared, or the final function."""
        way, root = state.way(), state.root()
        if root.operation is None or root.operation.kind is not Kind.START:
            return None
        return self._tree.states[spawning_state(self._tree.values[way[0].read if way else read])]

    def _run_again(self, state: State, spawner: ThreadRun | None, *reads: ValueId) -> ThreadRun:
        """A new run of the thread to `state`, and beyond if it is told what is read there."""
        way = state.way()
        path = [*(edge.before for edge in way), state]
        given = [*(edge.read for edge in way), *reads]
        steps: list[Answered] = [(before.asked, self.value(read)) for before, read in zip(path, given, strict=False)]
        steps.reverse()
        if has_no_code(path[0]):
            run = self._first_step(path[0], spawner)
            steps.pop()
        else:
            run = self._declared(self._tree.thread_name(state.thread))
        left = run.repeat(steps)
        if left or not reads:
            self._compare(path[len(given) - left], run.pending)
        return run

    def value(self, read: ValueId) -> object:
        """Returns the object for a thread that reads this value id."""
        return None if read == NOTHING else self._tree.values[read]

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Within the block, code runs in new instances of the program: what it changes is hidden in those of before."""
        before = self._kept, self._spawners
        self._kept, self._spawners = {}, {}
        try:
            yield
        finally:
            self._kept, self._spawners = before

    def steps(self, state: State, way: Sequence[Edge]) -> Iterator[ThreadRun]:
        """Run the thread of `state` again through some steps: its run before the first one and after each."""
        root, given = state.root(), [(edge.after, edge.read) for edge in way]
        if not has_no_code(root):
            run = self._declared(self._tree.thread_name(state.thread))
            given.insert(0, (root, NOTHING))
        elif given:
            run = self._first_step(root, self._spawner(given[0][0]))
        else:
            return
        yield run
        for number, (after, read) in enumerate(given):
            self._compare(after, run.resume(self.value(read)) if number else run.start())
            yield run

    def _declared(self, name: str) -> ThreadRun:
        instance = self.instance()
        return self._new_run(name, instance.threads[int(name)], instance.heap)

    def instance(self) -> Declarations:
        """A new instance of the program; NondeterminismError if it declares something else than the first."""
        first, self.newest = self._first, self._program.instance(self._first)
        if len(self.newest.threads) != len(first.threads):
            before, now = (counted(len(p.threads), "thread") for p in (first, self.newest))
        elif (self.newest.final_code is None) != (first.final_code is None):
            before, now = ("no final function" if p.final_code is None else "one" for p in (first, self.newest))
        else:
            return self.newest
        raise NondeterminismError(
            f"program {self._program.name} is not deterministic: it declared {before}, and {now} when it was called "
            "again (does it use state outside of itself, time, or random numbers?)",
            self._program.place,
        )

    def _first_step(self, root: State, spawner: ThreadRun | None) -> ThreadRun:
        """The code behind a START or FINAL operation, not running yet."""
        if spawner is None:
            instance = self.instance()
            assert instance.final_code is not None
            return ThreadRun(FINAL, instance.final_code, 1, checks_stores=self.frees, heap=instance.heap)
        assert isinstance(spawner.pending, Operation)
        assert spawner.pending.code is not None
        name = self._tree.thread_name(root.thread)
        return self._new_run(name, spawner.pending.code, spawner.thread.heap, 1, spawner)

    def _new_run(
        self,
        name: str,
        code: Callable[[], object],
        heap: HeapForThreads | None,
        performed: int = 0,
        spawner: ThreadRun | None = None,
    ) -> ThreadRun:
        fences, lock = self._program.fences, self._program.global_lock
        return ThreadRun(
            name, code, performed, spawner, fences=fences, checks_stores=self.frees, heap=heap, global_lock=lock
        )

    def _compare(self, state: State, request: Request) -> None:
        """Check that a second run asks for what the first one asked for."""
        if same_request(state, request):
            return
        known: Request | None = state.operation or state.terminal
        lines = (source(edge.before.operation) for edge in reversed(state.way()))
        place = str(source(request) or source(known) or next(filter(None, lines), self._program.place))
        if changed := self._tree.values.changed():
            raise ModelError(f"thread code changes the Python object {shown(changed[0])} {AFTER_IT_WAS_STORED}", place)
        values = [self._tree.values[edge.read] for edge in state.way() if edge.read != NOTHING]
        last = ["...", *map(shown, values[-MOST_READ:])] if len(values) > MOST_READ else map(shown, values)
        history = f"after reading {', '.join(last)}" if values else "before it read anything"
        raise NondeterminismError(
            f"thread {self._tree.thread_name(state.thread)} is not deterministic: {history} it asked for "
            f"'{describe(known)}', and in a second run for '{describe(request)}' ({cause(known, request)})",
            place,
        )


def _put(runs: dict[int, ThreadRun], state: State, run: ThreadRun) -> None:
    """Keep a run that is suspended in a state; the oldest one goes if there are too many."""
    runs[state.number] = run
    if len(runs) > KEPT:
        del runs[next(iter(runs))]


def _look_at(code: Callable[[], object], where: str, *, ordinary: bool) -> tuple[bool, str]:
    """Raise ModelError for what thread code must not say, before it runs; `where` is for what has no line.

    `ordinary`: the program shares ordinary objects. Returns whether the code may free something, and a line that
    compares by `is` what nobody knows, "" if none does.
    """
    found = reachable([("", code)]).values()
    if ordinary:
        look_past_classes(found)
    else:
        look_for_foreign(found, where)
    line = look_for_slips(code, found, ordinary=ordinary)
    frees = any(isinstance(thing, FunctionType) and "free" in facts(thing.__code__).looked_up for _, thing in found)
    return frees, line


def end_of_code(state: State) -> State:
    """The state itself, or the one before if the thread was stopped there though its code would go on."""
    end = state.terminal
    stopped = isinstance(end, Cut) or (isinstance(end, Blocked) and end.reason == SPIN)
    return state.entry.before if stopped and state.entries else state


def has_no_code(root: State) -> bool:
    return root.operation is not None and root.operation.kind in (Kind.START, Kind.FINAL)


def spawned_by(state_number: int) -> object:
    """The value that a spawn at that state leaves for its child."""
    return ("spawned by state", state_number)


def spawning_state(value: object) -> int:
    """The inverse of `spawned_by`."""
    if isinstance(value, Case):
        value = value.value
    assert isinstance(value, tuple)
    number: int = value[1]
    return number
