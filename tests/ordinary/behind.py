"""Functions with two threads that count in what code has behind its names: global variables, annotations, frames.

A name that begins with `lost` says that CPython may count 1, one with `refused` that mcr cannot see what is counted.
"""

from __future__ import annotations

import functools
import inspect
import operator
import sys
import threading
import types
from collections.abc import Callable
from typing import Any


class Plain:
    pass


class Annotated(Plain):
    n: int


def one(given: Callable[[int], str] = str) -> None:
    pass


def _counted(names: Callable[[], Any]) -> Callable[[], None]:
    def count():
        names()["X"] = names().get("X", 0) + 1

    def test():
        threads = [threading.Thread(target=count) for _ in range(2)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        assert names()["X"] == 2

    return test


def _of_closure():
    def inner(x: int):
        pass

    return inner


def lost_in_annotations_of_a_closure():
    function = _of_closure()
    _counted(lambda: function.__annotations__)()


def lost_in_annotations_that_wraps_has_copied():
    function = _of_closure()
    _counted(lambda: functools.wraps(function)(lambda: 1).__annotations__)()


lost_in_globals = _counted(lambda: one.__globals__)
lost_in_globals_of_a_frame = _counted(lambda: sys._getframe(0).f_globals)
lost_by_attrgetter = _counted(lambda: operator.attrgetter("__globals__")(one))
lost_by_getattr = _counted(lambda: getattr(one, "__glo" + "bals__"))
lost_past_the_class = _counted(lambda: object.__getattribute__(one, "__globals__"))
lost_in_annotations = _counted(lambda: one.__annotations__)
lost_in_annotations_of_a_class = _counted(lambda: Annotated.__annotations__)
lost_in_annotations_of_a_class_without = _counted(lambda: Plain.__annotations__)
lost_in_annotations_past_the_class = _counted(lambda: object.__getattribute__(one, "__annotations__"))
lost_in_annotations_past_the_metaclass = _counted(lambda: type.__getattribute__(Annotated, "__annotations__"))
lost_in_annotations_of_vars = _counted(lambda: vars(Annotated)["__annotations__"])
lost_in_annotations_by_attrgetter = _counted(lambda: operator.attrgetter("__annotations__")(Annotated))
refused_f_locals = _counted(lambda: inspect.currentframe().f_back.f_locals)
refused___subclasses__ = _counted(lambda: {each.__name__: 1 for each in Plain.__subclasses__()})
refused___builtins__ = _counted(lambda: one.__builtins__)
refused___globals__ = _counted(lambda: vars(types.FunctionType)["__globals__"].__get__(one))
refused___annotations__ = _counted(lambda: vars(types.FunctionType)["__annotations__"].__get__(one))


refused___import__ = _counted(lambda: vars(__import__("json", globals(), locals())))


def kept():
    """What is only spelled, or read, stands in no way."""

    def work():
        assert not hasattr(3, "__annotations__")
        assert one.__annotations__ is one.__annotations__ and [*inspect.signature(one).parameters] == ["given"]
        assert Plain.__annotations__ == {} and [*Annotated.__annotations__] == ["n"]
        assert sys._getframe(0).f_lineno == work.__code__.co_firstlineno + 4
        if one is None:
            print(Plain.__subclasses__(), sys._getframe(1).f_locals)

    threads = [threading.Thread(target=work) for _ in range(2)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
