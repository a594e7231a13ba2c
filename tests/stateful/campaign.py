"""Explicit states against brute force without any reduction: random programs, a third of which go on for ever.

    python -m tests.stateful.campaign --programs 20000 --log campaign.jsonl

States, failures, deadlocks, outcomes and progress; each reduction on and off; failures come with a shortest schedule.
Programs come in portions, determined by their numbers; those that the log says are done are left out. Exit status 1
with the program at the first disagreement.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from replay.frontend.program import Program
from replay.world.memory_models import MODELS
from tests import random_search
from tests.progress import generator as progress
from tests.progress.brute_force import runs
from tests.progress.campaign import differences
from tests.pythonic.compare import checkers_program
from tests.random_programs import PROFILES, RandomProgram
from tests.spinning import generator as spinning
from tests.spinning.compare import Findings
from tests.stateful.test_symmetry import with_equal_threads
from tests.support import compare

PORTION = 50
"""Programs of one kind."""

KINDS = ("endless", "loops", "progress", "endless, alike", "loops, alike", "no loops")

PLAN = (("states,outcomes,failures", "stateful", True),) * 2
"""Asked together, with and without each reduction by turns."""

LIMIT = 1_500
"""Configurations of a program that is not too large for brute force."""


class Portion:
    """So many random programs of one kind; counts what comes of them."""

    def __init__(self, number: int, programs: int) -> None:
        self._number = number
        self._programs = programs
        self._profile = list(PROFILES)[number // len(KINDS) % len(PROFILES)]
        self.kind = KINDS[number % len(KINDS)]
        self.counts: Counter[str] = Counter()

    def disagreement(self) -> str:
        """The first one; "" if there is none."""
        if self.kind == "no loops":
            return random_search.search(self._profile, self._programs, self._number, self._judge)
        for seed in range(self._number * PORTION, self._number * PORTION + self._programs):
            source = self._source(seed)
            model = list(MODELS)[seed % len(MODELS)]
            lines = list(self._compare(checkers_program(source), model))
            if lines:
                return "\n".join([f"seed {seed}, {model}:", source, *lines])
        return ""

    def _source(self, seed: int) -> str:
        if self.kind == "progress":
            return progress.generate(seed)
        return spinning.generate(seed, endless="endless" in self.kind, alike="alike" in self.kind)

    def _compare(self, program: Program, model: str) -> Iterator[str]:
        self.counts["programs"] += 1
        if self.kind != "progress":
            found = Findings()
            found.compare(program, model, PLAN, LIMIT)
            self.counts["too large"] += found.too_large
            self.counts["explorations"] += found.decided
            self.counts["incomplete"] += found.incomplete
            yield from found.differences
            if found.too_large:
                return
        yield from self._compare_runs(program, model)

    def _compare_runs(self, program: Program, model: str) -> Iterator[str]:
        """Progress, where brute force can decide it."""
        expected = runs(program, MODELS[model], LIMIT)
        self.counts["too large for runs"] += not expected.complete
        if expected.complete:
            self.counts["explorations"] += 1
            yield from differences(program, model, expected, Counter())

    def _judge(self, random: RandomProgram) -> None:
        self.counts["programs"] += 1
        model = list(MODELS)[self.counts["programs"] % len(MODELS)]
        program = (random if self.counts["programs"] % 2 else with_equal_threads(random)).build()
        asked = ("states", "failures", "outcomes", "deadlocks")
        found = compare(program, MODELS[model], asked, max_machine_states=LIMIT, algorithm="stateful")
        self.counts["too large"] += not found.decided
        self.counts["explorations"] += len(asked) * found.decided
        lines = [found.differences] if found.differences else []
        if found.decided:
            lines += self._compare_runs(program, model)
        assert not lines, (random, model, *lines)


def portions(programs: int) -> Iterator[tuple[int, int]]:
    """The numbers of portions, and how many programs each has."""
    for number in count():
        if number * PORTION >= programs:
            return
        yield number, min(PORTION, programs - number * PORTION)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.stateful.campaign", description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=20_000)
    parser.add_argument("--log", type=Path, help="a line for each portion that is done")
    parser.add_argument("--most", type=int, help="stop after so many portions, to go on another time")
    options = parser.parse_args()
    lines = options.log.read_text().splitlines() if options.log and options.log.exists() else []
    done = {line["portion"]: line for line in map(json.loads, lines)}
    todo = [(number, size) for number, size in portions(options.programs) if number not in done]
    for number, size in todo[: options.most]:
        portion = Portion(number, size)
        wrong = portion.disagreement()
        if wrong:
            print(f"portion {number}, {portion.kind}: {wrong}")
            return 1
        done[number] = {"portion": number, "kind": portion.kind, **portion.counts}
        if options.log:
            with options.log.open("a") as log:
                log.write(json.dumps(done[number]) + "\n")
    total: Counter[str] = Counter()
    for line in done.values():
        total.update({what: number for what, number in line.items() if what not in ("portion", "kind")})
    print(", ".join(f"{number} {what}" for what, number in total.items()), "no disagreement", sep=", ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
