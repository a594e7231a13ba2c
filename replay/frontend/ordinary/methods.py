"""The methods of shared containers: one that only looks is a load, one that changes something an update."""

from __future__ import annotations

import functools
import itertools
import operator
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

from replay.code.running_thread import current_run, perform, refuse
from replay.frontend.ordinary import comparing
from replay.frontend.ordinary.byte_arrays import methods_of_bytes
from replay.frontend.ordinary.changes import (
    begun_again,
    copied,
    goes_its_own_way,
    identity_of_container,
    is_shared_container,
    looked_at,
    spelled_call,
    update,
    update_by_keys,
)
from replay.frontend.ordinary.contents import (
    FACTORY,
    LIMIT,
    SetContent,
    base_of,
    check_key,
    comparing_keys,
    runs_code,
    unpacked,
)
from replay.frontend.ordinary.iterating import DictView, Steps, length, steps_back, steps_through
from replay.frontend.ordinary.showing import repr_of
from replay.frontend.threads import FINAL
from replay.interpreter.lookup import is_hashed_by_code
from replay.interpreter.natives import natively
from replay.world.anatomy import is_written_in_python
from replay.world.operation import Kind

_LOOKING = {
    list: "__getitem__ __add__ __mul__ __rmul__ copy",
    dict: "__contains__ __or__ __ror__ get copy",
    set: "__contains__ __and__ __or__ __sub__ __xor__ copy union intersection difference "
    "symmetric_difference issubset issuperset isdisjoint",
    deque: "__getitem__ __add__ __mul__ __rmul__ copy",
}
"""Methods that are one load; what they compute, they compute of a copy."""

_CHANGING = {
    list: "append insert pop clear reverse __setitem__ __delitem__ __imul__",
    dict: "pop popitem clear setdefault __setitem__ __delitem__ move_to_end",
    set: "add discard remove clear",
    deque: "append appendleft insert pop popleft clear rotate reverse __setitem__ __delitem__ __imul__",
}
"""Methods that are one update."""

_GIVEN = ("get", "__contains__", "__getitem__")
"""Methods that give back, or look up, what they are given, and do not look into it."""

_AT_PLACES = ("insert", "pop", "rotate", "__setitem__", "__delitem__", "__imul__")
"""Methods of lists and deques whose first argument is a number."""

_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")

_TAKING_ALL = {
    list: "extend __iadd__",
    dict: "",
    set: "update difference_update intersection_update symmetric_difference_update __ior__ __isub__ __iand__ __ixor__",
    deque: "extend extendleft __iadd__",
}
"""Methods that are one update, with all that is in what they are given."""


def _own(value: Any, base: type | None = None, name: str = "") -> Any:
    """Something that a method of this name, of a class made from `base`, is given to look at: of a container a copy."""
    if base is not None and goes_its_own_way(value):
        if issubclass(base, dict):
            return dict(value)
        if base is set and (name == "isdisjoint" or not isinstance(value, set)):
            return list(value)
    return looked_at(value) if is_shared_container(value) else value


def _all_of(values: Iterable[Any], base: type) -> list[Any]:
    """All that an iterable gives to a container made from `base`. Sets look into any other set."""
    if goes_its_own_way(values) and not (base is set and isinstance(values, set)):
        return list(values)
    return list(looked_at(values) if is_shared_container(values) else values)


def _compared(base: type, name: str) -> Callable[..., Any]:
    """A comparison of a shared set, also with the keys or items of a dict, which know no shared sets."""
    compare = getattr(base, name)

    def method(self: Any, other: Any) -> Any:
        is_view = isinstance(other, DictView | type({}.keys()) | type({}.items()))
        return compare(looked_at(self), set(other) if is_view else _own(other))

    return method


