"""Fixtures for all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.desk import Desk

pytest_plugins = ("pytester",)  # for tests/testing; pytest wants it here


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return Desk(tmp_path, capsys)
