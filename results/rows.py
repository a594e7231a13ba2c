"""Rows of a command of results/: how many are asked for, and each measured once.

`--rows N` asks for the first rows; tests start each command with its smallest input (tests/bench/test_commands.py).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable

from mcr.bench.environment import environment
from mcr.bench.rows import Row, Rows


def rows_asked(doc: str | None) -> int | None:
    """The number that `--rows N` names on the command line, None for all; `doc` is the docstring of the script."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_rows(parser)
    asked: int | None = parser.parse_args(sys.argv[1:]).rows
    return asked


def stored_rows_asked(doc: str | None, *, pythons: bool = False) -> argparse.Namespace:
    """The options of a script whose rows are kept as they are measured: `timeout` in seconds, `fresh`, and `rows`.

    With `pythons` also `python`, a list of other Pythons.
    """
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds for each row")
    parser.add_argument("--fresh", action="store_true", help="forget what was measured before")
    if pythons:
        parser.add_argument("--python", nargs="*", default=[], metavar="OTHER", help="also check failures with these")
    add_rows(parser)
    return parser.parse_args()


def add_rows(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rows", type=int, metavar="N", help="measure only the first N rows of each table (default: all)"
    )


def kept_row(stored: Rows, asked: Row, measure: Callable[[Row], Row], cells: Callable[[Row], Iterable[object]]) -> Row:
    """Returns the stored row that has the key of the one asked for. One that is not there is measured, stored, and its
    cells are printed."""
    row = stored.like(asked)
    if row is None:
        row = {**asked, **measure(asked), **environment()}
        stored.add(row)
        print(*cells(row), flush=True)
    return row
