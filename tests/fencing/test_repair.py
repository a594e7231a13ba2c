"""The least fences are those that trying every subset finds, and the printed difference repairs the program."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

import mcr
from mcr.fencing.places import with_fences
from mcr.fencing.search import repair
from replay.traces.loader import programs_in
from replay.world.memory_models import MODELS
from tests.amount import amount, one_of
from tests.desk import EXAMPLES, Desk
from tests.fencing.brute_force import disagreement
from tests.fencing.written import write

WEAK = ("tso", "pso")
SMALL = ("litmus", "hazard_pointer", "double_checked_locking", "object_publication")


def _programs(*stems: str) -> list[mcr.Program]:
    return [program for stem in stems for program in programs_in(EXAMPLES / f"{stem}.py")]


@pytest.mark.parametrize("model", WEAK)
@pytest.mark.parametrize("program", _programs(*SMALL), ids=lambda program: program.title)
def test_examples_agree_with_every_subset(program: mcr.Program, model: str) -> None:
    for own in one_of((False, True), f"{program.title} {model}"):
        assert disagreement(program, MODELS[model], own=own) == ""


@pytest.mark.parametrize("model", WEAK)
def test_random_programs_agree_with_every_subset(model: str, tmp_path: Path) -> None:
    rng, decided = random.Random(19), 0
    for number in range(amount(2, 10)):
        program = write(rng, tmp_path / f"random_{number}.py")
        for own in (False, True):
            differs = disagreement(program, MODELS[model], own=own)
            assert not differs, (number, own)
            decided += differs is not None
    assert decided > amount(2, 13)


@pytest.mark.parametrize("stem", ["spin_locks", "ring_buffer", "queue_locks"])
def test_the_difference_repairs_the_program(stem: str, tmp_path: Path) -> None:
    """Applied to the file by `patch`, or here by ourselves: the text with the fences is verified."""
    program = programs_in(EXAMPLES / f"{stem}.py")[0]
    (fences,) = repair(program, MODELS["pso"]).sets
    file = tmp_path / f"{stem}.py"
    file.write_text("".join(with_fences(program.file, fences, program)))
    fixed = next(each for each in programs_in(file) if each.name == program.name)
    assert mcr.check(program, "pso").verdict is mcr.Verdict.BUG
    assert mcr.check(fixed, "pso").verdict is mcr.Verdict.VERIFIED


@pytest.mark.skipif(shutil.which("patch") is None, reason="could not import: there is no patch")
def test_patch_takes_the_difference(desk: Desk) -> None:
    desk.copy("peterson.py")
    answer = desk.mcr("repair", "peterson.py::peterson", "--model", "tso")
    assert answer.status == 0
    subprocess.run(["patch", "-p0"], input=answer.out.split("\n\n", 1)[1], text=True, check=True, cwd=desk.folder)
    assert desk.mcr("check", "peterson.py::peterson", "--model", "tso").status == 0
