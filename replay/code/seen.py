"""Objects whose contents are known by their exact type: leaves, which hold nothing, and types that can be compared.

Whatever is not listed here is unseen: threads that share it are refused.
"""

from __future__ import annotations

import _random
import _thread
import array
import enum
import functools
import io
import logging
import operator
import re
import sys
import types
import weakref
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from typing import Any

from replay.code.ordinary import Shareable
from replay.code.printing import Stream
from replay.world.anatomy import (
    EMPTY,
    all_is_seen,
    base_of,
    dictionary_of,
    filled_slots,
    immutable,
    is_path,
    slots_of,
)
from replay.world.operation import Operation
from replay.world.values import NoValue

LOCK, RLOCK = type(_thread.allocate_lock()), type(_thread.RLock())

Contents = list[object]
"""What a thing holds, without what that holds."""

PLAIN = (int, float, complex, str, bytes, type(None), type(Ellipsis), type(NotImplemented), range)
"""Values that nobody can change."""

_FIELD_OF_NAMED_TUPLE = type(vars(namedtuple("_", "field"))["field"])

LEAVES: frozenset[type] = frozenset({
    *PLAIN, bool, Operation, types.CodeType, _FIELD_OF_NAMED_TUPLE,
    types.GetSetDescriptorType, types.MemberDescriptorType, types.MethodDescriptorType, types.WrapperDescriptorType,
    types.ClassMethodDescriptorType, types.TracebackType, type(sys.flags), type(sys.version_info),
    logging.PlaceHolder,
})  # fmt: skip
"""Types whose objects hold nothing that changes. Code that looks into tracebacks is refused before it runs."""

WRAPPERS: frozenset[type] = frozenset({
    types.MethodType, types.BuiltinFunctionType, type(re.compile("").match), types.MethodWrapperType,
    types.MappingProxyType, types.GenericAlias,
    types.UnionType, type({}.keys()), type({}.values()), type({}.items()), types.FrameType, property, memoryview,
    operator.itemgetter, operator.attrgetter, operator.methodcaller, functools.cached_property,
    functools._lru_cache_wrapper, super,
})  # fmt: skip
"""Types whose objects hold the same for ever; what they hold may change."""


def is_memory(kind: type) -> bool:
    """Returns whether objects of a class are memory of a model, or become so when they are shared."""
    return issubclass(kind, Shareable)


def is_leaf(thing: object) -> bool:
    """Returns whether there is nothing to look for inside of a thing."""
    kind: Any = type(thing)
    if issubclass(kind, NoValue) and not is_memory(kind):
        return not thing.runs  # type: ignore[attr-defined]
    return kind in LEAVES or is_path(kind) or _is_of_numpy(kind)


@functools.cache
def _constants_of(numpy: Any) -> frozenset[type]:
    scalars = set(numpy.sctypeDict.values()) - {numpy.void, numpy.object_}
    return frozenset({numpy.ufunc, type(numpy.sum), *scalars, *(type(numpy.dtype(each)) for each in scalars)})


def is_stream(thing: object) -> bool:
    """Returns whether it is a standard stream, of which only attributes can matter."""
    kind: Any = type(thing)
    return _writes(kind) and (kind is Stream or is_standard_stream(thing))


def _is_of_numpy(kind: type) -> bool:
    """Returns whether objects of exactly this class of numpy's are functions or numbers, which never change."""
    numpy: Any = sys.modules.get("numpy") if str(kind.__module__).partition(".")[0] == "numpy" else None
    if numpy is None:
        return False
    return kind in _constants_of(numpy)


@functools.cache
def _writes(kind: type) -> bool:
    """Returns whether objects of a class are streams, as far as their methods tell."""
    return any("write" in vars(each) for each in kind.__mro__)


def is_standard_stream(thing: object) -> bool:
    """Returns whether it is a stream to which a process prints, or from which it reads what is typed."""
    names = ("stdin", "stdout", "stderr", "__stdin__", "__stdout__", "__stderr__")
    return any(thing is getattr(sys, name, None) for name in names)


# -- types of which each object can be compared -----------------------------------


def _of_dict(thing: Any) -> Contents:
    return [*dict.keys(thing), *dict.values(thing)]


def _of_file(kind: Any) -> Callable[[Any], Contents]:
    return lambda thing: [] if thing.closed else [kind.getvalue(thing), kind.tell(thing)]


