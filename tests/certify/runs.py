"""Programs that are asked about runs without end, and an explorer that does not see these."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import mcr
from mcr.explorers.stateful.progress import LassoSearch
from replay.traces.trace import NOT_FREE
from tests.progress.programs import PROGRESS
from tests.progress.test_freedom import KNOWN

MODELS = ("sc", "tso", "pso")


def asked() -> Iterator[tuple[mcr.Program, str, str]]:
    """Programs, objectives and memory models: some hold and some do not."""
    for model in MODELS:
        for program in KNOWN:
            for objective in ("progress", *NOT_FREE):
                yield program, objective, model
        for program in PROGRESS:
            yield program, "progress", model


@contextmanager
def seeing_none() -> Iterator[None]:
    """In the block, no run without end is found, and certificates say that there is none."""
    right = LassoSearch.lassos
    LassoSearch.lassos = lambda self, objective: iter(())  # type: ignore[method-assign]
    try:
        yield
    finally:
        LassoSearch.lassos = right  # type: ignore[method-assign]
