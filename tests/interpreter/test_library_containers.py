"""Models of containers and texts against CPython's: filling, searching, comparing, iterating, showing."""

from __future__ import annotations

import collections
import dataclasses
import functools
import operator
import random
import reprlib
import types
from collections import deque
from typing import Any

import pytest

from replay.interpreter.exceptions import Refused
from replay.interpreter.execution import Execution
from replay.interpreter.library.views import KEYS_CHANGED
from tests.interpreter.against_native import agree, same
from tests.interpreter.iterables import FAILS, ITERABLES, items_of
from tests.interpreter.spies import Items, Number, logged, returns


class Mapping:
    """Has `keys`, like a dictionary."""

    def __init__(self, keys: Any) -> None:
        self._keys = keys

    keys = logged(lambda self: self._keys)
    __getitem__ = logged(lambda self, key: key * 2)

    def __repr__(self) -> str:
        return "Mapping"


class OwnList(list[Any]):
    __iter__ = append = FAILS.__iter__


Two = collections.namedtuple("Two", "a b")


class Partial(functools.partial[Any]):
    pass


class OwnDict(dict[Any, Any]):
    keys = logged(lambda self: ["k"])  # type: ignore[assignment]
    __setitem__ = logged(lambda self, key, value: dict.__setitem__(self, key, value))


class IteratingDict(OwnDict):
    __iter__ = logged(lambda self: iter(["j"]))
    __getitem__ = logged(lambda self, key: key * 2)


def _has_spies(make: Any) -> bool:
    """Returns True if items have a `__hash__` of Python."""
    return any(type(each) is Number for each in items_of(make))


def changed(make: Any) -> Any:
    """Calls a method of an object, and shows what became of it."""

    def of(call: Any, *arguments: Any, **keywords: Any) -> Any:
        thing = make()
        try:
            result = call(thing, *arguments, **keywords)
        except Exception as error:
            return f"{type(error).__name__}: {error}", thing
        return result, thing

    return of


@pytest.mark.parametrize("make", ITERABLES)
def test_containers_are_filled(make: Any) -> None:
    for native in (list, tuple, set, dict, bytes, operator.length_hint):
        agree(native, lambda call: call(make()))
    if not _has_spies(make):
        agree(frozenset, lambda call: call(make()))
    of_list, of_own = changed(lambda: [8, 9]), changed(lambda: OwnList([8, 9]))
    for native in (list.extend, list.__iadd__, list.__init__):
        agree(native, lambda call: of_list(call, make()))
        agree(native, lambda call: of_own(call, make()))
    for native in (dict.update, dict.__init__):
        agree(native, lambda call: changed(lambda: {1: 1})(call, make()))
        agree(native, lambda call: changed(lambda: {1: 1})(call, [make()], more=3))
        agree(native, lambda call: changed(OwnDict)(call, [(1, 2), make()]))
    agree(dict.__dict__["fromkeys"], lambda call: call(dict, make(), 5))
    agree(dict.__dict__["fromkeys"], lambda call: call(OwnDict, make()))
    agree(tuple.__new__, lambda call: call(Two, make()))
    agree(str.join, lambda call: call("-", make()))
    agree(bytes.join, lambda call: call(b"-", make()))


@pytest.mark.parametrize("make", [make for make in ITERABLES if not _has_spies(make)])
def test_sets(make: Any) -> None:
    names = "union intersection difference symmetric_difference issubset issuperset isdisjoint"
    for native in (getattr(kind, name) for kind in (set, frozenset) for name in names.split()):
        kind = native.__objclass__
        agree(native, lambda call: call(kind({1, 2}), make()))
        agree(native, lambda call: call(kind({0, 1}), {"a"}, make()))
        agree(native, lambda call: call(kind()))
    for name in ["update", "intersection_update", "difference_update", "symmetric_difference_update", "__init__"]:
        agree(getattr(set, name), lambda call: changed(lambda: {1, 2, 7})(call, make()))
        agree(getattr(set, name), lambda call: changed(lambda: {1, 2, 7})(call, [2, 5], make()))


