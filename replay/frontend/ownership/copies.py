"""Native code that is given shared objects: what is called in its place, and what is refused."""

from __future__ import annotations

import bisect
import copyreg
import heapq
import operator
import pickle
from collections import OrderedDict, deque
from types import WrapperDescriptorType
from typing import Any

from replay.code.ordinary import LOCAL
from replay.code.running_thread import heap_here, refuse
from replay.frontend.ordinary import comparing
from replay.frontend.ordinary.asking import LOOKING_INTO_SETS, WAYS, Way
from replay.frontend.ordinary.byte_arrays import is_shared_bytes
from replay.frontend.ordinary.changes import (
    copied,
    goes_its_own_way,
    identity_of_container,
    is_shared_container,
    looked_at,
)
from replay.frontend.ordinary.contents import base_of, runs_code
from replay.frontend.ordinary.identity import is_bare
from replay.frontend.ordinary.iterating import DictView
from replay.frontend.ordinary.methods import compared_at_once, made_again
from replay.frontend.ordinary.own import ShareableBuiltin
from replay.frontend.ordinary.valued import base_of_value
from replay.frontend.ownership.called_back import ONLY_KEEP
from replay.frontend.ownership.containers import is_passed_by, method_of_native
from replay.frontend.ownership.converted import Converted
from replay.frontend.ownership.given_bytes import instead_of_buffer
from replay.frontend.ownership.unseen import OF_DESCRIPTORS, by_name, check_native
from replay.frontend.ownership.views import View, method_of_view
from replay.interpreter.calls import is_of_objects
from replay.interpreter.frame import NULL
from replay.interpreter.intrinsics import class_of
from replay.interpreter.lookup import METHODS_OF_C, identity, is_a, lookup, mro_of, namespace_of, python_method
from replay.interpreter.natives import is_of_checker, is_pure, is_vouched, model_of, natively

_BY_METHOD: dict[int, str] = {
    identity(len): "__len__",
    identity(repr): "__repr__",
}
"""By the identity of functions, the method that they ask of what they are given."""

_LOOKS_INTO = frozenset({identity(vars(object)["__sizeof__"])})
"""Methods that look into an object past its attributes."""

_PICKLES = frozenset(
    (
        *(identity(native) for name, native in vars(pickle).items() if name in ("dumps", "_dumps")),
        *(
            identity(vars(object)[name])
            for name in ("__reduce__", "__reduce_ex__", "__getstate__")
            if name in vars(object)
        ),
    )
)
"""Functions and methods that take all of an object at once, and whatever it leads to."""

_LOOKS_AT_NOTHING = frozenset(map(identity, (isinstance, issubclass, type, id, callable, hash, super)))


_IN_PLACE = frozenset(
    identity(native)
    for name, native in vars(operator).items()
    if name.startswith("i") and f"__{name}__" in vars(operator) and f"__{name[1:]}__" in vars(operator)
)
"""Functions that change their first argument by its own method: a copy would be changed in its place."""

_ON_LISTS: dict[int, Any] = {
    identity(native): made
    for name in ("heappush", "heappop", "heapify", "heapreplace", "heappushpop")
    for native in (vars(heapq)[name],)
    for made in (comparing.on_heap(native, vars(comparing)[name]),)
}
"""By the identity of functions of C on lists: what does the same with a shared one in one step."""

for _name in ("left", "right"):
    _look, _insort = vars(bisect)[f"bisect_{_name}"], vars(bisect)[f"insort_{_name}"]
    _ON_LISTS[identity(_look)] = comparing.bisect_of_model(_look, _name == "left")
    _ON_LISTS[identity(_insort)] = comparing.insort_of_model(_insort, _ON_LISTS[identity(_look)])


