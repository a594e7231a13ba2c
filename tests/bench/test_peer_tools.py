"""The C sources of the reference programs, and who runs the peers on them; here with tools that only say something."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from results.bench.peer_tools import SOURCES, Said, defines, main, read, rows_of, source
from results.bench.peers import BUG, SAFE, peers_text


def test_each_row_has_its_source() -> None:
    rows = json.loads(peers_text())["rows"]
    assert len(rows) > 200
    assert {source(row) for row in rows} == {*SOURCES.glob("*.c")}


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_gcc_takes_the_sources_in_each_size(tmp_path: Path) -> None:
    for row in {(row["program"], row["param"]): row for row in json.loads(peers_text())["rows"]}.values():
        command = [
            "gcc",
            "-fsyntax-only",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-DSTANDALONE",
            *defines(row),
            str(source(row)),
        ]
        assert subprocess.run(command, capture_output=True, text=True).stderr == ""


def tool(folder: Path, name: str, says: str) -> str:
    file = folder / name
    file.write_text(f'#!/bin/sh\necho "$0 $@" >> {folder / "called"}\ncat <<"END"\n{says}\nEND\n')
    file.chmod(0o755)
    return str(file)


def test_tools_on_the_path_are_run_and_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    tool(tmp_path, "genmc", "Number of complete executions explored: 24\nNumber of blocked executions seen: 3")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    arguments = ["--program", "casrot", "--nidhugg", str(nothing / "nidhuggc"), "--cbmc", str(nothing / "cbmc")]
    status = main(arguments)
    shown = capsys.readouterr()
    rows = [row for row in rows_of("genmc") if row["program"] == "casrot"]
    assert status == 1
    assert shown.out.count("safe: 24 + 3") == len(rows)
    assert shown.out.count("but the row says") == sum(row["complete_execs"] != 24 for row in rows) > 0
    assert "nidhugg is not installed: give its path by --nidhugg" in shown.err
    assert "cbmc is not installed" in shown.err
    first = (tmp_path / "called").read_text().splitlines()[0]
    assert first.endswith(f"genmc --sc -- -DN=4 {SOURCES / 'casrot.c'}")


def test_without_any_tool_nothing_is_wrong(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main([]) == 0


@pytest.mark.parametrize(
    ("name", "text", "status", "said"),
    [
        (
            "genmc",
            "Number of complete executions explored: 6\nNumber of blocked executions seen: 2",
            0,
            Said(SAFE, 6, 2),
        ),
        ("genmc", "Error detected: Safety violation!\nNumber of complete executions explored: 1", 42, Said(BUG, 1)),
        ("nidhugg", "Trace count: 27 (also 85 assume-blocked)\nNo errors were detected.", 0, Said(SAFE, 27, 85)),
        ("nidhugg", "Trace count: 3\n\nError detected:\n Assertion violation at (0,2)", 42, Said(BUG, 3)),
        ("cbmc", "VERIFICATION SUCCESSFUL", 0, Said(SAFE)),
        ("cbmc", "VERIFICATION FAILED", 10, Said(BUG)),
        ("cbmc", "file bakery.c: syntax error\nPARSING ERROR", 6, Said("refused: PARSING ERROR")),
    ],
)
def test_what_tools_say_is_understood(name: str, text: str, status: int, said: Said) -> None:
    assert read(name, text, status) == said
