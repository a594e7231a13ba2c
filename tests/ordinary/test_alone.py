"""Random programs see what they see under Python. For more: `python -m tests.ordinary.alone`."""

from __future__ import annotations

import pytest

from tests.amount import amount
from tests.ordinary.alone import difference, drawn


def test_programs_are_determined_by_their_seeds() -> None:
    assert [drawn(seed) for seed in range(20)] == [drawn(seed) for seed in range(20)]


@pytest.mark.parametrize("first", range(0, amount(6, 600), 6))
def test_alone_a_thread_sees_what_it_sees_under_python(first: int) -> None:
    found = {seed: difference(seed) for seed in range(first, first + 6)}
    assert not {seed: text for seed, text in found.items() if text and not text.startswith("refused: ")}
    assert sum(not text for text in found.values()) > 3


@pytest.mark.parametrize("first", range(0, amount(3, 200), 3))
def test_what_two_threads_see_under_python_is_possible(first: int) -> None:
    found = {seed: difference(seed, threads=2) for seed in range(first, first + 3)}
    assert not {seed: text for seed, text in found.items() if text and not text.startswith("refused: ")}