def compared_at_once(base: type, name: str) -> Callable[..., Any]:
    """A comparison of dicts or deques of which one is shared.

    It refuses one that runs code of items: others may change them meanwhile.
    """
    compare: Any = getattr(base, name)
    kind: Any = base

    def method(self: Any, other: Any) -> Any:
        mine, theirs = _own(self), _own(other)
        if isinstance(theirs, kind) and current_run().name != FINAL:
            held = [each for side in (mine, theirs) for each in (side.values() if isinstance(side, dict) else side)]
            if any(runs_code(each, comparing.COMPARED) for each in held):
                shared = self if is_shared_container(self) else other
                refuse(
                    f"{identity_of_container(shared)} holds objects that are compared by code of their own, and "
                    "others may change it meanwhile: compare copies, as .copy() makes them"
                )
        return compare(mine, theirs)

    return method


def _looking(base: type, name: str) -> Callable[..., Any]:
    look = getattr(base, name)
    has_keys = issubclass(base, dict | set)

    def method(self: Any, *arguments: Any, **keywords: Any) -> Any:
        locks = name != "__getitem__" or isinstance(arguments[0], slice)
        if base is OrderedDict and name in ("__or__", "__ror__") and goes_its_own_way(self):
            refuse(f"{name} makes another {type(self).__name__} by its own methods: make it of a dict, and update that")
        own = arguments if name in _GIVEN else [_own(each, base, name) for each in arguments]
        held = looked_at(self, locks=locks)
        if base is OrderedDict and name == "copy" and not arguments and not keywords:
            return held  # is one already, and C would look each key up by its hash
        if not has_keys:
            return look(held, *own, **keywords)
        with comparing_keys():
            if name in _GIVEN and own:
                own = (_key_there(held, own[0]), *own[1:])
            return look(held, *own, **keywords)

    return method


def _key_there(held: Any, key: Any) -> Any:
    """Returns the key of a copy that is equal to a plain one by code of its class, which Python would run natively."""
    for each in _compared_by_code(held, key):
        if hash(each) == hash(key) and each == key:
            return each
    return key


@natively
def _compared_by_code(held: Any, key: Any) -> list[Any]:
    if is_hashed_by_code(key) or type(key).__hash__ is None:
        return []
    keys = dict.keys(held) if isinstance(held, dict) else held  # an OrderedDict would look each of them up by its hash
    return [each for each in keys if runs_code(each, ("__eq__",))]


def _searching(base: type, name: str) -> Callable[..., Any]:
    """A method that compares each item with a value. Of a deque one load where no code compares, which has a lock."""
    look, in_steps = getattr(base, name), getattr(comparing, name.strip("_"))

    def method(self: Any, value: Any, *places: Any) -> Any:
        held = identity_of_container(self).load("", locks=False)
        if issubclass(base, list) or any(runs_code(each, ("__eq__",)) for each in (value, *held)):
            return in_steps(self, held, value, *places)
        return look(copied(self, held), value, *places)

    return method


def _reflected(base: type, name: str) -> Callable[..., Any]:
    """An operator between what is no shared set and one."""
    look = getattr(base, name)

    def method(self: Any, other: Any) -> Any:
        return look(looked_at(self), other)

    return method


def _changing(base: type, name: str) -> Callable[..., Any]:
    change = getattr(base, name)
    hashes_first = not issubclass(base, list | deque)
    returns_self = name.startswith("__i")

    def method(self: Any, *arguments: Any, **keywords: Any) -> Any:
        identity = identity_of_container(self)
        if hashes_first and arguments:
            check_key(arguments[0], base)
        elif name in _AT_PLACES and arguments and not isinstance(arguments[0], slice):
            arguments = (operator.index(arguments[0]), *arguments[1:])
        if name == "__setitem__" and isinstance(arguments[0], slice):
            frozen: tuple[Any, ...] = (arguments[0], tuple(map(identity.heap.freeze, _all_of(arguments[1], base))))
        else:
            frozen = _all_frozen(identity.heap, arguments)
        result = update(self, change, spelled_call(name, frozen, keywords), frozen, **keywords)
        return self if returns_self else result

    return method


