"""Runs user code along known histories, and checks that it does the same each time.

The latest runs are kept where they are suspended, so that growing a branch
step by step runs each line of user code once. Any other state is reached by
running its thread again from the beginning in a fresh instance of the program,
feeding it the recorded values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Protocol

from replay.code.foreign import look_for_foreign
from replay.code.hidden_state import HiddenState
from replay.code.thread_run import Blocked, Cut, Ended, Failed, Request, Step, ThreadRun
from replay.code.user_code import UserCode
from replay.errors import ModelError, NondeterminismError
from replay.frontend.declarations import Declarations
from replay.frontend.program import Program
from replay.frontend.threads import FINAL
from replay.machine.state import NOTHING, State
from replay.world.operation import UNWRITTEN, Kind, Operation, Source
from replay.world.shown import shown
from replay.world.values import ValueId, ValueTable, same

KEPT = 32
"""Runs that are kept, each with a stack of its own of some kilobytes."""


class _Tree(Protocol):
    """What is needed of the unfolding."""

    values: ValueTable

    @property
    def states(self) -> Sequence[State]: ...

    def thread_name(self, index: int) -> str: ...


class CodeRunner:
    """Answers what a thread asks for after a history, by running its code."""

    def __init__(self, program: Program, tree: _Tree, first: Declarations) -> None:
        """`first` is an instance of the program, none of whose code has run."""
        self._program = program
        self._tree = tree
        self._kept: dict[int, ThreadRun] = {}
        self._spawners: dict[int, ThreadRun] = {}
        self._audited: dict[int, ThreadRun] | None = None
        self._last: ThreadRun | None = None
        self._first = self._newest = first
        for call in first.threads:
            look_for_foreign(call, str(call.source or ""))
        if first.final_code is not None:
            look_for_foreign(first.final_code, f"{program.file}:{program.line}")

    def declared_thread(self, name: str) -> Request:
        """The first request of a thread that the program declares."""
        self._last = run = self._declared(name)
        return run.start()

    def after(self, state: State, read: ValueId) -> tuple[Request, object]:
        """The request that follows when `state`'s operation reads `read`, and what that writes if it is an update."""
        run = self._kept.pop(state.number, None)
        if run is None:
            run = self._run_again(state, self._spawner(state, read), read)
        else:
            run.resume(self._value(read))
        self._last = run
        return run.pending, run.wrote

    def would_write(self, state: State, read: ValueId) -> object:
        """What `state`'s update would make of a value that it may never read; UNWRITTEN if it raises an exception.

        The update that the unfolding keeps will not do: what it refers to may
        have changed since the thread went on.
        """
        run = self._at(state)
        assert isinstance(run.pending, Operation)
        update = run.pending.update
        assert update is not None
        self._keep(run, state)
        return UserCode(lambda: update(self._value(read)), lambda _: UNWRITTEN).go()

    def suspended_at(self, state: State) -> None:
        """Tell that the last request made `state`, so that its run can go on from there."""
        assert self._last is not None
        if isinstance(self._last.pending, Operation):
            self._keep(self._last, state)

    def goes_on(self, state: State, steps: Iterable[State]) -> bool:
        """Whether the code suspended at `state` takes the steps that led to these states, if it reads the same."""
        run = self._kept.pop(state.number)
        for after in steps:
            assert after.parent is not None and after.parent.operation is not None
            known, request = after.parent.operation, run.pending
            if not (isinstance(request, Operation) and known.source == request.source and known.same_request(request)):
                return False
            run.resume(self._value(after.read))
        return isinstance(run.pending, Operation)

    def _keep(self, run: ThreadRun, state: State) -> None:
        self._kept[state.number] = run
        if len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]

    def _at(self, state: State) -> ThreadRun:
        """A run suspended at `state`, in which the thread's own code has begun, and which is nobody else's.

        Those that spawned it, and that spawned these, serve others as well; else a chain of n spawns took n * n runs.
        """
        kept = self._kept.pop(state.number, None) if self._audited is None else None
        return kept or self._run_again(state, self._shared_spawner(state))

    def _shared_spawner(self, state: State) -> ThreadRun | None:
        """A run suspended where it spawns the thread of `state`; None if none does."""
        shared = self._spawners if self._audited is None else self._audited
        wanted: list[State] = []
        spawn = self._spawn(state)
        while spawn is not None and spawn.number not in shared:
            wanted.append(spawn)
            spawn = self._spawn(spawn)
        run = None if spawn is None else shared[spawn.number]
        for place in reversed(wanted):
            shared[place.number] = run = self._run_again(place, run)
            if len(shared) > KEPT:
                del shared[next(iter(shared))]
        return run

    def _spawner(self, state: State, read: ValueId = NOTHING) -> ThreadRun | None:
        """A run suspended where it spawns the thread of `state`, whose operation reads `read`; None if none does."""
        spawn = self._spawn(state, read)
        return None if spawn is None else self._at(spawn)

    def _spawn(self, state: State, read: ValueId = NOTHING) -> State | None:
        """Where the thread of `state` was spawned; None if it is declared, or the final function."""
        root, *later = state.path()
        if root.operation is None or root.operation.kind is not Kind.START:
            return None
        return self._tree.states[spawning_state(self._tree.values[later[0].read if later else read])]

    def _run_again(self, state: State, spawner: ThreadRun | None, *reads: ValueId) -> ThreadRun:
        """A new run of the thread to `state`, and beyond if it is told what is read there."""
        path = state.path()
        given = [*(after.read for after in path[1:]), *reads]
        steps = [self._step(before, read) for before, read in zip(path, given, strict=False)]
        steps.reverse()
        if _has_no_code(path[0]):
            run = self._first_step(path[0], spawner)
            steps.pop()
        else:
            run = self._declared(self._tree.thread_name(state.thread))
        left = run.repeat(steps)
        if left or not reads:
            self._compare(path[len(given) - left], run.pending)
        return run

    def _step(self, state: State, read: ValueId) -> Step:
        """What a thread did in a state, and what it got."""
        assert state.operation is not None
        return state.operation, self._value(read)

    def _value(self, read: ValueId) -> object:
        """What a thread is given for the value id that it reads."""
        return None if read == NOTHING else self._tree.values[read]

    def audit(self, states: Iterable[State]) -> None:
        """Run the code that led to the states of an execution once more, and see whether it uses nothing but the model.

        Raises NondeterminismError if it asks for something else than it did,
        ModelError if it changes Python objects that other threads use.
        """
        # Spawners come before their children: what was looked at changes nothing that it shares, so it may run again
        # and again in one instance. Runs that were made while the tree grew would hide changes that they made before.
        self._audited = {}
        try:
            for state in sorted(states, key=lambda state: state.path()[0].number):
                self._audit(state)
        finally:
            self._audited = None

    def _audit(self, state: State) -> None:
        end = _end_of_code(state)
        steps = self._steps(end)
        for run in steps:
            hidden = HiddenState(run.code, self._others(run))
            for given in end.path():
                hidden.share(self._value(given.read))
            self._check(hidden, run.name, run.declared)
            before = run.declared
            for _ in steps:
                self._check(hidden, run.name, before)
                before = _source(run.pending) or before
                for value in _given_away(run.pending):
                    hidden.share(value)

    def _check(self, hidden: HiddenState, thread: str, where: Source | None) -> None:
        """Raise ModelError if a thread uses more than the model."""
        if changed := hidden.changed():
            wrong = (
                f"changes the Python object {changed!r}, which other threads use and would not see change; "
                "share it with p.var() or p.array(), or return it from the thread"
            )
        elif changed := hidden.changed_in_memory():
            wrong = (
                f"changes the Python object {changed!r} after it went through memory, where values never change; "
                "share what changes with p.record(), or store a new object"
            )
        elif uncertain := hidden.uncertain():
            wrong = (
                f"uses the Python object {uncertain!r}, which other threads use and whose changes cannot be seen (an "
                "iterator, or an object of an extension); make one for each thread, or share what it gives with p.var()"
            )
        else:
            return
        raise ModelError(f"thread {thread} {wrong}", str(where or ""))

    def _others(self, run: ThreadRun) -> Sequence[object]:
        """What may share Python objects with a run that has not begun, and would not see them change.

        A spawned thread shares with whatever its parent can still reach; the final function comes last. Every thread
        shares with the same one in another instance what outlives an instance.
        """
        if run.name == FINAL:
            return []
        same: object = self._first.threads[int(run.name.partition(".")[0])]
        if run.spawner is not None:
            frames: Sequence[object] = run.spawner.frames()
            return [*(frames or [run.code]), same]
        codes: list[object] = [code for name, code in enumerate(self._newest.threads) if str(name) != run.name]
        return [*codes, *([self._newest.final_code] if self._newest.final_code else []), same]

    def _steps(self, state: State) -> Iterator[ThreadRun]:
        """Run a thread again from its beginning to `state`: its run before the first step and after each."""
        run: ThreadRun | None = None
        path = state.path()
        if not _has_no_code(path[0]):
            run = self._declared(self._tree.thread_name(state.thread))
            yield run
            run.start()
            self._compare(path[0], run.pending)
            yield run
        for before, after in pairwise(path):
            if run is None:
                run = self._first_step(before, self._spawner(after))
                yield run
                run.start()
            else:
                run.resume(self._value(after.read))
            self._compare(after, run.pending)
            yield run

    def _declared(self, name: str) -> ThreadRun:
        return ThreadRun(name, self._instance().threads[int(name)])

    def _instance(self) -> Declarations:
        """A new instance of the program; NondeterminismError if it declares something else than the first."""
        first, self._newest = self._first, self._program.instance(self._first)
        if len(self._newest.threads) != len(first.threads):
            raise self._fickle(_count(first), _count(self._newest))
        if (self._newest.final_code is None) != (first.final_code is None):
            raise self._fickle(*("no final function" if p.final_code is None else "one" for p in (first, self._newest)))
        return self._newest

    def _fickle(self, before: str, now: str) -> NondeterminismError:
        return NondeterminismError(
            f"program {self._program.name} is not deterministic: it declared {before}, and {now} when it was called "
            "again (does it use state outside of itself, time, or random numbers?)",
            self._program.place,
        )

    def _first_step(self, root: State, spawner: ThreadRun | None) -> ThreadRun:
        """The code behind a START or FINAL operation, not running yet."""
        if spawner is None:
            final = self._instance().final_code
            assert final is not None
            return ThreadRun(FINAL, final, performed=1)
        assert isinstance(spawner.pending, Operation)
        assert spawner.pending.code is not None
        return ThreadRun(self._tree.thread_name(root.thread), spawner.pending.code, 1, spawner)

    def _last_line(self, state: State) -> object:
        """The last line that asked for something on the way to a state; where none did, that of the program."""
        lines = (before.operation.source for before in reversed(state.path()[:-1]) if before.operation is not None)
        return next((line for line in lines if line is not None), self._program.place)

    def _compare(self, state: State, request: Request) -> None:
        """Check that a second run asks for what the first one asked for."""
        known: Request | None = state.operation or state.terminal
        if isinstance(known, Operation) and isinstance(request, Operation):
            if known.same_request(request):
                return
        elif _same_end(known, request):
            return
        values = [self._tree.values[step.read] for step in state.path() if step.read != NOTHING]
        history = f"after reading {', '.join(map(shown, values))}" if values else "before it read anything"
        raise NondeterminismError(
            f"thread {self._tree.thread_name(state.thread)} is not deterministic: {history} it asked for "
            f"'{_describe(known)}', and in a second run for '{_describe(request)}' ({_cause(known, request)})",
            str(_source(request) or _source(known) or self._last_line(state) or ""),
        )


