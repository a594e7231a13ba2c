"""Global states in C against the loop in Python: the same states, in the same order, with the same predecessors.

    python -m tests.stateful.in_c --programs 2000 [--first 0]

On random programs of all kinds, under each model in turn, with reductions on and off by turns. Exit status 1 with the
program at the first difference.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, fields, replace
from itertools import count
from unittest import mock

from mcr.api import open_session
from mcr.exploration.options import Options
from mcr.exploration.verdict import Result
from mcr.explorers.stateful.explorer import Stateful
from mcr.explorers.stateful.native.library import library
from mcr.explorers.stateful.native.space import NativeSpace
from mcr.explorers.stateful.space import Space
from replay.frontend.program import Program
from replay.world.memory_models import MODELS, memory_model
from tests import random_search
from tests.progress import generator as progress
from tests.pythonic.compare import checkers_program
from tests.random_programs import PROFILES, RandomProgram
from tests.spinning import generator as spinning
from tests.stateful.test_symmetry import with_equal_threads

OBJECTIVES = ("failures", "states,outcomes", "deadlocks", "progress", "wait-freedom", "lock-freedom")

OPTIONS = (
    Options(keep_going=True, shorten=False, timeout=20),
    Options(keep_going=True, shorten=False, timeout=20, symmetry=False),
    Options(keep_going=True, shorten=False, timeout=20, reduce=False, symmetry=False),
    Options(shorten=False, timeout=20, buffer=2),
)

PORTION = 20
"""Programs of one kind."""

KINDS = (*PROFILES, "alike", "endless", "loops", "progress", "endless, alike")


def differences(
    program: Program,
    model: str,
    objective: str = "failures",
    algorithm: str = "stateful",
    options: Options = OPTIONS[0],
) -> list[str]:
    """What the two find differently, in words; nothing is compared where time was up."""
    in_c, looped = (
        _explored(program, model, objective, algorithm, replace(options, native=native)) for native in (True, False)
    )
    results = [found[0] for found in (in_c, looped)]
    if any(result.stop is not None and "time limit" in result.stop.reason for result in results):
        return []
    wrong = [f"{name}: {found!r}, not {expected!r}" for name, found, expected in _told(*results) if found != expected]
    if in_c[1] is not None and looped[1] is not None:
        wrong += _differences_of_spaces(in_c[1], looped[1])
    return wrong


Explored = tuple[Result, Space | None]


def _explored(program: Program, model: str, objective: str, algorithm: str, options: Options) -> Explored:
    """What an exploration has found; in C from the first state on, unless that is not wanted."""
    session = open_session(program, memory_model(model), objective=objective, algorithm=algorithm, options=options)
    result = session.explore()
    space = session.explorer.space if isinstance(session.explorer, Stateful) else None
    assert space is None or isinstance(space, NativeSpace) == options.native
    return result, space


def _told(found: Result, expected: Result) -> Iterator[tuple[str, object, object]]:
    for field in fields(found):
        if field.name != "statistics":
            yield field.name, getattr(found, field.name), getattr(expected, field.name)
    counts = (asdict(result.statistics) for result in (found, expected))
    yield "counts", *({name: count for name, count in each.items() if type(count) is int} for each in counts)


def _differences_of_spaces(found: Space, expected: Space) -> Iterator[str]:
    if list(found.before.items()) != list(expected.before.items()):
        yield f"{len(found.before)} states, not the {len(expected.before)} of the loop in their order"
    for name in ("levels", "frontier", "looked_at"):
        if getattr(found, name) != getattr(expected, name):
            yield f"{name}: {getattr(found, name)}, not {getattr(expected, name)}"


def in_c_at_once() -> AbstractContextManager[object]:
    """Few states are explored in C, too."""
    return mock.patch("mcr.explorers.stateful.explorer.Stateful._are_many", return_value=True)


def search(number: int, programs: int = PORTION) -> str:
    """The first difference on so many random programs, which a number determines; "" if there is none."""
    kind = KINDS[number % len(KINDS)]
    if kind in PROFILES or kind == "alike":
        counted = count()
        profile = kind if kind in PROFILES else list(PROFILES)[number // len(KINDS) % len(PROFILES)]

        def judge(random: RandomProgram) -> None:
            wrong = _asked((with_equal_threads(random) if kind == "alike" else random).build(), next(counted) + number)
            assert not wrong, (random, *wrong)

        return random_search.search(profile, programs, number, judge)
    for seed in range(number * PORTION, number * PORTION + programs):
        source = _source(kind, seed)
        wrong = _asked(checkers_program(source), seed)
        if wrong:
            return "\n".join([f"seed {seed}:", source, *wrong])
    return ""


def _source(kind: str, seed: int) -> str:
    if kind == "progress":
        return progress.generate(seed)
    return spinning.generate(seed, endless="endless" in kind, alike="alike" in kind)


def _asked(program: Program, seed: int) -> list[str]:
    """One question, each seed another one."""
    objective, options = OBJECTIVES[seed // 3 % len(OBJECTIVES)], OPTIONS[seed // 5 % len(OPTIONS)]
    model = list(MODELS)[seed % len(MODELS)]
    with in_c_at_once():
        return [f"{model}, {objective}: {line}" for line in differences(program, model, objective, options=options)]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.stateful.in_c", description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=2_000)
    parser.add_argument("--first", type=int, default=0, help="the portion to begin with")
    options = parser.parse_args()
    if library() is None:
        print("core.c was not built: see mcr doctor")
        return 2
    for number in range(options.first, options.first + options.programs // PORTION):
        wrong = search(number)
        if wrong:
            print(f"portion {number}: {wrong}")
            return 1
    print(f"{options.programs} programs, no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main())
