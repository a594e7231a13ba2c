"""Rows of the tables of consistency, to be measured again: prefixes that were explored, and what is realizable."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from itertools import islice

from mcr.bench.rows import Rows
from mcr.consistency.instance import Instance
from mcr.consistency.verify import realize
from replay.world.memory_models import MODELS
from results.consistency_growth import GROWTH_KEY, explored
from results.consistency_instances import collect
from results.known import RESULTS, Known, known

FIRST = 40
"""Instances of a model among which some are chosen: all before an instance must be found first."""

EACH = 8
"""The default of `results/consistency.py --each`."""


def known_rows() -> Iterator[Known]:
    """Rows of `consistency_growth.jsonl`, and the first ones of each model in `consistency.jsonl`."""
    for row in Rows(RESULTS / "consistency_growth.jsonl", GROWTH_KEY).all():
        family, model, threads, actions = (row[column] for column in GROWTH_KEY)
        again = partial(_explored, family, model, threads, actions)
        yield known(f"{family} {model} {threads} {actions}", 5 * row["seconds"], [row["explored"]], again)
    for row in Rows(RESULTS / "consistency.jsonl", ("model", "number")).all():
        if row["number"] < FIRST:
            told = [row[column] for column in ("program", "actions", "threads", "realizable")]
            again = partial(_answered, row["model"], row["number"])
            yield known(f"instance {row['number']} under {row['model']}", row["ours+closure"], told, again)


def _explored(family: str, model: str, threads: int, actions: int) -> list[int]:
    return [explored(family, MODELS[model], threads, actions)]


@cache
def _instances(model: str) -> list[tuple[str, Instance]]:
    return list(islice(collect(MODELS[model], EACH), FIRST))


def _answered(model: str, number: int) -> list[object]:
    title, instance = _instances(model)[number]
    answer = "yes" if realize(instance, MODELS[model]).is_realizable else "no"
    return [title, len(instance.actions), len(instance.threads), answer]
