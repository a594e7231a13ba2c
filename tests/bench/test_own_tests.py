"""Rows of tests that come with reports: those that only pytest can run, and the list of all."""

from __future__ import annotations

from pathlib import Path

import pytest

from results.checked import checked_by_pytest
from results.own_tests import LIST

TEST = """
import threading


def test_two_writers(tmp_path):
    seen = []

    def write(name):
        {work}

    threads = [threading.Thread(target=write, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tmp_path.is_absolute() and seen == ["a", "b"]
"""


@pytest.mark.parametrize(
    ("work", "verdict", "found"),
    [
        ("seen.append(name)", "bug", "test_two_writers fails under SC"),
        ("open(name)", "refused", "test_two.py:9: "),
    ],
)
def test_a_test_that_takes_fixtures_is_a_row(tmp_path: Path, work: str, verdict: str, found: str) -> None:
    (file := tmp_path / "test_two.py").write_text(TEST.format(work=work))
    row = checked_by_pytest(f"{file}::test_two_writers", 60, [])
    assert row["verdict"] == verdict
    assert row["found"].startswith(found)


def test_each_report_has_a_reason_or_a_command() -> None:
    for line in LIST.read_text("utf-8").splitlines():
        report, has, how, *measured = map(str.strip, line.split("|"))
        assert report
        assert has
        assert how or has == "none"
        assert not measured or (how.partition(" ")[0] in ("check", "pytest") and "==" in measured[0])
