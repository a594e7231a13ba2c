"""Rows of the growth of verification time, to be measured again: how many prefixes were explored."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from mcr.bench.rows import Rows
from replay.world.memory_models import MODELS
from results.consistency_growth import GROWTH_KEY, explored
from results.known import RESULTS, Known, known


def known_rows() -> Iterator[Known]:
    """Rows of `consistency_growth.jsonl`."""
    for row in Rows(RESULTS / "consistency_growth.jsonl", GROWTH_KEY).all():
        family, model, threads, actions = (row[column] for column in GROWTH_KEY)
        again = partial(_explored, family, model, threads, actions)
        yield known(f"{family} {model} {threads} {actions}", 5 * row["seconds"], [row["explored"]], again)


def _explored(family: str, model: str, threads: int, actions: int) -> list[int]:
    return [explored(family, MODELS[model], threads, actions)]
