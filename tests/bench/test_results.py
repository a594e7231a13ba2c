"""`python -m results --check`: the tables that are checked in are true, as far as a few rows tell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from results import check
from results.__main__ import main
from results.bench.suites import suite_named, suite_names
from tests.amount import amount


def test_a_few_rows_of_a_table_are_what_they_were() -> None:
    """Of all tables in a long run; CI has this one."""
    assert main(["--check", "--rows", str(amount(2, 8)), *amount(["reads-value-from"], [])]) == 0


def test_every_sample_is_the_same_again() -> None:
    for name in suite_names():
        assert check.sample(name, 3) == check.sample(name, 3)


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
