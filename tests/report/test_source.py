"""Lines of the user's program are those that its file has when they are shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcr.report.source import assertion_at, text_of
from replay.world.operation import Source
from tests.desk import Desk

CROSSED = """
    import mcr


    @mcr.program
    def crossed(p):
        x = p.var("x", 0)

        def {name}():
            assert x.load() == {value}

        p.thread({name})
"""


def test_a_file_that_was_edited_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    for condition in ("x == 1", "x == 1 or y"):
        file.write_text(f"assert {condition}\n", encoding="utf-8")
        source = Source(str(file), 1, "thread")
        assert text_of(source) == assertion_at(source) == f"assert {condition}"


@pytest.mark.parametrize("line", [0, 2])
def test_a_line_that_is_not_there_has_no_text(tmp_path: Path, line: int) -> None:
    file = tmp_path / "model.py"
    file.write_text("x = 1\n", encoding="utf-8")
    assert text_of(Source(str(file), line, "thread")) == ""


def test_files_of_one_name_in_two_folders_show_their_own_lines(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder, name, value in (("a", "first", 1), ("b", "second", 22)):
        desk.write(f"{folder}/crossed.py", CROSSED.format(name=name, value=value))
        monkeypatch.chdir(desk.folder / folder)
        assert f"assert x.load() == {value}" in desk.mcr("check", "crossed.py", "--model", "sc").out
