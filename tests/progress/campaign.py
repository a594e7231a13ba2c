"""A long search for random programs on which brute force disagrees with progress, or obstruction-, lock-, wait-freedom.

    python -m tests.progress.campaign --programs 3000

Programs are determined by their seeds, which count from --seed. Exit status 1 with the program at the first
disagreement.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

import mcr
from mcr.exploration.goals import RUNS
from mcr.exploration.options import Options
from replay.frontend.program import Program
from replay.traces.trace import DEADLOCK, SOUGHT_FOR
from replay.world.memory_models import MODELS
from tests.progress.brute_force import Runs, runs
from tests.progress.generator import generate
from tests.pythonic.compare import checkers_program


def differences(program: Program, model: str, expected: Runs, found: Counter[str]) -> Iterator[str]:
    """Where the two do not agree, a line each; counts what comes of the check."""
    options = Options(keep_going=True, buffer=8)
    result = mcr.check(program, model, objective=",".join(RUNS), options=options)
    failures = [trace.failure for trace in result.failures if trace.failure is not None]
    found.update(each.error for each in failures)
    found[result.verdict.value] += 1
    shown = {SOUGHT_FOR[each.error] for each in failures if each.is_lasso}
    if result.stop is not None and not (shown < expected.forbidden and "cannot be shown" in result.stop.reason):
        yield f"incomplete: {result.stop}"
    if shown != expected.forbidden and (result.stop is None or not shown <= expected.forbidden):
        yield f"runs without end violate {sorted(expected.forbidden)} by brute force, not {sorted(shown)}"
    if not expected.stops and any(each.error == DEADLOCK for each in failures) != expected.stuck:
        yield f"somebody waits for ever: {expected.stuck} by brute force"
    for trace in result.failures:
        for times in (1, 3):
            again = mcr.replay(program, trace, times=times).failure
            if again != trace.failure:
                yield f"{trace.failure} is {again} when it is played, {times} times"


def search(seeds: Sequence[int], limit: int) -> tuple[list[str], Counter[str]]:
    """Compare until there is a disagreement: what it is, and how often what was found."""
    found: Counter[str] = Counter()
    for seed in seeds:
        program, model = checkers_program(generate(seed)), list(MODELS)[seed % len(MODELS)]
        expected = runs(program, MODELS[model], limit)
        found["decided" if expected.complete else "too large"] += 1
        if expected.complete:
            lines = list(differences(program, model, expected, found))
            if lines:
                return [f"seed {seed}, {model}:\n{generate(seed)}", *lines], found
    return [], found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.progress.campaign", description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--max-configurations", type=int, default=3000)
    options = parser.parse_args()
    lines, found = search(range(options.seed, options.seed + options.programs), options.max_configurations)
    print(", ".join(f"{count} {what}" for what, count in found.most_common()))
    print(*lines, sep="\n")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
