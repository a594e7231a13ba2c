"""From the text of a litmus file to a `LitmusTest`, whatever the dialect."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from mcr.litmus import tidy
from mcr.litmus.errors import LineError, LitmusError
from mcr.litmus.test import LitmusTest, LitmusThread, MemoryColumn, RegisterColumn

if TYPE_CHECKING:
    from mcr.litmus.state import InitialState, LitmusClaim


def parse_file(path: Path) -> LitmusTest:
    """Read a litmus test. Raises LitmusError, with file and line, for whatever is refused."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise LitmusError(error.strerror or "cannot be read", str(path)) from None
    except UnicodeDecodeError:
        raise LitmusError("not a litmus test: it is not text", f"{path}:1") from None
    return parse(text, str(path))


def parse(text: str, file: str = "<litmus test>") -> LitmusTest:
    """The test that `text` spells; `file` is for messages."""
    try:
        _check_numbers(text)
        return _parse(text, file)
    except LineError as error:
        raise LitmusError(error.message, f"{file}:{error.line}") from None
    except RecursionError:
        raise LitmusError("nested too deeply", f"{file}:1") from None


def _check_numbers(text: str) -> None:
    """Refuse numbers that Python itself refuses to read; none of a machine comes near."""
    found = re.search(r"[0-9a-fA-F]{1000,}", text)
    if found is not None:
        raise LineError("a number of a thousand digits or more", text.count("\n", 0, found.start()) + 1)


def _parse(text: str, file: str) -> LitmusTest:
    from mcr.litmus.c_threads import parse_c_threads  # late, as these need lark, which only litmus tests do
    from mcr.litmus.state import parse_claim, parse_initial
    from mcr.litmus.syntax import cut
    from mcr.litmus.x86_syntax import DIALECTS
    from mcr.litmus.x86_threads import parse_x86_threads

    sections = cut(text)
    dialect = DIALECTS.get(sections.architecture)
    if dialect is None and sections.architecture != "C":
        raise LineError(f"the architecture {sections.architecture} is not supported; X86, X86_64 and C are", 1)
    naming = dialect.register_name if dialect else lambda word, line: word
    initial = parse_initial(sections.initial, naming)
    claim = parse_claim(sections.condition, naming)
    if dialect is None:
        threads = parse_c_threads(sections.program, initial)
    else:
        threads = parse_x86_threads(sections.program, dialect, initial)
    _check_columns(claim, initial, len(threads), claim.line)
    return LitmusTest(
        name=sections.name,
        architecture=sections.architecture,
        threads=_tidy(threads, initial),
        condition=claim.condition,
        initial={c.location: value for c, value in initial.values.items() if isinstance(c, MemoryColumn)},
        unsigned={column: kind.bits for column, kind in initial.types.items() if not kind.signed},
        extra=claim.extra,
        filter=claim.filter,
        document=sections.document,
        file=file,
        condition_line=claim.line,
    )


def _check_columns(claim: LitmusClaim, initial: InitialState, threads: int, line: int) -> None:
    """Refuse registers of threads that are not there."""
    test_columns = LitmusTest("", "", (), claim.condition, extra=claim.extra, filter=claim.filter).all_columns
    for column in (*test_columns, *initial.values):
        if isinstance(column, RegisterColumn) and column.thread >= threads:
            raise LineError(f"{column} speaks of thread {column.thread}, but there are {threads}", line)


def _tidy(threads: list[LitmusThread], initial: InitialState) -> tuple[LitmusThread, ...]:
    bodies = [thread.body for thread in threads]
    if tidy.values_stay_small(bodies, initial.values.values()):
        bodies = [tidy.without_sizes(body) for body in bodies]
    return tuple(
        LitmusThread(thread.name, tidy.fused(body), thread.registers, thread.line)
        for thread, body in zip(threads, bodies, strict=True)
    )
