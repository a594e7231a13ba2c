"""Programs in test modules become tests."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mcr.keys import read_models
from mcr.testing.checking import CheckedTest
from mcr.testing.decorators import Claims, ProgramTest, marks_of, nonsense
from mcr.testing.kept import KeptFailures
from mcr.testing.running import run_test
from mcr.testing.settings import configured, jobs
from replay.errors import ModelError
from replay.frontend.program import Program
from replay.traces.trace import GIL
from replay.world.memory_models import MODELS


class ProgramItem(pytest.Item):
    """`peterson[tso]`."""

    def __init__(self, *, case: CheckedTest, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.case = case
        self.add_marker("mcr")
        marks = marks_of(case.program)
        self.own_markers.extend(marks)
        self.keywords.update((mark.name, mark) for mark in marks)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        return self.case.program.file, self.case.program.line - 1, self.name

    def runtest(self) -> None:
        """Check it; passes only what is verified, or fails as it should."""
        run_test(self, self.case)


_NOT_FOR_PROGRAMS = ("parametrize", "usefixtures")
"""Marks about arguments of a test function; pytest cannot give a program any."""


def collect(collector: pytest.Module | pytest.Class, name: str, program: Program) -> list[ProgramItem]:
    """The tests that a name in a module stands for, one for each model; none if the program is no test.

    Raises ModelError for what cannot be a test.
    """
    if not _is_test(collector, name, program):
        return []
    where = f"{program.file}:{program.line}"
    if not isinstance(collector, pytest.Module):
        raise ModelError(f"{name} is in a class; programs that are tests belong into the module", where)
    for mark in marks_of(program):
        if mark.name in _NOT_FOR_PROGRAMS:
            raise ModelError(
                f"pytest.mark.{mark.name} does nothing for a program; "
                "parameters get their values from @mcr.test(settings={...})",
                where,
            )
    return [_item(collector, case) for case in _cases(collector, name, program)]


def _item(collector: pytest.Module, case: CheckedTest) -> ProgramItem:
    """The node id is given, as --lf compares ids whose brackets pytest has parsed."""
    name = f"{case.name}[{case.model}]"
    return ProgramItem.from_parent(collector, name=name, nodeid=f"{collector.nodeid}::{name}", case=case)


def _is_test(collector: pytest.Module | pytest.Class, name: str, program: Program) -> bool:
    """Decorated, named like a test, or any program of the file if that is asked for."""
    if isinstance(program, ProgramTest) or collector.funcnamefilter(name):
        return True
    command, project = configured(collector.config)
    is_own = Path(program.file).resolve() == Path(collector.path).resolve()
    return is_own and bool({**project, **command}.get("collect"))


def _cases(collector: pytest.Module, name: str, program: Program) -> list[CheckedTest]:
    config = collector.config
    command, project = configured(config)
    claims = program.claims if isinstance(program, ProgramTest) else Claims()
    own = {**project, **(claims.asked or {})}
    failing = claims.failing or ()
    models = own.get("models") or (tuple(MODELS) if failing else program.models())
    if wrong := nonsense(models, failing):
        raise ModelError(f"@mcr.fails: {wrong}", f"{program.file}:{program.line}")
    said = {**own, **command}
    kept = partial(KeptFailures, said["folder"], config.rootpath, Path(collector.path))
    lock = f"-{GIL}" if said.get("python") == GIL else ""
    return [
        CheckedTest(name, program, model, said, model in failing, kept(f"{name}-{model}{lock}"), jobs(config))
        for model in models
    ]


def select_models(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep only the tests under the models of --mcr-model; what is not about a model stays."""
    try:
        wanted = read_models(config.getoption("mcr_model"))
    except ValueError as error:
        raise pytest.UsageError(f"--mcr-model: {error}") from None
    gone = [item for item in items if isinstance(item, ProgramItem) and item.case.model not in wanted]
    if gone:
        items[:] = [item for item in items if item not in gone]
        config.hook.pytest_deselected(items=gone)
