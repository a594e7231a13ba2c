"""Each *verified* of the product has a certificate, or a sentence says what has one (docs/certificates.md)."""

from __future__ import annotations

import pytest

import mcr
from mcr.cli.commands import COMMANDS
from mcr.exploration.goals import objectives
from mcr.exploration.options import Options
from mcr.explorers.registry import ALGORITHMS
from tests.desk import Desk

CERTIFYING = ("auto", "cover", "stateful")
OF_OBJECTIVES = ("failures", "progress", "obstruction-freedom", "lock-freedom", "wait-freedom")
OF_COMMANDS = ("check", "levels", "linearizable")


@mcr.program
def counts(p: mcr.Declarations) -> None:
    x = p.var("x", 0)
    p.thread(x.fetch_add)
    p.thread(x.fetch_add)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_of_algorithms(name: str) -> None:
    if name in CERTIFYING:
        result = mcr.check(counts, "tso", algorithm=name, options=Options(certificate=True))
        assert result.verdict is mcr.Verdict.VERIFIED
        assert result.certificate is not None
        return
    with pytest.raises(mcr.CheckerError, match=f"algorithm {name} gives no certificates; these do: auto, cover, stat"):
        mcr.check(counts, "tso", algorithm=name, options=Options(certificate=True))


@pytest.mark.parametrize("objective", objectives())
def test_of_objectives(objective: str) -> None:
    if objective in OF_OBJECTIVES:
        result = mcr.check(counts, "tso", objective=objective, options=Options(certificate=True))
        assert result.certificate is not None
        return
    with pytest.raises(mcr.CheckerError, match=f"a certificate shows that nothing fails, and not {objective}"):
        mcr.check(counts, "tso", objective=objective, options=Options(certificate=True))


@pytest.mark.parametrize("command", COMMANDS)
def test_of_commands(command: str, desk: Desk) -> None:
    assert ("--certificate FOLDER" in desk.mcr(command, "--help").out) == (command in OF_COMMANDS)
