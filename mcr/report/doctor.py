"""The report of `mcr doctor`, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mcr.diagnosis.doctor import Health, SelfTest
from mcr.report.document import told
from mcr.report.layout import Style, wrap
from replay.sentences import counted
from solvers.registry import DEFAULT_SOLVER

DOCTOR_SCHEMA = "mcr-doctor/1"
_LABEL = 13
"""Columns of what stands on the left."""


def render_health(health: Health, width: int, style: Style) -> Iterator[str]:
    """The report, in lines of about `width` characters."""
    yield from _packages(health, style)
    yield ""
    yield from _solvers(health, width, style)
    yield ""
    yield from _tests(health, style)
    yield ""
    colour = "colour" if style.colored else "no colour"
    drawing = "line drawing" if style.drawn else "no line drawing"
    yield from wrap(f"{'local states':{_LABEL}}{_merging(health)}", width, " " * _LABEL)
    yield from wrap(f"{'global states':{_LABEL}} {_exploring(health)}", width, " " * _LABEL)
    yield f"{'terminal':{_LABEL}}{width} columns, {colour}, {drawing}"
    yield f"{'failures':{_LABEL}}{_folder(health)}"
    yield ""
    yield from _conclusion(health, width, style)


def _packages(health: Health, style: Style) -> Iterator[str]:
    for package in health.packages:
        if package.version:
            yield f"{package.name:{_LABEL}}{package.version}"
            continue
        why = f" (only for {package.purpose})" if package.optional else ""
        missing = style.paint("not installed", "warning" if package.optional else "bug")
        yield f"{package.name:{_LABEL}}{missing}{why}: {package.remedy}"


def _solvers(health: Health, width: int, style: Style) -> Iterator[str]:
    """The working ones in a paragraph, then a line for each other one."""
    working = [solver.name for solver in health.solvers if solver.state == "works"]
    names = [f"{name} (default)" if name == DEFAULT_SOLVER else name for name in working]
    head = "solvers".ljust(_LABEL)
    yield from wrap(f"{head}{', '.join(names) or 'none works'}", width, " " * _LABEL)
    for solver in health.solvers:
        if solver.state != "works":
            role = "bug" if solver.fault else "warning"
            yield f"{'':{_LABEL}}{solver.name}: {style.paint(solver.state, role)}: {solver.reason}"


def _tests(health: Health, style: Style) -> Iterator[str]:
    """A row for each litmus test: may its outcome be seen?"""
    models = list(dict.fromkeys(test.model for test in health.tests))
    yield style.paint(f"{'self-test':{_LABEL}}" + "".join(f"{model.upper():5}" for model in models).rstrip(), "strong")
    for name in dict.fromkeys(test.name for test in health.tests):
        row = [test for test in health.tests if test.name == name]
        right = not any(test.fault for test in row)
        verdict = style.paint("as expected" if right else "WRONG", "good" if right else "bug")
        yield f"{name:{_LABEL}}{''.join(f'{_found(test):5}' for test in row)} {verdict}"


def _found(test: SelfTest) -> str:
    return {True: "yes", False: "no", None: "?"}[test.found]


def _folder(health: Health) -> str:
    folder = health.folder
    if not folder.exists:
        return f"are kept in {folder.path}, which the first one makes"
    there = "there is" if folder.traces == 1 else "there are"
    return f"are kept in {folder.path}, where {there} {counted(folder.traces, 'trace')}"


def _merging(health: Health) -> str:
    if not health.unmerged:
        return "are told apart by what threads hold, not by what they read"
    return f"are told apart by what threads read, since {health.unmerged}: all is found, but more slowly"


def _exploring(health: Health) -> str:
    if not health.uncompiled:
        return "are explored in C"
    return f"are explored in Python, as {health.uncompiled}. All is found, but about ten times more slowly"


def _conclusion(health: Health, width: int, style: Style) -> Iterator[str]:
    faults = health.faults
    if not faults:
        yield style.paint("All is right.", "good")
    for fault in faults:
        yield from (style.paint(line, "bug") for line in wrap(f"fault: {fault}", width))


def health_document(health: Health, status: int, width: int, style: Style) -> dict[str, Any]:
    """Returns the report as a JSON document (docs/formats.md)."""
    return {
        "schema": DOCTOR_SCHEMA,
        "status": status,
        "faults": health.faults,
        "packages": [{**vars(each), "version": each.version or None} for each in health.packages],
        **told(health, "solvers", "tests"),
        "unmerged": health.unmerged or None,
        "uncompiled": health.uncompiled or None,
        "terminal": {"columns": width, "color": style.colored, "line_drawing": style.drawn},
        "failures": health.folder,
    }
