"""Random programs: plain data that prints, shrinks and runs.

A program is a tuple of blocks, one for each declared thread, and perhaps a
final check; a block is a tuple of statements; a statement is a tuple of its
name and arguments (the methods of `_Interpreter`). The `repr` of a
`RandomProgram` can be pasted into a regression test.

Every thread has one register `r`, 0 at first, which takes the result of each
operation that has one; a thread returns it. An expression is a number, "r" or "r+1".
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st

from replay.frontend.declarations import Declarations
from replay.frontend.program import Program
from replay.frontend.threads import Thread
from replay.world.operation import UNWRITTEN

LOCATIONS = ("x", "y", "z")
MUTEXES = ("m", "n")

Statement = tuple[Any, ...]
Block = tuple[Statement, ...]
Expression = int | str


class RandomProgram(NamedTuple):
    """A program as data.

    final  None, or (location, value): the check fails if the location holds the value;
           it returns what is in memory, joining the declared threads first if `joins`
    """

    threads: tuple[Block, ...]
    final: tuple[str, int] | None = None
    joins: bool = False

    def build(self) -> Program:
        return _Interpreted(_declare, {"source": self})


class _Interpreted(Program):
    """A program whose text is its data, not the module that interprets it."""

    def fingerprint(self) -> str:
        return repr(self.arguments)


def _declare(p: Declarations, source: RandomProgram) -> None:
    shared: dict[str, Any] = {name: p.var(name, 0) for name in LOCATIONS}
    shared |= {name: p.mutex(name) for name in MUTEXES}
    shared |= {"c": p.condition("c", shared["m"]), "head": p.var("head", None)}
    threads: list[Thread] = []
    for block in source.threads:
        threads.append(p.thread(functools.partial(_execute, p, shared, threads, block)))
    if source.final is not None:
        p.final(lambda: _check(source, shared, threads))


def _execute(p: Declarations, shared: dict[str, Any], threads: list[Thread], block: Block) -> int:
    return _Interpreter(p, shared, threads).execute(block)


def _check(source: RandomProgram, shared: dict[str, Any], threads: list[Thread]) -> object:
    assert source.final is not None
    returned = tuple(thread.join() for thread in threads) if source.joins else ()
    memory = {name: shared[name].load() for name in LOCATIONS}
    location, forbidden = source.final
    assert memory[location] != forbidden, f"finally {location} is {forbidden}"
    return (tuple(memory.values()), returned)


UPDATES: dict[str, Callable[[int], object]] = {
    "double": lambda value: 2 * value,
    "if even": lambda value: UNWRITTEN if value % 2 else value + 1,
    "never": lambda value: UNWRITTEN,
    "divide": lambda value: 2 // value,
}
"""What an update may do: write, sometimes write, never write, raise."""


class _Interpreter:
    """Executes blocks as one thread: the method `_name` is the statement `name`."""

    def __init__(self, p: Declarations, shared: dict[str, Any], threads: list[Thread]) -> None:
        self.p = p
        self.shared = shared
        self.threads = threads
        self.children: list[Thread] = []
        self.r = 0

    def execute(self, block: Block) -> int:
        """Run a block; returns the register."""
        for name, *arguments in block:
            getattr(self, f"_{name}")(*arguments)
        return self.r

    def value(self, expression: Expression) -> int:
        if isinstance(expression, str):
            return self.r + (expression == "r+1")
        return expression

    # -- memory ------------------------------------------------------------

    def _load(self, location: str) -> None:
        self.r = self.shared[location].load()

    def _store(self, location: str, expression: Expression) -> None:
        self.shared[location].store(self.value(expression))

    def _load_at(self) -> None:
        """Load from the location that the register points to."""
        self._load(LOCATIONS[self.r % 3])

    def _store_at(self, expression: Expression) -> None:
        self._store(LOCATIONS[self.r % 3], expression)

    def _exchange(self, location: str, expression: Expression) -> None:
        self.r = self.shared[location].exchange(self.value(expression))

    def _fetch_add(self, location: str, expression: Expression) -> None:
        self.r = self.shared[location].fetch_add(self.value(expression))

    def _compare_exchange(self, location: str, expected: Expression, new: Expression) -> None:
        self.r = int(self.shared[location].compare_exchange(self.value(expected), self.value(new)))

    def _update(self, location: str, how: str) -> None:
        self.r = self.shared[location].update(UPDATES[how], how)

    def _fence(self) -> None:
        self.p.fence()

    def _store_fence(self) -> None:
        self.p.store_fence()

    def _publish(self, expression: Expression) -> None:
        """Allocate a record, fill it, let everybody see it."""
        node = self.p.record("node", value=0)
        node.value.store(self.value(expression))
        self.shared["head"].store(node)

    def _follow(self) -> None:
        node = self.shared["head"].load()
        self.r = -1 if node is None else node.value.load()

    # -- control -----------------------------------------------------------

    def _if(self, value: int, then: Block, otherwise: Block) -> None:
        self.execute(then if self.r == value else otherwise)

    def _assume(self, value: int) -> None:
        """Go on unless the register holds the value."""
        self.p.assume(self.r != value)

    def _assert(self, value: int) -> None:
        assert self.r != value, f"r is {value}"

    def _choose(self, *values: int) -> None:
        self.r = self.p.choose(*values)

    def _wait(self, *wanted: tuple[str, int]) -> None:
        """Wait until all the locations hold what is wanted, looked at from left to right."""
        self.p.wait_until(lambda: all(self.shared[location].load() == value for location, value in wanted))

    # -- synchronisation ---------------------------------------------------

    def _lock(self, mutex: str, body: Block) -> None:
        with self.shared[mutex]:
            self.execute(body)

    def _try_lock(self, mutex: str, body: Block) -> None:
        if self.shared[mutex].try_lock():
            self.execute(body)
            self.shared[mutex].unlock()

    def _sleep(self) -> None:
        with self.shared["m"]:
            self.shared["c"].wait()

    def _wait_for(self, location: str, value: int) -> None:
        with self.shared["m"]:
            self.shared["c"].wait_for(lambda: self.shared[location].load() == value)

    def _notify(self) -> None:
        self.shared["c"].notify()

    def _notify_all(self) -> None:
        with self.shared["m"]:
            self.shared["c"].notify_all()

    # -- threads -----------------------------------------------------------

    def _spawn(self, body: Block) -> None:
        self.children.append(self.p.spawn(functools.partial(_execute, self.p, self.shared, self.threads, body)))

    def _join_child(self) -> None:
        """Join the child that was spawned last; nothing if there is none."""
        if self.children:
            self.r = self.children[-1].join()

    def _join(self, number: int) -> None:
        """Join a declared thread, perhaps oneself."""
        if number < len(self.threads):
            self.r = self.threads[number].join()


# -- strategies ----------------------------------------------------------------
#
# Statements are drawn whole from catalogues, simplest first: one draw per statement shrinks
# well, and it keeps Hypothesis from filling programs with copies of the same expression.

_VALUES = (1, 2, 0)
_EXPRESSIONS: tuple[Expression, ...] = (1, 2, 0, "r", "r+1")
_WEIGHTED_LOCATIONS = ("x", "y", "x", "y", "z")


def _all(name: str, *arguments: Sequence[Any]) -> tuple[Statement, ...]:
    """Every statement of that name with one of these arguments each."""
    return tuple((name, *values) for values in itertools.product(*arguments))


_STORES = _all("store", _WEIGHTED_LOCATIONS, _EXPRESSIONS)
_LOADS = _all("load", _WEIGHTED_LOCATIONS) * 5
_ATOMICS = (
    *_all("fetch_add", LOCATIONS, (1, "r")),
    *_all("exchange", LOCATIONS, (1, 2, "r+1")),
    *_all("compare_exchange", LOCATIONS, (0, 1, "r"), (1, 2)),
    *_all("update", LOCATIONS, tuple(UPDATES)),
)
_FENCES = (("store_fence",), ("fence",)) * 4
_ACCESSES = (*_STORES * 2, *_LOADS * 2, *_ATOMICS, *_FENCES)
_CHECKS = (*_all("assert", _VALUES), *_all("assume", _VALUES)) * 5
_WANTED = tuple(itertools.product(LOCATIONS[:2], _VALUES))
_CONTROL = (
    *_all("wait", _WANTED),
    *_all("wait", _WANTED, _WANTED)[::4],
    *(("choose", 0, 1), ("choose", 1, 1, 2)) * 3,
    *_all("publish", _EXPRESSIONS[:4]),
    *(("load_at",), ("store_at", 1), ("store_at", "r+1")) * 2,
    *(("follow",),) * 8,
)
_CONDITIONS = (*(("notify",), ("notify_all",), ("sleep",)) * 4, *_all("wait_for", LOCATIONS[:2], _VALUES[:2]))
_JOINS = (*(("join_child",),) * 3, *_all("join", (0, 1, 2)))


def _weighted(*branches: tuple[int, st.SearchStrategy[Any]]) -> st.SearchStrategy[Any]:
    """One of the strategies, as often as its weight says (`st.one_of` drops repetitions)."""
    strategies = [strategy for weight, strategy in branches for _ in range(weight)]
    return st.integers(0, len(strategies) - 1).flatmap(strategies.__getitem__)


def _blocks(statements: st.SearchStrategy[Statement], *sizes: int) -> st.SearchStrategy[Block]:
    """Blocks of one of these sizes, drawn evenly; a plain list would mostly be short."""
    return st.sampled_from(sizes).flatmap(lambda n: st.lists(statements, min_size=n, max_size=n)).map(tuple)


_accesses = st.sampled_from(_ACCESSES)
_simple = st.sampled_from(_ACCESSES + _CHECKS)
_mutexes = st.sampled_from(MUTEXES)


def _with_blocks(
    flat: st.SearchStrategy[Statement], branches: int = 0, locks: int = 0, spawns: int = 0
) -> st.SearchStrategy[Statement]:
    """Statements from `flat`, and with these weights out of ten statements that hold blocks, two levels deep."""
    inner = _statements_with_blocks(flat, flat, branches, locks, spawns)
    return _statements_with_blocks(flat, inner, branches, locks, spawns)


def _statements_with_blocks(
    flat: st.SearchStrategy[Statement], inner: st.SearchStrategy[Statement], branches: int, locks: int, spawns: int
) -> st.SearchStrategy[Statement]:
    body = _blocks(inner, 0, 1, 2, 2)
    branch = st.tuples(st.just("if"), st.sampled_from(_VALUES), _blocks(inner, 1, 2), _blocks(inner, 0, 1))
    lock = st.tuples(st.sampled_from(("lock", "lock", "try_lock")), _mutexes, body)
    spawn = st.tuples(st.just("spawn"), body)
    return _weighted((10 - branches - locks - spawns, flat), (branches, branch), (locks, lock), (spawns, spawn))


PROFILES: dict[str, st.SearchStrategy[Statement]] = {
    "memory": _accesses,
    "control": _with_blocks(_weighted((2, _simple), (1, st.sampled_from(_CONTROL))), branches=2),
    "locks": _with_blocks(_weighted((3, _simple), (2, st.sampled_from(_CONDITIONS))), locks=4),
    "threads": _with_blocks(_weighted((2, _simple), (1, st.sampled_from(_JOINS))), spawns=2),
    "all": _with_blocks(
        _weighted((4, _simple), (3, st.sampled_from(_CONTROL + _CONDITIONS + _JOINS))), branches=1, locks=1, spawns=1
    ),
}
"""Kinds of programs, by the statements that they are made of."""


def programs(profile: str) -> st.SearchStrategy[RandomProgram]:
    """Programs of two threads with up to six statements or three with up to four."""
    statements = PROFILES[profile]
    two = st.tuples(*[_blocks(statements, 1, 2, 3, 4, 5, 6, 4, 5)] * 2)
    three = st.tuples(*[_blocks(statements, 1, 2, 3, 4, 3)] * 2, _blocks(statements, 0, 1, 2, 3, 2))
    finals = st.none() | st.tuples(st.sampled_from(LOCATIONS), st.integers(0, 3))
    return st.builds(RandomProgram, _weighted((3, two), (2, three)), finals, st.booleans())
