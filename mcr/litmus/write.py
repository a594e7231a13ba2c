"""Writes X86 litmus tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

REGISTERS = ("EAX", "EBX", "ECX", "EDX", "ESI", "EDI")


def litmus_text(
    name: str,
    threads: Sequence[Sequence[str]],
    condition: str,
    *,
    document: str = "",
    keys: Mapping[str, str] | None = None,
    initial: Sequence[str] = (),
) -> str:
    """The text of a test: instructions by thread, and the condition with whatever stands before it."""
    lines = [f"X86 {name}"]
    if document:
        lines.append(f'"{document}"')
    lines += [f"{key}={value}" for key, value in (keys or {}).items()]
    lines += ["{", *(f" {value};" for value in initial), "}"]
    columns = [[f"P{number}", *code] for number, code in enumerate(threads)]
    widths = [max(map(len, column)) for column in columns]
    for row in zip_longest(*columns, fillvalue=""):
        lines.append(" " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " ;")
    return "\n".join([*lines, condition, ""])
