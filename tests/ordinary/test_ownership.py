"""Ordinary objects, of which every access is seen: what their programs come to."""

from __future__ import annotations

from typing import Any

import pytest

import mcr
from replay.frontend.program import Program
from tests.ordinary import owned


def programs_of(home: Any) -> list[tuple[str, Program]]:
    return [(name, each) for name, each in vars(home).items() if isinstance(each, Program)]


def answer(program: Program) -> list[str]:
    """The verdict of a program, and what fails; the sentence of a refusal."""
    try:
        result = mcr.check(program)
    except mcr.ModelError as error:
        return ["refused", str(error)]
    return [result.verdict.value, *(str(trace.failure.message) for trace in result.failures if trace.failure)]


_VERDICTS = {"lost": "bug", "kept": "verified", "refused": "refused"}


@pytest.mark.parametrize("name", [name for name, _ in programs_of(owned)])
def test_what_threads_reach_is_memory(name: str) -> None:
    said = answer(vars(owned)[name])
    assert said[0] == _VERDICTS[name.partition("_")[0]], said
