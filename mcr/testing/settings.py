"""Settings of a pytest run: those of its command line, and those of [tool.mcr] below its rootdir."""

from __future__ import annotations

import os

import pytest

from mcr.exploration.archive import DEFAULT_FOLDER
from mcr.jobs.executor import CAN_FORK
from mcr.keys import OF_A_PROJECT, PROJECT_FILE, Said, read_project
from replay.errors import CheckerError

_WORKERS = "PYTEST_XDIST_WORKER_COUNT"
"""What pytest-xdist tells its workers: how many there are."""

_KEY = pytest.StashKey[tuple[Said, Said]]()


def configured(config: pytest.Config) -> tuple[Said, Said]:
    """Returns the settings of the command line, and those of the project with the defaults; read once.

    Raises pytest.UsageError for what makes no sense.
    """
    if _KEY not in config.stash:
        try:
            project = read_project(config.rootpath / PROJECT_FILE)
        except CheckerError as error:
            raise pytest.UsageError(str(error)) from None
        defaults: Said = {"folder": config.rootpath / DEFAULT_FOLDER}
        jobs(config)  # to refuse it before any test is run
        config.stash[_KEY] = _command(config), {**defaults, **project}
    return config.stash[_KEY]


def jobs(config: pytest.Config) -> int:
    """How many processes one check may use: the workers of pytest-xdist share what is asked for.

    Raises pytest.UsageError for what cannot be.
    """
    asked: int | None = config.getoption("mcr_jobs", None)
    if asked is None:
        return 1
    if asked > 1 and not CAN_FORK:
        raise pytest.UsageError(f"--mcr-jobs: {asked}: this system does not let a process be doubled safely")
    return max(1, asked // int(os.environ.get(_WORKERS, "1")))


def _command(config: pytest.Config) -> Said:
    """Returns the settings of the command line. Its --mcr-model is not among them: it selects tests."""
    given: Said = {}
    for name in OF_A_PROJECT:
        value = config.getoption(f"mcr_{name}", None)
        if value is not None:
            given[name] = config.invocation_params.dir / value if name == "folder" else value
    return given
