"""The measurements of a user's own programs: each program, size, model, objective and algorithm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import product
from pathlib import Path

from mcr import plugins
from mcr.bench.case import BenchCase, Parameters
from mcr.bench.sweep import Sweep, combined
from mcr.exploration.goals import Goals
from mcr.explorers.registry import ALGORITHMS, check_supports, parse
from replay.errors import CheckerError
from replay.frontend.program import Program
from replay.traces.loader import find_programs
from solvers.registry import DEFAULT_SOLVER

ALL, PUBLISHED = "all", "published"


@dataclass(frozen=True)
class Asked:
    """The measurements of programs that were asked for.

    targets     files, FILE::NAME, folders
    models      names of memory models
    algorithms  names, with their variants
    objectives  each explored by itself
    settings    values for the programs' parameters
    sweeps      parameters that take several values; several multiply
    merge       let local states be shared, where algorithm and objective can
    repeat      how often each is measured
    version     a digest of the checker and its plug-ins
    """

    targets: Sequence[str]
    models: Sequence[str]
    algorithms: Sequence[str]
    objectives: Sequence[str]
    settings: Mapping[str, object] = field(default_factory=dict)
    sweeps: Sequence[Sweep] = ()
    solver: str = DEFAULT_SOLVER
    merge: bool = True
    memory: int | None = None
    repeat: int = 1
    version: str = ""

    def cases(self) -> list[BenchCase]:
        """Every measurement, in the order of the table. Raises CheckerError for a program that is broken."""
        programs = [program for target in self.targets for program in find_programs(target)]
        names = Counter(program.name for program in programs)
        labels = ["" if names[program.name] == 1 else f"{_shown(program.file)}::{program.name}" for program in programs]
        return [case for program, label in zip(programs, labels, strict=True) for case in self._of(program, label)]

    def _of(self, program: Program, label: str) -> Iterator[BenchCase]:
        origin = _digest(program.fingerprint(), self.version, str(self.merge))
        for parameters in self._parameters(program):
            for objective, model, algorithm in product(self.objectives, self.models, self.algorithms):
                merge = self.merge or not _merges(algorithm, objective)
                case = BenchCase(
                    program.file, program.name, parameters, model, algorithm, objective, self.solver, merge=merge,
                    label=label, origin=origin, plugins=plugins.loaded_files(), memory=self.memory,
                )  # fmt: skip
                yield from (replace(case, run=run) for run in range(1, self.repeat + 1))

    def _parameters(self, program: Program) -> Iterator[Parameters]:
        """Raises ModelError for a parameter that the program does not have."""
        for swept in combined(self.sweeps):
            parameters = {**self.settings, **dict(swept)}
            if parameters:
                program(**parameters)
            yield tuple(parameters.items())


def _shown(file: str) -> str:
    """A file below the current folder, by its place in it."""
    path, here = Path(file).resolve(), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _digest(*texts: str) -> str:
    return sha256("\0".join(texts).encode()).hexdigest()[:16]


def _merges(algorithm: str, objective: str) -> bool:
    return parse(algorithm)[0].merges and Goals.parse(objective).equivalence is None


def why_not(case: BenchCase) -> str:
    """Why an algorithm cannot be asked that, "" if it can."""
    try:
        check_supports(case.algorithm, Goals.parse(case.objective), [case.model])
    except CheckerError as error:
        return str(error)
    return ""


def algorithms_named(text: str) -> list[str]:
    """The algorithms of a list: names with their variants, "all" and "published". Raises ValueError."""
    found: dict[str, None] = {}
    for name in (name.strip() for name in text.split(",")):
        if name in (ALL, PUBLISHED):
            found.update(dict.fromkeys(each.name for each in ALGORITHMS.values() if name == ALL or each.is_published))
            continue
        try:
            parse(name)
        except CheckerError as error:
            raise ValueError(f"{error}; or {ALL}, or {PUBLISHED}") from None
        found[name] = None
    return list(found)
