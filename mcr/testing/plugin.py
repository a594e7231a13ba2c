"""The pytest plugin: hooks, which pass on to the modules that do the work.

pytest loads this file at every start, in every project. So nothing of the
checker is imported before a test module has defined a program.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from mcr.testing.collecting import ProgramItem

_REPORT = "mcr_complaint"
"""Under which name a complaint travels in the report of a pytest-xdist worker."""


def pytest_addoption(parser: pytest.Parser) -> None:
    from mcr.keys import KEYS, OF_A_PROJECT

    group = parser.getgroup("mcr", "programs checked under memory models (mcr)")
    group.addoption(
        "--mcr-model",
        metavar="NAME",
        action="append",
        help="only tests under this memory model; may be repeated",
    )
    for name in OF_A_PROJECT:
        if name != "models":
            flag, how = KEYS[name].argument(name, "--mcr-")
            group.addoption(flag, **how)
    how_many = "how many processes checks may use (default: 1); the workers of pytest-xdist share them"
    flag, how = KEYS["jobs"].argument("jobs", "--mcr-", help=how_many)
    group.addoption(flag, **how)

    # Two flags, since an option with an optional value would take the file that follows it for one.
    group.addoption(
        "--mcr",
        action="store_const",
        const="marked",
        help="run tests with the mark mcr under all schedules of the threads that they start",
    )
    group.addoption(
        "--mcr=all", dest="mcr", action="store_const", const="all", help="the same with every test that starts threads"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "mcr(timeout=..., ...): a program that is checked under a memory model, or a test that starts threads",
    )
    file = config.rootpath / "pyproject.toml"
    said = any(name.startswith("mcr_") and value is not None for name, value in vars(config.option).items())
    if said or (file.is_file() and b"mcr" in file.read_bytes()):
        from mcr.testing.settings import configured

        configured(config)


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(
    collector: pytest.Module | pytest.Class, name: str, obj: object
) -> list[ProgramItem] | None:
    """Programs are ours. Their type is asked, not the object: a proxy may raise when it is looked at."""
    known = sys.modules.get("replay.frontend.program")
    if known is None or not issubclass(type(obj), known.Program):
        return None
    from mcr.testing.collecting import collect

    return collect(collector, name, obj)  # type: ignore[arg-type]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("mcr"):
        from mcr.testing.threaded import select

        select(items, config.getoption("mcr"))
    if config.getoption("mcr_model"):
        from mcr.testing.collecting import select_models

        select_models(config, items)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A module that cannot be imported since a decorator is misused says so in a sentence."""
    report = yield
    call: pytest.CallInfo[Any] | None = getattr(report, "call", None)
    errors = sys.modules.get("replay.errors")
    if call is not None and call.excinfo is not None and errors is not None:
        error = call.excinfo.value
        if isinstance(error, errors.ModelError) and error.where:
            from mcr.report.source import message_of

            report.longrepr = message_of(error)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that fails under some schedule shows which one."""
    if call.excinfo is None or "mcr.testing.running" not in sys.modules:
        return (yield)
    from mcr.testing.running import hide_stack, tell

    hide_stack(call.excinfo)
    report = yield
    if report.failed:
        tell(report, call.excinfo.value, item.config)
    return report


# -- reports of pytest-xdist's workers -------------------------------------------


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable(report: object) -> Generator[None, dict[str, Any] | None, dict[str, Any] | None]:
    """Send the complaint along, since a worker does not know the terminal."""
    data = yield
    known = sys.modules.get("mcr.testing.report")
    longrepr = getattr(report, "longrepr", None)
    if data is not None and known is not None and isinstance(longrepr, known.ComplaintRepr):
        import msgspec

        data[_REPORT] = msgspec.to_builtins(longrepr)
    return data


@pytest.hookimpl(wrapper=True)
def pytest_report_from_serializable(data: dict[str, Any]) -> Generator[None, Any, Any]:
    complaint = data.pop(_REPORT, None)
    report = yield
    if complaint is not None and report is not None:
        from mcr.testing.report import ComplaintRepr
        from replay.files import checked

        report.longrepr = checked(complaint, ComplaintRepr)
    return report
