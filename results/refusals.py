"""What of ordinary Python is refused, each with a sentence as it is printed.

    python -m results.refusals [TEST ...]

It reads where the package refuses something (`refuse(...)` in `ROOMS`), runs the tests of ordinary
classes, and looks which sentences they got. Exit status 1 if a place has none. With tests, it only prints their
sentences, one JSON string a line.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from replay.errors import ModelError
from replay.interpreter.natives import natively
from results.known import Known, known, written_tables
from results.made import made_by

HERE = Path(__file__).parent
ROOMS = ("replay/frontend/ordinary", "replay/frontend/ownership")
TESTS = "tests/ordinary"


class Place(NamedTuple):
    """Where something is refused, and what a sentence looks like that comes from there."""

    file: str
    pattern: re.Pattern[str]


def places() -> Iterator[Place]:
    """All calls of `refuse` with a sentence that is written there."""
    for path in sorted(path for room in ROOMS for path in (HERE.parent / room).glob("*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match call:
                case ast.Call(func=ast.Name(id="refuse"), args=[ast.JoinedStr() | ast.Constant() as sentence]):
                    yield Place(path.relative_to(HERE.parent).as_posix(), re.compile(_pattern(sentence), re.DOTALL))


def _pattern(sentence: ast.JoinedStr | ast.Constant) -> str:
    parts = sentence.values if isinstance(sentence, ast.JoinedStr) else [sentence]
    return "".join(re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".*" for part in parts)


class Sentences:
    """A plugin of pytest: which sentences errors have, and in which test they come first."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}
        self._test = ""

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._test = nodeid

    def watch(self) -> None:
        before = ModelError.__init__

        @natively  # else the interpreter, which runs what refuses, takes what is noted for memory
        def noted(error: ModelError, message: str, *rest: Any) -> None:
            self.found.setdefault(message, self._test)
            before(error, message, *rest)

        ModelError.__init__ = noted  # type: ignore[method-assign]


def known_rows() -> Iterator[Known]:
    """The rows of the table: a sentence is met again in its test."""
    (rows,) = written_tables("refusals.md")
    for sentence, _, test in rows:
        if test != "-":
            yield known(sentence, 0.0, [True], partial(_is_met, sentence, test))


def _is_met(sentence: str, test: str) -> list[bool]:
    done = subprocess.run([sys.executable, "-m", "results.refusals", test], capture_output=True, text=True)
    told = [_cell(json.loads(line)) for line in done.stdout.splitlines() if line.startswith('"')]
    return [sentence in told]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def main() -> int:
    sentences = Sentences()
    sentences.watch()
    tests = sys.argv[1:]
    pytest.main(["-q", "-p", "no:xdist", "-p", "no:cacheprovider", *(tests or [TESTS])], plugins=[sentences])
    if tests:
        print("\n", *(json.dumps(text) for text in sentences.found), sep="\n")
        return 0
    lines, missing = [], 0
    for place in places():
        shown = next(((text, test) for text, test in sentences.found.items() if place.pattern.fullmatch(text)), None)
        missing += shown is None
        text, test = shown or ("-", "-")
        lines.append(f"| {_cell(text)} | {place.file} | {test.partition('[')[0]} |")
    head = "| sentence | refused in | first in |\n| --- | --- | --- |\n"
    title = "# What of ordinary Python is refused\n\n"
    made = made_by("-m results.refusals")
    note = f"{len(lines)} places, {missing} of them without a test that gets there. {made}\n\n"
    (HERE / "refusals.md").write_text(title + note + head + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} places, {missing} without a sentence")
    return int(missing > 0)


if __name__ == "__main__":
    sys.exit(main())
