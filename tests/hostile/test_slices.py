"""A slice of each campaign, with a fixed seed; the whole ones are in CONTRIBUTING.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile import campaign, kills


def test_hostile_inputs(capsys: pytest.CaptureFixture[str]) -> None:
    assert campaign.run(seed=0, numbers=range(80), apart=0) == []
    table = capsys.readouterr().out
    assert all(kind in table for kind in ("trace", "litmus", "model", "configuration", "command line"))


def test_kills(capsys: pytest.CaptureFixture[str]) -> None:
    assert kills.run(seed=0, runs=6, names=["check", "compare", "diy"]) == []
    assert "0 damages" in capsys.readouterr().out


def test_a_damaged_file_would_be_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.json").write_text('{"schema": "mcr-trace/1"')
    (tmp_path / "t.svg").write_text("<svg>")
    ended = kills.Ended(True, "mcr replay gone.json")
    found = list(kills.damage("check", ended))
    assert [problem.partition(":")[0] for problem in found] == [
        "t.json",
        "t.svg",
        "gone.json was told of, and is not there",
    ]
