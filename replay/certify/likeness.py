"""Two runs of a thread that stand still, side by side: their frames, and all that these hold.

Two objects are alike if they are of one type, hold what is alike in the same order, and are met again in the same
places: so aliasing shows. What a program declares is known by its name, and what threads share of ordinary classes by
the reference that memory holds for it. A variable that nobody reads before it is set again does not count. Of an object
of a type that is not listed nobody knows.
"""

from __future__ import annotations

import collections
import functools
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from replay.code.names import cell_contents
from replay.code.running_thread import RunningThread
from replay.code.seen import attributes, exception_fields
from replay.code.terminals import Request
from replay.frontend.declarations import Declarations
from replay.frontend.description import Description
from replay.frontend.history import History
from replay.frontend.shared import Operations, Record, Reference, Variable
from replay.frontend.threads import Local, ThreadCall
from replay.interpreter.async_generators import AsyncGenerator, AsyncYielded
from replay.interpreter.decode import Decoded
from replay.interpreter.execution import Execution
from replay.interpreter.frame import Frame, Handled, Mark, Returned
from replay.interpreter.generators import Coroutine, Generator
from replay.interpreter.liveness import live_slots
from replay.interpreter.lookup import HEAP, identity, lookup
from replay.interpreter.ownership import Objects
from replay.interpreter.points import numbered
from replay.world.operation import Location, Source
from replay.world.shown import full_name


class Unknown(Exception):
    """Nobody knows whether two objects are alike; the message says of which type they are."""


class Different(Exception):
    """The two runs are not alike; the message says where."""


def compare(one: Execution, other: Execution, asked: Request, asked_other: Request) -> None:
    """Raises Different if two runs, and what they ask for, are not alike; Unknown if that cannot be said."""
    pairing = _Pairing()
    if one.objects is not None and other.objects is not None:
        pairing.share(one.objects, other.objects)
    pairing.thread(one.owner, other.owner)
    for name in ("location", "value", "update", "result", "code", "choices", "operands", "ready", "target", "called"):
        pairing.alike(getattr(asked, name), getattr(asked_other, name))
    pairing.execution(one, other)


@functools.cache
def _points(decoded: Decoded) -> tuple[list[int], list[tuple[int, ...]]]:
    return numbered(decoded), live_slots(decoded)