def instead_of(native: Any, arguments: list[Any], shared: dict[int, Any]) -> Any:
    """Returns what is called in the place of native code that is given shared objects; None for that code itself."""
    first = arguments[0]
    known = shared.get(identity(first))
    if native is __import__:
        refuse(
            "thread code uses __import__ with the globals() of a module of which threads may change something: import "
            "what is needed where the file begins"
        )
    if is_a(first, View) and type(native) in METHODS_OF_C and native.__objclass__ is dict:
        return method_of_view(first, native)
    if native is _REDUCE and known is not None:
        if python_method(type(first), "__reduce__") is not None:
            return _reduced_by_its_class
        if base_of(type(first)) is not None:
            return _reduced
        if base_of_value(type(first)) is tuple and _is_value_alone(type(first)):
            return _reduced_tuple
    if identity(native) in OF_DESCRIPTORS and len(arguments) > 1 and identity(arguments[1]) in shared:
        return by_name(native, first, arguments[1], shared[identity(arguments[1])])
    if identity(native) in _PICKLES and known is not None:
        refuse(f"{known} is shared, and cannot be copied or pickled as a whole: copy what it holds")
    if native is object.__dir__ and known is not None:
        return _names_of
    if identity(native) in _LOOKS_INTO and known is not None:
        refuse(
            f"{native.__name__} looks into {known}, which is shared, past its attributes: name the "
            "attributes that it is to look at"
        )
    if any(is_shared_bytes(each) for each in arguments):
        return instead_of_buffer(native, arguments)
    base = base_of(type(first)) if known is not None else None
    if base is None and known is not None and type(native) in METHODS_OF_C and not is_bare(type(first)):
        check_native(native, known)
    if base is not None and known is not None and type(native) in METHODS_OF_C:
        found = method_of_native(base, native)
        if found is not None:
            return found
        if native is not dict.update and is_passed_by(base, native):
            known.looked_into()
    if base is list and identity(native) in _ON_LISTS:
        return _ON_LISTS[identity(native)]
    if identity(native) in _LOOKS_AT_NOTHING:
        return None
    if known is not None and identity(native) in _IN_PLACE:
        return model_of(native)
    if not any(identity(each) in shared and base_of(type(each)) is not None for each in arguments):
        return None
    if native is list.__setitem__ and type(arguments[1]) is not slice:
        return None
    if identity(native) in _FOUND_BY_CONTENT and len(arguments) > 1 and base_of(type(arguments[1])) is set:
        return Converted(native, _as_member)
    way = WAYS.get(id(native))
    if way in (Way.ALL, Way.PLAIN) and any(_is_iterated(each, native) for each in arguments):
        if native is dict.__ior__:
            return Converted(native, _with_its_keys)
        model = None if native is list.__setitem__ else model_of(native)  # that one is about keys
        return Converted(native, _iterated) if model is None else model
    if way is Way.ALL or (way is Way.PLAIN and all(_is_table(each, shared) for each in arguments)):
        return _AtOnce(native)
    name = _BY_METHOD.get(identity(native))
    method = NULL if name is None else lookup(type(first), name)
    if method is not NULL:
        return method
    if type(native) is WrapperDescriptorType and native.__name__ in _OF_OPERATORS and known is None:
        if native.__name__ in comparing.COMPARED and issubclass(native.__objclass__, dict | deque):
            return compared_at_once(native.__objclass__, native.__name__)
        if issubclass(native.__objclass__, dict) and any(map(goes_its_own_way, arguments)):
            return Converted(native, _with_its_keys)
        return _AtOnce(native)
    if (model := model_of(native)) is None and is_pure(native) and not _only_keeps(native):
        owner = next(shared[identity(each)] for each in arguments if identity(each) in shared)
        refuse(f"{native.__name__} is written in C, and looks into {owner}, which is shared: give it a copy")
    return model


def _only_keeps(native: Any) -> bool:
    """Returns whether native code does not look into what it is given, or by what knows that: it is of the checker, or
    known to keep it."""
    if is_of_objects(native):
        return True
    is_error = is_a(native, type) and issubclass(native, BaseException)
    return identity(native) in ONLY_KEEP or is_error or is_of_checker(native) or is_vouched(native)


def _names_of(thing: Any) -> list[str]:
    """Interpreted: the names that `dir` tells of an object: its attributes, and what its class has."""
    names = dict.fromkeys(of_class(type(thing)))
    if has_dictionary(thing):
        names.update(dict.fromkeys(thing.__dict__))
    return list(names)


@natively
def of_class(kind: type) -> list[str]:
    """Returns the names that a class and its bases have. Refuses a class of which threads change something."""
    heap: Any = heap_here()
    changing = [home.name for base in mro_of(kind) if (home := heap.homes.of(base)) is not None]
    if any(each.startswith(f"{name}.") for each in heap.changing for name in changing):
        refuse(f"thread code uses dir() of an object of {kind.__name__}, a class that threads change: name attributes")
    return [name for base in mro_of(kind) for name in namespace_of(base)]


@natively
def has_dictionary(thing: Any) -> bool:
    return bool(type(thing).__dictoffset__) or is_a(thing, LOCAL)


_REDUCE = object.__reduce_ex__


