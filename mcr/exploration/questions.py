"""Questions that need nothing of each other, asked at once in processes that are doubles of this one."""

from __future__ import annotations

import contextlib
import functools
from collections import deque
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait

from mcr.exploration.limits import Stopped
from mcr.exploration.twins import Twin, Twins

Question = Callable[[], bool]

_LOOK = 0.05
"""Seconds between two looks at limits."""


def in_processes(jobs: int, check: Callable[[], None], questions: Sequence[Question]) -> bool:
    """False if all answers are no; True if one is yes, or its process ends without one.

    jobs   how many are asked at once
    check  called now and then
    """
    waiting, twins, asked = deque(questions), Twins(), list[Twin]()
    try:
        while waiting or asked:
            while waiting and len(asked) < jobs:
                asked.append(twins.make(functools.partial(_answer, waiting.popleft())))
            check()
            ready = wait([twin.line for twin in asked], _LOOK)
            for twin in [twin for twin in asked if twin.line in ready]:
                if not _denies(twin):
                    return True
                asked.remove(twin)
                twin.how_it_ended()
        return False
    finally:
        for twin in asked:
            twin.kill()
            twin.how_it_ended()
        twins.close()


def _answer(question: Question, line: Connection) -> None:
    with contextlib.suppress(Stopped):
        line.send(question())


def _denies(twin: Twin) -> bool:
    """Whether its answer is no."""
    try:
        return twin.line.recv() is False
    except (EOFError, OSError):
        return False
