"""A progress bar for explorations that take long; only on a terminal."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from mcr.exploration.growth import Size
from mcr.exploration.verdict import Statistics
from mcr.jobs.task import Display

Item = TypeVar("Item")

_DELAY = 0.5
"""Seconds before the bar appears: most explorations are over by then, and never import it."""

_NAMED = 3
"""How many of those that are being done at once are named."""

_OF_ONE = "{desc}: {n_fmt} executions{postfix}, {rate_noinv_fmt} [{elapsed}]"
_OF_STATES = _OF_ONE.replace("executions", "global states")
_OF_MANY = "{n_fmt} of {total_fmt} done [{elapsed}]{postfix}"


_ROOM_FOR_COUNTS = 44
"""Columns of a line for its count, its rate and its time."""


def fitting(parts: Sequence[str], room: int, between: str) -> str:
    """The first parts that fit so many columns, whole ones only."""
    shown = ""
    for part in parts:
        longer = f"{shown}{between}{part}" if shown else part
        if len(longer) > room:
            break
        shown = longer
    return shown


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):
        return 80


def _figures(statistics: Statistics) -> list[str]:
    """Returns the figures of a line beside its count, the most telling first."""
    figures = [f"{statistics.local_states:,} local states"]
    if statistics.global_states:
        figures.append(f"{statistics.frontier:,} states to expand")
    if statistics.outlook is not None:
        from mcr.report.remarks import how_far  # late, as most explorations are over by then

        figures.insert(0, how_far(statistics.outlook))
    return figures


def is_shown() -> bool:
    """Returns True if standard error is a terminal, which shows progress."""
    return sys.stderr.isatty()


class Progress(Display):
    """Shows on standard error, if that is a terminal, what is being done, while its `with` block lasts.

    Of one exploration its executions, or global states once there are any, their rate, its local states, and about how
    much is left; of more, how many are done, and which go on.
    """

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.is_shown = is_shown()
        self._started = time.time()
        self._ended = 0
        self._at: dict[str, str] = {}
        self._bar: Any = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Take the bar off the terminal, for lines of a report; the next update shows it again."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def began(self, title: str) -> None:
        self._at[title] = title
        self._show()

    def update(self, title: str, statistics: Statistics) -> None:
        if self._count > 1:
            self._at[title] = f"{title}: {statistics.executions:,} executions"
            self._show()
        elif self._is_due():
            bar = self._opened(desc=title, bar_format=_OF_ONE)
            if bar.desc != title:  # the next one that the same question asks for
                bar.set_description_str(title, refresh=False)
                bar.n = bar.last_print_n = 0
            if statistics.global_states:
                bar.bar_format = _OF_STATES
            room = _columns() - len(title) - _ROOM_FOR_COUNTS
            bar.set_postfix_str(fitting(_figures(statistics), room, ", "), refresh=False)
            bar.update((statistics.global_states or statistics.executions) - bar.n)

    def ended(self, title: str) -> None:
        self._at.pop(title, None)
        self._ended += 1
        self._show()

    def _show(self) -> None:
        if not self._is_due():
            return
        bar = self._opened(total=self._count, bar_format=_OF_MANY)
        named = [*self._at.values()]
        shown = fitting(named[:_NAMED], _columns() - _ROOM_FOR_COUNTS, "; ")
        left = len(named) - (shown.count("; ") + 1 if shown else 0)
        bar.set_postfix_str(f"{shown}; {left} more" if left else shown, refresh=False)
        bar.n = self._ended
        bar.refresh()

    def _is_due(self) -> bool:
        return self.is_shown and time.time() - self._started >= _DELAY

    def _opened(self, **layout: Any) -> Any:
        """The bar, which appears when it is first asked for."""
        if self._bar is None:
            from tqdm import tqdm

            self._bar = tqdm(unit="", smoothing=0, file=sys.stderr, leave=False, dynamic_ncols=True, **layout)
            self._bar.start_t = self._started
        return self._bar


def say_that_it_takes_long(title: str, size: Size) -> None:
    """Say on standard error, if that is a terminal, what pytest says: what there is to explore, and how far it is."""
    if not is_shown():
        return
    from tqdm import tqdm

    from mcr.report.layout import terminal_width, wrap
    from mcr.report.remarks import takes_long

    for line in wrap(takes_long(title, size, "--timeout"), terminal_width(), ""):
        tqdm.write(line, file=sys.stderr)


def with_progress(items: Iterable[Item], count: int, what: str) -> Iterator[Item]:
    """The items, with a progress bar on standard error if that is a terminal and there are many."""
    if count < 20 or not is_shown():
        return iter(items)
    from tqdm import tqdm

    return iter(tqdm(items, total=count, desc=what, file=sys.stderr, leave=False, dynamic_ncols=True))
