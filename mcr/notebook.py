"""The progress bar of a notebook, for who calls `mcr.check` in one."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mcr.exploration.session import Progress
from mcr.exploration.verdict import Statistics

_DELAY = 0.5
"""Seconds before the bar appears."""


def is_notebook() -> bool:
    """Returns whether a notebook's kernel runs this code. Loads nothing."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and "IPKernelApp" in shell.config


@contextmanager
def shown_progress(title: str, asked: Progress | None) -> Iterator[Progress | None]:
    """Returns what to call after every execution: what was asked for, else a bar in a notebook, else nothing.

    The bar shows executions and local states so far; it appears when it took a while.
    """
    if asked is not None or not is_notebook():
        yield asked
        return
    started, bar = time.time(), None

    def show(statistics: Statistics) -> None:
        nonlocal bar
        if bar is None:
            if time.time() - started < _DELAY:
                return
            from tqdm.auto import tqdm  # late: few need it; it takes the notebook's own bar where there are widgets

            bar = tqdm(desc=title, unit=" executions", leave=False)
        bar.n = statistics.executions
        bar.set_postfix_str(f"{statistics.local_states} local states")

    try:
        yield show
    finally:
        if bar is not None:
            bar.close()
