"""The blocks of a Markdown page (README.md says what they mean)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tests.desk import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

_FENCE = "```"
_FILE_COMMENT = re.compile(r"<!-- file: (\S+) -->")
_SKIP_COMMENT = re.compile(r"<!-- not run: (.+) -->")
_FILE_LINE = re.compile(r"# ([\w./-]+\.\w+)$")
_STATUS = re.compile(r"\s+# exit status (\d)$")
FILES = ("python", "toml", "json", "litmus")


@dataclass(frozen=True)
class Block:
    """A fenced block; `line` is that of its fence, from 1, `above` the last line of text before it."""

    page: Path
    line: int
    language: str
    lines: tuple[str, ...]
    above: str

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def file(self) -> str:
        """The file to write, "" if the block is none."""
        if self.language not in FILES:
            return ""
        match = _FILE_COMMENT.fullmatch(self.above) or _FILE_LINE.match(self.lines[0] if self.lines else "")
        return match[1] if match else ""

    @property
    def is_skipped(self) -> bool:
        return self.language == "sh" and bool(_SKIP_COMMENT.fullmatch(self.above))

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)


@dataclass(frozen=True)
class Command:
    """A command of a console block, and what it must print; `line` is that of its first line of output, from 1."""

    text: str
    status: int
    output: tuple[str, ...]
    line: int


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page; AssertionError for a fence that is never closed."""
    found: list[Block] = []
    lines = page.read_text(encoding="utf-8").splitlines()
    opened, above = 0, ""
    for number, line in enumerate(lines, start=1):
        if not line.lstrip().startswith(_FENCE):
            above = line.strip() if line.strip() and not opened else above
        elif opened:
            head = lines[opened - 1]
            indent = len(head) - len(head.lstrip())
            body = tuple(each[indent:] for each in lines[opened : number - 1])
            found.append(Block(page, opened, head.strip().removeprefix(_FENCE), body, above))
            opened, above = 0, ""
        else:
            opened = number
    assert not opened, f"{page.name}:{opened}: a block that is not closed"
    return found


def commands(block: Block) -> list[Command]:
    """The commands of a console block."""
    starts = [index for index, line in enumerate(block.lines) if line.startswith("$ ")]
    assert starts and starts[0] == 0, f"{block.place}: a console block begins with a command"
    found = []
    for start, end in zip(starts, [*starts[1:], len(block.lines)], strict=True):
        text = block.lines[start].removeprefix("$ ")
        status = _STATUS.search(text)
        output = block.lines[start + 1 : end]
        found.append(Command(_STATUS.sub("", text), int(status[1]) if status else 0, output, block.line + start + 2))
    return found
