"""Runs the blocks of a page in a folder of their own, and compares what commands print with what the page says."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcr.cli import main
from tests.copies import done_by_a_copy
from tests.desk import ROOT
from tests.docs.pages import Block, Command, blocks, commands

ELIDED = "..."
_DIFFERS = (
    (re.compile(r"\b\d+\.\d+ ?s\b"), "? s"),  # times
    (re.compile(r"\b\d\.\d+ │"), "? │"),  # in a column, too
    (
        re.compile(r"\b(verified|bug|incomplete)([ │]+)\d+([ │]+\d+ )"),
        r"\1\2?\3",
    ),  # executions, which depend on the solver
    (re.compile(r"\b\d+ executions\b"), "? executions"),
    (re.compile(r" +\?"), " ?"),  # and the blanks that align them
    (re.compile(r"\b\d+\.\d+(\.\w+)+\b"), "?"),  # versions
    (re.compile(r"Python \S+|platform \S+ -- .*"), "?"),
    (re.compile(r"=+ (.*) =+"), r"= \1 ="),  # pytest's rules fill the line
)
_FOR_A_SHELL = re.compile(r"[|&;<>()$`*?#~!{}\\]")
_TOOLS = {"mcr": "-m mcr", "python": "", "pytest": "-m pytest -p no:cacheprovider"}


@dataclass(frozen=True)
class Difference:
    """A command that did not do what the page says; `shown` is what it printed."""

    place: str
    command: Command
    status: int
    shown: tuple[str, ...]

    def __str__(self) -> str:
        said = "\n".join(self.command.output)
        shown = "\n".join(self.shown)
        return (
            f"{self.place}: $ {self.command.text}\nexit status {self.status}, the page says {self.command.status}\n"
            f"--- printed ---\n{shown}\n--- the page says ---\n{said}"
        )


class Folder:
    """The folder of one page, with the tools on its path."""

    def __init__(self, folder: Path, tools: Path) -> None:
        self._folder = folder
        self._unmentioned: list[str] = []
        for name, arguments in _TOOLS.items():
            (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
            (tools / name).chmod(0o755)
        self._environment = {
            **{
                name: value
                for name, value in os.environ.items()
                if not name.startswith(("PYTEST", "COV", "PY_", "FORCE_"))
            },
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
            "COLUMNS": "100",
        }

    def play(self, page: Path) -> Iterator[Difference]:
        """Take the blocks of a page in order."""
        for block in blocks(page):
            if block.file:
                self._write(block)
            elif block.language == "console":
                yield from self._run_all(block)
        for file in self._unmentioned:
            yield from self._compare(f"{page.name}: {file}", Command(f"python {file}", 0, (ELIDED,), 0))

    def _write(self, block: Block) -> None:
        file = self._folder / block.file
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(block.text, encoding="utf-8")
        if block.language == "python" and block.file not in self._unmentioned:
            self._unmentioned.append(block.file)

    def _run_all(self, block: Block) -> Iterator[Difference]:
        for command in commands(block):
            self._unmentioned = [file for file in self._unmentioned if Path(file).stem not in command.text]
            if command.text.split()[0] == "pytest":
                self._unmentioned = []
            yield from self._compare(block.place, command)

    def _compare(self, place: str, command: Command) -> Iterator[Difference]:
        status, shown = self._run(command.text)
        shown = shown.replace(f"{self._folder}{os.sep}", "").replace(str(self._folder), ".")
        lines = tuple(line.rstrip() for line in shown.strip("\n").splitlines())
        if status != command.status or not agree(command.output, lines):
            yield Difference(place, command, status, lines)

    def _run(self, text: str) -> tuple[int, str]:
        """Exit status and output of a command."""
        if text.startswith("mcr ") and not _FOR_A_SHELL.search(text):
            return done_by_a_copy(lambda: main(shlex.split(text)[1:]), self._folder, self._environment)
        done = subprocess.run(
            text,
            shell=True,
            cwd=self._folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        return done.returncode, done.stdout


def agree(said: Sequence[str], shown: Sequence[str]) -> bool:
    """Whether an output is what the page says, up to what differs from run to run."""
    parts: list[list[str]] = [[]]
    for line in said:
        if line.strip() == ELIDED:
            parts.append([])
        else:
            parts[-1].append(_normal(line))
    lines = [_normal(line) for line in shown]
    if len(parts) == 1:
        return parts[0] == _trimmed(lines)
    first, *middle, last = parts
    if lines[: len(first)] != first or (last and lines[-len(last) :] != last):
        return False
    position, end = len(first), len(lines) - len(last)
    for part in middle:
        found = next((at for at in range(position, end - len(part) + 1) if lines[at : at + len(part)] == part), None)
        if found is None:
            return False
        position = found + len(part)
    return position <= end


def _normal(line: str) -> str:
    for pattern, instead in _DIFFERS:
        line = pattern.sub(instead, line)
    return line.rstrip()


def _trimmed(lines: list[str]) -> list[str]:
    while lines and not lines[-1]:
        lines = lines[:-1]
    return lines


def refreshed(said: Sequence[str], shown: Sequence[str]) -> tuple[str, ...]:
    """What the page should say instead: as many lines before the first and after the last `...` as before."""
    marks = [index for index, line in enumerate(said) if line.strip() == ELIDED]
    if not marks:
        return tuple(shown)
    head, tail = marks[0], len(said) - marks[-1] - 1
    return (*shown[:head], ELIDED, *(shown[len(shown) - tail :] if tail else ()))


def rewrite(page: Path, differences: Sequence[Difference]) -> None:
    """Write the outputs that differ into the page, last one first so that lines stay where they are."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for difference in reversed(differences):
        command = difference.command
        start = command.line - 1
        lines[start : start + len(command.output)] = refreshed(command.output, difference.shown)
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")
