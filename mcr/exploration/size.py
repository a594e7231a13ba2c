"""How large an exploration is that takes long, for who asks why: what each thread does, as far as was seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from mcr.exploration.verdict import Statistics
from replay.machine.state import NOTHING, State
from replay.machine.unfolding import ThreadInfo, Unfolding

LONG = 10.0
"""Seconds after which an exploration takes long: most are over before anybody wonders."""


class ThreadSize(NamedTuple):
    """The longest way of a thread that was seen.

    name        as reports have it: "thread 0 (put)"
    operations  how many it does
    location    where most of them are, "" if it has none
    there       how many these are
    """

    name: str
    operations: int
    location: str
    there: int


class Size(NamedTuple):
    """An exploration that goes on: its figures so far, and the threads seen so far, in the order of the program."""

    statistics: Statistics
    threads: tuple[ThreadSize, ...]


OnLong = Callable[[Size], None]
"""Called once, if an exploration takes longer than `LONG` seconds."""


def size_of(statistics: Statistics, unfolding: Unfolding) -> Size:
    """How large an exploration is by now."""
    deepest: dict[int, State] = {}
    for state in unfolding.states:
        known = deepest.get(state.thread)
        if known is None or state.depth > known.depth:
            deepest[state.thread] = state
    threads = [info for info in unfolding.threads if not info.is_final]
    return Size(statistics, tuple(_thread_size(unfolding, info, deepest[info.like.index]) for info in threads))


def _thread_size(unfolding: Unfolding, info: ThreadInfo, deepest: State) -> ThreadSize:
    visited = Counter(edge.before.loc for edge in deepest.way() if edge.before.loc != NOTHING)
    (location, there), *_ = visited.most_common(1) or [(NOTHING, 0)]
    name = f"thread {info.name} ({info.title})"
    return ThreadSize(name, deepest.depth, unfolding.locations[location].name if there else "", there)
