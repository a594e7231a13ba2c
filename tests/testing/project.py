"""A user's project: files, and pytest runs in it."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent

import pytest

from tests.desk import Answer, Desk

SB = """
    def declare(p, fence=lambda: None):
        x, y = p.var("x", 0), p.var("y", 0)

        def thread(mine, other):
            mine.store(1)
            fence()
            return other.load()

        threads = [p.thread(thread, x, y), p.thread(thread, y, x)]

        @p.final
        def somebody_saw():
            assert any(thread.join() for thread in threads), "both read 0"
"""
"""Store buffering: it fails under TSO and PSO, unless there is a fence."""

_IMPORTED = "ignore:Module already imported so cannot be rewritten:pytest.PytestAssertRewriteWarning"
"""A pytest within pytest finds the plugin's packages imported already, and from pytest 9.2 on says so."""


class Project:
    """A folder with the user's files."""

    def __init__(self, pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
        self.pytester = pytester
        self.folder = pytester.path
        self._desk = Desk(self.folder, capsys)

    def write(self, name: str, *parts: str) -> Path:
        """Write a file; each part is dedented by itself, and Python files import mcr and pytest."""
        texts = [dedent(part).strip() + "\n" for part in parts]
        if name.endswith(".py"):
            texts.insert(0, "import mcr\nimport pytest\n")
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n\n".join(texts))
        return file

    def store_buffering(self, decorators: str = "@mcr.test", fence: str = "lambda: None", name: str = "sb") -> Path:
        """Write test_sb.py, with one program decorated in this way."""
        program = f"def {name}(p):\n    declare(p, {fence})"
        return self.write("test_sb.py", SB, indent(f"{decorators}\n{program}", ""))

    def pytest(self, *arguments: str, **options: bool) -> pytest.RunResult:
        """Run pytest in this process; without Hypothesis, which takes its time to start."""
        return self.pytester.runpytest_inprocess("-p", "no:hypothesispytest", *arguments, "-W", _IMPORTED, **options)

    def mcr(self, *arguments: str) -> Answer:
        """Run a command in this process."""
        return self._desk.mcr(*arguments)

    def ids(self, *arguments: str) -> list[str]:
        """What pytest collects."""
        lines = self.pytest("--collect-only", "-q", *arguments).outlines
        return [line for line in lines if "::" in line and not line.startswith("ERROR")]

    def kept(self) -> list[str]:
        """The files below `.mcr`."""
        files = (path for path in (self.folder / ".mcr").rglob("*") if path.is_file())
        return sorted(str(path.relative_to(self.folder)) for path in files)


def failures(result: pytest.RunResult) -> str:
    """The section on failures."""
    return failures_of(result.stdout.str())


def failures_of(text: str) -> str:
    return text[text.index("== FAILURES ==") : text.index("= short test summary")]
