"""`mcr replay --html` and `--graph`: files that are written, and sentences where they cannot be."""

from __future__ import annotations

import pytest

from tests.cli.recording import SOURCE, TRACE
from tests.desk import Desk


def test_both_at_once(recorded: Desk) -> None:
    answer = recorded.mcr("replay", TRACE, "--html", "new/folder/page.html", "--graph", "drawing.svg")
    assert answer.status == 1
    assert answer.out.endswith(
        "The failure occurs again.\nThe timeline is in new/folder/page.html.\nThe graph is in drawing.svg.\n"
    )
    assert (recorded.folder / "new/folder/page.html").read_text().startswith("<!DOCTYPE html>")
    assert (recorded.folder / "drawing.svg").read_text().startswith("<svg ")


def test_sentences_of_the_report_are_on_the_page(recorded: Desk) -> None:
    told = recorded.mcr("replay", TRACE, "--html", "page.html").out
    page = (recorded.folder / "page.html").read_text()
    assert "Possible under TSO and PSO, impossible under SC." in page
    assert "AssertionError: both read 0" in page
    assert "would forbid this execution." in page
    assert "would forbid this execution." in told


def test_an_execution_that_passes(recorded: Desk) -> None:
    recorded.write("sb.py", SOURCE.replace("any(thread", "[thread").replace("threads), ", "threads], "))
    assert recorded.mcr("replay", TRACE, "--html", "page.html", "--graph", "drawing.svg").status == 0
    assert "Nothing fails in this execution." in (recorded.folder / "page.html").read_text()
    assert "nothing fails" in (recorded.folder / "drawing.svg").read_text()


def test_document_names_the_files(recorded: Desk) -> None:
    answer = recorded.mcr("replay", TRACE, "--json", "--graph", "drawing.svg")
    assert answer.document["pictures"] == {"graph": "drawing.svg"}
    assert recorded.mcr("replay", TRACE, "--json").document["pictures"] == {}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--html"], "argument --html: expected one argument"),
        (["--graph"], "argument --graph: expected one argument"),
        (["--html", "page.svg"], "argument --html: 'page.svg' would be a page; give it a name that ends in .html"),
        (["--html", TRACE], "would be a page; give it a name that ends in .html"),
        (["--graph", "page.png"], "'page.png' would be a drawing in SVG; give it a name that ends in .svg"),
        (["--html", "sb.py/page.html"], "error: sb.py/page.html: the timeline cannot be written: "),
        (["--graph", "folder.svg"], "error: folder.svg: the graph cannot be written: Is a directory"),
    ],
)
def test_wrong_use(recorded: Desk, arguments: list[str], said: str) -> None:
    (recorded.folder / "folder.svg").mkdir()
    answer = recorded.mcr("replay", TRACE, *arguments)
    assert answer.status == 2
    assert said in answer.err
    assert not answer.out
    assert not list(recorded.folder.glob("**/*.part"))


def test_a_trace_of_another_program_writes_nothing(recorded: Desk) -> None:
    recorded.write("sb.py", SOURCE.replace("store(1)", "store(2)"))
    assert recorded.mcr("replay", TRACE, "--html", "page.html").status == 2
    assert not (recorded.folder / "page.html").exists()
