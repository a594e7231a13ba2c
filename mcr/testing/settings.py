"""What a pytest run is told about programs: by its command line, and by [tool.mcr] below its rootdir."""

from __future__ import annotations

import os

import pytest

from mcr.configuration import OF_A_PROJECT, PROJECT_FILE, Configuration, read, read_project
from mcr.exploration.archive import DEFAULT_FOLDER
from mcr.jobs.cores import CAN_FORK
from replay.errors import CheckerError
from replay.world.memory_models import MODELS

_WORKERS = "PYTEST_XDIST_WORKER_COUNT"
"""What pytest-xdist tells its workers: how many there are."""

_KEY = pytest.StashKey[tuple[Configuration, Configuration]]()


def configured(config: pytest.Config) -> tuple[Configuration, Configuration]:
    """What the command line says, and what the project says or else holds; read once.

    Raises pytest.UsageError for what makes no sense.
    """
    if _KEY not in config.stash:
        try:
            project = read_project(config.rootpath / PROJECT_FILE)
        except CheckerError as error:
            raise pytest.UsageError(str(error)) from None
        defaults = Configuration(models=tuple(MODELS), folder=config.rootpath / DEFAULT_FOLDER)
        jobs(config)  # to refuse it before any test is run
        config.stash[_KEY] = _command(config), project.over(defaults)
    return config.stash[_KEY]


def jobs(config: pytest.Config) -> int:
    """How many processes one check may use: the workers of pytest-xdist share what is asked for.

    Raises pytest.UsageError for what cannot be.
    """
    asked: int | None = config.getoption("mcr_jobs", None)
    if asked is None:
        return 1
    if asked < 1:
        raise pytest.UsageError(f"--mcr-jobs: {asked} is not a whole number above 0")
    if asked > 1 and not CAN_FORK:
        raise pytest.UsageError(f"--mcr-jobs: {asked}: this system does not let a process be doubled safely")
    return max(1, asked // int(os.environ.get(_WORKERS, "1")))


def _command(config: pytest.Config) -> Configuration:
    """What the command line says. Its --mcr-model is not part of that: it selects tests."""
    given = {name: value for name in OF_A_PROJECT if (value := config.getoption(f"mcr_{name}", None)) is not None}
    if "folder" in given:
        given["folder"] = str(config.invocation_params.dir / given["folder"])
    try:
        return read(given, OF_A_PROJECT)
    except ValueError as error:
        raise pytest.UsageError(f"--mcr-{str(error).replace('_', '-', 1)}") from None
