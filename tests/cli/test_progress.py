"""The progress bar: for long work, on a terminal, gone when the report comes."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import termios

from mcr.cli.progress import fitting
from tests.cli.test_limits import LONG
from tests.desk import ROOT, Desk


def _read_all(reader: int) -> str:
    """What is written to a terminal until it is closed."""
    text = b""
    while True:
        try:
            text += os.read(reader, 4096)
        except OSError:  # nobody has it open any more
            os.close(reader)
            return text.decode()


def test_on_a_terminal(desk: Desk) -> None:
    reader, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (40, 120))
    process = subprocess.Popen(
        [sys.executable, "-m", "mcr", *LONG, "--model", "tso", "--timeout", "2"],
        cwd=desk.folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=terminal,
        text=True,
    )
    os.close(terminal)
    shown = _read_all(reader)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 3
    assert "fastmutex(n=5, b=2, check=False) under TSO: " in shown
    assert " executions, " in shown
    assert " local states, " in shown
    assert "executions," not in out


def test_elsewhere_there_is_none(desk: Desk) -> None:
    assert not desk.mcr(*LONG, "--model", "tso", "--timeout", "1").err


def test_a_line_has_whole_figures_only() -> None:
    figures = ["stateful: 20,556 of about 41,000 global states (30,000 to 52,000)", "401 local states", "12 more"]
    assert fitting(figures, 100, ", ") == ", ".join(figures[:3])
    assert fitting(figures, 85, ", ") == ", ".join(figures[:2])
    assert fitting(figures, 60, ", ") == ""
