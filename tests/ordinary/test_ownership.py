"""Ordinary objects on the interpreter, where every access is seen, against the engine that replaces their classes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import mcr
from examples import ordinary_classes
from replay.frontend.program import Program
from tests.desk import ROOT
from tests.ordinary import owned

_ANSWERS = """\
import json, sys
import mcr
from examples import ordinary_classes
from replay.frontend.program import Program
from tests.ordinary import owned
from tests.ordinary.test_ownership import answer, programs_of
print(json.dumps({name: answer(program) for home in (ordinary_classes, owned) for name, program in programs_of(home)}))
"""


def programs_of(home: Any) -> list[tuple[str, Program]]:
    return [(name, each) for name, each in vars(home).items() if isinstance(each, Program)]


def answer(program: Program) -> list[str]:
    """The verdict of a program, and what fails; the sentence of a refusal."""
    try:
        result = mcr.check(program)
    except mcr.ModelError as error:
        return ["refused", str(error)]
    return [result.verdict.value, *(str(trace.failure.message) for trace in result.failures if trace.failure)]


@cache
def _answers() -> dict[str, list[str]]:
    """What a process says that runs all of it on the old engine."""
    switches = {"MCR_ENGINE": "greenlets", "PYTHONPATH": str(Path(ROOT))}
    ran = subprocess.run(
        [sys.executable, "-c", _ANSWERS], env={**os.environ, **switches}, capture_output=True, text=True, cwd=ROOT
    )
    assert not ran.returncode, ran.stderr
    return dict(json.loads(ran.stdout))


@pytest.mark.parametrize("name", [name for name, _ in programs_of(ordinary_classes)])
def test_examples_get_the_answers_of_the_other_engine(name: str) -> None:
    assert _answers()[name] == answer(vars(ordinary_classes)[name])


_VERDICTS = {"lost": "bug", "kept": "verified", "refused": "refused"}


@pytest.mark.parametrize("name", [name for name, _ in programs_of(owned)])
def test_what_threads_reach_is_memory(name: str) -> None:
    assert _answers()[name][0] == _VERDICTS[name.partition("_")[0]], _answers()[name]
