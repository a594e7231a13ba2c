"""`python -m results --check`: the tables that are checked in are true, as far as a few rows tell."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mcr.bench.environment import environment
from results import check, known
from results.__main__ import main
from results.bench.suites import suite_named
from results.known import NotHere
from results.made import AGAIN
from tests.amount import amount

QUICK = [
    "equivalences", "fences", "levels", "liveness", "newcomers", "reads-value-from", "reference", "solvers",
    "states",
]  # fmt: skip
"""Tables of which CI measures a row: all of them take minutes."""


def test_a_few_rows_of_tables_are_what_they_were() -> None:
    assert main(["--check", "--rows", str(amount(1, 8)), *amount(QUICK, [])]) == 0


@pytest.mark.parametrize("name", check.table_names())
def test_every_table_has_a_sample_that_is_the_same_again(name: str) -> None:
    try:
        titles = [[row.title for row in check.sample(name, 3)] for _ in range(2)]
    except NotHere as missing:
        pytest.skip(f"the shared litmus tests are not there: {missing}")
    assert titles[0]
    assert titles[0] == titles[1]


def test_every_page_is_checked_or_named_as_one_that_is_not() -> None:
    pages = {page.stem.replace("_", "-") for page in check.RESULTS.glob("*.md")} - {"README"}
    unchecked = {"engine-tuning", "pythons", "headline", "other-tools"}
    assert pages == {*check.table_names()} | unchecked


def test_a_text_that_is_not_true_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (known.RESULTS / "liveness.md").read_text()
    (tmp_path / "liveness.md").write_text(page.replace("| verified | ", "| verified | 7"))
    monkeypatch.setattr(known, "RESULTS", tmp_path)
    assert main(["--check", "--rows", "2", "liveness"]) == 1
    assert ", was verified | 7" in capsys.readouterr().out


def test_a_page_says_at_which_commit_its_rows_were_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page, text = tmp_path / "liveness.md", (known.RESULTS / "liveness.md").read_text().partition(AGAIN)[0]
    monkeypatch.setattr(known, "RESULTS", tmp_path)
    monkeypatch.setattr(check, "RESULTS", tmp_path)
    page.write_text(text.replace("| verified | ", "| verified | 7"))
    assert main(["--note", "20", "liveness"]) == 1
    assert AGAIN not in page.read_text()
    for _ in range(2):
        page.write_text(f"{text.rstrip()}\n")
        assert main(["--note", "20", "liveness"]) == 0
        before, _, note = page.read_text().partition(AGAIN)
        assert before.rstrip() == text.rstrip()
        assert note.startswith(f"{environment()['commit']}, with the same counts")
        assert AGAIN not in note


def test_rows_of_a_suite_are_measured_again_in_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "reads-value-from"
    rows = (check.RESULTS / f"{name}.jsonl").read_text().splitlines()[:3]
    (tmp_path / f"{name}.jsonl").write_text("".join(f"{row}\n" for row in rows))
    (page := tmp_path / f"{name}.md").write_text("A page.\n")
    monkeypatch.setattr(check, "RESULTS", tmp_path)
    assert main(["--note", "20", name]) == 0
    assert f"{AGAIN}{environment()['commit']}" in page.read_text()
    assert ": 3 rows" in page.read_text()


def test_every_page_says_which_command_wrote_it_at_which_commit() -> None:
    for page in check.RESULTS.glob("*.md"):
        if page.stem not in ("README", "engine-tuning"):
            text = page.read_text(encoding="utf-8")
            assert re.search(r"(Written|Made) by (hand, from what )?`", text), page.name
            assert re.search(r"at commit [0-9a-f]{7}", text), page.name


def test_a_row_that_is_not_true_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = suite_named("reads-value-from").name
    lines = (check.RESULTS / f"{name}.jsonl").read_text().splitlines()
    rows = [{**json.loads(line), "executions": 77} for line in lines]
    (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.setattr(check, "RESULTS", tmp_path)
    assert main(["--check", "--rows", "1", name]) == 1
    assert "1 rows measured, 1 differ" in (out := capsys.readouterr().out)
    assert "was 77" in out