@pytest.mark.parametrize("make", ITERABLES)
def test_sets_of_spies(make: Any) -> None:
    for name in ("union", "issuperset", "isdisjoint"):
        agree(getattr(set, name), lambda call: call({1, 2}, make()))
    for name in ("update", "difference_update"):
        agree(getattr(set, name), lambda call: changed(lambda: {1, 2, 7})(call, [2, 5], make()))


class Hashed:
    """Counts how often it is hashed."""

    def __init__(self, value: int) -> None:
        self.value, self.times = value, 0

    def __hash__(self) -> int:
        self.times += 1
        return self.value

    def __eq__(self, other: Any) -> bool:
        return bool(self.value == other.value)


@pytest.mark.parametrize("name", ["intersection", "issubset", "issuperset", "isdisjoint"])
def test_items_are_hashed_as_often_as_by_python(name: str) -> None:
    def times() -> list[int]:
        found = []
        for values in ((), (1,), (1, 2, 3)):
            for asked in ((1,), (1, 1), (9, 1, 3, 1, 2, 4)):
                key, things = [Hashed(each) for each in asked], {Hashed(each) for each in values}
                getattr(things, name)(iter(key))
                found += [each.times for each in key]
        return found

    same(times)


def test_sets_of_iterables_have_the_order_that_python_gives_them() -> None:
    numbers = random.Random(5)
    for _ in range(50):
        one, other = ([numbers.randrange(200) for _ in range(numbers.randrange(50))] for _ in range(2))
        for kind in (set, frozenset):
            agree(kind.issubset, lambda call: call(kind(one), iter(other)))
            agree(kind.intersection, lambda call: list(call(kind(one), iter(other))))
            agree(kind.intersection, lambda call: list(call(kind(one), iter(other), iter(one))))
        agree(set.intersection_update, lambda call: list(changed(lambda: set(one))(call, iter(other))))


def test_dictionaries_of_mappings() -> None:
    for make in ITERABLES:
        agree(dict, lambda call: call(Mapping(make()), x=1))
    for kind in (OwnDict, IteratingDict):
        agree(dict, lambda call: call(kind({"a": 1})))
        agree(dict.update, lambda call: changed(dict)(call, kind({"a": 1}), b=3))
    agree(dict, lambda call: call([(1, 2, 3)]))
    agree(dict, lambda call: call([(1, 2), Items(3, 4), "ab"]))
    agree(dict, lambda call: call(["abc"]))


def test_missing_keys() -> None:
    class Asks(dict[Any, Any]):
        __missing__ = logged(lambda self, key: [key])

    for key in (1, "x", Number(3)):
        agree(dict.__getitem__, lambda call: call({1: 2}, key))
        agree(dict.__getitem__, lambda call: changed(lambda: Asks({1: 2}))(call, key))
        agree(collections.defaultdict.__missing__, lambda call: call(collections.defaultdict(), key))
        agree(
            collections.defaultdict.__missing__,
            lambda call: changed(lambda: collections.defaultdict(logged(list)))(call, key),
        )
        agree(collections.defaultdict.__missing__, lambda call: call(collections.defaultdict(FAILS), key))
    for arguments in ((), (list,), (None,), (7,), (list, [(1, 2)]), (list, {1: 2})):
        agree(collections.defaultdict, lambda call: call(*arguments))
        agree(collections.defaultdict, lambda call: call(*arguments, a=1))


def test_searching() -> None:
    lists = [[], [1, 2, 3, 2], [Number(1), Number(2), Number(2, "2'")], [1, FAILS], [[1], [Number(1)]]]
    for items in lists:
        for value in (2, Number(2), FAILS, items[-1:], [Number(1)], None):
            for kind in (list, tuple):
                for name in ("index", "count", "__contains__"):
                    agree(getattr(kind, name), lambda call: call(kind(items), value))
                for bounds in ((1,), (-1,), (1, 2), (Number(1), Number(9)), (1.5,), (None,)):
                    agree(kind.index, lambda call: call(kind(items), value, *bounds))
            agree(list.remove, lambda call: changed(lambda: [*items])(call, value))


