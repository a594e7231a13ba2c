"""Every program in examples/ keeps the promise of its docstring.

The last line says under which models an assertion fails, an exception is
raised, or threads wait for ever: "Fails under: TSO, PSO".
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import mcr
from replay.traces.loader import programs_in
from tests.amount import SLOW

MODELS = ("sc", "tso", "pso")
FILES = [path for path in sorted((Path(__file__).parents[2] / "examples").glob("*.py")) if path.stem != "__init__"]
PROGRAMS = {f"{path.stem}::{program.name}": program for path in FILES for program in programs_in(path)}
KNOWN_PROGRAMS = 194
"""How many programs there were when this was written; a loader that loses some is noticed."""

each_program = pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)


def models_after(label: str, line: str) -> set[str]:
    """The models that a docstring line lists; raises ValueError if it is not such a line."""
    listed = re.fullmatch(rf"{label}: (nothing|PSO|TSO, PSO|SC, TSO, PSO)", line)
    if listed is None:
        raise ValueError(f"expected a line like '{label}: TSO, PSO' instead of {line!r}")
    return set(listed[1].lower().split(", ")) - {"nothing"}


def docstring(program: mcr.Program) -> list[str]:
    return inspect.cleandoc(program.__doc__ or "").splitlines()


def fails_under(program: mcr.Program) -> set[str]:
    return models_after("Fails under", docstring(program)[-1])


# -- the promises ------------------------------------------------------------


@each_program
def test_docstring_says_under_which_models_it_fails(program: mcr.Program) -> None:
    assert fails_under(program) <= set(MODELS)
    assert "\n".join(docstring(program)).count("Fails under") == 1


def test_a_line_of_another_form_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a line like"):
        models_after("Fails under", "Fails under: PSO, TSO")


def test_every_program_is_collected() -> None:
    assert len(PROGRAMS) >= KNOWN_PROGRAMS
    assert {path.stem for path in FILES} == {name.split("::")[0] for name in PROGRAMS}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_file_says_what_it_is_about(path: Path) -> None:
    assert inspect.cleandoc(programs_in(path)[0].function.__globals__["__doc__"] or "")


# -- kept --------------------------------------------------------------------


def asked(program: mcr.Program) -> list[str]:
    """The strongest model under which it fails and the weakest one under which it does not; all if there is time.

    A weaker model allows what a stronger one does (`tests/litmus/test_generated.py`).
    """
    failing = [model for model in MODELS if model in fails_under(program)]
    return [*MODELS] if SLOW else [*MODELS[: len(MODELS) - len(failing)][-1:], *failing[:1]]


@pytest.mark.parametrize(
    ("program", "model"),
    [pytest.param(each, model, id=f"{name}-{model}") for name, each in PROGRAMS.items() for model in asked(each)],
)
def test_fails_where_it_says(program: mcr.Program, model: str) -> None:
    expected = "bug" if model in fails_under(program) else "verified"
    assert mcr.check(program, model=model, options=mcr.Options(shorten=False)).verdict.value == expected
