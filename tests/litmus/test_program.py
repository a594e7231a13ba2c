"""A .litmus file is a program like any other."""

from __future__ import annotations

from pathlib import Path

import pytest

import mcr
from mcr.litmus.parser import parse
from mcr.litmus.program import LitmusProgram
from mcr.report.source import shown_path
from replay.errors import ModelError
from replay.traces.loader import find_programs, resolve

SB = """X86 SB
{ }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
"""
BOTH_MISS = "(0:EAX=0 /\\ 1:EAX=0)"
CONDITION_LINE = 6


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "SB.litmus").write_text(f"{SB}~exists {BOTH_MISS}\n")
    (tmp_path / "SB-exists.litmus").write_text(f"{SB}exists {BOTH_MISS}\n".replace("X86 SB", "X86 SB-exists"))
    return tmp_path


def program(claim: str) -> LitmusProgram:
    return LitmusProgram(parse(f"{SB}{claim}\n", "SB.litmus"))


@pytest.mark.parametrize("claim", [f"~exists {BOTH_MISS}", "forall (0:EAX=1 \\/ 1:EAX=1)"])
def test_a_claim_about_all_states_is_an_assertion(claim: str) -> None:
    assert mcr.check(program(claim), "sc").verdict is mcr.Verdict.VERIFIED
    result = mcr.check(program(claim), "tso")
    assert result.verdict is mcr.Verdict.BUG
    failure = result.failures[0].failure
    assert failure is not None
    assert failure.message.endswith("0:EAX=0; 1:EAX=0;")
    assert [(line.file, line.line) for line in failure.stack] == [("SB.litmus", CONDITION_LINE)]


def test_exists_is_reported_with_the_states() -> None:
    result = mcr.check(program(f"exists {BOTH_MISS}"), "tso")
    assert result.verdict is mcr.Verdict.VERIFIED
    assert result.outcomes == (
        "'*>0:EAX=0; 1:EAX=0;'",
        "':>0:EAX=0; 1:EAX=1;'",
        "':>0:EAX=1; 1:EAX=0;'",
        "':>0:EAX=1; 1:EAX=1;'",
    )


def test_a_witness_can_be_asked_for_and_replayed(folder: Path) -> None:
    (found,) = find_programs(str(folder / "SB-exists.litmus"))
    assert mcr.check(found(ask="witness"), "sc").verdict is mcr.Verdict.VERIFIED
    (trace,) = mcr.check(found(ask="witness"), "tso").failures
    assert mcr.replay(resolve(trace.program), trace).failure == trace.failure
    lines = {event.line.line for event in trace.events if event.line and event.location in ("x", "y")}
    assert lines == {4, 5}


def test_unknown_parameters_are_refused() -> None:
    for arguments in ({"n": 3}, {"ask": "nothing"}):
        with pytest.raises(ModelError, match="one parameter, ask"):
            program("exists (x=1)")(**arguments)


def test_litmus_files_are_found_beside_python_files(folder: Path) -> None:
    (folder / "model.py").write_text(
        "import mcr\n@mcr.program\ndef model(p):\n    x = p.var('x', 0)\n    p.thread(x.store, 1)\n"
    )
    assert [found.name for found in find_programs(str(folder))] == ["SB-exists", "SB", "model"]
    (found,) = find_programs(f"{folder / 'SB.litmus'}::SB")
    assert (shown_path(found.file), found.line) == (str(folder / "SB.litmus"), 1)
    with pytest.raises(ModelError, match="no program"):
        list(find_programs(f"{folder / 'SB.litmus'}::MP"))


def test_the_fingerprint_sees_what_a_test_does_and_not_how_it_is_laid_out() -> None:
    same = parse(f"{SB}exists {BOTH_MISS}\n".replace("  |", " |").replace("{ }", "{ x=0; }"))
    other = parse(f"{SB}exists {BOTH_MISS}\n".replace("[x],$1", "[x],$2"))
    fingerprint = program(f"exists {BOTH_MISS}").fingerprint()
    assert LitmusProgram(same).fingerprint() == fingerprint
    assert LitmusProgram(other).fingerprint() != fingerprint


def test_reports_show_the_arguments_of_updates() -> None:
    test = parse("X86 rmw\n{ }\n P0 ;\n MOV EAX,$3 ;\n XCHG [x],EAX ;\n LOCK ADD [x],$2 ;\nexists (x=5)\n")
    (trace,) = mcr.check(LitmusProgram(test)(ask="witness"), "sc").failures
    assert [event.operation for event in trace.events if event.kind == "rmw"] == ["x.exchange(3)", "x.add(2)"]