def test_a_list_changed_while_it_is_searched() -> None:
    items: list[Any] = []

    class Pops:
        def __eq__(self, other: object) -> bool:
            items.pop()
            return False

    def fill() -> list[Any]:
        items[:] = [Pops(), Pops(), 3]
        return items

    for native in (list.index, list.count, list.__contains__, list.remove):
        agree(native, lambda call: call(fill(), "none"))
    agree(list.__eq__, lambda call: call(fill(), [1, 2, 3]))
    agree(list.__lt__, lambda call: call(fill(), [1, 2, 3]))


def test_comparing() -> None:
    sides: list[list[Any]] = [
        [], [1], [1, 2], [Number(1)], [Number(1), Number(2)], [Number(1), 2], [[Number(1)]], [FAILS], [FAILS, 1],
    ]  # fmt: skip
    for left in sides:
        for right in sides:
            for kind in (list, tuple):
                for name in ("eq", "ne", "lt", "le", "gt", "ge"):
                    agree(getattr(kind, f"__{name}__"), lambda call: call(kind(left), kind(right)))
            for name in ("__eq__", "__ne__"):
                agree(getattr(dict, name), lambda call: call(dict(enumerate(left)), dict(enumerate(right))))
        agree(list.__eq__, lambda call: call(left, tuple(left)))
        agree(dict.__eq__, lambda call: call({}, left))
        agree(tuple.__hash__, lambda call: call(tuple(left)))


VIEWS: list[Any] = [
    lambda: {},
    lambda: {"a": 1, "b": 2, "c": 3},
    lambda: {"a": 1, "b": 2, "c": 3}.keys(),
    lambda: {"a": 1, "b": 2, "c": 3}.values(),
    lambda: {"a": 1, "b": 2, "c": 3}.items(),
    lambda: {1, 2, 3},
    lambda: frozenset({1, 2}),
]


@pytest.mark.parametrize("make", VIEWS)
def test_iterators_over_dictionaries_and_sets(make: Any) -> None:
    kind = type(make())
    agree(kind.__iter__, lambda call: call(make()))
    if hasattr(kind, "__reversed__"):
        agree(kind.__reversed__, lambda call: call(make()))


CHANGES: list[Any] = [
    lambda d, key: None,
    lambda d, key: d.pop("c", 0),
    lambda d, key: d.update(z=9),
    lambda d, key: (d.pop("c", 0), d.update(a=7)),
    lambda d, key: d.update(dict.fromkeys(d, 10)),
    lambda d, key: d.clear(),
]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("way", ["keys", "values", "items"])
def test_a_dictionary_changed_while_it_is_gone_through(change: Any, way: str) -> None:
    kind = type(getattr({}, way)())

    def go(iterate: Any) -> Any:
        things = {"a": "a", "b": "b", "c": "c"}
        iterator = iterate(getattr(things, way)())
        found: list[Any] = []
        try:
            for entry in iterator:
                found.append(entry)
                change(things, entry if isinstance(entry, str) else entry[0])
        except Exception as error:
            found.append(repr(error))
        return [*found, operator.length_hint(iterator), next(iterator, "end")] if change is not CHANGES[-1] else found

    agree(kind.__iter__, go)


@pytest.mark.parametrize("iterate", [iter, dict.values, dict.items, reversed, enumerate, set, frozenset])
def test_keys_that_come_in_the_place_of_others_are_refused(iterate: Any) -> None:
    """What comes next depends on how CPython has packed the keys, which nothing else shows."""

    def go() -> None:
        things: Any = {1: 1, 2: 2, 3: 3}
        if iterate in (set, frozenset):
            things = set(things)
        iterator = iter(things if iterate in (set, frozenset) else iterate(things))
        next(iterator)
        things.pop(1) if isinstance(things, dict) else things.remove(1)
        things.update({9: 9})
        next(iterator)

    with pytest.raises(Refused) as raised:
        Execution().call(go)
    assert raised.value.error.message == KEYS_CHANGED
    assert raised.value.error.where == f"{__file__}:{go.__code__.co_firstlineno + 8}"


def test_a_set_changed_while_it_is_gone_through() -> None:
    def go(iterate: Any) -> Any:
        things = {1, 2, 3}
        iterator = iterate(things)
        found = [next(iterator)]
        things.add(7)
        for _ in range(2):
            try:
                found.append(next(iterator))
            except RuntimeError as error:
                found.append(str(error))
        return found

    agree(set.__iter__, go)


