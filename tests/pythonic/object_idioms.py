"""Idioms for a cell `box` that holds anything: tuples, named tuples, texts. They are written like those of `IDIOMS`.

References to cells are refused in arithmetic, so a program has either `REFERENCES` or `ADDITIONS` in its box.
"""

from __future__ import annotations

Idioms = dict[int, list[str]]
"""By how many accesses they make at most."""

ALWAYS: Idioms = {
    1: [
        "box.store(({n}, True))",
        "box.store(Pair({n}, 1))",
        "{v} = box.load()",
        "{v} = box.exchange(({n},))",
        "{v} = box.compare_exchange((1, True), 'swapped')",
        "{v} = box.compare_exchange(None, (1, {n}))",
        "{v} = box.compare_exchange(Pair(1, 1), None)",
        """
match box.load():
    case (_, {v}) | Pair(_, {v}) | [{v}]:
        pass
    case {v}:
        pass
""",
        "{v} = {{box.load(): 1}}.get(({n}, 1), 0)",
        """
{v} = box.load()
{v} = len({v}) if isinstance({v}, (tuple, str)) else 0
""",
        "{v} = repr(box.load())",
    ],
    2: [
        "{v} = box.load() == box.load()",
        "{v} = (box.load(), {c}.load())",
        """
old{i} = box.load()
{v} = box.compare_exchange(old{i}, (old{i}, {n}) if old{i} is None else None)
""",
    ],
}

REFERENCES: Idioms = {
    1: ["box.store(box.ref)", "{v} = repr(box.exchange({c}.ref))"],
    2: [
        """
{v} = box.load()
{v} = {v}.load() if type({v}).__name__ == "Reference" else 0
"""
    ],
}

ADDITIONS: Idioms = {
    1: [],
    2: [
        """
try:
    {v} = box.fetch_add(({n},))
except TypeError:
    {v} = box.exchange((0,))
"""
    ],
}

BOXES: list[Idioms] = [{cost: ALWAYS[cost] + more[cost] for cost in ALWAYS} for more in (REFERENCES, ADDITIONS)]
"""The idioms of a program with a box are one of these."""
