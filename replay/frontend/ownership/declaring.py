"""The program function, where it is interpreted: what it makes for threads is of the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from replay.errors import ModelError
from replay.frontend.declarations import Declarations
from replay.frontend.ownership import library
from replay.frontend.ownership.objects import SharedObjects
from replay.interpreter.exceptions import Refused
from replay.interpreter.execution import Execution


def declared(
    function: Callable[..., object],
    arguments: dict[str, Any],
    like: Declarations | None,
    broken: Callable[[BaseException], NoReturn],
) -> Declarations:
    """A new instance of a program; `broken` tells of an exception that leaves its function. Raises ModelError."""
    library.install()
    heap = SharedObjects(function, like.heap if like is not None else None)  # type: ignore[arg-type]
    p = Declarations(like, heap)
    heap.declare = p.thread
    execution = Execution()
    execution.objects = heap
    try:
        execution.call(function, p, **arguments)
        execution.call(_share_all, heap, p)
    except Refused as refused:
        raise refused.error from None
    except ModelError:
        raise
    except Exception as error:
        broken(error)
    heap.declaring = False
    return p


def _share_all(heap: Any, p: Any) -> None:
    heap.share_what_was_made(p.all_code, p.own_name)
