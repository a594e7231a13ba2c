"""A progress bar for explorations that take long; only on a terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

from mcr.exploration.verdict import Statistics

_DELAY = 0.5
"""Seconds before the bar appears: most explorations are over by then, and never import it."""


class Progress:
    """Shows executions, their rate and local states on standard error while its `with` block runs."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._wanted = sys.stderr.isatty()
        self._started = time.time()
        self._bar: Any = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def update(self, statistics: Statistics) -> None:
        """To be called after every execution."""
        if not self._wanted or time.time() - self._started < _DELAY:
            return
        if self._bar is None:
            self._open()
        self._bar.set_postfix_str(f"{statistics.local_states} local states", refresh=False)
        self._bar.update(statistics.executions - self._bar.n)

    def _open(self) -> None:
        from tqdm import tqdm

        self._bar = tqdm(
            desc=self._title,
            bar_format="{desc}: {n_fmt} executions{postfix}, {rate_noinv_fmt} [{elapsed}]",
            unit="",
            smoothing=0,
            file=sys.stderr,
            leave=False,
            dynamic_ncols=True,
        )
        self._bar.start_t = self._started
