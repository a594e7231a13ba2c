"""Functions that read, set and delete attributes by name, in the interpreter as in CPython."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from replay.interpreter.execution import Execution
from tests.interpreter.spies import LOG, logged


class Plain:
    kind = "plain"

    def __init__(self) -> None:
        self.held = 1


class Slotted:
    __slots__ = ("held",)


class Computes:
    value = property(logged(lambda self: self.missing), logged(lambda self, value: None))
    __getattr__ = logged(lambda self, name: 5 if name == "x" else object.__getattribute__(self, name))


class Intercepts:
    def __init__(self) -> None:
        object.__setattr__(self, "held", 2)

    def __getattribute__(self, name: str) -> Any:
        LOG.append(f"get {name}")
        return super().__getattribute__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        LOG.append(f"set {name}")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        LOG.append(f"delete {name}")
        object.__delattr__(self, name)


class Meta(type):
    def __getattr__(cls, name: str) -> str:
        return f"by metaclass: {name}"


class WithMeta(metaclass=Meta):
    held = 3


KINDS: list[Any] = [Plain, Slotted, Computes, Intercepts, lambda: WithMeta, lambda: 7, lambda: [], lambda: KeyError(1)]


def use(make: Any, name: Any) -> list[Any]:
    """What each function does with an attribute."""
    thing = make()
    found: list[Any] = []

    def attempt(function: Any, *arguments: Any) -> None:
        try:
            result = function(*arguments)
        except Exception as error:
            found.append((type(error).__name__, str(error)))
        else:
            found.append(result if isinstance(result, int | str | None) else type(result).__name__)

    for function in (getattr, hasattr, object.__getattribute__):
        attempt(function, thing, name)
    attempt(getattr, thing, name, "default")
    for function in (setattr, object.__setattr__):
        attempt(function, thing, name, 9)
        attempt(getattr, thing, name)
    for function in (delattr, object.__delattr__):
        attempt(function, thing, name)
    attempt(getattr, thing)
    attempt(setattr, thing, name)
    attempt(delattr)
    attempt(hasattr, thing, name, 3)
    attempt(lambda: sorted(vars(thing)))
    attempt(lambda: len(dir(thing)))
    return found


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize("name", ["held", "kind", "value", "x", "missing", 3, "__class__", "__dict__", "append"])
def test_functions_of_attributes(make: Any, name: Any) -> None:
    WithMeta.held = 3
    LOG.clear()
    expected = use(make, name), list(LOG)
    WithMeta.held = 3
    LOG.clear()
    assert (Execution().call(use, make, name), list(LOG)) == expected


def test_numbers_of_objects_are_the_same_in_every_run() -> None:
    def use() -> Any:
        things = [[1], [2], [3]]
        numbers = [id(each) for each in things]
        again = [id(each) for each in things]
        temporary = {id([each]) for each in range(5)}
        return numbers, again, temporary, id(things[1])

    numbers, again, temporary, second = Execution().call(use)
    assert numbers == again == sorted(set(numbers))
    assert second == numbers[1]
    assert len(temporary) == 1
    assert Execution().call(use) == (numbers, again, temporary, second)


def test_copies_keep_what_is_shared() -> None:
    def use() -> Any:
        inner = [1]
        outer = [inner, inner, {"self": inner}, (inner,)]
        outer.append(outer)
        copied = copy.deepcopy(outer)
        return copied[0] is copied[1] is copied[2]["self"] is copied[3][0], copied[4] is copied, copied[0] is not inner

    assert Execution().call(use) == use() == (True, True, True)
