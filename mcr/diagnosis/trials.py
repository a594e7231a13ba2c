"""Algorithms side by side: each explores a program under a model in a process of its own, and says what it took."""

from __future__ import annotations

import multiprocessing
import resource
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, fields, replace

from mcr.api import check
from mcr.exploration.goals import Goals
from mcr.exploration.options import Options
from mcr.exploration.verdict import INTERRUPTED, Result, Statistics, Verdict
from mcr.explorers.registry import parse
from replay.traces.loader import find_programs

_MEGABYTE = 1 << 20
_UNIT = 1 if sys.platform == "darwin" else 1 << 10
"""What the system counts a process's memory in."""


@dataclass(frozen=True)
class Subject:
    """What is explored: a program by file, name and parameters, under a model."""

    target: str
    title: str
    settings: Mapping[str, object]
    model: str


@dataclass(frozen=True)
class Trial:
    """What an algorithm took for it. Figures are None if its process did not live to tell them.

    executions  complete ones and blocked ones
    blocked     those in which a thread waits for ever, or failed an assumption
    redundant   those whose class was seen before; None where the objective counts no classes
    checks      questions whether something is consistent; None where the algorithm asks none
    realizable  how many of them were answered with yes
    checking    seconds spent on them
    longest     events of the longest execution
    waiting     pieces of work that waited at the same time, at most
    seconds     of the exploration
    megabytes   peak of the process, Python and all
    stop        why it was cut, "" if it was not
    """

    subject: Subject
    algorithm: str
    verdict: Verdict
    stop: str = ""
    executions: int | None = None
    blocked: int | None = None
    redundant: int | None = None
    local_states: int | None = None
    checks: int | None = None
    realizable: int | None = None
    checking: float | None = None
    longest: int | None = None
    waiting: int | None = None
    seconds: float | None = None
    megabytes: float | None = None


_FIGURES = tuple(each.name for each in fields(Trial) if each.name in Statistics.__dataclass_fields__)


def subjects(targets: Sequence[str], settings: Mapping[str, object], models: Sequence[str]) -> list[Subject]:
    """All programs of some files or folders under all these models. Raises CheckerError for a target that is broken."""
    found: list[Subject] = []
    for program in (program for target in targets for program in find_programs(target)):
        title = program(**settings).title if settings else program.title
        found += [Subject(f"{program.file}::{program.name}", title, settings, model) for model in models]
    return found


def trials(subject: Subject, algorithms: Sequence[str], objective: str, options: Options) -> Iterator[Trial]:
    """What each algorithm takes that looks for the objective under the model. Ctrl-C raises KeyboardInterrupt."""
    for algorithm in able(algorithms, objective, subject.model):
        yield _elsewhere(subject, algorithm, objective, options)


def able(algorithms: Sequence[str], objective: str, model: str) -> list[str]:
    """Those of some algorithms that look for an objective under a model. Raises CheckerError for an unknown name."""
    wanted = set(Goals.parse(objective).names)
    known = [(name, parse(name)[0]) for name in algorithms]
    return [name for name, algorithm in known if wanted <= set(algorithm.objectives) and model in algorithm.models]


def unable(algorithms: Sequence[str], objective: str, models: Sequence[str]) -> list[str]:
    """The others: by name, those that can do it under no model; "name under model", those that can under another."""
    found: list[str] = []
    for name in algorithms:
        where = [model for model in models if not able([name], objective, model)]
        found += [name] if len(where) == len(models) else [f"{name} under {model.upper()}" for model in where]
    return found


def _elsewhere(subject: Subject, algorithm: str, objective: str, options: Options) -> Trial:
    """In a process of its own, so that memory is its own and nothing is warm."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        try:
            trial = pool.submit(_here, subject, algorithm, objective, options).result()
        except BrokenProcessPool:
            return Trial(subject, algorithm, Verdict.INCOMPLETE, "its process was killed")
    if trial is None:
        raise KeyboardInterrupt
    return trial


def _here(subject: Subject, algorithm: str, objective: str, options: Options) -> Trial | None:
    """In this process; None if Ctrl-C ended it."""
    (program,) = find_programs(subject.target)
    merge = options.merge or not parse(algorithm)[0].merges or Goals.parse(objective).equivalence is not None
    options = replace(options, keep_going=True, shorten=False, merge=merge)
    program = program(**subject.settings) if subject.settings else program
    result = check(program, subject.model, objective=objective, algorithm=algorithm, options=options)
    return None if result.stop == INTERRUPTED else _told(subject, algorithm, objective, result)


def _told(subject: Subject, algorithm: str, objective: str, result: Result) -> Trial:
    figures = {name: getattr(result.statistics, name) for name in _FIGURES}
    if Goals.parse(objective).equivalence is None:
        figures["redundant"] = None
    if not figures["checks"]:
        figures.update(checks=None, realizable=None, checking=None)
    figures["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT / _MEGABYTE
    return Trial(subject, algorithm, result.verdict, result.stop.reason if result.stop else "", **figures)
