"""Programs as their files read, although pytest rewrites the assertions of test modules.

A rewritten assertion describes the values in it, with the addresses of
objects: two runs of one history would fail with two messages, and `mcr check`
would find another bug than pytest. So the file of a rewritten module is run
once more, as it reads, and programs are taken from there.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

from replay.code.files import run_file
from replay.code.lines import user_stack
from replay.frontend.program import Program

_REWRITTEN = "@pytest_ar"
"""The name under which a rewritten module knows pytest."""

_PLAIN = "@mcr_plain"
"""Where a rewritten module keeps what its file defines when it is run as it reads."""


def plain(program: Program) -> Program:
    """The program without rewritten assertions; raises ModelError if its file cannot be run a second time."""
    names = program.function.__globals__
    if _REWRITTEN not in names:
        return program
    name = next((name for name, value in names.items() if _has_function_of(value, program)), "")
    if _PLAIN not in names:
        names[_PLAIN] = _run(names)
    twin = names[_PLAIN].get(name)
    if not isinstance(twin, Program):
        return program
    return Program(twin.function, program.arguments, deadlocks=program.deadlocks)


def _has_function_of(value: object, program: Program) -> bool:
    return issubclass(type(value), Program) and getattr(value, "function", None) is program.function


def _run(names: dict[str, Any]) -> dict[str, Any]:
    """What the file of a module defines; `names` is what it defined when pytest ran it."""
    file = names["__file__"]
    copy = ModuleType(names["__name__"])
    given = ("__file__", "__package__", "__spec__", "__loader__")
    vars(copy).update({name: names[name] for name in given if name in names})

    def place(error: BaseException) -> str:
        return next((str(line) for line in user_stack(error.__traceback__) if line.file == file), f"{file}:1")

    run_file(
        lambda: exec(compile(Path(file).read_bytes(), file, "exec", dont_inherit=True), vars(copy)),
        "the module cannot be run a second time, as it reads without the assertions that pytest rewrites "
        "(write PYTEST_DONT_REWRITE into its docstring to avoid that)",
        place,
        f"{file}:1",
    )
    return vars(copy)
