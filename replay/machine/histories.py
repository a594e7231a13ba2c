"""Histories of threads: states, and the steps that led to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from replay.machine.code_runner import end_of_code
from replay.machine.state import Edge, State

History = tuple[State, Sequence[Edge]]
"""A state, with the steps that led to it."""


def longest(histories: Iterable[History]) -> list[History]:
    """The steps that code has taken in some histories, each with the first state of its thread.

    Steps with which those of another history begin are left out: whoever runs the others runs them, too.
    """
    following: dict[int, Any] = {}
    """By the number of a first state, and then by that of each step: the steps that follow."""
    ends: list[tuple[History, dict[int, Any]]] = []
    for state, way in histories:
        root, taken = state.root(), way if end_of_code(state) is state else way[:-1]
        here: dict[int, Any] = following.setdefault(root.number, {})
        for edge in taken:
            here = here.setdefault(edge.number, {})
        ends.append(((root, taken), here))
    found: dict[int, History] = {}
    for history, here in ends:
        if not here:
            found.setdefault(id(here), history)
    return [*found.values()]
