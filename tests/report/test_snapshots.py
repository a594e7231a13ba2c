"""Whole reports, as users see them. `REFRESH=1 pytest tests/report` writes them anew; review the difference."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from tests.desk import Desk

SNAPSHOTS = Path(__file__).parent / "snapshots"

TWO_BUGS = """
    import mcr


    def announce(cell):
        cell.store(1)


    @mcr.program
    def two_bugs(p):
        x, y = p.var("x", 0), p.var("y", 0)

        def thread(mine, other):
            announce(mine)
            assert (
                other.load() == 1
            ), mine

        p.thread(thread, x, y)
        p.thread(thread, y, x, name="the other one")
"""

REPORTS = [
    ("store_buffering", "litmus.py::store_buffering", 100),
    ("store_buffering-60", "litmus.py::store_buffering", 60),
    ("message_passing", "litmus.py::message_passing", 100),
    ("store_forwarding", "litmus.py::store_forwarding", 100),
    ("two_plus_two_writes", "litmus.py::two_plus_two_writes", 80),
    ("iriw", "litmus.py::iriw", 60),
    ("peterson", "peterson.py::peterson", 100),
    ("peterson-72", "peterson.py::peterson", 72),
    ("treiber_stack_aba", "treiber_stack.py::treiber_stack_aba", 80),
    ("string_buffer", "string_buffer.py::string_buffer", 100),
    ("fork_flags", "fork_join.py::fork_flags", 60),
    ("deadlock", "dining_philosophers.py::dining_philosophers --model sc", 100),
    ("two_bugs", "two_bugs.py --keep-going --model sc", 100),
    ("folder", ". --model sc", 80),
]


def shown(text: str) -> str:
    """A report without what differs from run to run."""
    return re.sub(r"\d+\.\d\d s$", "?.?? s", text, flags=re.MULTILINE)


@pytest.mark.parametrize(("name", "arguments", "width"), REPORTS, ids=[report[0] for report in REPORTS])
def test_report(desk: Desk, monkeypatch: pytest.MonkeyPatch, name: str, arguments: str, width: int) -> None:
    if sys.version_info[:2] == (3, 12) and name in ("two_bugs", "folder"):
        pytest.skip("3.12 says of an assertion of several lines that the first one fails")
    desk.copy(*{argument.partition("::")[0] for argument in arguments.split() if "::" in argument})
    desk.write("two_bugs.py", TWO_BUGS)
    monkeypatch.setenv("COLUMNS", str(width))
    report = shown(desk.mcr("check", *arguments.split()).out)
    file = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("REFRESH"):
        file.write_text(report)
    assert report == file.read_text()
    assert max(map(len, report.splitlines())) <= max(width, 60)
