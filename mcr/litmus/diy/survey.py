"""Runs generated tests: which cycles does each model forbid?"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mcr.exploration.options import Options
from mcr.jobs.executor import Executor, answers
from mcr.jobs.task import Task, Tell
from mcr.litmus.diy.generate import Generated, UnpinnedError, generate
from mcr.litmus.diy.relations import Relation, cycles
from mcr.litmus.parser import parse
from mcr.litmus.run import Report, run
from replay.errors import CheckerError, InternalError


@dataclass(frozen=True)
class Collection:
    """Generated tests, and how many cycles were left out since no final state tells whether they happened."""

    tests: tuple[Generated, ...]
    left_out: int


@dataclass(frozen=True)
class Surveyed:
    """A generated test and its reports, one for each model."""

    test: Generated
    reports: tuple[Report, ...]

    def forbidden_by(self, model: str) -> bool:
        return next(report.positive == 0 for report in self.reports if report.model == model)


def collect(vocabulary: Sequence[Relation], threads: int, edges: int) -> Collection:
    """The tests for all cycles of a vocabulary within the limits. Raises InternalError if two get one name."""
    tests: dict[str, Generated] = {}
    left_out = 0
    for cycle in cycles(vocabulary, threads, edges):
        try:
            test = generate(cycle)
        except UnpinnedError:
            left_out += 1
            continue
        if test.name in tests:
            raise InternalError(f"{test.cycle} and {tests[test.name].cycle} are both called {test.name}")
        tests[test.name] = test
    return Collection(tuple(tests.values()), left_out)


def survey(
    tests: Sequence[Generated], models: Sequence[str], options: Options, jobs: int | None = 1
) -> Iterator[Surveyed]:
    """Run the tests under the models, in their order; with None for `jobs`, as many at once as there are cores."""
    executing = Executor(jobs)
    options = options.beside(min(executing.jobs, len(tests)))

    def work(test: Generated, tell: Tell) -> Surveyed:
        parsed = parse(test.text, f"{test.name}.litmus")
        return Surveyed(test, tuple(run(parsed, model, options) for model in models))

    found = answers(Task(work, functools.partial(_died, models)), tests, executing)
    return (each for each in found if each is not None)


def _died(models: Sequence[str], test: Generated, how: str) -> Surveyed:
    """A survey claims of every cycle whether a model forbids it."""
    raise CheckerError(f"{test.name}: {how} while the test was run")


def survey_table(surveyed: Sequence[Surveyed], models: Sequence[str], left_out: int) -> str:
    """One row for each test; the last line counts."""
    width = max([len("test"), *(len(one.test.name) for one in surveyed)])
    lines = [f"{'test':{width}}  {'  '.join(f'{model:9}' for model in models)}  cycle"]
    for one in surveyed:
        cells = (f"{'forbidden' if one.forbidden_by(model) else 'allowed':9}" for model in models)
        lines.append(f"{one.test.name:{width}}  {'  '.join(cells)}  {one.test.cycle}")
    counts = (f"{model} forbids {sum(one.forbidden_by(model) for one in surveyed)}" for model in models)
    lines.append(f"{len(surveyed)} cycles: {', '.join(counts)}")
    if left_out:
        lines.append(f"{left_out} more left out: no final state tells whether they happened")
    return "\n".join(lines)
