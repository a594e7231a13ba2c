"""Two runs, under two hash seeds, say the same, byte for byte; only times differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.desk import Desk

FILES = ("peterson.py", "treiber_stack.py", "bank_account.py")


def _run(desk: Desk, seed: str, files: Sequence[str], *arguments: str) -> tuple[str, dict[str, str]]:
    """The output without times, and the saved files."""
    process = desk.start("check", *files, "--keep-going", "--save", f"saved{seed}", *arguments, PYTHONHASHSEED=seed)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 1, err
    saved = Path(desk.folder / f"saved{seed}")
    files = {file.name: file.read_text() for file in saved.iterdir()}
    return re.sub(r" +\d+\.\d\d s$", "", out, flags=re.MULTILINE).replace(f"saved{seed}", "saved"), files


@pytest.mark.parametrize("arguments", [(), ("--json",)], ids=["for people", "for machines"])
def test_two_hash_seeds(desk: Desk, arguments: tuple[str, ...]) -> None:
    files = FILES if arguments else FILES[:1]
    desk.copy(*files)
    (first, first_files), (second, second_files) = (_run(desk, seed, files, *arguments) for seed in "12")
    if arguments:
        first, second = (re.sub(r'"times": \{.*?\}', "", text, flags=re.DOTALL) for text in (first, second))
    assert first == second
    assert first_files == second_files
