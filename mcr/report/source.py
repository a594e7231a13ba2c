"""Lines of the user's program, and messages about it, as reports show them."""

from __future__ import annotations

import ast
import linecache
import os
from collections.abc import Iterator
from shlex import quote

from mcr.report.printable import printable
from replay.code.lines import installed_name
from replay.errors import CheckerError
from replay.traces.project import first_folders
from replay.traces.trace import Failure
from replay.world.operation import Source
from solvers.interface import SolverError

_NOISE = ("<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>", "<lambda>")


def shown_path(file: str) -> str:
    """A file name relative to the current folder if it is below it."""
    here = os.getcwd() + os.sep
    return file[len(here) :] if file.startswith(here) else file


def shown_line(source: Source) -> str:
    """file:line; what is installed by the name under which it is imported."""
    return f"{installed_name(source.file) or shown_path(source.file)}:{source.line}"


def shown_line_of(source: Source | None, program: str) -> str:
    """The line's number; with its file if that is not the program's."""
    if source is None:
        return ""
    return str(source.line) if shown_path(source.file) == shown_path(program) else shown_line(source)


def replay_command(file: str) -> str:
    """Returns the command that plays a trace, quoted for a shell."""
    first = "".join(f" --path {quote(str(folder))}" for folder in first_folders())
    return f"mcr replay {quote(file)}{first}"


def line_words(source: Source, program: str) -> str:
    """Returns the line as words in a sentence: "line 12", or file:line."""
    text = shown_line_of(source, program)
    return f"line {text}" if text.isdecimal() else text


def shown_function(source: Source) -> str:
    """The function as its author calls it: without the functions around it."""
    parts = source.function.split(".<locals>.")
    while len(parts) > 1 and parts[-1] in _NOISE:
        parts.pop()
    return parts[-1]


def lines_of(file: str) -> list[str]:
    """The lines of a file as it is now, none if it is not there any more."""
    linecache.checkcache(file)
    return linecache.getlines(file)


def text_of(source: Source) -> str:
    """The text of a line, "" if the file is not there any more."""
    lines = lines_of(source.file)
    return lines[source.line - 1].strip() if 1 <= source.line <= len(lines) else ""


def assertion_at(source: Source) -> str:
    """The assert statement that a line belongs to, in one line; "" if it belongs to none."""
    found = [node for node in _statements(source.file) if node.lineno <= source.line <= (node.end_lineno or 0)]
    if not found:
        return ""
    innermost = max(found, key=lambda node: node.lineno)
    return text_of(source) if innermost.lineno == innermost.end_lineno else ast.unparse(innermost)


def _statements(file: str) -> Iterator[ast.Assert]:
    try:
        tree = ast.parse("".join(lines_of(file)))
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            yield node


def headline(failure: Failure) -> str:
    """Says what failed; an assertion without a message is shown by its own text."""
    if failure.error == "AssertionError" and not failure.message and failure.line:
        return assertion_at(failure.line) or str(failure)
    return str(failure)


def message_of(error: Exception) -> str:
    """The message of an error that is meant for users; files below the current folder are named relative to it.

    So is that of the operating system about a file. Anything else is a mistake of ours: it comes with its traceback.
    """
    if isinstance(error, CheckerError | SolverError):
        return printable(str(error).replace(os.getcwd() + os.sep, ""))
    if isinstance(error, OSError) and error.strerror:
        return printable(f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror)
    import traceback  # late, as nobody hopes to see it

    trace = printable("".join(traceback.format_exception(error)))
    return f"{trace}this is a mistake in mcr, not in your program; please report it with the lines above"
