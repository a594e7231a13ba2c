"""Answers that are remembered for as long as what they are about is there."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")


def while_there(find: Callable[[Any], T]) -> Callable[[Any], T]:
    """Decorator: as `functools.cache`, of one object, which is not kept alive by it. Answers must not lead to it."""
    answers: WeakKeyDictionary[Any, T] = WeakKeyDictionary()

    @functools.wraps(find)
    def found(thing: Any) -> T:
        if thing not in answers:
            answers[thing] = find(thing)
        return answers[thing]

    return found
