"""The search for a program on which the engine and the oracle disagree."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity

from replay.memory_model import MODELS
from tests.random_programs import RandomProgram, programs
from tests.support import compare


@dataclass(frozen=True)
class Portion:
    """A part of the search: so many random programs of one profile, always the same for the same seed."""

    profile: str
    programs: int
    seed: int
    objectives: tuple[str, ...] = ("states",)
    max_machine_states: int = 1000


@dataclass
class Findings:
    """What came of a portion.

    decided       programs times models that engine and oracle were compared on
    too_large     those that the oracle did not finish
    disagreement  "", or the shrunk program and what engine and oracle say about it
    """

    decided: int = 0
    too_large: int = 0
    disagreement: str = ""
    _last: str = field(default="", repr=False)

    def judge(self, program: RandomProgram, portion: Portion) -> None:
        """Compare under all models; raises whatever is wrong."""
        for model in MODELS.values():
            self._last = f"program = {program!r}\nmodel = {model.name}"
            found = compare(program.build(), model, portion.objectives, max_machine_states=portion.max_machine_states)
            self.decided += found.decided
            self.too_large += not found.decided
            assert not found.differences, found.differences

    def note(self, error: Exception) -> None:
        """Keep what was wrong with the last program: after shrinking, the simplest one."""
        self.disagreement = f"{self._last}\n{''.join(traceback.format_exception_only(error)).strip()}"


def search(portion: Portion) -> Findings:
    """Try the programs of a portion up to the first disagreement, and shrink that."""
    findings = Findings()

    @hypothesis.seed(portion.seed)
    @hypothesis.settings(
        max_examples=portion.programs,
        phases=(Phase.generate, Phase.shrink),
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
    )
    @hypothesis.given(programs(portion.profile))
    def agree(program: RandomProgram) -> None:
        findings.judge(program, portion)

    try:
        agree()
    except Exception as error:
        findings.note(error)
    return findings
