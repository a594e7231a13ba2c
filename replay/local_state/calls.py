"""What C code holds that stands between a frame and the code that it called.

Some of it only passes on: to call an object with a `__call__` of its own, or to
enter a `with` block, keeps nothing that is not on the stack. What is known to be
so stands here: which instruction, or which function (the object, not its name),
with which operands, runs which function or generator (the object, too). All
else may hold something, so the thread has no key until it is over.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from types import CellType, FrameType, FunctionType, GeneratorType, MethodType
from typing import Any

from replay.code.bytecode import ITERATOR_ENTRIES, Unkeyable, instructions
from replay.code.in_place import is_changed
from replay.code.ordinary import ClassAttribute
from replay.code.raw_memory import NOTHING_THERE, RawFrame
from replay.local_state.containers import KEEPS_TO_ITSELF
from replay.local_state.reach import Reach
from replay.local_state.suspended import Suspended
from replay.world.anatomy import looked_up

_MAKES_GENERATOR = 0x20 | 0x80 | 0x100 | 0x200
"""Flags of code whose frame is that of a generator or coroutine: a caller does not wait for its end."""


class Called:
    """The frame that was called: which function it is a call of, or of which generator it is the frame."""

    def __init__(self, frame: FrameType, is_ours: bool, reach: Reach) -> None:
        self.frame = frame
        self.is_ours = is_ours
        self.is_of_generator = bool(frame.f_code.co_flags & _MAKES_GENERATOR)
        self.reach = reach

    @functools.cached_property
    def raw(self) -> RawFrame:
        return RawFrame(self.frame, 1)

    @property
    def first(self) -> object:
        """Its first argument."""
        first = self.raw.entry(0) if self.frame.f_code.co_argcount else NOTHING_THERE
        return first.cell_contents if type(first) is CellType else first

    def is_call_of(self, function: object) -> bool:
        """Whether it runs a function of Python, which C code called."""
        return type(function) is FunctionType and not self.is_of_generator and self.raw.is_call_of(function)

    def runs(self, function: object) -> bool:
        """Whether to call an object is to run this frame, and to return what that returns."""
        if type(function) is MethodType:
            return self.runs(function.__func__)
        if type(function) is functools.partial:
            return self.runs(function.func)
        if is_changed(function):
            return self.is_method(function.__self__, "__call__")  # type: ignore[attr-defined]
        return self.is_call_of(function) or self.is_method(function, "__call__")

    def is_method(self, thing: object, *names: str) -> bool:
        """Whether it runs the method of one of these names that the class of an object has, for that object."""
        found = (looked_up(type(thing), name) for name in names)
        return any(map(self.is_call_of, found)) and self.first is thing


def held_by_c(caller: Suspended, called: Called) -> list[object]:
    """What the call in which `caller` waits for `called` holds beside what waits on the stack. Raises Unkeyable."""
    if caller.called_directly(called.frame):
        return []
    # if it runs because an object is given up, what the caller's operands were may be gone
    if called.frame.f_code.co_name == "__del__" or called.is_call_of(looked_up(type(called.first), "__del__")):
        raise Unkeyable("an object that is given up")
    name = caller.stop.point.name
    if name in _OPERATORS and (attempt := _attempt(caller, called, *_OPERATORS[name])):
        return attempt
    rule = _RULES.get(name)
    if rule is None:
        raise Unkeyable(f"code called by {name}")
    return rule(caller, called)


# -- instructions that call a method of an operand ------------------------------------

_ARITHMETIC = (
    *("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow"),
    *("lshift", "rshift", "and", "or", "xor"),
)
_OPERATORS: dict[str, tuple[tuple[int, ...], tuple[str, ...]]] = {
    "LOAD_ATTR": ((0,), ("__getattribute__", "__getattr__")),
    "LOAD_METHOD": ((0,), ("__getattribute__", "__getattr__")),
    "STORE_ATTR": ((1,), ("__setattr__",)),
    "DELETE_ATTR": ((0,), ("__delattr__",)),
    "UNARY_NOT": ((0,), ("__bool__", "__len__")),
    "TO_BOOL": ((0,), ("__bool__", "__len__")),
    "GET_ITER": ((0,), ("__iter__",)),
    "BINARY_SUBSCR": ((0,), ("__getitem__",)),
    "BINARY_SLICE": ((0,), ("__getitem__",)),
    "STORE_SUBSCR": ((1,), ("__setitem__",)),
    "STORE_SLICE": ((1,), ("__setitem__",)),
    "DELETE_SUBSCR": ((0,), ("__delitem__",)),
    "CONTAINS_OP": ((1,), ("__contains__",)),
    "COMPARE_OP": ((0, 1), ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")),
    "BINARY_OP": (
        (0, 1),
        tuple(f"__{kind}{each}__" for each in _ARITHMETIC for kind in ("", "r", "i")),
    ),
    **{
        f"POP_JUMP_{direction}IF_{truth}": ((0,), ("__bool__", "__len__"))
        for direction in ("", "FORWARD_", "BACKWARD_")
        for truth in ("TRUE", "FALSE")
    },
}
"""Instructions by which Python calls a method of an operand: which operands, and the names of such methods."""


def _attempt(caller: Suspended, called: Called, places: tuple[int, ...], names: tuple[str, ...]) -> list[object]:
    """Returns which method of which operand an instruction calls, since it may call others after that one.

    C code keeps nothing but the operands. The list is empty for code that is no such method. Raises Unkeyable for a
    function that the instruction may call more than once: that of `a == a`, or one that is `__iadd__` and `__add__`.
    """
    tried = {
        (place, _step(name)) for place in places for name in names if called.is_method(caller.operand(place), name)
    }
    if names[0] in _BY_NAME and _is_attribute(caller.operand(places[0]), caller.stop.point.argument, called):
        tried.add((places[0], "attribute"))
    if len(tried) > 1:
        raise Unkeyable("an operator that may call one function twice")
    return [part for attempt in tried for part in attempt]


def _step(name: str) -> str:
    """Returns what tells the methods apart that an instruction may call of one operand, one after the other."""
    return name if name in _LOOKUPS else "in place" if f"__{name[3:]}" in _PLAIN_FORMS and name[2] == "i" else ""


_LOOKUPS = ("__getattribute__", "__getattr__")

_PLAIN_FORMS = frozenset(f"__{each}__" for each in _ARITHMETIC)

_BY_NAME = ("__getattribute__", "__setattr__", "__delattr__")


def _is_attribute(owner: object, name: object, called: Called) -> bool:
    """Whether the class of an object, or a class itself, has something by a name that computes it, and that runs."""
    if isinstance(called.first, ClassAttribute):
        kinds = (owner, type(owner)) if isinstance(owner, type) else (type(owner),)
        return any(each is called.first.kind for kind in kinds for each in kind.__mro__)
    found = looked_up(type(owner), str(name))
    parts = (found.fget, found.fset, found.fdel) if isinstance(found, property) else ()
    return called.first is owner and any(map(called.is_call_of, parts))


# -- calls ----------------------------------------------------------------------------


def _call(caller: Suspended, called: Called) -> list[object]:
    count = int(caller.stop.point.argument or 0)  # type: ignore[call-overload]
    function, *given = (each for each in caller.operands(count + 2) if each is not NOTHING_THERE)
    gets_no_exception = len(given) == _PARTS_OF_EXCEPTION and all(each is None for each in given)
    if gets_no_exception and not callable(function) and called.is_method(function, "__exit__"):
        return []  # the end of a `with` block; a method that C code calls may have given its place to its object
    return _passed(function, given, called)


_PARTS_OF_EXCEPTION = 3


def _call_with_unpacked(caller: Suspended, called: Called) -> list[object]:
    """`f(*values)`: where the values were, there may be nothing any more, as C code made a tuple of them."""
    function = next(each for each in caller.operands(2) if each is not NOTHING_THERE)
    if not called.runs(function) or (called.reach.ends and not _is_held_elsewhere(caller)):
        raise Unkeyable(f"inside {getattr(function, '__name__', type(function).__name__)}()")
    return []


def _is_held_elsewhere(caller: Suspended) -> bool:
    """Whether what a call unpacks is in a variable as well; what our own code passes on is with the thread."""
    known = caller.stop.known
    before = reversed(instructions(known.bytecode.code)[: caller.stop.point.number])
    loader = next(each for each in before if each.opname != "PUSH_NULL")  # from 3.14 on there is one for no names
    return known.is_ours or loader.opname.startswith("LOAD_FAST")


def _passed(function: Any, given: list[Any], called: Called) -> list[object]:
    """What a call of a function keeps that is no Python function, or was called by C code all the same."""
    if called.runs(function):
        return [function, *given] if called.reach.ends else []
    known = _FUNCTIONS.get(id(function))
    if known is None and type(getattr(function, "__self__", None)) is GeneratorType and function.__name__ in _ADVANCING:
        known, given = _advances, [function.__self__]
    if known is not None and given and known(called, *given):
        return [function, *given]
    raise Unkeyable(f"inside {getattr(function, '__name__', type(function).__name__)}()")


_ADVANCING = ("send", "__next__")
"""Methods of generators that let them run."""


def _calls(*names: str) -> Callable[..., bool]:
    """Calls a method of what it is given first, and keeps nothing."""
    return lambda called, first, *more: called.is_method(first, *names)


def _looks_up(*names: str) -> Callable[..., bool]:
    """Looks an attribute up, or calls one of these methods of its owner."""

    def looks_up(called: Called, owner: object, name: object, *more: object) -> bool:
        matches = [called.is_method(owner, each) for each in names] + [_is_attribute(owner, name, called)]
        if sum(matches) > 1:
            raise Unkeyable("a function that looks an attribute up, and may do so twice")
        return any(matches)

    return looks_up


def _advances(called: Called, iterator: object, *more: object) -> bool:
    """Asks an iterator for its next value, and keeps nothing else."""
    return list(_running(iterator, called)) == [True]


def _tests(called: Called, iterator: object) -> bool:
    """Asks an iterator for its values, and keeps none; it looks whether they are true, which may run code as well."""
    return (called.is_of_generator or called.reach.names.isdisjoint(_TRUTH)) and _advances(called, iterator)


_TRUTH = ("__bool__", "__len__")

_FUNCTIONS: dict[int, Callable[..., bool]] = {
    id(function): rule
    for rule, functions in (
        (_calls("__len__"), (len,)),
        (_calls("__bool__", "__len__"), (bool,)),
        (_calls("__iter__"), (iter, list, tuple, set, frozenset, sorted)),
        (_looks_up("__getattribute__", "__getattr__"), (getattr, hasattr, object.__getattribute__)),
        (_looks_up("__setattr__"), (setattr, object.__setattr__)),
        (_looks_up("__delattr__"), (delattr, object.__delattr__)),
        (_advances, (next, GeneratorType.send, GeneratorType.__next__)),
        (_tests, (any, all)),
    )
    for function in functions
}
"""By identity, functions and classes written in C that call code, and whether a frame is what they call first of all:
before they have made or kept anything."""


# -- iterators ------------------------------------------------------------------------


def _running(iterator: Any, called: Called) -> Iterator[bool]:
    """Where a frame may be running that was called to advance an iterator: for each place whether C code keeps nothing.

    Raises Unkeyable for what may call any code.
    """
    kind = type(iterator)
    if kind in KEEPS_TO_ITSELF:
        return
    if kind is GeneratorType:
        if iterator.gi_frame is called.frame:
            yield True
    elif kind is enumerate:
        yield from _running(iterator.__reduce__()[1][0], called)
    elif kind in (map, zip):
        made_with = iterator.__reduce__()[1]
        function, *sources = made_with if kind is map else (None, *made_with)
        yield from (
            keeps_nothing and not place
            for place, each in enumerate(sources)
            for keeps_nothing in _running(each, called)
        )
        yield from [True] * (function is not None and _may_run(function, called))
    elif kind is filter:
        function, source = iterator.__reduce__()[1]
        yield from _running(source, called)
        unknown = not called.is_of_generator and not called.reach.names.isdisjoint(_TRUTH)
        yield from [False] * (unknown or (function is not None and _may_run(function, called)))
    elif type(looked_up(kind, "__next__")) is FunctionType:
        if called.is_call_of(looked_up(kind, "__next__")):
            yield called.first is iterator
    else:
        raise Unkeyable(f"inside an iterator of type {kind.__name__}")


def _may_run(function: object, called: Called) -> bool:
    """Whether an iterator that calls a function runs a frame by it. Raises Unkeyable for what may call any code."""
    inner = function
    while type(inner) in (MethodType, functools.partial):
        inner = inner.__func__ if type(inner) is MethodType else inner.func  # type: ignore[attr-defined]
    if type(inner) is not FunctionType and type(looked_up(type(inner), "__call__")) is not FunctionType:
        raise Unkeyable(f"inside an iterator that calls {getattr(inner, '__name__', type(inner).__name__)}()")
    return called.runs(function)


def _advance(caller: Suspended, called: Called) -> list[object]:
    """A loop, or `yield from`: the iterator waits on the stack."""
    iterator = caller.operand(-ITERATOR_ENTRIES)
    if not _advances(called, iterator):
        raise Unkeyable(f"inside an iterator of type {type(iterator).__name__}")
    return []


# -- with blocks ----------------------------------------------------------------------


def _enter(caller: Suspended, called: Called) -> list[object]:
    """A `with` statement begins: how it ends was looked up before, and took the place of the manager in Python 3.11."""
    manager = caller.operand(0)
    if type(manager) is MethodType:
        manager = manager.__self__
    if not called.is_method(manager, "__enter__"):
        raise Unkeyable(f"entering a {type(manager).__name__}")
    return [manager]


_BELOW_EXCEPTION = -4 if sys.version_info < (3, 14) else -5
"""Where the exit of a `with` block waits while it is called with an exception; from 3.14 on beside its object."""


def _leave(caller: Suspended, called: Called) -> list[object]:
    """A `with` block ends by an exception."""
    if not called.runs(caller.operand(_BELOW_EXCEPTION)):
        raise Unkeyable("leaving a with block")
    return []


_RULES: dict[str, Callable[[Suspended, Called], list[object]]] = {
    "CALL": _call,
    "CALL_KW": _call,
    "CALL_FUNCTION_EX": _call_with_unpacked,
    "FOR_ITER": _advance,
    "SEND": _advance,
    "BEFORE_WITH": _enter,
    "WITH_EXCEPT_START": _leave,
}
