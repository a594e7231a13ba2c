"""A long search for a class whose level is judged wrong.

    python -m tests.linearizability.campaign --kinds 3000
    python -m tests.linearizability.campaign --kinds 3000 --objects    classes whose calls return objects
    python -m tests.linearizability.campaign --kinds 300 --levels      levels of pairs of methods

Classes are determined by their seeds, which count from --seed. Exit status 1 if one is judged otherwise than by all
interleavings and all orders.
"""

from __future__ import annotations

import argparse
import linecache
import sys
from collections import Counter
from itertools import combinations_with_replacement
from types import ModuleType
from typing import Any

from mcr.exploration.verdict import Verdict
from mcr.linearizability.levels import levels
from mcr.linearizability.search import linearizable
from replay.world.memory_models import MODELS
from tests.linearizability.brute import is_atomic, judge, object_source, random_kind, random_object_kind, source

MODULE = "class_of_a_campaign"


def compare(seed: int, threads: int = 2, calls: int = 2, *, objects: bool = False) -> list[tuple[str, str, str]]:
    """For each model, the level by brute force and by the checker."""
    kind = random_object_kind(seed) if objects else random_kind(seed)
    made = made_of(text_of(seed, objects=objects), f"<class {seed}{' of objects' if objects else ''}>")
    found = []
    for model in MODELS:
        result = linearizable(made, threads=threads, calls=calls, model=model)
        assert result.verdict is not Verdict.INCOMPLETE, result.stop
        assert (result.verdict is Verdict.VERIFIED) == (result.level == "linearizable")
        found.append((model, judge(kind, threads, calls, model, objects=objects), result.level))
    return found


def compare_pairs(seed: int, before: int = 2, *, objects: bool = False) -> list[tuple[str, str, str]]:
    """For each model, SC for classes of objects, which pairs are atomic by brute force and by the checker."""
    kind = random_object_kind(seed) if objects else random_kind(seed)
    made = made_of(text_of(seed, objects=objects), f"<class {seed}{' of objects' if objects else ''}>")
    found = []
    for model in ["sc"] if objects else MODELS:
        result = levels(made, before=before, model=model)
        assert all(pair.level for pair in result.pairs), result
        right = [
            is_atomic(kind, pair, before, model, objects=objects)
            for pair in combinations_with_replacement(range(len(kind)), 2)
        ]
        found.append((model, _words(right), _words([pair.level == "atomic" for pair in result.pairs])))
    return found


def _words(atomic: list[bool]) -> str:
    return ", ".join("atomic" if each else "not atomic" for each in atomic)


def text_of(seed: int, *, objects: bool) -> str:
    """The class of a seed, as Python."""
    return object_source(random_object_kind(seed)) if objects else source(random_kind(seed))


def made_of(text: str, name: str) -> Any:
    """The class of a text, as a module that has this name for as long as another is not made."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    module = ModuleType(MODULE)
    module.__file__ = name
    sys.modules[MODULE] = module
    exec(compile(text, name, "exec"), vars(module))
    return module.Thing


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.linearizability.campaign")
    parser.add_argument("--kinds", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--objects", action="store_true", help="classes whose calls return objects")
    parser.add_argument("--levels", action="store_true", help="levels of pairs of methods")
    arguments = parser.parse_args()
    look = compare_pairs if arguments.levels else compare
    found, wrong = Counter[str](), 0
    for seed in range(arguments.seed, arguments.seed + arguments.kinds):
        for model, right, said in look(seed, objects=arguments.objects):
            found[right] += 1
            if right != said:
                wrong += 1
                text = text_of(seed, objects=arguments.objects)
                print(f"class {seed} under {model}: {right!r}, but the checker says {said!r}\n{text}")
    print(f"{arguments.kinds} classes, each under the models that it can have, {wrong} differences; {dict(found)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
