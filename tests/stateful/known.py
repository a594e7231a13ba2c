"""Explicit states on programs whose answers are known: the examples, and litmus tests with herd's answers.

    python -m tests.stateful.known
    mcr litmus FOLDER --algorithm stateful --expect FOLDER/truth.jsonl

Of each example, under each model: what its docstring says, the failure that the default finds, and the outcomes that
brute force knows. A line for each difference; exit status 1 if there was one.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator

import mcr
from mcr.exploration.options import Options
from replay.world.memory_models import MODELS
from tests.examples.test_examples import PROGRAMS, fails_under
from tests.objectives.answers import digest, recorded

ALL = Options(keep_going=True, shorten=False)


def differences(name: str, program: mcr.Program, model: str, counts: Counter[str]) -> Iterator[str]:
    counts["examples under a model"] += 1
    found = mcr.check(program, model, objective="failures,outcomes", algorithm="stateful", options=ALL)
    if found.stop is not None:
        yield f"incomplete: {found.stop}"
    if bool(found.failures) != (model in fails_under(program)):
        yield f"{found.verdict.value}, and its docstring says otherwise"
    default = mcr.check(program, model, options=Options(shorten=False))
    if default.verdict is not found.verdict:
        yield f"{found.verdict.value}, by the default {default.verdict.value}"
    known = {each.failure.identity for each in found.failures if each.failure}
    yield from (
        f"no {each.failure}, which {default.algorithm} finds"
        for each in default.failures
        if each.failure and each.failure.identity not in known
    )
    answer = recorded().get(f"{name}-{model}")
    counts["of which brute force knows the outcomes"] += answer is not None
    if answer is not None and digest(found.outcomes) != answer["outcomes"]:
        yield f"{digest(found.outcomes)} outcomes, by brute force {answer['outcomes']}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.stateful.known", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="parts of names of examples; all if there are none")
    asked = parser.parse_args().names
    counts: Counter[str] = Counter()
    for name, program in PROGRAMS.items():
        if asked and not any(part in name for part in asked):
            continue
        for model in MODELS:
            for line in differences(name, program, model, counts):
                counts["differences"] += 1
                print(f"{name} under {model}: {line}", flush=True)
    print(", ".join(f"{number} {what}" for what, number in counts.items()))
    return 1 if counts["differences"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
