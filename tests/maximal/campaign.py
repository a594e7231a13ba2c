"""A long search for programs on which maximal causality and brute force find different values classes.

    python -m tests.maximal.campaign --minutes 10
    python -m tests.maximal.campaign --examples

Takes the random programs of `tests.random_programs`, profile by profile, under
the three models; programs are determined by the seed. Exit status 1 with the
shrunk program at the first disagreement. Or takes all example programs, those
that `tests.maximal.test_examples` leaves out for time included: three minutes.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence

from replay.frontend.program import Program
from replay.machine.unfolding import Unfolding
from replay.traces.loader import find_programs
from replay.world.memory_model import MemoryModel
from replay.world.memory_models import MODELS
from tests import random_search
from tests.desk import EXAMPLES
from tests.maximal.brute_force import compare, values_classes
from tests.random_programs import PROFILES, RandomProgram

PORTION = 50
"""Programs between two looks at the clock."""


class Campaign:
    """Compares, and counts programs, comparisons, executions, and what else is of interest."""

    def __init__(self, max_machine_states: int) -> None:
        self.figures: Counter[str] = Counter()
        self.last = ""
        self._limit = max_machine_states

    def judge(self, program: RandomProgram) -> None:
        """Compare under all models; raises whatever is wrong."""
        self.figures["programs"] += 1
        for model in MODELS.values():
            self.last = f"program = {program!r}\nmodel = {model.name}"
            if values_classes(Unfolding(program.build()), model, self._limit) is None:
                self.figures["too large"] += 1  # for us too, perhaps
            else:
                self._compare(program.build(), model)

    def _compare(self, program: Program, model: MemoryModel) -> None:
        explorer = compare(program, model, self._limit)
        if explorer is None:
            self.figures["too large"] += 1
            return
        self.figures["executions"] += explorer.statistics.executions
        self.figures.update(dict(explorer.explorer.claim().figures))
        self.figures["comparisons"] += 1

    def judge_examples(self) -> None:
        """Compare on all examples; raises at the first that is wrong."""
        for program, model in examples():
            self.last = f"{program.file}::{program.title} under {model.name}"
            print(self.last, flush=True)
            self._compare(program, model)


def examples() -> Iterator[tuple[Program, MemoryModel]]:
    """The programs of all example files under all models."""
    for program in find_programs(str(EXAMPLES)):
        for model in MODELS.values():
            yield program, model


def search(campaign: Campaign, profile: str, seed: int) -> str:
    """Try a portion of a profile's programs; returns the shrunk program on which there is a disagreement, or ""."""
    wrong = random_search.search(profile, PORTION, seed, campaign.judge)
    return wrong and f"{campaign.last}\n{wrong}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.maximal.campaign", description=(__doc__ or "")[:104])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--profiles", nargs="+", choices=list(PROFILES), default=list(PROFILES))
    parser.add_argument("--examples", action="store_true", help="compare on the example programs instead")
    parser.add_argument("--max-machine-states", type=int, help="default: 1500, and 600,000 for examples")
    options = parser.parse_args()
    campaign = Campaign(options.max_machine_states or (600_000 if options.examples else 1500))
    if options.examples:
        campaign.judge_examples()
        disagreement = ""
    else:
        disagreement = random_campaign(campaign, options.profiles, options.seed, 60 * options.minutes)
    print(", ".join(f"{name}: {count}" for name, count in campaign.figures.items()))
    print(disagreement or "no disagreement")
    return bool(disagreement)


def random_campaign(campaign: Campaign, profiles: Sequence[str], seed: int, seconds: float) -> str:
    """Search until time is up; returns the disagreement that ended it earlier, if there was one."""
    end = time.monotonic() + seconds
    for number in itertools.count(seed * 1_000_003):
        disagreement = search(campaign, profiles[number % len(profiles)], number)
        if disagreement or time.monotonic() > end:
            return disagreement
    return ""


if __name__ == "__main__":
    sys.exit(main())
