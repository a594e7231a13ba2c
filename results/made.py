"""What a page of results/ says on how it was made, and when its rows were measured again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from mcr.bench.environment import environment, sentence
from mcr.bench.rows import Row
from replay.files import write_atomically

AGAIN = "Measured again at commit "
"""How the last paragraph of a page begins, if its rows were."""


def made_by(command: str, rows: Iterable[Row] | None = None) -> str:
    """The command that writes a page, and on what its rows were taken: now, if there are none that were kept."""
    return f"Written by `.venv/bin/python {command}`. {sentence([environment()] if rows is None else rows)}"


def note_again(page: Path, rows: int, longest: float) -> None:
    """Say at the end of a page that so many of its rows are the same again, instead of what it said before."""
    paragraphs = page.read_text(encoding="utf-8").rstrip("\n").split("\n\n")
    kept = [each for each in paragraphs if not each.startswith(AGAIN)]
    note = (
        f"{AGAIN}{environment()['commit']}, with the same counts, verdicts and sentences: {rows} rows, those of up to\n"
        f"{longest:g} s that no limit had cut and for which all is installed. Times were not compared."
    )
    write_atomically(page, "\n\n".join([*kept, note]) + "\n")