@natively
def _all_frozen(heap: Any, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns what memory holds for these values; slices stay as they are."""
    return tuple(each if type(each) is slice else heap.freeze(each) for each in values)


def _taking_all(base: type, name: str) -> Callable[..., Any]:
    change = getattr(base, name)
    is_operator = name.startswith("__")

    def method(self: Any, *arguments: Any) -> Any:
        identity = identity_of_container(self)
        if is_operator and base is set and not isinstance(arguments[0], set | frozenset):
            return NotImplemented
        frozen, problem = list[tuple[Any, ...]](), None
        for each in arguments:
            values = _all_of(each, base)
            if base is set and not is_operator:
                values, problem = _with_a_hash(values, base)
            frozen.append(tuple(map(identity.heap.freeze, values)))
            if problem is not None:
                break
        if name in _TAKING_TURNS and not any(isinstance(each, set | frozenset) for each in arguments):
            knows_hashes = name == "update" and all(type(each) is dict for each in arguments)
            update_by_keys(self, change, name, tuple(itertools.chain(*frozen)), hashes=not knows_hashes)
        elif problem is None or name in _TAKING_TURNS:  # the order of a set is Python's own affair, so it is one step
            with_all = functools.partial(_with_all, change, base, is_operator)
            update(self, with_all, spelled_call(name, tuple(frozen), {}), tuple(frozen))
        if problem is not None:
            raise problem
        return self if is_operator else None

    return method


_TAKING_TURNS = ("update", "difference_update")
"""Methods of sets that have done their work with what comes before an element that has no hash."""


def _with_a_hash(values: list[Any], base: type) -> tuple[list[Any], TypeError | None]:
    """The values before the first one that has no hash, and what Python says of that one."""
    for place, value in enumerate(values):
        try:
            check_key(value, base)
        except TypeError as error:
            return values[:place], error
    return values, None


def _with_all(change: Callable[..., Any], base: type, is_operator: bool, container: Any, *given: Any) -> None:
    change(container, *(map(set, given) if is_operator and base is set else given))


def _copied(self: Any) -> Any:
    """Returns the copy that `copy.copy` makes of it."""
    made, arguments = made_again(self)
    return looked_at(self) if made is None else made(*arguments)


def _copied_deeply(self: Any, memory: Any) -> Any:
    """Returns the copy that `copy.deepcopy` makes: element by element, so others may change it meanwhile, but for a
    set."""
    from copy import deepcopy  # late: few ask for it

    made, arguments = made_again(self)
    if made is not None:
        return made(*deepcopy(arguments, memory))
    identity, base = identity_of_container(self), base_of(type(self))
    assert base is not None
    copy: Any = defaultdict(_factory(self)) if base is defaultdict else unpacked(base, (), identity.content.get(LIMIT))
    memory[id(self)] = copy  # it may hold itself
    if issubclass(base, dict):
        for key, value in Steps(identity, "items", base):
            copy[deepcopy(key, memory)] = deepcopy(value, memory)
    else:
        add = copy.add if base is set else copy.append
        for each in looked_at(self) if base is set else Steps(identity, "keys", base):
            add(deepcopy(each, memory))
    return copy


def made_again(self: Any) -> tuple[Callable[..., Any] | None, tuple[Any, ...]]:
    """How the class of a container makes another one like it, and of what; None, () of Python's own."""
    kind, base = type(self), base_of(type(self))
    if kind is base:
        return None, ()
    if hasattr(kind.__reduce__, "__code__"):
        made, arguments, *more = self.__reduce__()
        if not more:
            return made, arguments
    refuse(
        f"{identity_of_container(self)} is shared, and an object of class {kind.__name__} cannot be copied as a whole: "
        "write a method __copy__ or __deepcopy__, or make one of what it holds"
    )


def _pop_of_set(self: Any) -> Any:
    """Any element, says Python; here the one that came first."""
    identity = identity_of_container(self)
    identity.heap.check_change(identity, "")
    taken = perform(Kind.UPDATE, identity.cell(""), update=_without_first, result=_first, label="pop()")
    return identity.heap.thaw(taken)


def _without_first(content: Any) -> SetContent:
    if not content:
        raise KeyError("pop from an empty set")
    return SetContent(content[1:])


def _first(content: Any) -> Any:
    return content[0]


def _item(self: Any, key: Any) -> Any:
    held = looked_at(self)
    with comparing_keys():
        there = _key_there(held, key)
        if dict.__contains__(held, there):
            return dict.__getitem__(held, there)
    missing = getattr(type(self), "__missing__", None)
    if missing is None:
        raise KeyError(key)
    return missing(self, key)


def _missing_of_defaultdict(self: Any, key: Any) -> Any:
    factory = self.default_factory
    if factory is None:
        raise KeyError(key)
    is_one_step = isinstance(factory, type) and not is_written_in_python(factory)
    return self.setdefault(key, factory()) if is_one_step else _set_item(self, key, factory())


def _set_item(container: Any, key: Any, value: Any) -> Any:
    container[key] = value
    return value


def _update_of_dict(self: Any, given: Any = (), /, **keywords: Any) -> None:
    """Updates a dict from any source of keys with values."""
    identity = identity_of_container(self)
    source = _own(given, dict)
    pairs = dict(source, **keywords)
    for key in pairs:
        check_key(key, dict)
    frozen = tuple((identity.heap.freeze(key), identity.heap.freeze(value)) for key, value in pairs.items())
    change = OrderedDict.update if isinstance(self, OrderedDict) else dict.update
    knows_hashes = change is dict.update and getattr(type(source), "__iter__", None) is dict.__iter__
    update_by_keys(self, change, "update", frozen, hashes=not knows_hashes)


def _or_in_place(self: Any, given: Any) -> Any:
    _update_of_dict(self, given)
    return self


def _view(which: str) -> Callable[[Any], DictView]:
    return lambda self: DictView(self, identity_of_container(self), which, looked_at)


@functools.cache
def methods_of(base: type) -> dict[str, Any]:
    """Returns the methods of the class of shared containers that is made of this one."""
    if base is bytearray:
        return methods_of_bytes()
    family: Any = next(each for each in (dict, list, set, deque) if issubclass(base, each))
    tables = ((_LOOKING, _looking), (_CHANGING, _changing), (_TAKING_ALL, _taking_all))
    found: dict[str, Any] = {
        name: make(base, name) for table, make in tables for name in table[family].split() if hasattr(base, name)
    }
    found |= {"__len__": length, "__iter__": steps_through, "__reversed__": steps_back, "__deepcopy__": _copied_deeply}
    found |= {"__copy__": _copied, "__hash__": None, "__init__": begun_again}
    found["__repr__"] = repr_of(base)
    if family is list:
        found |= {"sort": comparing.sort, "__radd__": _added_to}
        found |= {f"__{name}__": comparing.comparison(f"__{name}__") for name in _COMPARISONS}
    elif family is dict:
        found |= {"__getitem__": _item, "update": _update_of_dict, "__ior__": _or_in_place}
        if base is not defaultdict:
            found["__init__"] = _update_of_dict
        found |= {which: _view(which) for which in ("keys", "values", "items")}
        found |= {f"__{name}__": compared_at_once(base, f"__{name}__") for name in ("eq", "ne")}
    elif family is set:
        found |= {f"__{name}__": _compared(base, f"__{name}__") for name in _COMPARISONS}
        found |= {f"__{name}__": _reflected(base, f"__{name}__") for name in ("rand", "ror", "rsub", "rxor")}
        found["pop"] = _pop_of_set
        del found["__reversed__"]
    else:
        found |= {f"__{name}__": compared_at_once(base, f"__{name}__") for name in _COMPARISONS}
    if base is defaultdict:
        found |= {"__missing__": _missing_of_defaultdict, "default_factory": property(_factory)}
    if family in (list, deque):
        found["remove"] = comparing.remove
        found |= {name: _searching(base, name) for name in ("__contains__", "index", "count")}
    for name, method in found.items():
        if isinstance(method, FunctionType) and not name.startswith("__"):
            method.__name__ = name  # by which it is found again where one of an object is stored
    return found


def _added_to(self: Any, other: Any) -> Any:
    return other + looked_at(self)


def _factory(self: Any) -> Any:
    identity = identity_of_container(self)
    return identity.heap.thaw(identity.content[FACTORY])
