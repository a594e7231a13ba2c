"""One object and two, and objects that only call themselves equal, are told apart."""

from __future__ import annotations

import collections
import enum
import math

import pytest

from tests.local_state.pairs import Trap, trap_of

TRAPS: dict[str, Trap] = {}
trap = trap_of(TRAPS)


# -- sharing ----------------------------------------------------------------------


@trap([0], [1], [0])
def one_list_or_two(p):
    x = p.var("x", 0)

    def thread():
        a = b = []
        if x.load():
            b = []
        x.load()
        a.append(1)
        return len(b)

    return thread


@trap([0], [1], [0])
def one_cell_or_two(p):
    x = p.var("x", 0)

    def make():
        count = 0

        def step():
            nonlocal count
            count += 1
            return count

        return step

    def thread():
        a = b = make()
        if x.load():
            b = make()
        x.load()
        a()
        return b()

    return thread


@trap([0], [1], [0])
def one_iterator_or_two(p):
    x = p.var("x", 0)

    def thread():
        a = b = iter([1, 2])
        if x.load():
            b = iter([1, 2])
        x.load()
        return next(a) + next(b)

    return thread


@trap([0], [1], [0])
def attributes_of_an_object_or_a_copy(p):
    x = p.var("x", 0)

    class Plain:
        pass

    def thread():
        thing = Plain()
        thing.own = 1
        names = thing.__dict__ if x.load() else dict(thing.__dict__)
        x.load()
        names["own"] = 5
        return thing.own

    return thread


@trap([0], [1], [0])
def module_object_or_its_copy(p):
    x = p.var("x", 0)

    def thread():
        value = _SENTINEL if x.load() else object()
        x.load()
        return value is _SENTINEL

    return thread


@trap([0], [1], [0])
def which_module_object(p):
    x = p.var("x", 0)

    def thread():
        value = _SENTINEL if x.load() else _OTHER
        x.load()
        return value is _SENTINEL

    return thread


@trap([0], [1], [0])
def number_and_what_a_function_of_none_returns(p):
    x = p.var("x", 0)

    def thread():
        one = int("9" * 30)
        other = one if x.load() else int("9" * 30)
        x.load()
        return other is _first(one, None)

    return thread


@trap([0], [1], [0])
def number_and_what_a_function_of_an_object_returns(p):
    x = p.var("x", 0)

    def thread():
        one = int("9" * 30)
        other = one if x.load() else int("9" * 30)
        x.load()
        return other is _first(one, _SENTINEL)

    return thread


@trap([0], [1], [0])
def global_number_or_its_equal(p):
    x = p.var("x", 0)

    def thread():
        value = _LARGE if x.load() else int("9" * 30)
        x.load()
        return value is _LARGE

    return thread


@trap([0], [1], [0])
def number_in_a_global_tuple_or_its_equal(p):
    x = p.var("x", 0)

    def thread():
        value = _IN_TUPLE[1] if x.load() else int("9" * 30)
        x.load()
        return value is _IN_TUPLE[1]

    return thread


@trap([0], [1], [0])
def constant_of_a_function_or_its_equal(p):
    x = p.var("x", 0)

    def thread():
        value = _constant() if x.load() else float("1.5")
        x.load()
        return value is _constant()

    return thread


@trap([0], [1], [0])
def number_of_a_module_or_its_equal(p):
    x = p.var("x", 0)

    def thread():
        value = math.pi if x.load() else float(repr(math.pi))
        x.load()
        return value is math.pi

    return thread


@trap([0], [1], [0])
def list_that_holds_itself(p):
    x = p.var("x", 0)

    def thread():
        inner = []
        outer = [inner]
        inner.append(outer if x.load() else [inner])
        x.load()
        return outer[0][0] is outer

    return thread


# -- equality that lies -----------------------------------------------------------


@trap([1], [True], [0])
def one_and_true(p):
    x = p.var("x", 0)

    def thread():
        value = x.load()
        x.load()
        return type(value).__name__

    return thread


TRAPS["one_and_one_point_zero"] = Trap(one_and_true, [1], [1.0], [0])
TRAPS["true_and_one_point_zero"] = Trap(one_and_true, [True], [1.0], [0])


@trap([0.0], [-0.0], [0])
def zeros(p):
    x = p.var("x", 0)

    def thread():
        value = x.load()
        x.load()
        return str(value)

    return thread


TRAPS["zeros_in_a_tuple"] = Trap(zeros, [(0.0,)], [(-0.0,)], [0])
TRAPS["one_and_true_in_a_tuple"] = Trap(zeros, [(1,)], [(True,)], [0])
TRAPS["complex_zeros"] = Trap(zeros, [complex(0.0, 0.0)], [complex(0.0, -0.0)], [0])
TRAPS["text_and_bytes"] = Trap(zeros, ["a"], [b"a"], [0])
TRAPS["range_and_tuple"] = Trap(zeros, [range(2)], [(0, 1)], [0])


@trap([0], [1], [0])
def objects_that_call_themselves_equal(p):
    x = p.var("x", 0)

    def thread():
        value = _Same(x.load())
        x.load()
        return value.number

    return thread


@trap([0], [1], [0])
def members_of_an_enumeration(p):
    x = p.var("x", 0)

    def thread():
        value = _Colour.RED if x.load() else _Colour.BLUE
        x.load()
        return value.name

    return thread


@trap([0], [1], [0])
def number_that_is_a_member_of_an_enumeration(p):
    x = p.var("x", 0)

    def thread():
        value = _Level.LOW if x.load() else 1
        x.load()
        return type(value).__name__

    return thread


@trap([0], [1], [0])
def named_tuple_or_tuple(p):
    x = p.var("x", 0)

    def thread():
        value = _Point(1, 2) if x.load() else (1, 2)
        x.load()
        return type(value).__name__

    return thread


@trap([0], [1], [0])
def dictionary_or_one_with_a_default(p):
    x = p.var("x", 0)

    def thread():
        value = collections.defaultdict(int) if x.load() else {}
        x.load()
        return value["a"]

    return thread


@trap([0], [1], [0])
def slots_of_an_object(p):
    x = p.var("x", 0)

    def thread():
        value = _Slotted(x.load())
        x.load()
        return value.number

    return thread


_SENTINEL, _OTHER = object(), object()
_LARGE = int("9" * 30)
_IN_TUPLE = (0, int("9" * 30))


def _constant() -> float:
    return 1.5


def _first(one: object, _: object) -> object:
    return one


class _Same:
    def __init__(self, number: int) -> None:
        self.number = number

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class _Colour(enum.Enum):
    RED = 1
    BLUE = 2


class _Level(enum.IntEnum):
    LOW = 1


_Point = collections.namedtuple("_Point", "a b")


class _Slotted:
    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


@pytest.mark.parametrize("name", TRAPS)
def test_other_futures_have_other_keys(name: str) -> None:
    TRAPS[name].check()
