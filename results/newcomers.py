"""What newcomers write on their first day, and the sentence that each of it gets: newcomers.md.

.venv/bin/python -m results.newcomers

The usages are those of tests/cli/test_newcomers.py, which holds the sentences to what they should say.
"""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import mcr
from results.known import RESULTS, Known, known
from results.made import made_by
from results.rows import rows_asked
from tests.cli.test_newcomers import CALLS, COMMANDS, GOOD, MODELS

ROOT = RESULTS.parent

Asked = tuple[str, Callable[[], str]]
"""What is written, and what finds out what is told."""


def main() -> None:
    rows = [_row(written, told()) for written, told in islice(_asked(), rows_asked(__doc__))]
    text = f"""# What newcomers write, and what they are told

{len(rows)} wrong usages, each with its sentence.

{made_by("-m results.newcomers")}

| written | told |
|---|---|
{chr(10).join(rows)}
"""
    (RESULTS / "newcomers.md").write_text(text, encoding="utf-8")


def known_rows() -> Iterator[Known]:
    """The rows of the page, in its order."""
    lines = (RESULTS / "newcomers.md").read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.startswith("| `")]
    for row, (written, told) in zip(rows, _asked(), strict=True):
        yield known(written, 0.0, [row], partial(_rows, written, told))


def _rows(written: str, told: Callable[[], str]) -> list[str]:
    return [_row(written, told())]


def _asked() -> Iterator[Asked]:
    yield from _models()
    yield from _commands()
    yield from _calls()


def _row(written: str, told: str) -> str:
    return f"| `{written}` | {told} |".replace("||", "\\|\\|")


def _models() -> Iterator[Asked]:
    head = ("import mcr", "@mcr.program", "def wrong(p):", "x = p.var('x', 0)", "def thread():", "p.thread(thread)")
    for text, _ in MODELS:
        lines = [line.strip() for line in text.splitlines()]
        yield "; ".join(line for line in lines if line and line not in head), partial(_of_model, text)


def _of_model(text: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "wrong.py").write_text(text, encoding="utf-8")
        return _told(folder, "check wrong.py")


def _commands() -> Iterator[Asked]:
    yield from ((f"mcr {line}", partial(_of_command, line)) for line, _, _ in COMMANDS)


def _of_command(line: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "good.py").write_text(GOOD, encoding="utf-8")
        _told(folder, "check good.py --model sc")
        return _told(folder, line)


def _told(folder: str, line: str) -> str:
    command = [sys.executable, "-m", "mcr", *line.split()]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={"PYTHONPATH": str(ROOT)})
    lines = done.stderr.strip().splitlines() or done.stdout.strip().splitlines()
    told = next((line for line in lines if line.startswith("error: ")), lines[-1])
    return re.sub(r"^error: (argument )?", "", told)


def _calls() -> Iterator[Asked]:
    for call, _ in CALLS:
        source = inspect.getsource(call).strip()
        written = re.match(r"\(lambda: (.*?\)+), \"", source)
        yield written[1] if written else source, partial(_of_call, call)


def _of_call(call: Callable[[], object]) -> str:
    try:
        call()
    except mcr.CheckerError as error:
        return str(error).replace(str(ROOT), ".")
    return "nothing"


if __name__ == "__main__":
    main()
