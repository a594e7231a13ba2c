"""The search for a program on which the engine and the oracle disagree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from replay.world.memory_models import MODELS
from tests import random_search
from tests.amount import one_of
from tests.random_programs import RandomProgram
from tests.support import BY_SOLVER, compare


@dataclass(frozen=True)
class Portion:
    """A part of the search: so many random programs of one profile, always the same for the same seed."""

    profile: str
    programs: int
    seed: int
    objectives: tuple[str, ...] = ("states",)
    max_machine_states: int = 1000
    algorithm: str = BY_SOLVER
    models: Sequence[str] = ()
    """All registered ones if empty."""
    alike: bool = False
    """All threads do what the first one does."""
    by_turns: bool = False
    """Each program under one of the models, other programs under others; under all if there is time."""


@dataclass
class Findings:
    """What came of a portion.

    decided       programs times models that engine and oracle were compared on
    too_large     those that the oracle did not finish
    disagreement  "", or the shrunk program and what engine and oracle say about it
    last          the program and model that were compared last
    """

    decided: int = 0
    too_large: int = 0
    disagreement: str = ""
    last: str = field(default="", repr=False)

    def judge(self, program: RandomProgram, portion: Portion) -> None:
        """Compare under the models of the portion; raises whatever is wrong."""
        if portion.alike:
            program = program._replace(threads=program.threads[:1] * len(program.threads))
        models = portion.models or list(MODELS)
        for model in map(MODELS.__getitem__, one_of(models, repr(program)) if portion.by_turns else models):
            self.last = f"program = {program!r}\nmodel = {model.name}"
            found = compare(
                program.build(),
                model,
                portion.objectives,
                max_machine_states=portion.max_machine_states,
                algorithm=portion.algorithm,
            )
            self.decided += found.decided
            self.too_large += not found.decided
            assert not found.differences, found.differences


def search(portion: Portion) -> Findings:
    """Try the programs of a portion up to the first disagreement, and shrink that."""
    findings = Findings()
    wrong = random_search.search(
        portion.profile, portion.programs, portion.seed, lambda program: findings.judge(program, portion)
    )
    if wrong:
        findings.disagreement = f"{findings.last}\n{wrong}"
    return findings
