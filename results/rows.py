"""Tables that grow row by row: a measurement that is killed loses nothing, and goes on where it stopped.

A table is a CSV file; a row is known by its key columns. The Markdown beside
it is written anew from the CSV when the measurement ends.
"""

from __future__ import annotations

import csv
import os
import platform
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Rows:
    """The rows of one table, on disk as soon as they are added."""

    def __init__(self, name: str, columns: Sequence[str], key: int, fresh: bool = False) -> None:
        """`key` is how many of the first columns identify a row; `fresh` forgets earlier rows."""
        self.path = HERE / f"{name}.csv"
        self.columns = list(columns)
        self._key = key
        if fresh or not self.path.exists() or self._header() != self.columns:
            self._write([self.columns])
        self.rows = self._read()

    def has(self, *key: object) -> bool:
        """Whether the row with this key is finished."""
        wanted = [str(part) for part in key]
        return any(row[: self._key] == wanted for row in self.rows)

    def add(self, *row: object) -> None:
        text = [str(cell) for cell in row]
        with self.path.open("a", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerow(text)
            file.flush()
            os.fsync(file.fileno())
        self.rows.append(text)
        print("  ".join(text), flush=True)

    def write_markdown(self, title: str, notes: Iterable[str] = ()) -> None:
        """Write the table as Markdown beside the CSV."""
        lines = [f"# {title}", "", machine(), ""]
        lines += ["| " + " | ".join(self.columns) + " |", "|" + "---|" * len(self.columns)]
        lines += ["| " + " | ".join(row) + " |" for row in self.rows]
        lines += ["", *notes] if notes else []
        self.path.with_suffix(".md").write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")

    def _header(self) -> list[str]:
        with self.path.open(newline="", encoding="utf-8") as file:
            return next(csv.reader(file), [])

    def _read(self) -> list[list[str]]:
        with self.path.open(newline="", encoding="utf-8") as file:
            return [row for row in list(csv.reader(file))[1:] if len(row) == len(self.columns)]

    def _write(self, rows: Iterable[Sequence[str]]) -> None:
        with self.path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


def machine() -> str:
    """One sentence on what the figures were taken on."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=HERE, capture_output=True, text=True, check=False
    ).stdout.strip()
    return (
        f"Taken on {platform.system()} {platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, at commit {commit or 'unknown'}. Times are seconds, one run each."
    )