class _Pairing:
    """Objects of one run, each with the one that has its place in the other."""

    def __init__(self) -> None:
        self._others: dict[int, Any] = {}
        self._ones: dict[int, Any] = {}
        self._done: dict[tuple[int, int], tuple[Any, Any]] = {}
        self._shared: tuple[Mapping[int, Any], Mapping[int, Any]] = {}, {}
        self._rules, self._without_identity, self._equal = _RULES, _WITHOUT_IDENTITY, frozenset[type]()

    def alike(self, one: Any, other: Any) -> None:
        """Go through two objects."""
        kind = type(one)
        if kind is not type(other):
            if kind.__flags__ & HEAP and full_name(kind) == full_name(type(other)):
                raise Unknown(f"{kind.__name__}, a class that each run makes")
            raise Different(f"{kind.__name__} and {type(other).__name__}")
        if kind in self._equal:
            if one != other:
                raise Different(f"references to {one} and {other}")
            return
        mine, its = (
            shared[identity(each)].reference if identity(each) in shared else None
            for shared, each in zip(self._shared, (one, other), strict=True)
        )
        if mine is not None or its is not None:
            if mine != its:
                raise Different(f"{mine or 'what is not shared'} and {its or 'what is not shared'}")
            return
        if kind in _VALUES:
            if one != other or repr(one) != repr(other):
                raise Different(f"{one!r:.40} and {other!r:.40}")
            return
        if kind in self._without_identity or issubclass(kind, Description):
            if (id(one), id(other)) in self._done:
                return
            self._done[id(one), id(other)] = one, other
        elif id(one) in self._others or id(other) in self._ones:
            if self._others.get(id(one)) is not other or self._ones.get(id(other)) is not one:
                raise Different(f"two places with one {kind.__name__}, and two")
            return
        else:
            self._others[id(one)], self._ones[id(other)] = other, one
        if one is other and (kind in _OF_ALL or issubclass(kind, type)):
            return
        rule = self._rules.get(kind) or _rule_of_class(kind)
        rule(self, one, other)

    def all(self, some: Iterable[Any], others: Iterable[Any]) -> None:
        """Go through two rows of objects."""
        some, others = [*some], [*others]
        if len(some) != len(others):
            raise Different(f"{len(some)} and {len(others)} objects")
        for one, other in zip(some, others, strict=True):
            self.alike(one, other)

    # -- runs ----------------------------------------------------------------------

    def thread(self, one: RunningThread, other: RunningThread) -> None:
        """Compare what the run keeps for a thread."""
        waits = (each.performed - each.wait_from if each.wait_from >= 0 else -1 for each in (one, other))
        if len({*waits}) > 1 or sorted(one.held) != sorted(other.held) or one.counts != other.counts:
            raise Different("what the threads hold, or wait for")
        self.all(sorted(one.locals), sorted(other.locals))
        self.all(
            (one.locals[name] for name in sorted(one.locals)), (other.locals[name] for name in sorted(other.locals))
        )

    def execution(self, one: Execution, other: Execution) -> None:
        """The frames of two threads, outermost first."""
        if one.dropped or other.dropped:
            raise Unknown("generators that are to be closed")
        if len(one.frames) != len(other.frames):
            raise Different(f"{len(one.frames)} and {len(other.frames)} calls")
        self._handled(one.handled, other.handled)
        for frame, other_frame in zip(one.frames, other.frames, strict=True):
            self.frame(frame, other_frame)
        self.all(one.identities.held(), other.identities.held())
        variables = [*one.context]
        if {*variables} != {*other.context}:
            raise Different("context variables")
        self.all((one.context[each] for each in variables), (other.context[each] for each in variables))

    def share(self, one: Objects, other: Objects) -> None:
        """Threads share objects of ordinary classes."""
        from replay.certify import ordinary_likeness as ordinary  # late, as other programs have nothing of the kind

        self._shared, self._equal = (one.shared, other.shared), frozenset(ordinary.EQUAL)
        self._rules = _RULES | {kind: _parts(parts) for kind, parts in ordinary.PARTS.items()}
        self._without_identity = _WITHOUT_IDENTITY.union(ordinary.WITHOUT_IDENTITY)

    def frame(self, one: Frame, other: Frame) -> None:
        """Compare where a call stands, and what it holds."""
        points, live = _points(one.decoded)
        if one.decoded.code != other.decoded.code or points[one.position - 1] != points[other.position - 1]:
            raise Different(f"{one.decoded.code.co_qualname} stands elsewhere")
        if one.globals is not other.globals or (one.names is None) != (other.names is None):
            raise Different("the namespaces of code")
        for slot in live[one.position]:
            self.alike(one.slots[slot], other.slots[slot])
        self.all(one.stack, other.stack)
        for name in ("names", "made", "generator"):
            self.alike(getattr(one, name), getattr(other, name))

    def generator(self, one: Generator, other: Generator) -> None:
        """A generator, with its frame unless that is over."""
        self.all((one.state, one.__name__, one.__qualname__), (other.state, other.__name__, other.__qualname__))
        if one.state not in ("over", "running"):  # one that runs is among the frames
            self._handled(one.frame.handled, other.frame.handled)
            self.frame(one.frame, other.frame)

    def _handled(self, one: Handled, other: Handled) -> None:
        self.alike(one.error, other.error)

    # -- objects -------------------------------------------------------------------

    def attributes(self, one: Any, other: Any) -> None:
        """Go through attributes and slots; names count in their order."""
        self.mapping(dict(attributes(one)), dict(attributes(other)))

    def mapping(self, one: Any, other: Any) -> None:
        """Keys and values, in their order."""
        self.all(dict.keys(one), dict.keys(other))
        self.all(dict.values(one), dict.values(other))

    def function(self, one: types.FunctionType, other: types.FunctionType) -> None:
        """Functions of one text, and what each is bound to."""
        if one.__code__ != other.__code__ or one.__globals__ is not other.__globals__:
            raise Different(f"functions {one.__qualname__} and {other.__qualname__}")
        for name in ("__defaults__", "__kwdefaults__", "__closure__"):
            self.alike(getattr(one, name), getattr(other, name))
        self.mapping(vars(one), vars(other))

    def exception(self, one: Any, other: Any) -> None:
        """Go through exceptions, and what they came of; lines of code count for nothing."""
        self.mapping(*({**exception_fields(each), "__traceback__": None} for each in (one, other)))
        self.attributes(one, other)