def _reduced_by_its_class(thing: Any, _: Any) -> Any:
    """Interpreted: what `object.__reduce_ex__` gives of an object whose class has a `__reduce__`."""
    return thing.__reduce__()


def _reduced(thing: Any, _: Any) -> Any:
    """Interpreted: the same of a shared container: a copy. Refuses one of which there is more to tell."""
    made_again(thing)
    return _itself, (looked_at(thing),)


def _is_value_alone(kind: Any) -> bool:
    """Returns whether objects of a class of tuples have no attributes, and no way of their own to be copied."""
    return not kind.__dictoffset__ and all(python_method(kind, name) is None for name in _OF_COPIES)


_OF_COPIES = ("__getnewargs_ex__", "__getstate__")


def _reduced_tuple(thing: Any, _: Any) -> Any:
    """Interpreted: the same of such a tuple."""
    return copyreg.__newobj__, (type(thing), *thing.__getnewargs__())  # type: ignore[attr-defined]


def _itself(thing: Any) -> Any:
    return thing


_OF_OPERATORS = frozenset(
    f"__{prefix}{name}__"
    for prefix in ("", "r", "i")
    for name in ("add", "sub", "mul", "and", "or", "xor", "mod", "eq", "ne", "lt", "le", "gt", "ge")
)
"""Methods of C for operators, of which an operand is another object, that look into what it holds."""


def _is_table(value: Any, shared: dict[int, Any]) -> bool:
    """Returns True but for shared lists and deques, and for what is asked by methods in Python."""
    if is_a(value, ShareableBuiltin):
        return True
    base = base_of(type(value))
    if base is None:
        return not runs_code(value)
    return issubclass(base, dict | set) or identity(value) not in shared


def _is_iterated(value: Any, native: Any) -> bool:
    """Returns whether Python asks a shared container for an iterator here, which its class has of its own."""
    return goes_its_own_way(value) and not (is_a(value, set) and id(native) in LOOKING_INTO_SETS)


_FOUND_BY_CONTENT = frozenset(
    identity(vars(kind)[name])
    for kind in (set, frozenset)
    for name in ("__contains__", "discard", "remove")
    if name in vars(kind)
)
"""Methods of sets that look for the frozenset which a set is equal to."""


def _as_member(value: Any) -> Any:
    """Interpreted: what is looked for in the place of a shared set."""
    return frozenset(value) if is_shared_container(value) else value


def _iterated(value: Any) -> Any:
    """Interpreted: what an iterator gives that native code would ask for in Python."""
    return list(value) if goes_its_own_way(value) else value


def _with_its_keys(value: Any) -> Any:
    """Interpreted: the dict that an operator of dicts makes of what it would ask for keys in Python."""
    return dict(value) if goes_its_own_way(value) else value


class _AtOnce:
    """Native code that takes all of a container at once: it is given copies, each of one load."""

    def __init__(self, native: Any) -> None:
        self.native = native

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        given = []
        for each in arguments:
            given.append(taken(each, self.native) if is_shared_container(each) else each)
        return self.native(*given, **keywords)


_LISTING = frozenset(map(identity, (list, sorted, list.extend, list.__init__, list.__iadd__, operator.iadd)))


def instead_of_listing(native: Any, of: Any) -> Any:
    """Returns what is called in the place of native code that is given a view of a shared dict; None for that code.

    An OrderedDict has views of its own, which are gone through step by step.
    """
    return Converted(native, _shown) if identity(native) in _LISTING and not of.is_ordered else None


def _shown(value: Any) -> Any:
    """Interpreted: all that a view of a shared dict shows now: one load, as what makes a list locks the dict."""
    return value.at_once() if class_of(value) is DictView else value


def taken(thing: Any, native: Any) -> Any:
    """Returns what native code is given for a shared container: to go through an OrderedDict, it would hash all
    keys."""
    if base_of(type(thing)) is OrderedDict and type(native) is not WrapperDescriptorType:
        return copied(thing, identity_of_container(thing).load(""), dict)
    return looked_at(thing)


def whole(value: Any) -> Any:
    """Interpreted: a value with all lists and dicts in it as they are now, each by one load."""
    held = looked_at(value) if is_shared_container(value) else value
    kind = type(held)  # to interpreted code the attributes of an object are a dict; `is_a` would be told what they are
    if issubclass(kind, dict):
        return {key: whole(each) for key, each in held.items()}
    if issubclass(kind, (list, tuple)):
        return [whole(each) for each in held]
    return held
