"""Fixtures of the tests of ordinary classes."""

from __future__ import annotations

import pytest

from replay.frontend.ordinary import changes


@pytest.fixture
def nobody_looks_between(monkeypatch: pytest.MonkeyPatch) -> None:
    """Methods of lists that move elements are seen as CPython shows them which runs here: it has a global lock.

    What is seen without one is held against lists written out (`test_moving.py`).
    """
    monkeypatch.setattr(changes, "others_look_between", lambda: False)