class Text:
    """Shown by methods of Python."""

    def __init__(self, **methods: Any) -> None:
        self.methods = methods

    __str__ = logged(lambda self: "as text")
    __repr__ = logged(lambda self: "as \N{EURO SIGN} repr")
    __format__ = logged(lambda self, spec: f"<{spec}>")


def _texts() -> list[Any]:
    plain = [None, 1, 2.5, "x", b"x", [], [1], (), (1,), (1, 2), {}, {1: 2}, set(), {1}, frozenset(), frozenset({1})]
    holding = [
        [Text()],
        (Text(),),
        (Text(), 1),
        {1: Text()},
        {Text(): 2},
        {Text()},
        frozenset({Text()}),
        deque([Text()]),
    ]
    errors = [KeyError(Text()), ValueError(Text(), 1), KeyError(), Exception(), OSError(1, "no")]
    special = [
        returns(str=3),
        returns(repr=3),
        returns(format=3),
        returns(str=KeyError("k")),
        returns(repr=KeyError("k")),
    ]
    views = [{1: Text()}.keys(), {1: Text()}.values(), {1: Text()}.items()]
    others = [
        deque([Text()], 3),
        collections.defaultdict(list, {1: Text()}),
        types.SimpleNamespace(a=Text()),
        types.MappingProxyType({1: Text()}),
        types.MappingProxyType(OwnDict({1: Text()})),
        types.MethodType(len, Text()),
        types.MethodType(Two._asdict, Text()),
        slice(None, Text(), Text()),
        operator.itemgetter(Text()),
        operator.itemgetter(Text(), Text()),
        operator.methodcaller("to", Text(), by=Text()),
        functools.partial(len, Text(), by=Text()),
        functools.partial(types.MethodType(len, Text())),
        staticmethod(types.MethodType(len, Text())),
        classmethod(types.MethodType(len, Text())),
        Partial(len, Text()),
        object,
        len,
    ]
    return [*plain, *holding, *errors, *special, *views, *others, Text(), FAILS, Number(3)]


@pytest.mark.parametrize("thing", _texts())
def test_texts(thing: Any) -> None:
    for native in (str, repr, ascii, format):
        agree(native, lambda call: call(thing))
    shows = type(thing).__repr__
    if not isinstance(shows, types.FunctionType) and type(thing) not in (int, float, str, bytes, type(None)):
        from replay.interpreter.natives import model_of

        if model_of(shows) is not None:
            agree(shows, lambda call: call(thing))
    if isinstance(thing, BaseException):
        agree(BaseException.__str__, lambda call: call(thing))
    if isinstance(thing, KeyError):
        agree(KeyError.__str__, lambda call: call(thing))
    for spec in ("", ">5", 3, "q"):
        agree(format, lambda call: call(thing, spec))
        agree(object.__format__, lambda call: call(thing, spec))
    for pattern in ("%s", "%r", "%a", "%d", "%5.2f", "%x", "%c", "%s and %s", "%%", "%*d", "%(a)s", "none"):
        agree(str.__mod__, lambda call: call(pattern, thing))
        agree(str.__mod__, lambda call: call(pattern, (thing,)))
        agree(str.__mod__, lambda call: call(pattern, (3, thing)))
        agree(str.__mod__, lambda call: call(pattern, {"a": thing}))


def test_constructors_of_texts() -> None:
    agree(str, lambda call: call())
    agree(str, lambda call: call(object=Text()))
    agree(str, lambda call: call(b"x", "ascii"))
    agree(str, lambda call: call(b"x", errors="strict"))
    agree(str, lambda call: call(Text(), "ascii"))
    agree(bytes, lambda call: call(returns(bytes=b"x")))
    agree(bytes, lambda call: call(returns(bytes="x")))
    agree(bytes, lambda call: call(returns(index=3)))
    agree(bytes, lambda call: call([returns(index=3)]))
    agree(bytes, lambda call: call("x", "ascii"))
    agree(
        str.__mod__,
        lambda call: call("%d %x %o %.1f", (returns(int=3), returns(index=4), Number(5), returns(float=2.5))),
    )
    agree(str.__mod__, lambda call: call("%(a)s %(b)r %(a)d", {"a": Number(3), "b": Text()}))
    agree(str.__mod__, lambda call: call("%(a)s", Mapping([])))
    for pattern in ("%x", "%d", "%c", "%f"):
        for wrong in ("x", TypeError("t"), KeyError("k")):
            agree(str.__mod__, lambda call: call(pattern, returns(index=wrong, int=wrong, float=wrong)))


