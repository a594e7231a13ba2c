"""Streams in memory, which a thread has for itself: what they hold is all that tells them from others."""

from __future__ import annotations

import io
from typing import Any

from replay.interpreter.copier import Copier, Uncopyable, copies


def state_of_stream(stream: Any) -> tuple[Any, ...]:
    """Returns all that a stream holds. Raises ValueError for one of which that cannot be told."""
    state: tuple[Any, ...] = stream.__getstate__()  # raises ValueError for a closed one
    if state[-1] or state[1] in (None, ""):
        raise ValueError("it has attributes, or knows how its lines ended")
    return state


@copies(io.StringIO, io.BytesIO)
def _stream(_: Copier, original: Any) -> Any:
    try:
        state = state_of_stream(original)
    except ValueError:
        raise Uncopyable(f"a {type(original).__name__} of which not all can be told") from None
    copy = type(original)()
    copy.__setstate__(state)
    return copy
