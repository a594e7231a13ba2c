"""A notebook, executed by a kernel of its own: what its cells show."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

import mcr
from examples import dekker
from mcr.notebook import is_notebook, shown_progress

CELLS = [
    """
import mcr

@mcr.program
def store_buffering(p):
    x, y = p.var(0), p.var(0)

    def thread(mine, other):
        mine.store(1)
        return other.load()

    threads = [p.thread(thread, x, y), p.thread(thread, y, x)]

    @p.final
    def somebody_saw():
        assert any(thread.join() for thread in threads), "both threads read <0>"
""",
    "mcr.check(store_buffering)",
    "mcr.check(store_buffering, 'tso')",
    "mcr.check(store_buffering, 'tso').failures[0]",
    "mcr.check_all(store_buffering)",
    "mcr.check(store_buffering, objective='outcomes')",
    """
import mcr.notebook
mcr.notebook._DELAY = -1
mcr.check(store_buffering).verdict
""",
    "mcr.notebook.is_notebook()",
]


@pytest.fixture(scope="module")
def shown() -> list[dict[str, Any]]:
    """The result of each cell by its kinds, with what it printed."""
    pytest.importorskip("ipykernel")
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell.strip()) for cell in CELLS])
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    found = []
    for cell in notebook.cells:
        data: dict[str, Any] = {"printed": "".join(output.get("text", "") for output in cell.outputs)}
        for output in cell.outputs:
            data.update(output.get("data", {}))
        found.append(data)
    return found


def test_a_result_is_a_table(shown: list[dict[str, Any]]) -> None:
    html = shown[1]["text/html"]
    assert re.sub(r"<[^>]*>", " ", html).split()[:9] == [
        "program",
        "model",
        "verdict",
        "global",
        "states",
        "executions",
        "local",
        "states",
        "time",
    ]
    assert "store_buffering" in html
    assert "verified</b>" in html
    assert "<iframe" not in html


def test_a_bug_comes_with_its_timeline(shown: list[dict[str, Any]]) -> None:
    html = shown[2]["text/html"]
    assert "bug</b>" in html
    assert "AssertionError: both threads read &lt;0&gt;" in html
    frame = re.search(r'<iframe srcdoc="([^"]*)"', html)
    assert frame is not None
    page = unescape(frame[1])
    assert page.count("<table") >= 1
    assert "was overtaken by its load" in page
    assert "mine.store(1)" in page  # the source of the cell


def test_a_trace_is_its_timeline(shown: list[dict[str, Any]]) -> None:
    assert shown[3]["text/html"].startswith("<iframe srcdoc=")


def test_several_models_are_one_table(shown: list[dict[str, Any]]) -> None:
    html = shown[4]["text/html"]
    assert html.count("<table>") == 1
    assert html.count("store_buffering</td>") == 3
    assert html.count("<iframe") == 1


def test_outcomes_are_listed(shown: list[dict[str, Any]]) -> None:
    assert "<li><code>" in shown[5]["text/html"]


def test_there_is_a_bar(shown: list[dict[str, Any]]) -> None:
    """A notebook's own where it has widgets, else text."""
    assert "executions" in shown[6]["printed"] + str(shown[6])
    assert shown[7]["text/plain"] == "True"


def test_elsewhere_there_is_none() -> None:
    assert not is_notebook()
    with shown_progress("", None) as progress:
        assert progress is None


def test_html_is_well_formed_without_a_notebook() -> None:
    result = mcr.check(dekker.dekker, "tso")
    html = result._repr_html_()
    assert html is not None
    assert html.count("<table") == html.count("</table") == 1
    assert '"' not in html.partition('srcdoc="')[2].partition('" style')[0]