Rule = Callable[[_Pairing, Any, Any], None]


def _parts(parts: Callable[[Any], Iterable[Any]]) -> Rule:
    """Objects are alike if these parts of theirs are."""
    return lambda pairing, one, other: pairing.all(parts(one), parts(other))


def _items(held: dict[Any, Any]) -> list[Any]:
    return [*held.keys(), *held.values()]


def _rule_of_class(kind: type) -> Rule:
    if issubclass(kind, Description):
        return _parts(lambda value: (value._key(), *value.runs))
    if lookup(kind, "__del__") is not lookup(object, "__del__"):
        raise Unknown(kind.__name__)
    if issubclass(kind, BaseException):
        return _Pairing.exception
    for base in kind.__mro__:
        if base is object:
            return _Pairing.attributes
        if base in (list, dict):
            return _of_container(base)
        if not base.__flags__ & HEAP or ("__new__" in vars(base) and type(vars(base)["__new__"]) is _BUILTIN):
            break
    raise Unknown(kind.__name__)


def _of_container(base: Any) -> Rule:
    def rule(pairing: _Pairing, one: Any, other: Any) -> None:
        _RULES[base](pairing, one, other)
        pairing.attributes(one, other)

    return rule


_BUILTIN = types.BuiltinFunctionType

_VALUES = frozenset((int, str, bool, bytes, float, complex, type(None), range, type(...), type(NotImplemented)))
"""Types of values: which object one is counts for nothing."""

_WITHOUT_IDENTITY = frozenset(
    (
        *(tuple, frozenset, slice, types.MethodType, types.BuiltinFunctionType, Declarations, Location, Variable),
        *(Reference, Operations, Record, Local, ThreadCall, Source),
    )
)
"""Types of objects that do not change themselves: which one it is counts for nothing."""

_OF_ALL = frozenset(
    (
        *(
            types.ModuleType,
            types.CodeType,
            types.FunctionType,
            types.BuiltinFunctionType,
            Mark,
            property,
            staticmethod,
        ),
        *(types.MethodDescriptorType, types.WrapperDescriptorType, types.MemberDescriptorType, classmethod),
        *(types.GetSetDescriptorType, types.ClassMethodDescriptorType),
    )
)
"""Types of which one object is alike itself: it does not change, or it is not the thread's own."""

_RULES: dict[type, Rule] = {
    **dict.fromkeys((list, tuple), _parts(lambda value: value)),
    **dict.fromkeys((set, frozenset), _parts(lambda value: value)),
    **dict.fromkeys((dict, collections.OrderedDict, collections.Counter), _Pairing.mapping),
    collections.defaultdict: _parts(lambda value: (value.default_factory, *_items(value))),
    collections.deque: _parts(lambda value: (value.maxlen, *value)),
    bytearray: _parts(lambda value: (bytes(value),)),
    slice: _parts(lambda value: (value.start, value.stop, value.step)),
    types.FunctionType: _Pairing.function,
    types.CellType: _parts(cell_contents),
    types.MethodType: _parts(lambda value: (value.__func__, value.__self__)),
    types.BuiltinFunctionType: _parts(lambda value: (value.__name__, value.__self__)),
    functools.partial: _parts(lambda value: (value.func, value.args, value.keywords, vars(value))),
    **dict.fromkeys((Generator, Coroutine, AsyncGenerator), _Pairing.generator),
    **dict.fromkeys((Returned, AsyncYielded), _parts(lambda value: (value.value,))),
    **dict.fromkeys((Declarations, History, RunningThread), _parts(lambda _: ())),  # of which there is one
    **dict.fromkeys((Location, Source), _parts(lambda value: value)),
    **dict.fromkeys((Variable, Reference), _parts(lambda value: value.location)),
    Operations: _parts(lambda value: value._location),
    Record: _parts(lambda value: (vars(value)["_name"], *_items(vars(value)["_parts"]))),
    Local: _parts(lambda value: (value.name, *_items(value.initial_attributes))),
    ThreadCall: _parts(lambda value: (value.name, value.function, value.args, value.daemon)),
    object: _parts(lambda _: ()),
    **dict.fromkeys(
        map(type, (iter([]), iter(()), iter(""), iter("\u00e9"), iter(b""), iter(range(1)), iter(range(1 << 80)))),
        _parts(lambda value: value.__reduce__()[1:]),
    ),
}
"""By exact type, what makes two objects alike."""
