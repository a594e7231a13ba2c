"""Programs come from what is in their file now."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from replay.errors import ModelError
from replay.traces.loader import load_module, programs_in
from replay.traces.project import import_folders


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


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ('[tool.pytest.ini_options]\npythonpath = ["src"]', True),
        ('[tool.pytest]\npythonpath = ["src"]', True),
        ("[tool.pytest.ini_options]\npythonpath = 3", False),
        ("[tool]\npytest = 3  # no pythonpath", False),
    ],
)
def test_folders_of_a_project_are_those_of_pytest(settings: str, found: bool, tmp_path: Path) -> None:
    """Settings that make no sense are pytest's to refuse."""
    (tmp_path / "pyproject.toml").write_text(settings, encoding="utf-8")
    assert (str(tmp_path / "src") in import_folders(tmp_path / "model.py")) is found


MADE = """
import mcr

def make(value):
    @mcr.program
    def made(p):
        p.thread(p.var("x", 0).store, value)
    return made

one = again = make(1)
"""


def test_one_program_under_two_names_is_one(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MADE, encoding="utf-8")
    assert len(programs_in(tmp_path / "model.py")) == 1


def test_two_programs_of_one_name_are_not_one(tmp_path: Path) -> None:
    """Only one of them would be checked, and nobody told."""
    (tmp_path / "model.py").write_text(f"{MADE}two = make(2)\n", encoding="utf-8")
    with pytest.raises(ModelError, match=r"model.py:5: two programs are called made .*give each function a name"):
        programs_in(tmp_path / "model.py")
