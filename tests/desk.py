"""A folder to work in, and the command line inside it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from mcr.cli import main

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"


def suite_file(name: str) -> str:
    """The file of one of our suites."""
    return str(ROOT / "results/bench/suites" / f"{name.replace('-', '_')}.py")


@dataclass(frozen=True)
class Answer:
    """What a command gave back."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


class Desk:
    """A folder with the user's files, and commands that run in it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def write(self, name: str, text: str) -> str:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text).lstrip("\n"))
        return name

    def copy(self, *names: str) -> None:
        """Copy examples here."""
        for name in names:
            self.write(name, (EXAMPLES / name).read_text())

    def bench(self, suite: str, *arguments: str) -> Answer:
        """Run one of our suites in this process."""
        return self.mcr("bench", suite_file(suite), *arguments)

    def mcr(self, *arguments: str) -> Answer:
        """Run a command in this process."""
        self._capsys.readouterr()
        status = main(list(arguments))
        captured = self._capsys.readouterr()
        return Answer(int(status), captured.out, captured.err)

    def start(
        self, *arguments: str, script: str = "", module: str = "mcr", **environment: str
    ) -> subprocess.Popen[str]:
        """Start a command in a process of its own; `script` is a file to run instead of mcr itself."""
        return subprocess.Popen(
            [sys.executable, *([script] if script else ["-m", module]), *arguments],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # shells let background jobs ignore it
        )

    def files(self) -> list[str]:
        """The files below `.mcr`."""
        return sorted(str(path.relative_to(self.folder)) for path in (self.folder / ".mcr").rglob("*"))
