"""Rows are on disk as soon as they are added, and survive whatever happens to the process."""

from __future__ import annotations

import json

import pytest

from mcr.bench.rows import Rows, as_csv, as_markdown
from replay.errors import CheckerError

KEY = ("program", "model")


def test_rows_are_read_again(tmp_path):
    rows = Rows(tmp_path / "new" / "t.jsonl", KEY)
    rows.add({"program": "a", "model": "sc", "executions": 3})
    again = Rows(rows.path, KEY)
    assert again.get("a", "sc") == {"program": "a", "model": "sc", "executions": 3}
    assert again.get("a", "tso") is None


def test_a_line_that_was_being_written_is_forgotten(tmp_path):
    path = tmp_path / "t.jsonl"
    rows = Rows(path, KEY)
    rows.add({"program": "a", "model": "sc"})
    with path.open("a") as file:
        file.write('{"program": "a", "mod')
    again = Rows(path, KEY)
    again.add({"program": "b", "model": "sc"})
    assert [row["program"] for row in Rows(path, KEY).all()] == ["a", "b"]


def test_the_latest_row_counts_and_the_order_is_what_was_asked_for(tmp_path):
    rows = Rows(tmp_path / "t.jsonl", KEY)
    for program, executions in (("a", 1), ("b", 2), ("a", 3)):
        rows.add({"program": program, "model": "sc", "executions": executions})
    rows.arrange([("c", "sc"), ("b", "sc")])
    lines = [json.loads(line) for line in rows.path.read_text().splitlines()]
    assert [(line["program"], line["executions"]) for line in lines] == [("b", 2), ("a", 3)]


def test_fresh_forgets(tmp_path):
    Rows(tmp_path / "t.jsonl", KEY).add({"program": "a", "model": "sc"})
    assert Rows(tmp_path / "t.jsonl", KEY, fresh=True).all() == []


@pytest.mark.parametrize("line", ["no JSON", "[]", '{"program": "a"}'])
def test_what_is_no_row_is_refused_with_its_line(tmp_path, line):
    (tmp_path / "t.jsonl").write_text('{"program": "a", "model": "sc"}\n' + line + "\n")
    with pytest.raises(CheckerError, match=r"t\.jsonl:2: not a row of this table .*; --fresh starts it over"):
        Rows(tmp_path / "t.jsonl", KEY)


def test_tables():
    rows = [{"a": 1, "b": {"c": 2}}, {"a": None, "b": {}, "d": True}]
    assert as_csv(rows).splitlines() == ["a,b,d", '1,"{""c"": 2}",', ",,True"]
    assert as_markdown(("x", "y"), [(1, "a|b")]).splitlines() == ["| x | y |", "| --- | --- |", "| 1 | a\\|b |"]
