"""Declarations of a generated program, in place of those that `import mcr` gives; see docs/program-model.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tests.pythonic.live_thread import UNWRITTEN, Ask, LiveThread, inside_thread, running, same


class Operations:
    """The `op` of a variable."""

    def __init__(self, name: str, initial: object) -> None:
        self._name = name
        self._initial = initial

    def load(self) -> Ask:
        return Ask("load", self._name, self._initial)

    def store(self, value: object) -> Ask:
        return Ask("store", self._name, self._initial, value)

    def exchange(self, value: object) -> Ask:
        return self.update(lambda old: value)

    def fetch_add(self, amount: Any = 1) -> Ask:
        return self.update(lambda old: old + amount)

    def compare_exchange(self, expected: object, new: object) -> Ask:
        def succeeds(old: object) -> bool:
            return same(old, expected)

        return Ask(
            "rmw",
            self._name,
            self._initial,
            update=lambda old: new if succeeds(old) else UNWRITTEN,
            answer=succeeds,
        )

    def compare_exchange_seen(self, expected: object, new: object) -> Ask:
        return Ask(
            "rmw",
            self._name,
            self._initial,
            update=lambda old: new if same(old, expected) else UNWRITTEN,
            answer=lambda old: (same(old, expected), old),
        )

    def update(self, function: Callable[[Any], object], label: str = "") -> Ask:
        return Ask("rmw", self._name, self._initial, update=function)


class Variable:
    def __init__(self, name: str, initial: object = None) -> None:
        self.name = name
        self.op = Operations(name, initial)

    def load(self) -> Any:
        run = running()
        ask = self.op.load()
        return run.perform(ask if run.waits < 0 else Ask("load", ask.place, ask.initial, wait=run.waits))

    def store(self, value: object) -> None:
        running().perform(self.op.store(value))

    def exchange(self, value: object) -> Any:
        return running().perform(self.op.exchange(value))

    def fetch_add(self, amount: Any = 1) -> Any:
        return running().perform(self.op.fetch_add(amount))

    def compare_exchange(self, expected: object, new: object) -> Any:
        return running().perform(self.op.compare_exchange(expected, new))

    def compare_exchange_seen(self, expected: object, new: object) -> Any:
        return running().perform(self.op.compare_exchange_seen(expected, new))

    @property
    def ref(self) -> Reference:
        return Reference(self.name, self.op.load().initial)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Variable) and (self.name, self.op.load().initial) == (
            other.name,
            other.op.load().initial,
        )

    def __hash__(self) -> int:
        return hash(self.name)

    def update(self, function: Callable[[Any], object], label: str = "") -> Any:
        return running().perform(self.op.update(function, label))

    def __repr__(self) -> str:
        return self.name


class Reference(Variable):
    def __repr__(self) -> str:
        return f"&{self.name}"


class Array(Sequence[Variable]):
    def __init__(self, name: str, initial: Sequence[object]) -> None:
        self.name = name
        self.initial = initial
        self._cells = [Variable(f"{name}[{index}]", value) for index, value in enumerate(initial)]

    def __getitem__(self, index: Any) -> Any:
        return self._cells[index]

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._cells)

    def __repr__(self) -> str:
        return self.name


class Record:
    def __init__(self, name: str, fields: dict[str, object]) -> None:
        self._name = name
        self._cells = {field: _field(f"{name}.{field}", value) for field, value in fields.items()}

    def __getattr__(self, field: str) -> Any:
        cells: dict[str, Any] = self.__dict__["_cells"]
        if field not in cells:
            raise AttributeError(f"record {self._name} has no field {field!r}")
        return cells[field]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self._name == other._name

    def __hash__(self) -> int:
        return hash(self._name)

    def __repr__(self) -> str:
        return self._name


def _field(name: str, value: Any) -> Any:
    """A mutex or an array that a record was given is its field; a value gets a cell."""
    if isinstance(value, Mutex):
        return Mutex(name)
    return Array(name, value.initial) if isinstance(value, Array) else Variable(name, value)


class Local:
    """State of each thread by itself."""

    def __init__(self, initial: dict[str, object]) -> None:
        self.__dict__["_held"] = {}
        self.__dict__["_initial"] = initial

    def __getattr__(self, name: str) -> Any:
        return self._held.get((running().name, name), self._initial[name])

    def __setattr__(self, name: str, value: object) -> None:
        self._held[running().name, name] = value


def text_of(value: object) -> str:
    """The repr of a value, with what a record in it holds at first: another execution may have another of its name."""
    if isinstance(value, Record):
        cells = value.__dict__["_cells"].items()
        initial = ((field, cell.op.load().initial) for field, cell in cells if isinstance(cell, Variable))
        return f"{value!r}({', '.join(f'{field}={text_of(held)}' for field, held in initial)})"
    if isinstance(value, Reference):
        return f"{value!r}({text_of(value.op.load().initial)})"
    if type(value) is tuple:
        return f"({', '.join(map(text_of, value))},)"
    return repr(value)


class Mutex:
    """Its location holds the name of the thread that has it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._holder: LiveThread | None = None

    def lock(self) -> None:
        run = running()
        run.perform(Ask("lock", self.name, update=lambda _: run.name))
        self._holder = run

    def try_lock(self) -> bool:
        run = running()

        def is_free(owner: object) -> bool:
            return owner is None

        take = Ask("rmw", self.name, update=lambda owner: run.name if is_free(owner) else UNWRITTEN, answer=is_free)
        taken: bool = run.perform(take)
        if taken:
            self._holder = run
        return taken

    def unlock(self) -> None:
        if self._holder is not running():
            raise RuntimeError(f"mutex {self.name} is not held by this thread")
        self._holder = None
        running().perform(Ask("unlock", self.name))

    def __enter__(self) -> Mutex:
        self.lock()
        return self

    def __exit__(self, *error: object) -> None:
        self.unlock()


