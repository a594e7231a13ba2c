"""Arguments that commands share beside those of `mcr.keys`, and how their texts become values."""

from __future__ import annotations

import argparse
import ast
from collections.abc import Callable, Mapping
from pathlib import Path

from mcr.keys import count, read_models


def add_targets(parser: argparse.ArgumentParser) -> None:
    """Adds the programs to look at, as `targets`, and --set."""
    parser.add_argument(
        "targets", metavar="TARGET", nargs="+", help="FILE, FILE::NAME, package.module:NAME, or a folder"
    )
    add_settings(parser)


def add_settings(parser: argparse.ArgumentParser) -> None:
    """--set: parameters of programs, as pairs in `settings`."""
    parser.add_argument(
        "--set",
        dest="settings",
        metavar="NAME=VALUE",
        type=setting,
        action="append",
        default=[],
        help="give a parameter of the program a value, a Python literal; may be repeated",
    )


def add_output_arguments(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """--json and --color; returns their group, for more of the kind."""
    group = parser.add_argument_group("output")
    add_options(group, {"--json": "one JSON document on standard output, for machines"})
    group.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="auto (default): on a terminal only"
    )
    return group


def add_options(parser: argparse._ActionsContainer, options: Mapping[str, str], **defaults: object) -> None:
    """Options as help shows them, as "--states N" or "--all", each with what it says; `defaults` by name.

    What follows the flag says what is read (`_READ`); where nothing does, the option is true if it is given.
    """
    for shown, help in options.items():
        flags, _, metavar = shown.rpartition(" ")
        if not flags:
            parser.add_argument(metavar, action="store_true", help=help)
            continue
        names = flags.split(", ")
        default = defaults.get(names[-1].removeprefix("--"))
        read = _READ.get(metavar, str)
        parser.add_argument(*names, metavar=metavar, type=read, default=default, help=help)


LIBRARY = {
    "--library": "show each step of calls of Python's own library, as queue's and threading's, which are one row "
    "otherwise"
}


def add_trace_arguments(parser: argparse.ArgumentParser, what: str = "a file that `mcr check` wrote") -> None:
    """A recorded execution, and --model."""
    parser.add_argument("trace", metavar="TRACE.json", type=Path, help=what)
    parser.add_argument("--model", metavar="MODEL", type=one_model, help="memory model (default: the one of the trace)")


def one_model(text: str) -> str:
    """The name of a memory model, however it is written."""
    try:
        found = read_models(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if len(found) != 1:
        raise argparse.ArgumentTypeError("one memory model is enough here")
    return found[0]


def file_named(what: str, *suffixes: str) -> Callable[[str], Path]:
    """Returns a reader for the name of a file to write, whose ending says that it is `what`."""

    def file(text: str) -> Path:
        if not text.lower().endswith(suffixes):
            raise argparse.ArgumentTypeError(f"{text!r} would be {what}; give it a name that ends in {suffixes[0]}")
        return Path(text)

    return file


svg_file = file_named("a drawing in SVG", ".svg")
html_file = file_named("a page", ".html", ".htm")


def count_or_none(text: str) -> int:
    """A whole number, 0 or above. Raises ArgumentTypeError."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number, 0 or above")
    return int(text)


_READ: dict[str, Callable[[str], object]] = {
    "N": count, "CALLS": count_or_none, "FILE": Path, "FILE.py": Path, "FILE.html": html_file, "FILE.svg": svg_file,
    "FOLDER": Path, "TRACE.json": Path,
}  # fmt: skip
"""By what stands for a value in help, what makes it of a word; anything else is a text."""


def setting(text: str) -> tuple[str, object]:
    """A parameter of a program, "name=value" with a Python literal as the value."""
    name, equals, value = text.partition("=")
    if not (equals and name.isidentifier()):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form name=value")
    try:
        return name, ast.literal_eval(value.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise argparse.ArgumentTypeError(
            f"{value!r} is not a Python literal, such as 3, True or '\"text\"' (in {text!r})"
        ) from None
