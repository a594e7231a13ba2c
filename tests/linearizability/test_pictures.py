"""Histories as pictures, in notebooks and in tests."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

import mcr
from tests.desk import Desk
from tests.linearizability.test_command import COUNTER
from tests.linearizability.test_levels import Counter, Register

NAME = "{http://www.w3.org/2000/svg}"


def test_an_svg_has_a_bar_for_each_call(desk: Desk) -> None:
    desk.write("counter.py", COUNTER)
    assert desk.mcr("linearizable", "counter.py::Counter", "--calls", "1", "--picture", "history.svg").status == 1
    drawing = ElementTree.parse(desk.folder / "history.svg").getroot()
    assert len([each for each in drawing.iter(f"{NAME}rect") if each.get("class") == "call"]) == 2
    assert [each.text for each in drawing.iter(f"{NAME}text")].count("returns 2") == 2


def test_a_page_and_a_notebook_show_it_too(desk: Desk) -> None:
    desk.write("counter.py", COUNTER)
    desk.mcr("linearizable", "counter.py::Counter", "--calls", "1", "--picture", "history.html")
    assert "<h2>Counter under SC: not linearizable</h2>\n<svg " in (desk.folder / "history.html").read_text()
    shown = mcr.linearizable(Counter, ["add"], calls=1)._repr_html_()
    assert shown is not None
    assert "<svg " in shown


def test_an_assertion_shows_the_history() -> None:
    with pytest.raises(AssertionError, match=r"├─+ counter.add\(\) returns 2 ─+┤"):
        mcr.assert_linearizable(Counter, ["add"], calls=1)
    with pytest.raises(AssertionError, match="time limit"):
        mcr.assert_linearizable(Counter, timeout=0.001)
    mcr.assert_linearizable(
        Register, operations=[("write", 1), "read"], calls=1, model="tso", level="sequentially consistent"
    )
    with pytest.raises(mcr.CheckerError, match="a level is one of"):
        mcr.assert_linearizable(Counter, level="fast")
