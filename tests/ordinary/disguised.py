"""Objects that say they have another class, or whose attributes code computes: functions that start threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


def _in_a_thread(act: Callable[[], object]) -> None:
    thread = threading.Thread(target=act)
    thread.start()
    thread.join()


class Disguised:
    """An object that says it is a number, as a proxy does."""

    @property
    def __class__(self) -> Any:
        return int


def a_shared_object_says_its_class() -> None:
    held: list[Any] = [Disguised()]
    _in_a_thread(lambda: held.append((Disguised(), 1)))
    assert held[0].__class__ is int and isinstance(held[0], int)
    assert isinstance(held[1][0], int) and not isinstance(held[1][0], str)


def an_object_of_a_local_class_says_its_class() -> None:
    class Local:
        @property
        def __class__(self) -> Any:
            return int

    held = [Local()]
    _in_a_thread(lambda: held.append(Local()))
    assert [isinstance(each, int) for each in held] == [True, True]


ASKED: list[str] = []


class Counting:
    """An object that notes who asks for its class."""

    @property
    def __class__(self) -> Any:
        ASKED.append("__class__")
        return int


class Looked:
    """An object that notes which of its attributes are looked up."""

    def __getattribute__(self, name: str) -> Any:
        ASKED.append(name)
        return object.__getattribute__(self, name)


def nobody_asks_for_the_class() -> None:
    held: list[object] = []
    _in_a_thread(lambda: held.append((Counting(), {1: Counting()})))


def nobody_looks_attributes_up() -> None:
    held: list[object] = []
    _in_a_thread(lambda: held.append((Looked(), {1: Looked()})))
