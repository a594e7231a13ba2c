"""Names, values and messages that a terminal or a page would obey: they are shown, spelled out."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from mcr.report.printable import markup, on_one_line, printable, printable_but_painted, printable_json
from tests.desk import Desk

TITLE = "\x1b]0;owned\x07"
CLIPBOARD = "\x1b]52;c;b3duZWQ=\x07"
HOSTILE = [TITLE, CLIPBOARD, "\x9b2J", "\r", "\x00", "\u202e", "\u2066", "\ufeff", "\ud800", "\uffff", "\x7f", "\x85"]

MODEL = r"""
import mcr

EVIL = "\x1b]0;owned\x07\x9b2J\u202e\ud800\uffff\x00\r"

class Value:
    def __repr__(self):
        return EVIL + "value"

value = Value()

@mcr.program
def evil(p):
    x = p.var("x", value)

    def thread():
        x.store(1)
        assert x.load() != 1, EVIL + "first\nsecond"

    p.thread(thread)
"""


def has_hidden(text: str) -> bool:
    return any(not character.isprintable() and character != "\n" for character in text)


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_hidden_is_spelled_out(text: str) -> None:
    for escape in (printable, on_one_line, printable_but_painted, markup):
        if escape is not printable_but_painted or text != "\r":
            assert not has_hidden(escape(f"a{text}b\n"))
    assert json.loads(printable_json(json.dumps(text, ensure_ascii=False))) == text


@pytest.mark.parametrize("text", ["plain", "naïve ☃ 中文", "two\nlines", "a\ttab", "emoji 👩\u200d💻"])
def test_the_rest_is_left_alone(text: str) -> None:
    assert printable(text) == printable_but_painted(text) == text


def test_our_own_colours_are_left_alone() -> None:
    assert printable_but_painted("\x1b[1;31mbug\x1b[0m\x1b[2J") == "\x1b[1;31mbug\x1b[0m\\x1b[2J"
    assert printable_but_painted("\r 50%\rx") == "\r 50%\\rx"


@pytest.mark.parametrize("color", ["always", "never"])
def test_reports_on_a_terminal(desk: Desk, color: str) -> None:
    desk.write("evil.py", MODEL)
    checked = desk.mcr("check", "evil.py", "--model", "sc", "--color", color)
    assert checked.status == 1
    trace = ".mcr/evil-sc.json"
    replayed = desk.mcr("replay", trace, "--color", color)
    compared = desk.mcr("compare", "evil.py", "--color", color)
    verified = desk.mcr("verify", trace, "--color", color)
    for answer in (checked, replayed, compared, verified):
        text = answer.out + answer.err
        for code in ("0", "1", "2", "32", "33", "1;31", "1;36"):
            text = text.replace(f"\x1b[{code}m", "")
        assert not has_hidden(text)
    assert r"\x1b]0;owned\x07" in checked.out


def test_documents_keep_the_text_and_are_safe_to_print(desk: Desk) -> None:
    desk.write("evil.py", MODEL)
    answer = desk.mcr("check", "evil.py", "--model", "sc", "--json")
    assert not has_hidden(answer.out)
    assert answer.document["failures"][0]["message"].startswith(TITLE)


def test_pictures_are_well_formed(desk: Desk) -> None:
    desk.write("evil.py", MODEL)
    desk.mcr("check", "evil.py", "--model", "sc")
    assert desk.mcr("replay", ".mcr/evil-sc.json", "--html", "evil.html", "--graph", "evil.svg").status == 1
    ElementTree.parse(desk.folder / "evil.svg")
    for file in ("evil.svg", "evil.html"):
        assert not has_hidden((desk.folder / file).read_text(encoding="utf-8"))


def test_names_in_a_trace(recorded: Desk) -> None:
    text = (recorded.folder / ".mcr/store_buffering-tso.json").read_text()
    document = json.loads(text.replace('"x"', json.dumps("x\n" + TITLE)).replace('"0"', json.dumps("0\r" + CLIPBOARD)))
    recorded.write("t.json", json.dumps(document))
    answer = recorded.mcr("verify", "t.json")
    assert answer.status == 0
    assert not has_hidden(answer.out)
    assert "0\\r\\x1b]52;c;b3duZWQ=\\x07" in answer.out.replace("\n", "").replace(" ", "")


def test_errors(desk: Desk) -> None:
    answer = desk.mcr("verify", f"{TITLE}\u202e.json")
    assert answer.err == "error: \\x1b]0;owned\\x07\\u202e.json: No such file or directory\n"
    answer = desk.mcr("check", "x.py", "--model", TITLE)
    assert answer.status == 2
    assert not has_hidden(answer.err)
