"""What tests of ordinary classes share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from replay.code.switch import INTERPRETS_ORDINARY
from replay.frontend.ordinary import changes


@pytest.fixture
def on_frames() -> Iterator[None]:
    """Ordinary classes run on frames of the interpreter."""
    before, INTERPRETS_ORDINARY[0] = INTERPRETS_ORDINARY[0], True
    yield
    INTERPRETS_ORDINARY[0] = before


@pytest.fixture
def nobody_looks_between(monkeypatch: pytest.MonkeyPatch) -> None:
    """Methods of lists that move elements are seen as CPython shows them which runs here: it has a global lock.

    What is seen without one is held against lists written out (`test_moving.py`).
    """
    monkeypatch.setattr(changes, "others_look_between", lambda: False)
