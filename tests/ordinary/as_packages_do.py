"""Functions with two threads that do what packages do: `kept` holds under every schedule, `lost` fails under one."""

# ruff: noqa  # written as users do

import operator
import threading
import typing
from collections import OrderedDict
from contextvars import ContextVar

import mcr

T = typing.TypeVar("T")


class Generic(typing.Generic[T]):
    n = 1
    first = operator.itemgetter(0)


class Keyed:
    def __init__(self, key=operator.attrgetter("n")):
        self.key = key


class Table(dict):
    pass


get = operator.attrgetter("n")


def together(*functions):
    threads = [threading.Thread(target=function) for function in functions]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]


def _beside_a_writer(table, read):
    together(lambda: read(table), lambda: table.__setitem__(2, 2))


def kept_aliases():
    def work():
        assert typing.Iterable[int] == typing.Iterable[int] and typing.cast(typing.Optional[int], 1) == 1
        assert Generic[int]().n == 1

    together(work, work)


def kept_getters_of_a_module():
    seen = []
    together(lambda: seen.append(get(Generic)), lambda: seen.append(Generic.first([1])))
    assert seen == [1, 1]


def kept_getters_of_objects():
    default, other = Keyed(), Keyed(operator.itemgetter(0, 1))
    together(lambda: default.key(Generic), lambda: other.key([1, 2]), lambda: setattr(other, "n", default.key))
    assert other.n is default.key and default.key is not Keyed(operator.attrgetter("n")).key


def kept_callers():
    caller = Keyed(operator.methodcaller("split", ",", maxsplit=1))
    together(lambda: caller.key("a,b"), lambda: caller.key("c,d"))
    assert caller.key("a,b,c") == ["a", "b,c"]


def kept_list_of_values():
    _beside_a_writer({1: 1}, lambda table: list(table.values()))


def kept_sorted_items():
    _beside_a_writer({1: 1}, lambda table: sorted(table.items(), key=lambda item: item[1], reverse=True))


def kept_values_past_the_class():
    _beside_a_writer(Table({1: 1}), lambda table: sorted(dict.values(table)))


def kept_keys_in_a_list():
    _beside_a_writer({1: 1}, lambda table: [*table.keys()])


def kept_extended_by_keys():
    _beside_a_writer({1: 1}, lambda table: [0].extend(table.keys()))


def lost_views_of_ordered():
    _beside_a_writer(OrderedDict({1: 1}), lambda table: list(table.values()))


def lost_set_of_values():
    _beside_a_writer({1: 1}, lambda table: set(table.values()))


def lost_greatest_value():
    _beside_a_writer({1: 1}, lambda table: max(table.values()))


class Local:
    """As werkzeug's: without its slot, `__getattr__` would ask for that again and again."""

    __slots__ = ("_storage",)

    def __init__(self):
        object.__setattr__(self, "_storage", ContextVar("storage"))

    def __getattr__(self, name):
        return self._storage.get({})[name]

    def __setattr__(self, name, value):
        self._storage.set({**self._storage.get({}), name: value})


@mcr.program
def kept_for_each_context(p):
    local = p.share(Local())

    def use(number):
        local.number = number
        assert local.number == number

    p.thread(use, 1)
    p.thread(use, 2)
