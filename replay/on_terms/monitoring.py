"""Who is told of each instruction of code that is not ours, from Python 3.12 on (PEP 669).

`sys.settrace` is told of a function's instructions only from its second run on, in Python 3.13.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

from greenlet import getcurrent

from replay.code.lines import is_user_code
from replay.code.user_code import UserCode
from replay.errors import CheckerError

_NAME = "mcr on terms"

_looked_at: dict[int, CodeType] = {}
"""Code whose instructions are told, by identity, while somebody wants to know."""


@contextmanager
def monitored(
    look: Callable[[FrameType], None],
    look_at_result: Callable[[FrameType, object], None],
    is_no_matter: Callable[[FrameType], bool],
) -> Iterator[None]:
    """In the block, `look` is called before each instruction of a thread, and the other for what functions return."""
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined]
    events = monitoring.events
    tool = next((number for number in (3, 4, 1, 2) if monitoring.get_tool(number) is None), None)
    if tool is None:
        raise CheckerError("code cannot run on terms: others have taken all that Python has to look at code")
    local = events.INSTRUCTION | events.PY_RETURN | events.PY_YIELD

    def begun(code: CodeType, _: int) -> object:
        if not is_user_code(code.co_filename):
            return monitoring.DISABLE
        if _runs_thread() and id(code) not in _looked_at and not is_no_matter(sys._getframe(1)):
            _looked_at[id(code)] = code
            monitoring.set_local_events(tool, code, local)
        return None

    def instruction(code: CodeType, _: int) -> None:
        frame = sys._getframe(1)
        if _runs_thread() and not is_no_matter(frame):
            look(frame)

    def result(code: CodeType, _: int, value: object) -> None:
        frame = sys._getframe(1)
        if _runs_thread() and not is_no_matter(frame):
            look_at_result(frame, value)

    monitoring.use_tool_id(tool, _NAME)
    for event in (events.PY_START, events.PY_RESUME, events.PY_THROW):
        monitoring.register_callback(tool, event, begun)
    monitoring.register_callback(tool, events.INSTRUCTION, instruction)
    for event in (events.PY_RETURN, events.PY_YIELD):
        monitoring.register_callback(tool, event, result)
    monitoring.set_events(tool, events.PY_START | events.PY_RESUME)
    for code in _looked_at.values():
        monitoring.set_local_events(tool, code, local)
    try:
        yield
    finally:
        for code in _looked_at.values():
            monitoring.set_local_events(tool, code, 0)
        monitoring.set_events(tool, 0)
        monitoring.free_tool_id(tool)


def _runs_thread() -> bool:
    running = getcurrent()
    return isinstance(running, UserCode) and running.thread is not None and not running.abandoned
