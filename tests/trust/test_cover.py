"""Few sets that have together what all have."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from mcr.explorers.trust.explorer import Trust
from mcr.explorers.trust.survey import cover, shown
from replay.machine.unfolding import Unfolding
from replay.world.memory_models import memory_model
from tests.random_programs import RandomProgram
from tests.trust.visiting import graphs

SETS = st.lists(st.frozensets(st.integers(0, 7), max_size=4), max_size=7)


def fewest(sets: list[frozenset[int]]) -> int:
    """By trying everything."""
    wanted = frozenset().union(*sets)
    return next(
        size
        for size in range(len(sets) + 1)
        for chosen in combinations(sets, size)
        if frozenset().union(*chosen) == wanted
    )


@settings(derandomize=True, database=None, deadline=None, max_examples=300)
@given(SETS)
def test_a_cover_covers_and_has_nothing_needless(sets: list[frozenset[int]]) -> None:
    chosen = [sets[index] for index in cover(sets)]
    assert frozenset().union(*chosen) == frozenset().union(*sets)
    for left_out in range(len(chosen)):
        assert frozenset().union(*chosen[:left_out], *chosen[left_out + 1 :]) < frozenset().union(*sets)
    assert len(chosen) <= 2 * fewest(sets)


def test_what_is_rare_comes_first() -> None:
    """The largest set is in no cover by two."""
    sets = [{1, 2, 3, 4}, {1, 2, 5}, {3, 4, 6}]
    assert cover(sets) == [1, 2]


def test_nothing_needs_nothing() -> None:
    assert cover([]) == cover([set(), set()]) == []


def test_what_a_graph_shows_is_what_its_threads_pass() -> None:
    """Two threads of one store each: two roots and what follows them."""
    program = RandomProgram(threads=((("store", "x", 1),), (("store", "x", 2),)))
    unfolding = Unfolding(program.build())
    for graph in graphs(Trust(unfolding, memory_model("sc"))):
        assert shown(graph) == {end.number for end in graph.ends} | {info.root.number for info in unfolding.threads}
