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
    """Whether a notebook's kernel runs this code. Loads nothing."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and "IPKernelApp" in shell.config


@contextmanager
def shown_progress(title: str, asked: Progress | None) -> Iterator[Progress | None]:
    """What to call after every execution: what was asked for, else a bar in a notebook, else nothing."""
    if asked is not None or not is_notebook():
        yield asked
        return
    bar = _Bar(title)
    try:
        yield bar
    finally:
        bar.close()


class _Bar:
    """Executions and local states so far; appears when it took a while."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._started = time.time()
        self._bar: Any = None

    def __call__(self, statistics: Statistics) -> None:
        if self._bar is None:
            if time.time() - self._started < _DELAY:
                return
            from tqdm.auto import tqdm  # late: few need it; it takes the notebook's own bar where there are widgets

            self._bar = tqdm(desc=self._title, unit=" executions", leave=False)
        self._bar.n = statistics.executions
        self._bar.set_postfix_str(f"{statistics.local_states} local states")

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
