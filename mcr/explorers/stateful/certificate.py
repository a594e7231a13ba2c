"""A certificate of the states that were explored, for `replay.certify`, which shares no code with this module."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from mcr.exploration.certificates import local_graphs
from mcr.explorers.stateful.buffers import Contents
from mcr.explorers.stateful.layout import Component
from mcr.explorers.stateful.progress import LassoSearch
from mcr.explorers.stateful.space import Space
from mcr.explorers.stateful.system import System
from replay.certify.form import RUNS, STATES


def certificate(system: System, space: Space, buffer: int, runs: Sequence[str]) -> dict[str, Any]:
    """The graphs of local states, and all global states that were seen (docs/certificates.md has the fields); if
    objectives of runs are given, also a ranking of the states for each kind of runs."""
    numbers = list(system.layout.compact(space.before))
    found = {
        "format": RUNS if runs else STATES,
        **local_graphs(system.graphs, system.graphs.after),
        "constant": sorted(system.outcomes.constant),
        "buffer": buffer,
        "components": _components(system),
        "states": _differences(sorted(numbers)),
    }
    if runs:
        progress = LassoSearch(space, lambda: None)
        rising = [state for _, state in sorted(zip(numbers, space.before, strict=True))]
        found["rankings"] = [
            [objective, [[ranks[state] for state in rising] for ranks in progress.rankings(objective)]]
            for objective in runs
        ]
    return found


def _components(system: System) -> list[list[Any]]:
    """Describes the bits of a global state, the lowest first."""
    found: dict[Component, list[Any]] = {}
    for thread in system.threads:
        processes = [[process.state.number, _waiting(process.contents)] for process in thread.held.values()]
        found[thread.component] = ["thread", thread.index, thread.component.bits, processes]
    for cell in system.cells:
        found[cell.component] = ["location", cell.location, cell.component.bits, [*cell.held.values()]]
    return [found[component] for component in system.layout.components]


def _waiting(contents: Contents) -> list[Any]:
    return [[[[*store] for store in stores] for _, stores in group] for group in contents]


def _differences(numbers: Iterable[int]) -> list[int]:
    """The first of rising numbers, and by how much each is larger than that before."""
    rising = [0, *numbers]
    return [after - before for before, after in pairwise(rising)]
