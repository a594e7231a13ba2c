"""Programs come from what is in their file now."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from replay.traces.loader import load_module


def test_a_change_of_equal_length_within_a_second_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's cache of compiled files does not see it: it goes by length and whole seconds."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    file = tmp_path / "model.py"
    found = []
    for value in (1, 2):
        file.write_text(f"VALUE = {value}\n", encoding="utf-8")
        os.utime(file, (1_000_000_000, 1_000_000_000))
        found.append(load_module(file).VALUE)
    assert found == [1, 2]
    assert list(tmp_path.iterdir()) == [file]


def test_what_was_loaded_names_its_file_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else two files of one name, below two folders, pass for one another."""
    (tmp_path / "model.py").write_text("def function(): pass\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    function = load_module(Path("model.py")).function
    assert function.__code__.co_filename == str(tmp_path / "model.py")