HOLDING: dict[type, Callable[[Any], Contents]] = {
    dict: _of_dict,
    OrderedDict: lambda thing: [*OrderedDict.keys(thing), *OrderedDict.values(thing)],
    defaultdict: lambda thing: [vars(defaultdict)["default_factory"].__get__(thing), *_of_dict(thing)],
    list: lambda thing: [*list.__iter__(thing)],
    set: lambda thing: [*set.__iter__(thing)],
    deque: lambda thing: [*deque.__iter__(thing)],
    tuple: lambda thing: [*tuple.__iter__(thing)],
    frozenset: lambda thing: [*frozenset.__iter__(thing)],
    bytearray: lambda thing: [bytes(memoryview(thing))],
    array.array: lambda thing: [bytes(memoryview(thing))],
    io.StringIO: _of_file(io.StringIO),
    io.BytesIO: _of_file(io.BytesIO),
    _random.Random: lambda thing: [repr(_random.Random.getstate(thing))],
    types.SimpleNamespace: lambda thing: [],
    functools.partial: lambda thing: [thing.func, *thing.args, *thing.keywords, *thing.keywords.values()],
    **dict.fromkeys((LOCK, RLOCK), lambda thing: [repr(thing)]),
    slice: lambda thing: [thing.start, thing.stop, thing.step],
    re.Pattern: lambda thing: [thing.pattern],
    re.Match: lambda thing: [thing.re, thing.string],
    staticmethod: lambda thing: [thing.__func__],
    classmethod: lambda thing: [thing.__func__],
}
"""What objects hold beside their attributes, by the type written in C that their class is made from."""


def exception_fields(error: BaseException) -> dict[str, Any]:
    """Returns what C code and slots keep of an exception, by name: arguments, causes, and fields such as those of
    OSError."""
    kinds = (types.MemberDescriptorType, types.GetSetDescriptorType)
    order = [each for each in type(error).__mro__ if issubclass(each, BaseException)]
    known = {name: field for each in order for name, field in vars(each).items() if type(field) in kinds}
    values = filled_slots(error, known.values())
    found = zip(known, values, strict=True)
    return {name: value for name, value in found if value is not EMPTY and name not in ("__dict__", "__weakref__")}


def _of_exception(thing: Any) -> Contents:
    return list(exception_fields(thing).values())


@functools.cache
def _held_by_base(kind: type) -> Callable[[Any], Contents] | None:
    """How to ask objects of a class what they hold beside attributes; None if that is not known."""
    base = base_of(kind)
    if issubclass(base, BaseException):
        return _of_exception
    found = HOLDING.get(base)
    if base is getattr(sys.modules.get("datetime"), "tzinfo", None):
        found = _nothing
    elif found is None and immutable(base) is not None:
        found = _of_moment if "tzinfo" in vars(base) else _nothing
    return found if found is not None and (kind is base or all_is_seen(kind, base)) else None


def _nothing(_: object) -> Contents:
    return []


def _of_moment(thing: Any) -> Contents:
    return [vars(base_of(type(thing)))["tzinfo"].__get__(thing)]


def is_seen(kind: type) -> bool:
    """Returns whether all that an object of exactly this class holds can be compared."""
    return kind is not weakref.finalize and _held_by_base(kind) is not None


def held(thing: Any) -> Contents:
    """Returns what an object of a seen class holds, beside attributes."""
    kind: type = type(thing)
    how = _held_by_base(kind)
    assert how is not None
    return how(thing)


def attributes(thing: Any) -> list[tuple[str, Any]]:
    """Lists what an object holds by name."""
    slots = slots_of(type(thing))
    filled = zip(slots, filled_slots(thing, slots), strict=True)
    named = [(slot.__name__, value) for slot, value in filled if value is not EMPTY]
    return [*(dictionary_of(thing) or {}).items(), *named]


LOGGERS: dict[type, tuple[str, ...]] = {
    **dict.fromkeys((logging.Logger, logging.RootLogger), ("_cache",)),
    logging.Manager: ("loggerDict", "emittedNoHandlerWarning"),
}
"""Classes of loggers, with the attributes in which they remember what threads ask them for."""


def loggers_of(manager: Any) -> dict[str, Any]:
    """The loggers that a manager has made, by name; none of another thing."""
    made = vars(manager).get("loggerDict", {}).items()
    return {name: logger for name, logger in made if type(logger) in LOGGERS}


FLAG_VALUES = "_value2member_map_"
"""Where a class of flags remembers combinations of them."""


def names_of_pythons(kind: type) -> frozenset[str]:
    """The names in a class under which Python keeps what it has computed of the class."""
    if kind is weakref.finalize:  # of all finalizers of the process; which one is shared is refused itself
        return _COMPUTED | {"_registry", "_registered_with_atexit", "_dirty"}
    return _COMPUTED | {FLAG_VALUES} if issubclass(kind, enum.Flag) else _COMPUTED


_COMPUTED = frozenset({"__slotnames__", "__annotate_func__", "__annotations_cache__", "_abc_impl"})
