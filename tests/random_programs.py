"""Random programs: plain data that prints, shrinks and runs.

A program is a tuple of blocks, one for each declared thread, and perhaps a
final check; a block is a tuple of statements; a statement is a tuple of its
name and arguments (the functions of `tests.random_threads`). The `repr` of a
`RandomProgram` can be pasted into a regression test.

Every thread has one register `r`, 0 at first, which takes the result of each
operation that has one; a thread returns it. An expression is a number, "r" or "r+1".
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st

from replay.frontend.declarations import Declarations
from replay.frontend.program import Program
from replay.frontend.threads import Thread
from tests.random_threads import LOCATIONS, MUTEXES, UPDATES, Block, Expression, Statement, code_of, final, thread


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
    shared |= {"c": p.condition("c", shared["m"]), **{name: p.var(name, None) for name in ("head", "pointer", "box")}}
    shared |= {"own": p.local("own", kept=0), "semaphore": p.semaphore(1), "lock": p.rlock(), "rw": p.rwlock()}
    shared |= {"event": p.event(), "barrier": p.barrier(2), "queue": p.queue(1), "once": p.once()}
    threads: list[Thread] = []
    for block in source.threads:
        threads.append(p.thread(functools.partial(thread, p, shared, threads, code_of(block))))
    if source.final is not None:
        p.final(functools.partial(final, shared, threads, source.final, source.joins))


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
    *_all("seen", LOCATIONS, (0, 1, "r"), (1, 2)),
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
_REFERENCES = (
    *_all("point", LOCATIONS),
    *(("load_there",), ("store_there", 1), ("store_there", "r+1")) * 2,
    *_all("publish_locked", _EXPRESSIONS[:4]),
    *_all("with_box", _EXPRESSIONS),
    *(("remember",), ("recall",)) * 2,
)
_FREEING = (*_all("publish", _EXPRESSIONS[:4]), *(("free",), ("follow",)) * 6, *_all("write", _EXPRESSIONS))
_SYNCHRONISATION = (
    *(("acquire",), ("release",), ("meet",), ("doze",), ("notify",)) * 3,
    *_all("event", ("set", "wait", "clear", "is_set")),
    *_all("put", _EXPRESSIONS[:4]),
    *_all("get", (True, False)) * 2,
    *_all("once", LOCATIONS),
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
    flat: st.SearchStrategy[Statement], branches: int = 0, locks: int = 0, spawns: int = 0, holds: int = 0
) -> st.SearchStrategy[Statement]:
    """Statements from `flat`, and with these weights out of ten statements that hold blocks, two levels deep."""
    inner = _statements_with_blocks(flat, flat, branches, locks, spawns, holds)
    return _statements_with_blocks(flat, inner, branches, locks, spawns, holds)


def _statements_with_blocks(
    flat: st.SearchStrategy[Statement],
    inner: st.SearchStrategy[Statement],
    branches: int,
    locks: int,
    spawns: int,
    holds: int,
) -> st.SearchStrategy[Statement]:
    body = _blocks(inner, 0, 1, 2, 2)
    branch = st.tuples(st.just("if"), st.sampled_from(_VALUES), _blocks(inner, 1, 2), _blocks(inner, 0, 1))
    lock = st.tuples(st.sampled_from(("lock", "lock", "try_lock")), _mutexes, body)
    spawn = st.tuples(st.just("spawn"), body)
    hold = st.tuples(st.just("within"), st.sampled_from(("semaphore", "lock", "reader", "writer")), body)
    return _weighted(
        (10 - branches - locks - spawns - holds, flat),
        (branches, branch),
        (locks, lock),
        (spawns, spawn),
        (holds, hold),
    )


PROFILES: dict[str, st.SearchStrategy[Statement]] = {
    "memory": _accesses,
    "control": _with_blocks(_weighted((2, _simple), (1, st.sampled_from(_CONTROL))), branches=2),
    "locks": _with_blocks(_weighted((3, _simple), (2, st.sampled_from(_CONDITIONS))), locks=4),
    "threads": _with_blocks(_weighted((2, _simple), (1, st.sampled_from(_JOINS))), spawns=2),
    "references": _with_blocks(_weighted((2, _simple), (3, st.sampled_from(_REFERENCES))), branches=2),
    "freeing": _with_blocks(_weighted((1, _simple), (2, st.sampled_from(_FREEING))), branches=2),
    "synchronisation": _with_blocks(
        _weighted((2, _simple), (3, st.sampled_from(_SYNCHRONISATION))), branches=1, locks=1, holds=3
    ),
    "all": _with_blocks(
        _weighted((4, _simple), (3, st.sampled_from(_CONTROL + _CONDITIONS + _REFERENCES + _JOINS))),
        branches=1,
        locks=1,
        spawns=1,
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
