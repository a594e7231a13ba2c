"""Layouts, JSON, comparing with known answers, and the commands."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mcr.cli import main
from mcr.litmus.expect import herd_text
from mcr.litmus.parser import parse
from mcr.litmus.run import run

SB = """X86 SB
{ }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""
BROKEN = "X86 broken\n{ }\n P0 ;\n CLFLUSH [x] ;\nexists (x=1)\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "SB.litmus").write_text(SB)
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "SB2.litmus").write_text(SB.replace("X86 SB", "X86 SB2").replace("exists", "~exists"))
    return tmp_path


def without_times(text: str) -> str:
    return re.sub(r"\d+\.\d+", "0.00", text)


def test_herds_layout() -> None:
    assert without_times(herd_text(run(parse(SB), "tso"))) == (
        "Test SB Allowed\n"
        "States 4\n"
        "0:EAX=0; 1:EAX=0;\n"
        "0:EAX=0; 1:EAX=1;\n"
        "0:EAX=1; 1:EAX=0;\n"
        "0:EAX=1; 1:EAX=1;\n"
        "Ok\n"
        "Witnesses\n"
        "Positive: 1 Negative: 3\n"
        "Condition exists (0:EAX=0 /\\ 1:EAX=0)\n"
        "Observation SB Sometimes 1 3\n"
        "Time SB 0.00\n"
        "\n"
    )


@pytest.mark.parametrize(
    ("claim", "model", "lines"),
    [
        ("exists", "sc", ["Allowed", "No", "Positive: 0 Negative: 3", "Never 0 3"]),
        ("~exists", "sc", ["Forbidden", "Ok", "Positive: 3 Negative: 0", "Never 0 3"]),
        ("~exists", "tso", ["Forbidden", "No", "Positive: 3 Negative: 1", "Sometimes 1 3"]),
        ("forall", "tso", ["Required", "No", "Positive: 1 Negative: 3", "Sometimes 1 3"]),
        ("forall not", "sc", ["Required", "Ok", "Positive: 3 Negative: 0", "Always 3 0"]),
    ],
)
def test_verdicts_are_herds(claim: str, model: str, lines: list[str]) -> None:
    text = herd_text(run(parse(SB.replace("exists", claim)), model))
    for line in lines:
        assert re.search(rf"(^|\s){re.escape(line)}$", text, re.MULTILINE)


def test_states_are_sorted_by_value() -> None:
    code = " P0 | P1 ;\n MOV [x],$10 | MOV EAX,[x] ;\n MOV [x],$9 | ;"
    report = run(parse(f"X86 t\n{{ }}\n{code}\nexists (1:EAX=1)\n"), "sc")
    assert report.states == ("1:EAX=0", "1:EAX=9", "1:EAX=10")


# -- commands -------------------------------------------------------------------------


def test_many_files_in_herds_layout(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["litmus", str(folder), "--model", "tso"]) == 0
    output = capsys.readouterr().out
    assert re.findall(r"^Test .*$", output, re.MULTILINE) == ["Test SB Allowed", "Test SB2 Forbidden"]


def test_several_models_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["litmus", str(folder / "SB.litmus")]) == 0
    assert re.findall(r"^Model .*$", capsys.readouterr().out, re.MULTILINE) == ["Model sc", "Model tso", "Model pso"]


def test_refused_files_are_named_and_counted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "broken.litmus").write_text(BROKEN)
    assert main(["litmus", str(folder), "--model", "sc"]) == 2
    captured = capsys.readouterr()
    assert "broken.litmus:4: the instruction 'clflush' is not supported" in captured.err
    assert "3 tests, 1 refused" in captured.err
    assert captured.out.count("Test ") == 2


def test_a_folder_without_tests_is_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["litmus", str(tmp_path)]) == 2
    assert "no .litmus file" in capsys.readouterr().err
    assert main(["litmus", str(tmp_path / "none.litmus")]) == 2


def test_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["litmus", str(folder), "--table"]) == 0
    assert without_times(capsys.readouterr().out).splitlines() == [
        "test  kind       sc          tso             pso",
        "-" * len("test  kind       sc          tso             pso"),
        "SB    Allowed    No Never 3  Ok Sometimes 4  Ok Sometimes 4",
        "SB2   Forbidden  Ok Never 3  No Sometimes 4  No Sometimes 4",
        "2 tests, 0 refused; 22 states under sc, tso, pso; 0.00 s",
    ]


def test_json_is_what_expect_reads(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["litmus", str(folder), "--json"]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = [json.loads(line) for line in lines]
    assert [(row["name"], row["model"], row["herd_ok"]) for row in rows][:2] == [
        ("SB", "sc", "No"),
        ("SB", "tso", "Ok"),
    ]
    known = folder / "known.jsonl"
    known.write_text("\n".join(lines))
    assert main(["litmus", str(folder), "--expect", str(known)]) == 0
    assert "0 differences; 6 of 6 known answers compared" in capsys.readouterr().out


def test_expect_lists_every_difference(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = folder / "known.jsonl"
    states = ["0:EAX=0; 1:EAX=1", "0:EAX=1; 1:EAX=0", "0:EAX=1; 1:EAX=1;", "0:EAX=7; 1:EAX=7"]
    known.write_text(
        json.dumps({"name": "SB", "model": "tso", "states": states, "verdict": "Never", "herd_ok": "No"}) + "\n"
    )
    assert main(["litmus", str(folder), "--model", "tso", "--expect", str(known)]) == 1
    assert capsys.readouterr().out.splitlines()[:-2] == [
        "SB tso: missing state 0:EAX=7; 1:EAX=7",
        "SB tso: state 0:EAX=0; 1:EAX=0 is not expected",
        "SB tso: Sometimes, expected Never",
        "SB tso: Ok, expected No",
        "SB2 tso: there is no known answer",
    ]
    known.write_text('{"states": 3}')
    assert main(["litmus", str(folder), "--expect", str(known)]) == 2


def test_jobs_do_not_change_the_output(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(12):
        (folder / f"copy{number}.litmus").write_text(SB.replace("X86 SB", f"X86 copy{number}"))
    outputs = []
    for jobs in ("1", "2"):
        assert main(["litmus", str(folder), "--model", "pso", "--jobs", jobs]) == 0
        outputs.append(without_times(capsys.readouterr().out))
    assert outputs[0] == outputs[1]


def test_python_there_and_back(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["litmus", "--emit-python", str(folder / "SB.litmus")]) == 0
    model = folder / "model.py"
    model.write_text(capsys.readouterr().out)
    assert main(["litmus", "--from-python", f"{model}::sb"]) == 0
    again = parse(capsys.readouterr().out)
    assert run(again, "tso").states == run(parse(SB), "tso").states


def test_check_takes_litmus_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = str(folder / "deeper" / "SB2.litmus")
    assert main(["check", files, "--model", "sc", "--save", str(folder)]) == 0
    assert main(["check", files, "--model", "tso", "--save", str(folder)]) == 1
    assert "SB2.litmus:6" in capsys.readouterr().out


def test_diy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diy", "--relations", "Rfe Fre PodWW PodRR", "-o", str(tmp_path / "made")]) == 0
    assert "MP    forbidden  forbidden  allowed    PodWW Rfe PodRR Fre" in capsys.readouterr().out
    assert [path.name for path in (tmp_path / "made").iterdir()] == ["MP.litmus"]
    assert main(["diy", "--relations", "PodWW"]) == 2
    assert main(["diy", "--relations", "Rfx"]) == 2
