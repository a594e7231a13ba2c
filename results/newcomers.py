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
from collections.abc import Iterator
from pathlib import Path

import mcr
from tests.cli.test_newcomers import CALLS, COMMANDS, GOOD, MODELS

ROOT = Path(__file__).parents[1]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        rows = [*_models(Path(folder)), *_commands(Path(folder)), *_calls()]
    text = f"""# What newcomers write, and what they are told

Written by `python -m results.newcomers`: {len(rows)} wrong usages, each with its sentence.

| written | told |
|---|---|
{chr(10).join(rows)}
"""
    (ROOT / "results" / "newcomers.md").write_text(text, encoding="utf-8")


def _row(written: str, told: str) -> str:
    return f"| `{written}` | {told} |".replace("||", "\\|\\|")


def _models(folder: Path) -> Iterator[str]:
    head = ("import mcr", "@mcr.program", "def wrong(p):", "x = p.var('x', 0)", "def thread():", "p.thread(thread)")
    for text, _ in MODELS:
        (folder / "wrong.py").write_text(text, encoding="utf-8")
        lines = [line.strip() for line in text.splitlines()]
        yield _row("; ".join(line for line in lines if line and line not in head), _told(folder, "check wrong.py"))


def _commands(folder: Path) -> Iterator[str]:
    (folder / "good.py").write_text(GOOD, encoding="utf-8")
    _told(folder, "check good.py --model sc")
    for line, _, _ in COMMANDS:
        yield _row(f"mcr {line}", _told(folder, line))


def _told(folder: Path, line: str) -> str:
    command = [sys.executable, "-m", "mcr", *line.split()]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={"PYTHONPATH": str(ROOT)})
    lines = done.stderr.strip().splitlines() or done.stdout.strip().splitlines()
    return re.sub(r"^(mcr \w+: )?error: (argument )?", "", lines[-1])


def _calls() -> Iterator[str]:
    for call, _ in CALLS:
        source = inspect.getsource(call).strip()
        written = re.match(r"\(lambda: (.*?\)+), \"", source)
        try:
            call()
        except mcr.CheckerError as error:
            yield _row(written[1] if written else source, str(error).replace(str(ROOT), "."))


if __name__ == "__main__":
    main()
