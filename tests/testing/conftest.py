"""Fixtures for tests of the pytest plugin.

pytester runs pytest in this process and forgets afterwards which modules that
imported. What the plugin imports must be there before, or it would come twice.
"""

from __future__ import annotations

import pysat.solvers
import pytest

import mcr.exploration.session
import mcr.testing.collecting
import replay.frontend.ownership.declaring
import replay.frontend.ownership.library
import replay.frontend.sync.counting
import replay.frontend.sync.passing
import solvers.sat
from tests.testing.project import Project

PRELOADED = (
    pysat.solvers,
    mcr.exploration.session,
    mcr.testing.collecting,
    replay.frontend.ownership.declaring,
    replay.frontend.ownership.library,
    replay.frontend.sync.counting,
    replay.frontend.sync.passing,
    solvers.sat,
)


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Project:
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("NO_COLOR", "FORCE_COLOR", "PY_COLORS", "PYTEST_ADDOPTS"):
        monkeypatch.delenv(name, raising=False)
    return Project(pytester, capsys)
