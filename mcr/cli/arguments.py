"""Arguments that commands share, and how their texts become values."""

from __future__ import annotations

import argparse
import ast
from pathlib import Path

from mcr.exploration.memory import read_size
from replay.errors import CheckerError
from replay.world.memory_models import MODELS

_AT_ONCE = "how many processes explore at once (default: the cores that may be used); the report is the same"


def add_output_arguments(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """--json and --color; returns their group, for more of the kind."""
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="one JSON document on standard output, for machines")
    group.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="auto (default): on a terminal only"
    )
    return group


def add_model_argument(parser: argparse._ActionsContainer, default: str = "all") -> None:
    """--model: the names of some memory models, None if it is not given; `default` is for the help."""
    known = f"{', '.join(MODELS)} or all; several with commas between (default: {default})"
    parser.add_argument("--model", metavar="MODEL", type=_models, help=f"memory model: {known}")


def one_model(text: str) -> str:
    """The name of a memory model, however it is written."""
    found = _models(text)
    if len(found) != 1:
        raise argparse.ArgumentTypeError("one memory model is enough here")
    return found[0]


def _models(text: str) -> tuple[str, ...]:
    names = [name.strip().lower() for name in text.split(",")]
    for name in names:
        if name not in (*MODELS, "all"):
            raise argparse.ArgumentTypeError(f"there is no memory model {name!r}: {', '.join(MODELS)} or all")
    return tuple(MODELS) if "all" in names else tuple(dict.fromkeys(names))


def add_solver_argument(parser: argparse.ArgumentParser) -> None:
    """--solver, None if it is not given."""
    parser.add_argument("--solver", metavar="NAME", help="minisat22 (default), or another that `mcr doctor` lists")


def asked_solver(arguments: argparse.Namespace) -> str | None:
    """The solver that is asked for by name; SolverError, before anything else happens, if it cannot be made."""
    from solvers.registry import make_solver

    if arguments.solver is not None:
        make_solver(arguments.solver)
    solver: str | None = arguments.solver
    return solver


def add_algorithm_argument(parser: argparse.ArgumentParser) -> None:
    """--algorithm, None if it is not given."""
    parser.add_argument(
        "--algorithm",
        metavar="NAME",
        type=_algorithm,
        help="how to explore: auto (default), cover, trust, trust-rf, mcr, rf-smc, rvf-smc, bmc, stateful or "
        "exhaustive; a variant follows a colon: mcr:paper (docs/algorithms.md)",
    )


def add_merge_argument(parser: argparse.ArgumentParser) -> None:
    """--no-merge: `merge` is False then, and None if it is not given."""
    parser.add_argument(
        "--no-merge",
        dest="merge",
        action="store_const",
        const=False,
        help="tell local states apart by all that their threads did and read (docs/local-states.md)",
    )


def _algorithm(text: str) -> str:
    from mcr.explorers.registry import parse

    try:
        parse(text)
    except CheckerError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def add_setting_argument(parser: argparse.ArgumentParser) -> None:
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


def add_jobs_argument(parser: argparse.ArgumentParser | argparse._ArgumentGroup, what: str = _AT_ONCE) -> None:
    """--jobs, None if it is not given; `what` it means to the command."""
    parser.add_argument("--jobs", metavar="N", type=positive_number, help=what)


def positive_seconds(text: str) -> float:
    """A time limit."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return seconds


def add_memory_argument(parser: argparse._ArgumentGroup | argparse.ArgumentParser) -> None:
    """--memory, in bytes."""
    parser.add_argument(
        "--memory",
        metavar="SIZE",
        type=size,
        help="what each process may hold, such as 300M or 2G (default, for all together: three quarters of the machine "
        "or its container)",
    )


def size(text: str) -> int:
    """A limit on memory."""
    try:
        return read_size(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


_DIGITS = 18
"""Of the largest count that anybody waits for."""


def positive_number(text: str) -> int:
    """A limit on a count."""
    if not text.isdecimal() or len(text) > _DIGITS or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def html_file(text: str) -> Path:
    """A file to write a page to."""
    return _file(text, (".html", ".htm"), "a page")


def svg_file(text: str) -> Path:
    """A file to write a drawing to."""
    return _file(text, (".svg",), "a drawing in SVG")


def _file(text: str, suffixes: tuple[str, ...], what: str) -> Path:
    if not text.lower().endswith(suffixes):
        raise argparse.ArgumentTypeError(f"{text!r} would be {what}; give it a name that ends in {suffixes[0]}")
    return Path(text)


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
