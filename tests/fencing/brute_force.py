"""The least fences by trying every subset: each place without a fence, or with one of the kinds."""

from __future__ import annotations

import itertools

import mcr
from mcr.fencing.places import COSTS, AfterStores, FencePlaces, FenceSet, OwnFences, PlacedFence, cost, kinds, text_at
from mcr.fencing.search import FenceAnswer, LeastFences, needed, repair
from replay.frontend.program import Program
from replay.world.memory_model import MemoryModel
from replay.world.operation import Kind

MOST_PLACES = 6


def disagreement(program: Program, model: MemoryModel, *, own: bool = False, algorithm: str = "auto") -> str | None:
    """How the search differs from trying everything, "" if it does not; None if there are too many places."""
    found = (needed if own else repair)(program, model, every=True)
    if len(found.places) > MOST_PLACES:
        return None
    expected = _least(program, model, found, own=own, algorithm=algorithm)
    sets = {frozenset(fences) for fences in found.sets}
    if found.answer is FenceAnswer.NONE_HELPS:
        return f"these fences help: {expected}" if expected else ""
    return "" if sets == expected else f"found {sets}, expected {expected}"


def _least(program: Program, model: MemoryModel, found: LeastFences, *, own: bool, algorithm: str) -> set[FenceSet]:
    """Every set of least cost with which the program is verified."""
    places: FencePlaces = (OwnFences if own else AfterStores)(kinds(model))
    least: set[FenceSet] = set()
    for chosen in sorted(_subsets(model, found, own=own), key=cost):
        if least and cost(chosen) > min(map(cost, least)):
            break
        if own:
            places.known = dict.fromkeys(found.places, ())
        fenced = program.fenced(places.fences(chosen))
        if mcr.check(fenced, model.name, algorithm=algorithm).verdict is mcr.Verdict.VERIFIED:
            least.add(chosen)
    return least


def _subsets(model: MemoryModel, found: LeastFences, *, own: bool) -> list[FenceSet]:
    """A store fence of the program stays one, or goes."""
    options: list[list[PlacedFence | None]] = []
    for line in found.places:
        most = Kind.STORE_FENCE if own and "store_fence" in text_at(line) else Kind.FENCE
        options.append([None, *(PlacedFence(line, kind) for kind in kinds(model) if COSTS[kind] <= COSTS[most])])
    return [frozenset(fence for fence in chosen if fence) for chosen in itertools.product(*options)]
