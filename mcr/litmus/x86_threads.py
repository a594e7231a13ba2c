"""The threads of an x86 test: instructions translated, jumps structured, sizes checked."""

from __future__ import annotations

from mcr.litmus.condition import MemoryColumn, RegisterColumn
from mcr.litmus.errors import LineError
from mcr.litmus.jumps import structured
from mcr.litmus.sections import Section
from mcr.litmus.state_parser import InitialState
from mcr.litmus.test import LitmusThread
from mcr.litmus.tidy import without_assignments
from mcr.litmus.x86 import FLAGS, translate
from mcr.litmus.x86_operands import StatementOrJump
from mcr.litmus.x86_syntax import Dialect, Item, Label, parse_program

ANYWHERE = ""
"""Stands for the location of an access whose address is in a register."""

Sizes = dict[str, dict[int, int]]
"""By location: the sizes of its accesses, in bits, and a line for each."""


def parse_x86_threads(program: Section, dialect: Dialect, initial: InitialState) -> list[LitmusThread]:
    """The threads of a test; their registers start as `initial` says."""
    sizes: Sizes = {}
    threads = []
    for number, (name, line, items) in enumerate(parse_program(program, dialect)):
        steps, labels = _steps(items, dialect, sizes)
        body = without_assignments(structured(steps, labels), FLAGS)
        registers = {
            column.register: value
            for column, value in initial.values.items()
            if isinstance(column, RegisterColumn) and column.thread == number
        }
        threads.append(LitmusThread(name, body, registers, line))
    _check_sizes(sizes, initial)
    return threads


def _steps(items: list[Item], dialect: Dialect, sizes: Sizes) -> tuple[list[StatementOrJump], dict[str, int]]:
    steps: list[StatementOrJump] = []
    labels: dict[str, int] = {}
    for item in items:
        if isinstance(item, Label):
            if item.name in labels:
                raise LineError(f"the label {item.name!r} stands twice in this thread", item.line)
            labels[item.name] = len(steps)
            continue
        work = translate(item, dialect)
        steps += work.steps
        for location in work.accesses:
            sizes.setdefault(location, {}).setdefault(work.bits, work.line)
    return steps, labels


def _check_sizes(sizes: Sizes, initial: InitialState) -> None:
    """Refuse mixed-size accesses: a location here is one value, not bytes."""
    everywhere = sizes.pop(ANYWHERE, {})
    if not sizes and everywhere:
        sizes[ANYWHERE] = {}
    for location, own in sizes.items():
        found = {**own, **everywhere}
        declared = initial.types.get(MemoryColumn(location))
        if declared is not None:
            found.setdefault(declared.bits, 0)
        if len(found) > 1:
            raise LineError(
                f"{location or 'memory'} is accessed with different sizes, {' and '.join(map(str, sorted(found)))} "
                "bits; mixed sizes are not supported",
                max(found.values()),
            )
