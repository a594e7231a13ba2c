"""A progress bar for explorations that take long; only on a terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, TextIO

from mcr.exploration.verdict import Statistics

_DELAY = 0.5
"""Seconds before the bar appears: most explorations are over by then, and never import it."""

_NAMED = 3
"""How many of those that are being done at once are named."""


class Watched:
    """Shows on a stream what is being done, if that is a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._wanted = stream.isatty()

    def one(self, title: str) -> Progress:
        return Progress(title)

    def many(self, count: int) -> ProgressOfMany:
        return ProgressOfMany(count, wanted=self._wanted)


class _Bar:
    """A bar that appears when it took a while, and goes when its `with` block ends."""

    def __init__(self, *, wanted: bool) -> None:
        self._wanted = wanted
        self._started = time.time()
        self._bar: Any = None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def _is_due(self) -> bool:
        return self._wanted and time.time() - self._started >= _DELAY

    def _open(self, **layout: Any) -> None:
        from tqdm import tqdm

        self._bar = tqdm(unit="", smoothing=0, file=sys.stderr, leave=False, dynamic_ncols=True, **layout)
        self._bar.start_t = self._started


class Progress(_Bar):
    """Shows executions, their rate and local states of one exploration on standard error."""

    def __init__(self, title: str) -> None:
        super().__init__(wanted=sys.stderr.isatty())
        self._title = title

    def __enter__(self) -> Progress:
        return self

    def update(self, statistics: Statistics) -> None:
        """To be called after every execution."""
        if not self._is_due():
            return
        if self._bar is None:
            self._open(desc=self._title, bar_format="{desc}: {n_fmt} executions{postfix}, {rate_noinv_fmt} [{elapsed}]")
        self._bar.set_postfix_str(f"{statistics.local_states} local states", refresh=False)
        self._bar.update(statistics.executions - self._bar.n)


class ProgressOfMany(_Bar):
    """Shows how many explorations are done, and which go on."""

    def __init__(self, count: int, *, wanted: bool) -> None:
        super().__init__(wanted=wanted)
        self._count = count
        self._ended = 0
        self._at: dict[str, str] = {}

    def __enter__(self) -> ProgressOfMany:
        return self

    def began(self, title: str) -> None:
        """One more is being done."""
        self._at[title] = title
        self._show()

    def update(self, title: str, statistics: Statistics) -> None:
        """One of them is so far."""
        self._at[title] = f"{title}: {statistics.executions} executions"
        self._show()

    def ended(self, title: str) -> None:
        """One of them is done."""
        self._at.pop(title, None)
        self._ended += 1
        self._show()

    def _show(self) -> None:
        if not self._is_due():
            return
        if self._bar is None:
            self._open(total=self._count, bar_format="{n_fmt} of {total_fmt} done [{elapsed}]{postfix}")
        named = [*self._at.values()][:_NAMED]
        more = [f"{len(self._at) - _NAMED} more"] if len(self._at) > _NAMED else []
        self._bar.set_postfix_str("; ".join([*named, *more]), refresh=False)
        self._bar.n = self._ended
        self._bar.refresh()