def _end_of_code(state: State) -> State:
    """The state itself, or the one before if it came about without code: by a limit."""
    return state.parent if state.parent is not None and isinstance(state.terminal, Cut) else state


def _count(p: Declarations) -> str:
    return f"{len(p.threads)} thread{'s' if len(p.threads) != 1 else ''}"


def _has_no_code(root: State) -> bool:
    return root.operation is not None and root.operation.kind in (Kind.START, Kind.FINAL)


def spawned_by(state_number: int) -> object:
    """The value that a spawn at that state leaves for its child."""
    return ("spawned by state", state_number)


def spawning_state(value: object) -> int:
    """The inverse of `spawned_by`."""
    assert isinstance(value, tuple)
    number: int = value[1]
    return number


def _same_end(known: Request | None, found: Request | None) -> bool:
    """Whether two runs came to the same end: what a join or a reader of reports would see of it."""
    match known, found:
        case Ended(), Ended():
            return same(known.value, found.value)
        case Failed(), Failed():
            return (known.error, known.message, known.source) == (found.error, found.message, found.source)
        case Blocked(), Blocked():
            return known == found
    return type(known) is type(found) and not isinstance(known, Operation)


def _given_away(request: Request) -> Iterator[object]:
    """The objects that a thread is about to write to memory."""
    if isinstance(request, Operation):
        yield request.value
        yield from request.operands


def _describe(request: Request | None) -> str:
    match request:
        case Operation():
            return request.describe()
        case Failed():
            return f"exception {request}"
        case Blocked():
            return f"{request.reason} at {request.source}"
        case Ended(None):
            return "its end"
        case Ended():
            return f"its end, returning {shown(request.value)}"
    return "its end"


def _cause(known: Request | None, found: Request | None) -> str:
    """What may be wrong with a thread that did two things on one history."""
    if _describe(known) != _describe(found):
        return "does it use state that is not declared as shared, time, or random numbers?"
    if isinstance(known, Failed):
        return f"at {_source(known)} and at {_source(found)}"
    kind = type(getattr(known, "value", None)).__name__
    return (
        f"the two are written alike, but not equal: does each run make a new object of type {kind!r}, which is equal "
        "to itself only? Use a tuple, a frozen data class or a record, or make the object outside of the program"
    )


def _source(request: Request | None) -> Source | None:
    return getattr(request, "source", None)
