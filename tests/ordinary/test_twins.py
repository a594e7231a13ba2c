"""Random programs written as ordinary classes: what the checker finds of the class, of a model of it, and CPython.

The same programs in every run. For more:

    python -m tests.ordinary.campaign --programs 10000 --against both
"""

from __future__ import annotations

from typing import Any

import pytest

import mcr
from tests.amount import amount
from tests.ordinary import twins
from tests.ordinary.generator import PROFILES, Line, generate, written
from tests.ordinary.twins import Findings, compare_twins, compare_with_function, compare_with_python, generated, loaded

FIRST = 26_000


def test_programs_are_determined_by_their_seeds() -> None:
    assert [generated(seed) for seed in range(20)] == [generated(seed) for seed in range(20)]


@pytest.mark.parametrize("profile", PROFILES)
def test_profiles_differ(profile: str) -> None:
    """Programs of every profile occur among those that are compared."""
    place = list(PROFILES).index(profile)
    assert generated(FIRST + place) == generate(profile, FIRST + place)


@pytest.mark.parametrize(
    "seeds", [range(FIRST + start, FIRST + start + 10) for start in range(0, amount(10, 40), 10)], ids=str
)
def test_class_and_model_agree(seeds: range) -> None:
    assert not [(seed, line) for seed in seeds for line in compare_twins(seed).differences]


@pytest.mark.parametrize(
    "seeds", [range(FIRST + start, FIRST + start + 10) for start in range(0, amount(10, 20), 10)], ids=str
)
def test_cpython_does_nothing_that_cannot_be(seeds: range) -> None:
    total = Findings()
    for seed in seeds:
        total.add(compare_with_python(seed))
    assert not total.differences
    assert total.runs > 100


@pytest.mark.parametrize(
    "seeds", [range(FIRST + start, FIRST + start + 5) for start in range(0, amount(5, 40), 5)], ids=str
)
def test_a_function_that_starts_the_threads_agrees(seeds: range) -> None:
    assert not [(seed, line) for seed in seeds for line in compare_with_function(seed).differences]


_SORTS = (0, "self.items.sort()", 'change(items.load(), "sort")')
_LOOKS = {
    "length": [(0, "r = len(self.items)", "r = len(value(items.load()))")],
    "item": [
        (0, "try: r = self.items[0]", "try: r = value(items.load())[0]"),
        (0, "except IndexError: r = 9", "except IndexError: r = 9"),
    ],
    "slice": [(0, "r = len(self.items[1:])", "r = len(whole(items.load())[1:])")],
    "append": [(0, "self.items.append(1)", 'change(items.load(), "append", 1)')],
    "insert": [(0, "self.items.insert(0, 1)", 'change(items.load(), "insert", 0, 1)')],
    "new": [(0, "self.items = self.items + [1]", "items.store(listed([*whole(items.load()), 1]))")],
}


@pytest.mark.parametrize("look", _LOOKS.values(), ids=_LOOKS)
def test_a_list_that_is_sorted_is_empty_in_class_model_and_cpython(look: list[Line], monkeypatch: Any) -> None:
    program = written([[_SORTS], look], {"items": "[2, 1]", "table": "{}", "ring": "[]", "tags": "set()"})
    monkeypatch.setattr(twins, "generated", lambda seed: program)
    monkeypatch.setattr(twins, "SCHEDULES", 10_000)
    assert not compare_twins(0).differences
    of_cpython = compare_with_python(0)
    assert of_cpython.whole
    assert not of_cpython.differences


@pytest.mark.parametrize("seed", [24, 44, 69])
def test_code_on_terms_has_the_same_outcomes(seed: int) -> None:
    """What code stores that runs on terms is a value, and not an object that becomes shared."""
    program = loaded(generated(seed).ordinary, "ordinary")
    by_terms, by_states = (
        mcr.check(program, "sc", algorithm=each, objective="outcomes") for each in ("bmc", "stateful")
    )
    assert by_terms.stop is None and set(by_terms.outcomes) == set(by_states.outcomes)
