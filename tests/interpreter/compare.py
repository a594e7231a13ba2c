"""Differences between two outcomes of a program, most telling first."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import zip_longest

from tests.interpreter.outcome import Failure, Outcome


@dataclass(frozen=True)
class Difference:
    """One kind of difference, with what CPython has and what the interpreter has."""

    kind: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.kind}: CPython {self.expected[:300]}, the interpreter {self.found[:300]}"


def difference(expected: Outcome, found: Outcome) -> Difference | None:
    """The first difference, None if there is none."""
    for kind in ("log", "prints", "total"):
        one, other = getattr(expected, kind), getattr(found, kind)
        if one != other:
            return _first(kind, one, other) if kind == "log" else Difference(kind, one, other)
    for one, other in zip_longest(expected.caught, found.caught):
        if one != other:
            return between_failures(one, other, "")
    if expected.raised != found.raised:
        return between_failures(expected.raised, found.raised, "")
    if expected.result != found.result:
        return Difference("result", expected.result, found.result)
    return None


def _first(kind: str, expected: list[str], found: list[str]) -> Difference:
    number = next((i for i, (one, other) in enumerate(zip(expected, found, strict=False)) if one != other), None)
    if number is None:
        number = min(len(expected), len(found))
    one, other = (entries[number] if number < len(entries) else "nothing" for entries in (expected, found))
    before = f" (entry {number})"
    return Difference(kind, one + before, other + before)


def between_failures(expected: Failure | None, found: Failure | None, place: str) -> Difference:
    """The first attribute that differs, outermost first; `place` says of which exception in the chain."""
    if expected is None or found is None:
        return Difference(f"{place}exception", _brief(expected), _brief(found))
    for each in fields(Failure):
        one, other = getattr(expected, each.name), getattr(found, each.name)
        if one == other:
            continue
        if each.name in ("cause", "context"):
            return between_failures(one, other, f"{place}{each.name}.")
        if each.name == "group":
            part, another = next((p, q) for p, q in zip_longest(one, other) if p != q)
            return between_failures(part, another, f"{place}group.")
        return Difference(f"{place}{each.name}", f"{_brief(expected)} {one}", f"{_brief(found)} {other}")
    raise ValueError("equal failures")


def _brief(failure: Failure | None) -> str:
    return "none" if failure is None else f"{failure.kind}{failure.arguments.removeprefix('tuple')} at {failure.lines}"
