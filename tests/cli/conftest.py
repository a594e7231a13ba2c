"""Fixtures for tests of the command line."""

from __future__ import annotations

import pytest

from tests.cli.recording import SOURCE
from tests.desk import Desk


@pytest.fixture
def recorded(desk: Desk) -> Desk:
    """A folder with a program and a trace of its failure."""
    desk.write("sb.py", SOURCE)
    assert desk.mcr("check", "sb.py", "--model", "tso").status == 1
    return desk
