"""The corpus keeps its promises: the last line of each program says what is found under SC.

"Verified"; "Fails: " and the exception; "Refused: " and a part of the sentence. After "from Python 3.12 on" stands
what holds there.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import pytest

import mcr
from replay.errors import ModelError
from replay.traces.loader import programs_in

FILES = sorted((Path(__file__).parent / "corpus").glob("[!_]*.py"))
PROGRAMS = {f"{path.stem}::{program.name}": program for path in FILES for program in programs_in(path)}
_NEWER = ", and from Python 3.12 on: "

KNOWN_PROGRAMS = 36
"""How many programs there were when this was written."""


def test_every_program_is_collected() -> None:
    assert len(PROGRAMS) >= KNOWN_PROGRAMS


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_as_it_says(program: mcr.Program) -> None:
    said = inspect.cleandoc(program.__doc__ or "").splitlines()[-1]
    until, _, then = said.partition(_NEWER)
    said = then if then and sys.version_info >= (3, 12) else until
    what, _, detail = said.partition(": ")
    if what == "Refused":
        with pytest.raises(ModelError, match=detail.replace("(", r"\(").replace(")", r"\)")):
            mcr.check(program, "sc")
        return
    result = mcr.check(program, "sc")
    errors = {trace.failure.error for trace in result.failures if trace.failure}
    assert (result.verdict.value, errors) == (("bug", {detail}) if what == "Fails" else ("verified", set()))
