"""Standard streams that are full, closed or not read: one sentence, the documented status, and no mistake of ours."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.cli.recording import TRACE
from tests.desk import ROOT, Desk

PRINTING = """
import mcr

print("hello " * 5000)

@mcr.program
def printing(p):
    x = p.var("x", 0)

    def thread():
        x.store(x.load())

    p.thread(thread)
"""


def shell(desk: Desk, command: str) -> subprocess.CompletedProcess[str]:
    """`mcr` in the command stands for ours; its status is printed to standard error, whatever comes after it."""
    mcr = f"{sys.executable} -m mcr"
    return subprocess.run(
        ["bash", "-c", command.replace("mcr", mcr, 1)],
        cwd=desk.folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize("command", ["check sb.py", "check sb.py --json", "--help", "litmus W.litmus", "verify t.json"])
@pytest.mark.parametrize("end", ["> /dev/full", ">&-"])
def test_output_that_cannot_be_written(recorded: Desk, command: str, end: str) -> None:
    recorded.write("W.litmus", (ROOT / "tests/litmus/generated/2+2W+mfences.litmus").read_text())
    os.rename(recorded.folder / TRACE, recorded.folder / "t.json")
    ran = shell(recorded, f"mcr {command} {end}")
    assert ran.returncode == 2
    reason = "it is closed" if end == ">&-" else "No space left on device"
    assert ran.stderr == f"error: standard output: {reason}\n"


def test_nobody_reads(recorded: Desk) -> None:
    recorded.write("printing.py", PRINTING)
    ran = shell(recorded, "{ mcr check printing.py sb.py; echo status $? >&2; } | head -c 1")
    assert ran.stderr == "status 3\n"


@pytest.mark.parametrize("end", ["2>&-", "2>/dev/full", "0<&- 2>&-"])
def test_errors_that_nobody_can_see(recorded: Desk, end: str) -> None:
    ran = shell(recorded, f"mcr check sb.py nowhere.py {end}")
    assert ran.returncode == 2
    assert "store_buffering fails under TSO" in ran.stdout
    assert "mistake" not in ran.stdout


def test_a_program_that_prints_where_nobody_reads_has_no_bug(desk: Desk) -> None:
    desk.write("printing.py", PRINTING)
    ran = shell(desk, "mcr check printing.py --json 2> /dev/full")
    assert ran.returncode == 0
    assert '"verified"' in ran.stdout
