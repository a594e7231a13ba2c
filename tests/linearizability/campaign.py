"""A long search for a class whose level is judged wrong.

    python -m tests.linearizability.campaign --kinds 3000

Classes are determined by their seeds, which count from --seed. Exit status 1 if one is judged otherwise than by all
interleavings and all orders.
"""

from __future__ import annotations

import argparse
import linecache
import sys
from collections import Counter
from typing import Any

from mcr.exploration.verdict import Verdict
from mcr.linearizability.search import linearizable
from replay.world.memory_models import MODELS
from tests.linearizability.brute import judge, random_kind, source


def compare(seed: int, threads: int = 2, calls: int = 2) -> list[tuple[str, str, str]]:
    """For each model, the level by brute force and by the checker."""
    kind = random_kind(seed)
    made = made_of(source(kind), f"<class {seed}>")
    found = []
    for model in MODELS:
        result = linearizable(made, threads=threads, calls=calls, model=model)
        assert result.verdict is not Verdict.INCOMPLETE, result.stop
        assert (result.verdict is Verdict.VERIFIED) == (result.level == "linearizable")
        found.append((model, judge(kind, threads, calls, model), result.level))
    return found


def made_of(text: str, name: str) -> Any:
    """The class of a text."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {}
    exec(compile(text, name, "exec"), names)
    return names["Thing"]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.linearizability.campaign")
    parser.add_argument("--kinds", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    levels, wrong = Counter[str](), 0
    for seed in range(arguments.seed, arguments.seed + arguments.kinds):
        for model, right, said in compare(seed):
            levels[right] += 1
            if right != said:
                wrong += 1
                print(
                    f"class {seed} under {model}: {right!r}, but the checker says {said!r}\n{source(random_kind(seed))}"
                )
    print(f"{arguments.kinds} classes under {len(MODELS)} models, {wrong} differences; {dict(levels)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