def test_containers_that_hold_themselves() -> None:
    def holding_itself(show: Any) -> Any:
        items: list[Any] = [Text()]
        items.append(items)
        return show(items)

    agree(list.__repr__, lambda call: call([1, [2]]))
    expected = holding_itself(repr)
    assert expected == "[as \N{EURO SIGN} repr, [...]]"


class Output:
    def __init__(self, *, fails: bool = False) -> None:
        self.written: list[str] = []

    def write(self, text: str) -> None:
        self.written.append(text)

    def flush(self) -> None:
        self.written.append("flushed")


def test_print() -> None:
    cases: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((), {}),
        ((1, "a", Text()), {}),
        ((1, 2), {"sep": "-", "end": "."}),
        ((1, 2), {"sep": 3}),
        ((1, 2), {"end": 3}),
        ((1, FAILS), {}),
        ((1,), {"flush": True}),
    ]
    for arguments, keywords in cases:

        def written(call: Any) -> Any:
            output = Output()
            try:
                call(*arguments, file=output, **keywords)
            except Exception as error:
                return f"{error!r}", output.written
            return output.written

        agree(print, written)


def test_classes_of_objects() -> None:
    class Meta(type):
        __instancecheck__ = logged(lambda cls, thing: thing == 3)
        __subclasscheck__ = logged(lambda cls, kind: kind is int)

    class Checks(metaclass=Meta):
        pass

    class Says:
        __class__ = property(logged(lambda self: int))  # type: ignore[assignment]

    kinds: list[Any] = [
        int, str, object, type, Checks, (int, str), (Checks, int), ((str, Checks), int), int | None,
        collections.abc.Sized, collections.abc.Iterator, 7, (7,), (), list[int],
        returns(instancecheck=1), returns(subclasscheck=[]),
    ]  # fmt: skip
    for kind in kinds:
        for thing in (3, "x", None, [], Checks(), Says(), object, Meta, iter([]), Number(3)):
            agree(isinstance, lambda call: call(thing, kind))
        for thing in (int, str, bool, Checks, Says, object, Meta, 7, list[int], type(None), dict):
            agree(issubclass, lambda call: call(thing, kind))
    for thing in (3, len, int, Number(3), FAILS, lambda: 3):
        agree(callable, lambda call: call(thing))


def test_objects_that_hold_themselves() -> None:
    def use() -> Any:
        @dataclasses.dataclass
        class Node:
            name: str
            others: list[Any]

        class Shown:
            def __init__(self) -> None:
                self.node = Node("a", [self])

            @reprlib.recursive_repr("<again>")
            def __repr__(self) -> str:
                return f"Shown({self.node!r}, {self.node!s})"

        node = Node("b", [])
        node.others.append(node)
        items: list[Any] = [node]
        items.append(items)
        return repr(node), repr(Shown()), f"{items}", str({1: items})

    same(use)


PATTERNS = (
    *(
        "{} and {}",
        "{0} {0!r} {1:>5}",
        "{} {0}",
        "{0} {}",
        "{a.methods} {b[0]}",
        "{0.methods[x]}",
        "{:{}}",
        "{!a}",
        "{!q}",
    ),
    *("{", "}", "{{}}", "{2}", "{missing}", "{:{:{}}}", "{0.missing}", "plain", "{0[x]}", "{a!s:>{b}}"),
)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_fields(pattern: str) -> None:
    for arguments in ((), (Text(), 7), (Text(x=[Text()]), Text()), ({"x": Text()}, 3)):
        agree(str.format, lambda call: call(pattern, *arguments))
        agree(str.format, lambda call: call(pattern, *arguments, a=Text(), b=[Text()]))
    agree(str.format_map, lambda call: call(pattern, {"a": Text(), "b": [Text()]}))
    agree(str.format_map, lambda call: call(pattern, Mapping([])))