class Thread:
    def __init__(self, name: str) -> None:
        self.name = name

    def join(self) -> Any:
        return running().perform(Ask("join", self.name))

    def __repr__(self) -> str:
        return f"thread {self.name}"


class Declarations:
    """The `p` of a program."""

    def __init__(self) -> None:
        self.codes: list[Callable[[], object]] = []
        self.final_code: Callable[[], object] | None = None
        self._records = -1

    def var(self, name: str, initial: object = None) -> Variable:
        return Variable(name, initial)

    def array(self, name: Any, initial: Sequence[object] | None = None) -> Array:
        return Array("", name) if initial is None else Array(name, initial)

    def mutex(self, name: str = "") -> Mutex:
        """In a thread with a number, as records have; without a name it is given to a record, which names it."""
        if name and inside_thread():
            name = f"{name}#{running().name}.{running().number('record')}"
        return Mutex(name)

    def local(self, name: str, /, **initial: object) -> Local:
        if inside_thread():
            running().number("record")
        return Local(initial)

    def record(self, name: str = "record", /, **fields: object) -> Record:
        if inside_thread():
            run = running()
            return Record(f"{name}#{run.name}.{run.number('record')}", fields)
        self._records += 1
        return Record(f"{name}#{self._records}", fields)

    def thread(self, function: Callable[..., object], *args: object, name: str = "") -> Thread:
        self.codes.append(lambda: function(*args))
        return Thread(str(len(self.codes) - 1))

    def final(self, function: Any) -> Any:
        self.final_code = function
        return function

    def fence(self) -> None:
        running().perform(Ask("fence"))

    def store_fence(self) -> None:
        running().perform(Ask("store fence"))

    def assume(self, condition: object) -> None:
        if not condition:
            running().block()

    def wait_until(self, condition: Callable[[], Any]) -> Any:
        run = running()
        run.waits = run.steps
        try:
            value = condition()
            if not value:
                run.block()
        finally:
            run.waits = -1
        return value

    def choose(self, *values: object) -> Any:
        return running().perform(Ask("choose", value=values))

    def spawn(self, function: Callable[..., object], *args: object) -> Thread:
        run = running()
        child = f"{run.name}.{run.number('thread')}"
        run.perform(Ask("spawn", child, code=lambda: function(*args)))
        return Thread(child)
