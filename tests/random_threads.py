"""Random programs as threads: each statement is a function, and a block the functions of its statements.

What thread code can reach is looked through in each check (`replay.code.reachable`). So a program leads to the
statements that it has, and not to all that there are.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from replay.frontend.declarations import Declarations
from replay.frontend.threads import Thread
from replay.world.operation import UNWRITTEN

LOCATIONS = ("x", "y", "z")
MUTEXES = ("m", "n")

Statement = tuple[Any, ...]
Block = tuple[Statement, ...]
Expression = int | str

Code = tuple[tuple[Callable[..., None], tuple[Any, ...]], ...]
"""Functions with their arguments."""

_FUNCTIONS: dict[str, Callable[..., None]] = {}

_BODIES = {"if": (1, 2), "lock": (1,), "try_lock": (1,), "spawn": (0,), "within": (1,)}
"""Which arguments of a statement are blocks."""


def statement(function: Callable[..., None]) -> Callable[..., None]:
    """The function `_name` is the statement `name`."""
    _FUNCTIONS[function.__name__.removeprefix("_")] = function
    return function


@functools.cache
def code_of(block: Block) -> Code:
    """The functions of a block."""
    return tuple((_FUNCTIONS[name], _arguments(name, arguments)) for name, *arguments in block)


def _arguments(name: str, given: list[Any]) -> tuple[Any, ...]:
    if name == "update":
        return (*given, UPDATES[given[1]])
    bodies = _BODIES.get(name, ())
    return tuple(code_of(each) if place in bodies else each for place, each in enumerate(given))


UPDATES: dict[str, Callable[[int], object]] = {
    "double": lambda value: 2 * value,
    "if even": lambda value: UNWRITTEN if value % 2 else value + 1,
    "never": lambda value: UNWRITTEN,
    "divide": lambda value: 2 // value,
}
"""What an update may do: write, sometimes write, never write, raise."""


class Running:
    """A thread that is running."""

    __slots__ = ("children", "p", "r", "shared", "threads")

    def __init__(self, p: Declarations, shared: dict[str, Any], threads: list[Thread]) -> None:
        self.p = p
        self.shared = shared
        self.threads = threads
        self.children: list[Thread] = []
        self.r = 0


def thread(p: Declarations, shared: dict[str, Any], threads: list[Thread], code: Code) -> int:
    """Run code as a thread; returns the register."""
    run = Running(p, shared, threads)
    execute(run, code)
    return run.r


def final(shared: dict[str, Any], threads: list[Thread], check: tuple[str, int], joins: bool) -> object:
    """Returns what is in memory, and what the threads return if `joins`; fails if a location holds some value."""
    returned = tuple(thread.join() for thread in threads) if joins else ()
    memory = {name: shared[name].load() for name in LOCATIONS}
    location, forbidden = check
    assert memory[location] != forbidden, f"finally {location} is {forbidden}"
    return (tuple(memory.values()), returned)


def execute(run: Running, code: Code) -> None:
    for function, arguments in code:
        function(run, *arguments)


def _value(run: Running, expression: Expression) -> int:
    if isinstance(expression, str):
        return run.r + (expression == "r+1")
    return expression


# -- memory ------------------------------------------------------------


@statement
def _load(run: Running, location: str) -> None:
    run.r = run.shared[location].load()


@statement
def _store(run: Running, location: str, expression: Expression) -> None:
    run.shared[location].store(_value(run, expression))


@statement
def _load_at(run: Running) -> None:
    """Load from the location that the register points to."""
    _load(run, LOCATIONS[run.r % 3])


@statement
def _store_at(run: Running, expression: Expression) -> None:
    _store(run, LOCATIONS[run.r % 3], expression)


@statement
def _exchange(run: Running, location: str, expression: Expression) -> None:
    run.r = run.shared[location].exchange(_value(run, expression))


@statement
def _fetch_add(run: Running, location: str, expression: Expression) -> None:
    run.r = run.shared[location].fetch_add(_value(run, expression))


@statement
def _compare_exchange(run: Running, location: str, expected: Expression, new: Expression) -> None:
    run.r = int(run.shared[location].compare_exchange(_value(run, expected), _value(run, new)))


@statement
def _seen(run: Running, location: str, expected: Expression, new: Expression) -> None:
    """Compare and exchange, and go on with what was seen if it did not."""
    done, seen = run.shared[location].compare_exchange_seen(_value(run, expected), _value(run, new))
    run.r = -1 if done else seen


@statement
def _update(run: Running, location: str, how: str, function: Callable[[int], object]) -> None:
    run.r = run.shared[location].update(function, how)


@statement
def _fence(run: Running) -> None:
    run.p.fence()


@statement
def _store_fence(run: Running) -> None:
    run.p.store_fence()


@statement
def _publish(run: Running, expression: Expression) -> None:
    """Allocate a record, fill it, let everybody see it."""
    node = run.p.record("node", value=0)
    node.value.store(_value(run, expression))
    run.shared["head"].store(node)


@statement
def _follow(run: Running) -> None:
    node = run.shared["head"].load()
    run.r = -1 if node is None else node.value.load()


@statement
def _point(run: Running, location: str) -> None:
    """Let everybody see a reference to a location."""
    run.shared["pointer"].store(run.shared[location].ref)


@statement
def _load_there(run: Running) -> None:
    pointer = run.shared["pointer"].load()
    run.r = -1 if pointer is None else pointer.load()


@statement
def _store_there(run: Running, expression: Expression) -> None:
    pointer = run.shared["pointer"].load()
    if pointer is not None:
        pointer.store(_value(run, expression))


@statement
def _publish_locked(run: Running, expression: Expression) -> None:
    """Allocate a record with a lock and cells of its own, and let everybody see it, or only one of the cells."""
    box = run.p.record("box", lock=run.p.mutex(), cells=run.p.array([0, _value(run, expression)]))
    run.shared["box"].store(box)
    run.shared["pointer"].store(box.cells[run.r % 2].ref)


@statement
def _with_box(run: Running, expression: Expression) -> None:
    """Change what is in the box, under its lock."""
    box = run.shared["box"].load()
    if box is not None:
        with box.lock:
            run.r = box.cells[1].load()
            box.cells[0].store(_value(run, expression))


@statement
def _free(run: Running) -> None:
    """Free the record that everybody sees."""
    node = run.shared["head"].load()
    if node is not None:
        run.p.free(node)


@statement
def _write(run: Running, expression: Expression) -> None:
    """Store to the record that everybody sees."""
    node = run.shared["head"].load()
    if node is not None:
        node.value.store(_value(run, expression))


@statement
def _remember(run: Running) -> None:
    """Keep the register where no other thread sees it."""
    run.shared["own"].kept = run.r


@statement
def _recall(run: Running) -> None:
    run.r = run.shared["own"].kept


# -- control -----------------------------------------------------------


@statement
def _if(run: Running, value: int, then: Code, otherwise: Code) -> None:
    execute(run, then if run.r == value else otherwise)


@statement
def _assume(run: Running, value: int) -> None:
    """Go on unless the register holds the value."""
    run.p.assume(run.r != value)


@statement
def _assert(run: Running, value: int) -> None:
    assert run.r != value, f"r is {value}"


@statement
def _choose(run: Running, *values: int) -> None:
    run.r = run.p.choose(*values)


@statement
def _wait(run: Running, *wanted: tuple[str, int]) -> None:
    """Wait until all the locations hold what is wanted, looked at from left to right."""
    run.p.wait_until(lambda: all(run.shared[location].load() == value for location, value in wanted))


# -- synchronisation ---------------------------------------------------


@statement
def _lock(run: Running, mutex: str, body: Code) -> None:
    with run.shared[mutex]:
        execute(run, body)


@statement
def _try_lock(run: Running, mutex: str, body: Code) -> None:
    if run.shared[mutex].try_lock():
        execute(run, body)
        run.shared[mutex].unlock()


@statement
def _sleep(run: Running) -> None:
    with run.shared["m"]:
        run.shared["c"].wait()


@statement
def _wait_for(run: Running, location: str, value: int) -> None:
    with run.shared["m"]:
        run.shared["c"].wait_for(lambda: run.shared[location].load() == value)


@statement
def _notify(run: Running) -> None:
    run.shared["c"].notify()


@statement
def _notify_all(run: Running) -> None:
    with run.shared["m"]:
        run.shared["c"].notify_all()


@statement
def _within(run: Running, what: str, body: Code) -> None:
    """A block that holds a semaphore, a reentrant lock, or one side of a lock for readers and writers."""
    with getattr(run.shared["rw"], what) if what in ("reader", "writer") else run.shared[what]:
        execute(run, body)


@statement
def _acquire(run: Running) -> None:
    """Take a semaphore, or not."""
    run.r = int(run.shared["semaphore"].acquire(timeout=1))


@statement
def _release(run: Running) -> None:
    run.shared["semaphore"].release()


@statement
def _event(run: Running, method: str) -> None:
    run.r = int(getattr(run.shared["event"], method)() or 0)


@statement
def _meet(run: Running) -> None:
    run.r = run.shared["barrier"].wait()


@statement
def _put(run: Running, expression: Expression) -> None:
    run.shared["queue"].put(_value(run, expression))


@statement
def _get(run: Running, block: bool) -> None:
    run.r = run.shared["queue"].get(block=block)


@statement
def _once(run: Running, location: str) -> None:
    run.r = run.shared["once"].do(run.shared[location].fetch_add)


@statement
def _doze(run: Running) -> None:
    """Wait to be notified, for a while."""
    with run.shared["c"]:
        run.r = int(run.shared["c"].wait(timeout=1))


# -- threads -----------------------------------------------------------


@statement
def _spawn(run: Running, body: Code) -> None:
    run.children.append(run.p.spawn(functools.partial(thread, run.p, run.shared, run.threads, body)))


@statement
def _join_child(run: Running) -> None:
    """Join the child that was spawned last; nothing if there is none."""
    if run.children:
        run.r = run.children[-1].join()


@statement
def _join(run: Running, number: int) -> None:
    """Join a declared thread, perhaps onerun."""
    if number < len(run.threads):
        run.r = run.threads[number].join()
