"""Classes of the checker's own: those of what is shared, and those that nobody may meet.

An exception that speaks of a class of the checker's own, which users do not know, is a mistake of ours, and no bug of
the program.
"""

from __future__ import annotations

import _thread
import itertools
import random
import re
import threading
from collections.abc import Iterable, Iterator
from traceback import walk_tb
from types import TracebackType
from typing import Any

MAIN_THREAD = "0"
"""The name of the thread that runs a function which starts threads."""

CLOCK = "the clock"
"""The location that holds what time it is, in models of ordinary classes that look at clocks."""

LOCAL: Any = vars(_thread)["_local"]
"""The class `threading.local`. What an object of it or of a class made from it holds is of each thread."""

HAS_MODELS: frozenset[Any] = frozenset({type(_thread.allocate_lock()), type(_thread.RLock()), LOCAL, itertools.count})
"""Classes of what is of the host, and of which each instance of a program has its own."""

CHANCE: Any = vars(random)["_inst"]
"""The generator which the functions of the module `random` are methods of. What threads draw from it is a choice."""


class Shareable:
    """The base of what is of one thread until it is shared, of classes of ours: a lock, a queue."""

    __slots__ = ()


_OURS = ("replay.", "mcr.", "solvers.")
_DUMMY: Any = vars(threading)["_DummyThread"]
"""What Python makes of a thread that it does not know: in a model, of one that the checker runs."""


OF_OURS = "{} is a class of mcr, which your program should never meet: please report it"


def internal_class(error: BaseException, kinds: Iterable[type] = ()) -> str:
    """The name of a class of ours that a message is about, "" if it is about none.

    An AttributeError has the object. Of other messages the names count, where an object of such a class is at hand:
    users have classes of these names, too. `kinds` are those of objects at hand that the traceback does not tell.
    """
    if isinstance(error, AttributeError) and error.obj is not None:
        return type(error.obj).__name__ if is_internal(type(error.obj)) else ""
    if not isinstance(error, TypeError):
        return ""
    words = set(re.findall(r"\w+", str(error)))
    at_hand = {*kinds, *(type(value) for value in _at_hand(error.__traceback__))}
    return min((kind.__name__ for kind in at_hand if kind.__name__ in words and is_internal(kind)), default="")


def is_internal(kind: type) -> bool:
    """Returns whether users never get objects of a class, under any name."""
    if kind is _DUMMY:
        return True
    module = kind.__module__
    if not module.startswith(_OURS) or issubclass(kind, Shareable):
        return False
    return not module.startswith("replay.frontend.") or module in _OF_MEMORY


_OF_MEMORY = tuple(f"replay.frontend.ordinary.{each}" for each in ("contents", "identity", "values"))


def _at_hand(traceback: TracebackType | None) -> Iterator[Any]:
    """Yields the values of variables in the frames that an exception left, and those in their containers."""
    for frame, _ in walk_tb(traceback):
        for value in frame.f_locals.values():
            yield value
            if isinstance(value, tuple | list | set | frozenset):
                yield from value
