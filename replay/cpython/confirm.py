"""Playing a schedule on threads of the CPython that runs: in a process of its own, where nothing is specialised yet."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from replay.cpython.schedule import Schedule
from replay.cpython.script import script
from replay.errors import CheckerError
from replay.files import write_atomically

CONFIRMED, GONE, NOT_FOLLOWED = 1, 0, 3
"""Exit statuses of a script."""

LONGEST = 120
"""Seconds that a script may take."""


@dataclass(frozen=True)
class Confirmation:
    """The answer of CPython about a schedule: the exit status of the script, and what it says."""

    status: int
    said: str


def confirm(schedule: Schedule) -> Confirmation:
    """Play a schedule on threads of CPython. Raises CheckerError where the script does not come to its end."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "played.py")
        file.write_text(script(schedule, Path(folder), includes=False), encoding="utf-8")
        command = [sys.executable, "-B", "-W", "ignore", str(file)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path[1:]))}
        try:
            ended = subprocess.run(
                command, capture_output=True, text=True, timeout=LONGEST, check=False, env=environment, errors="replace"
            )
        except subprocess.TimeoutExpired:
            raise CheckerError(f"CPython has not come to the end of the schedule in {LONGEST} seconds") from None
    lines = reversed(ended.stdout.splitlines())
    said = next((line for line in lines if line.startswith(("CPython ", "Confirmed by CPython "))), "")
    if ended.returncode not in (CONFIRMED, GONE, NOT_FOLLOWED) or not said:
        raise CheckerError(f"CPython cannot run the program: {(ended.stderr or ended.stdout).strip()[-2000:]}")
    return Confirmation(ended.returncode, said)


def write_script(schedule: Schedule, file: Path) -> None:
    """Write a script that plays a schedule. Raises OSError."""
    write_atomically(file, script(schedule, file.parent))
