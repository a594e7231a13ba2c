"""What becomes shared at one time: a value that is stored, and all objects that it leads to."""

from __future__ import annotations

import dataclasses
import functools
import gc
import itertools
import operator
import sys
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from enum import Enum
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any, TypeVar

from replay.code.bytecode import rebound
from replay.code.reachable import is_of_python, is_user_class
from replay.code.running_thread import refuse
from replay.code.seen import exception_fields
from replay.code.switch import INTERPRETS_ORDINARY
from replay.code.watchdog import own_watch
from replay.frontend.ordinary import kinds, objects
from replay.frontend.ordinary.contents import ALIKE, base_of, in_order, refuse_alike
from replay.frontend.ordinary.identity import Identity, Objects, is_bare, reference_of_bare, spelled
from replay.frontend.ordinary.kinds import identity_of, is_shared
from replay.frontend.ordinary.lasting import LOCAL, LOCK, RLOCK, LastingLock
from replay.frontend.ordinary.own import Count, Local, Lock, RLock, ShareableBuiltin, begun_with
from replay.frontend.ordinary.values import BY_NAME, Built, Group, Member, Reference
from replay.interpreter.generators import Generator
from replay.interpreter.lookup import identity
from replay.interpreter.natives import STANDS_FOR
from replay.world.anatomy import HEAP_TYPE, is_written_in_python
from replay.world.shown import shown
from replay.world.values import NoValue

_PLAIN = (int, float, complex, str, bytes, bool, type(None), type(Ellipsis), type(NotImplemented), range, CodeType)

T = TypeVar("T")


class SharingTransaction:
    """One time at which objects become shared.

    named  what the first of them is called, "" for a name with a number
    part   where it is stored, for errors
    is_lasting  they outlive the runs: they stay what they are, and memory has others that hold the same
    """

    def __init__(self, heap: Objects, named: str, part: str, *, is_lasting: bool = False) -> None:
        self._heap = heap
        self._named = named
        self._part = part
        self._group = Group(declared=bool(named))
        self._names: set[str] = heap.names if named else set()
        self._references: dict[int, Reference] = {}
        self._things: list[tuple[Any, Reference]] = []
        self._built: list[tuple[Built, Any]] = []
        self._kept: list[Any] = []
        self._open: list[Any] = []
        """Values that are being frozen, as others lead to them."""
        self._stays = bool(named)
        self._is_lasting = is_lasting

    def complete(self) -> None:
        """All that was found becomes shared."""
        if not self._things and not self._built:
            return
        self._group.complete()
        for thing, reference in self._things:
            self._heap.enter(thing, reference)
        for frozen, thing in self._built:
            self._heap.remember(frozen, thing)

    def frozen(self, value: Any, path: str = "") -> Any:
        """What memory holds for a value that is found at a path, which names it if it is new."""
        kind = type(value)
        if kind in _PLAIN:
            return value
        if kind is Identity:
            value.looked_into()
        if is_shared(value):
            return identity_of(value).reference
        known = self._references.get(identity(value)) or reference_of_bare(value)
        known = known or self._heap.lasting_references.get(identity(value))
        if known is not None:
            return known
        if isinstance(value, tuple):
            return self._frozen_tuple(value, path)
        if kind is frozenset:
            return frozenset(
                in_order(value, lambda each, step: self.frozen(each, path + step if path or step is ALIKE else ""))
            )
        if isinstance(value, LOCK | RLOCK | itertools.count) or kind is LOCAL:
            return self._converted(value, path)
        if self._heap.is_object(value):
            return self._member(value, path)
        if _can_be_member(value):
            if not self._is_lasting and self._heap.is_lasting(value):
                return self._lasting(value, path)
            return self._member(value, path)
        if is_plain(value):
            return value
        return self._frozen_built(value, path)

    def _frozen_tuple(self, value: tuple[Any, ...], path: str) -> Any:
        frozen = tuple(self.frozen(each, f"{path}[{index}]" if path else "") for index, each in enumerate(value))
        if all(one is two for one, two in zip(frozen, value, strict=True)):
            return value
        return frozen if type(value) is tuple else tuple.__new__(type(value), frozen)

    # -- objects -----------------------------------------------------------------

    def _lasting(self, value: Any, path: str) -> Reference:
        """A reference to what holds the same as an object that outlives the runs, which stays what it is."""
        if identity(value) not in self._heap.lasting_references:
            title = path or self._named or title_of(value)
            apart = SharingTransaction(self._heap, title, self._part, is_lasting=True)
            apart._member(value, title)
            apart.complete()
        return self._heap.lasting_references[identity(value)]

    def _member(self, value: Any, path: str, instead_of: Any = None) -> Reference:
        """A reference to an object of its own, or to one of the model that takes the place of one that lasts."""
        lasting = value if instead_of is None else instead_of
        kind: Any = type(value)
        if not _has_classes(value):
            _check_class(kind, path or self._part, is_lasting=self._is_lasting)
        if kind is ContextVar and not self._heap.declaring:
            refuse(f"{path or self._part} is a ContextVar that a thread has made: make it in the program function")
        _, known = self._heap.host_names.get(identity(lasting), ("", "")) if self._is_lasting else ("", "")
        name = known or self._own_name(path, kind)
        if self._is_lasting:
            self._heap.host_names[identity(lasting)] = lasting, name
        member = Member(name, kind)
        member.stays = stays = self._stays
        member.lasts = self._is_lasting
        reference = self._references[identity(value)] = Reference(member, self._group)
        self._group.members.append(member)
        if self._is_lasting:
            self._heap.lasting_references[identity(lasting)] = reference
        else:
            self._things.append((value, reference))
        if is_user_class(kind):
            self._heap.look_at_class(kind)
        if isinstance(value, ShareableBuiltin):
            member.content = value.held()
        elif self._heap.is_object(value):
            member.content = self._heap.parts_of(value, lambda each, step: self.frozen(each, f"{name}{step}"))
        elif base_of(kind) is not None:
            self._stays = False
            member.content = kinds.content_of(value, lambda each, step: self.frozen(each, f"{name}{step}"))
        if not isinstance(value, ShareableBuiltin) and not is_bare(kind) and kind is not base_of(kind):
            self._heap.check_class(kind)
            for attribute, each in objects.held_by(value).items():
                self._stays = stays and not self._heap.varies_in(member, attribute)
                member.content[attribute] = self.frozen(each, self._path(member, attribute, each))
        self._stays = stays
        member.other_name = self._heap.other_name_of(value, name)
        return reference

    def _own_name(self, path: str, kind: Any, what: str = "record") -> str:
        """A name that no other object has: two may be found at one path, as variables of one closure."""
        if ALIKE in path:
            refuse_alike()
        wanted = path or self._named or self._heap.next_name(kind, what)
        names = itertools.chain([wanted], (f"{wanted}#{number}" for number in itertools.count(2)))
        name = next(each for each in names if each not in self._names)
        self._names.add(name)
        return name

    def _converted(self, thing: Any, path: str) -> Reference:
        """A lock that was made elsewhere, as by a default argument, or a counter: one of the model takes its place."""
        if not self._is_lasting and (known := self._heap.stand_in_of(thing)) is not None:
            return identity_of(known).reference
        self._kept.append(thing)
        if type(thing) is LOCAL:
            made: Any = Local()
        else:
            made = self._counter(thing, path) if isinstance(thing, itertools.count) else self._lock(thing, path)
        reference = self._references[identity(thing)] = self._member(made, path, thing)
        return reference

    def _lock(self, lock: Any, path: str) -> Lock | RLock:
        is_taken = getattr(lock, "_is_owned", None) or lock.locked
        if is_taken() or not (self._heap.declaring or self._is_lasting):
            refuse(f"{path or self._part} is a lock that was made when its module was loaded: make it in __init__")
        return RLock() if isinstance(lock, RLOCK) else Lock()

    def _counter(self, counter: Any, path: str) -> Count:
        if not self._heap.declaring and not self._named:
            refuse(f"{path or self._part} is an itertools.count that a thread has made: make it in __init__")
        try:
            return Count(*begun_with(counter))
        except ValueError:
            refuse(f"{path or self._part} is {counter!r}, and nobody knows what it gives next: count in int or float")

    def _path(self, owner: Member, attribute: str, value: object) -> str:
        """What an object is called that an attribute holds; a location must not have that of a cell."""
        name = f"{owner.name}.{spelled(owner.kind, attribute)}"
        is_location = isinstance(value, ShareableBuiltin) or base_of(type(value)) is not None
        if is_location and self._heap.varies_in(owner, attribute):
            return f"{name}.{type(value).__name__}"
        return name

    # -- what is built -----------------------------------------------------------

    def _frozen_built(self, value: Any, path: str) -> Built:
        """What is built again where it is read; a function, a partial or an exception has a name, and equals itself."""
        known = self._heap.built_of(value) or next((built for built, each in self._built if each is value), None)
        if known is not None:
            return known
        if any(each is value for each in self._open):
            refuse(
                f"{path or self._part or 'this'} is {shown(value)}, which holds itself, as a function does that calls "
                "itself by its name: define it in the file, outside of functions, or make it a method"
            )
        how, parts = _parts(value, path or self._part)
        if type(value) is not MethodType:  # its object is met again by itself
            self._open.append(value)
        name = [self._own_name(path, type(value), "value")] if how in BY_NAME else []
        built = Built(how, (*name, *(self.frozen(each, path) for each in parts)))
        if type(value) is not MethodType:
            self._open.pop()
        if how != "built-in method" and not self._is_lasting:  # they would go past what its object becomes
            self._built.append((built, value))
        return built


def is_plain(value: Any) -> bool:
    """Whether memory holds a value as it is: nobody can change it, and it is the same in all instances."""
    kind = type(value)
    if (
        kind in _PLAIN
        or isinstance(value, type | ModuleType | Enum | LastingLock)
        or (is_bare(kind) and is_constant(value))
    ):
        return True
    if isinstance(value, NoValue):
        return value.is_value
    if isinstance(value, FunctionType):
        return "<locals>" not in value.__qualname__ and (_is_of_module(value.__code__) or is_constant(value))
    if isinstance(value, WrapperDescriptorType | MethodDescriptorType):
        return True
    if isinstance(value, BuiltinFunctionType):
        return isinstance(value.__self__, ModuleType | type | None)
    if isinstance(value, MethodType | functools.partial | BaseException | weakref.ref):
        return False
    if dataclasses.is_dataclass(value):
        return _is_frozen_dataclass(value)
    return _is_value_of_library(kind) or is_sentinel(value) or _is_lasting_logger(value)


def _is_lasting_logger(value: Any) -> bool:
    """Whether it is a logger that `logging` has by its name, of which there is one for all runs."""
    logging: Any = sys.modules.get("logging")
    if logging is None or type(value) not in (logging.Logger, logging.RootLogger):
        return False
    return value is logging.root or value is logging.Logger.manager.loggerDict.get(value.name)


def is_sentinel(value: Any) -> bool:
    """Whether it is an object that a module or a class has by a name, of a class made inside a function, and a value.

    Nobody has the class to make another one, and only which object it is can be asked for.
    """
    kind: Any = type(value)
    return (
        "<locals>" in kind.__qualname__
        and is_written_in_python(kind)
        and kind.__eq__ is object.__eq__
        and is_constant(value)
        and all(type(held) in _PLAIN for held in objects.held_by(value).values())
    )


def _is_of_module(code: CodeType) -> bool:
    """Whether a function was not made inside another one: its own name may be that of what a decorator was given."""
    return "<locals>" not in code.co_qualname


def _once_in_each_exploration(find: Callable[[], T]) -> Callable[[], T]:
    """Decorator: the function looks once, and again after an import, as to go through all names takes a while."""

    @functools.wraps(find)
    def found() -> T:
        watch, modules = own_watch(), len(sys.modules)
        latest: tuple[int, T] | None = watch.found.get(find)
        if latest is None or latest[0] != modules:
            latest = watch.found[find] = modules, find()
        return latest[1]

    return found


def is_constant(value: object) -> bool:
    """Whether a module or a class has an object by a name: then there is one for all runs."""
    return _held_by_name().is_held(value)


class _Held:
    """Objects that something has by names. Most are of a few classes for which few ask."""

    def __init__(self, values: list[Any]) -> None:
        are_rest = [*map(_NO_MEMBERS.__contains__, map(type, values))]
        self._members = _by_identity(itertools.compress(values, map(operator.not_, are_rest)))
        self._rest: dict[int, Any] | None = None
        self._values = [*itertools.compress(values, are_rest)]

    def is_held(self, value: object) -> bool:
        """Returns whether it is one of these objects."""
        held = self._members
        if type(value) in _NO_MEMBERS:
            if self._rest is None:
                self._rest = _by_identity(self._values)
            held = self._rest
        return held.get(identity(value), _NOT_HELD) is value


def _by_identity(values: Iterable[Any]) -> dict[int, Any]:
    held = [*values]
    return dict(zip(map(identity, held), held, strict=True))


_NOT_HELD = object()


@_once_in_each_exploration
def _held_by_name() -> _Held:
    """What modules and classes have by names."""
    return _Held([*itertools.chain.from_iterable([*space.values()] for space in _spaces())])


@_once_in_each_exploration
def held_by_users() -> dict[int, Any]:
    """Returns all that modules of users, and their classes, name and that could become shared, by `lookup.identity`."""
    return _by_identity(_held_by_users())


def _held_by_users() -> Iterator[object]:
    modules = [each for each in list(sys.modules.values()) if isinstance(each, ModuleType) and not is_of_python(each)]
    for module in modules:
        for value in [*vars(module).values()]:
            if isinstance(value, type):
                yield from (each for each in [*vars(value).values()] if type(each) not in _NO_MEMBERS)
            elif type(value) not in _NO_MEMBERS:
                yield value


_NO_MEMBERS = frozenset((*_PLAIN, FunctionType, BuiltinFunctionType, ModuleType, property, classmethod, staticmethod))


def _spaces() -> list[Mapping[str, Any]]:
    """The names of all modules and classes. The collector alone does not know what was there when a process forked."""
    spaces: dict[int, Any] = {}
    for module in [vars(each) for each in list(sys.modules.values()) if isinstance(each, ModuleType)]:
        spaces[identity(module)] = module
    for each in all_of({dict}):
        if "__name__" in each:  # of modules that are not, or no longer, known by name
            spaces[identity(each)] = each
    return [*map(vars, classes_below(object)), *spaces.values()]


def classes_below(kind: type) -> list[Any]:
    """A class and all that are derived from it, each once."""
    classes: dict[int, Any] = {identity(kind): kind}
    todo: list[Any] = [kind]
    while todo:
        for each in type.__subclasses__(todo.pop()):
            if identity(each) not in classes:
                classes[identity(each)] = each
                todo.append(each)
    return [*classes.values()]


_enough = 100_000


def all_of(kinds: set[type]) -> list[Any]:
    """All objects of some classes that the collector knows, whether or not it was told to leave them alone.

    It collects first if there has come to be much more. Who looks keeps what he finds, and whoever looks next finds
    that as well: nothing would ever be freed.
    """
    global _enough
    has_frozen = gc.get_freeze_count() > 0
    if has_frozen:
        gc.unfreeze()
    found = gc.get_objects()
    if len(found) > _enough:
        del found
        gc.collect()
        found = gc.get_objects()
        _enough = len(found) * 3 // 2
    if has_frozen:
        gc.freeze()
    return [*itertools.compress(found, map(kinds.__contains__, map(type, found)))]


_names: dict[int, tuple[object, str]] = {}
"""By the identity of objects, which are kept alive with their names."""

_OF_ONE_VALUE = (int, float, complex, str, bytes, tuple, frozenset, range)
"""Of an object of these nobody knows whether it is the same one as another that is equal."""


def name_of_constant(value: Any) -> str:
    """The name of an object that there is once for all runs, which no other object has; "" if it has none."""
    if identity(value) not in _names:
        if isinstance(value, _OF_ONE_VALUE) or not is_plain(value):
            return ""
        qualified = f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}"
        title = qualified if _found_by_name(value) is value else title_of(value)
        if not title:
            return ""
        _names[identity(value)] = value, f"constant {title}"
    return _names[identity(value)][1]


def title_of(value: object, is_it: Callable[[object, object], bool] = operator.is_) -> str:
    """The first of the names that modules and classes have for an object, and for no other one; "" if there is none."""
    homes = [(held, held.get("__qualname__") or held.get("__name__") or held.get("__module__")) for held in _spaces()]
    names = ((f"{home}.{name}", each) for held, home in homes if home for name, each in [*held.items()])
    return min((name for name, each in names if is_it(each, value)), default="")


def _found_by_name(value: Any) -> Any:
    """What its module has by the name that a function or class has for itself."""
    found: Any = sys.modules.get(str(getattr(value, "__module__", "")))
    for part in str(getattr(value, "__qualname__", "")).split("."):
        found = vars(found).get(part) if isinstance(found, ModuleType | type) else None
    return found


def _is_frozen_dataclass(value: Any) -> bool:
    kind = type(value)
    if not kind.__dataclass_params__.frozen or kind.__hash__ is None:
        return False
    return all(type(held) in _PLAIN or is_plain(held) for held in objects.held_by(value).values())


def _can_be_member(value: Any) -> bool:
    """Whether something is an object of its own: its identity counts, and it may change."""
    kind = type(value)
    if isinstance(value, ShareableBuiltin) or base_of(kind) is not None:
        return True
    if is_bare(kind):
        return not is_constant(value)
    if isinstance(value, type | Enum | LastingLock | NoValue | BaseException | functools.partial | weakref.ref):
        return False
    if not is_written_in_python(kind):
        return False
    base = next(each for each in kind.__mro__ if not each.__flags__ & HEAP_TYPE)
    return base is object and not is_plain(value)


def _is_value_of_library(kind: Any) -> bool:
    """Whether a class of Python itself makes values that never change, as `Fraction` and `Path`: it is known to."""
    home = sys.modules.get(_HOMES.get(kind.__name__, ""))
    return getattr(home, kind.__name__, None) is kind


_VALUES = {
    "builtins": "slice",
    "datetime": "date datetime time timedelta timezone",
    "decimal": "Decimal",
    "fractions": "Fraction",
    "ipaddress": "IPv4Address IPv6Address IPv4Network IPv6Network IPv4Interface IPv6Interface",
    "multiprocessing.process": "AuthenticationString",
    "pathlib": "PurePath PurePosixPath PureWindowsPath Path PosixPath WindowsPath",
    "re": "Pattern",
    "types": "GenericAlias UnionType",
    "typing": "_GenericAlias _UnionGenericAlias _LiteralGenericAlias TypeVar",
    "uuid": "UUID",
}
"""By module, its classes of which nobody can change an object."""

_HOMES = {name: home for home, names in _VALUES.items() for name in names.split()}


_OF_CONTAINERS = ("replay.frontend.ownership.", "replay.frontend.ordinary.iterating")
"""Modules that define iterators and views of what is shared, by what their names begin with."""


def _has_classes(value: Any) -> bool:
    """Whether a container of weak references has classes for keys, which there are as long as their modules."""
    is_weak = INTERPRETS_ORDINARY[0] and type(value) is weakref.WeakKeyDictionary
    return is_weak and all(isinstance(key(), type) for key in value.data)


def _check_class(kind: type, where: str, *, is_lasting: bool) -> None:
    shown_kind = kind.native if issubclass(kind, Generator) else STANDS_FOR.get(kind)
    if shown_kind not in (None, functools._lru_cache_wrapper) or str(kind.__module__).startswith(_OF_CONTAINERS):
        if shown_kind is dict:
            refuse(f"{where or 'this'} is the __dict__ of what is shared: store a copy of it")
        name = (shown_kind or kind).__name__
        refuse(f"{where or 'this'} is a {name}, which cannot be shared: nobody can see what it holds")
    if kind.__module__ in ("weakref", "_weakrefset"):
        refuse(
            f"{where + ' is' if where else 'this is'} a {kind.__name__}, which loses what nobody else has, whenever "
            "that is noticed: use a dict or a set, and take out what is to go"
        )
    if "<locals>" in kind.__qualname__ and is_user_class(kind) and not is_lasting:
        refuse(
            f"{where + ' is' if where else 'this is'} an object of class {kind.__qualname__.rpartition('.')[2]}, which "
            "every run of the program makes anew: define the class in the file, outside of functions"
        )


def _check_no_attributes(value: Any, where: str) -> None:
    """Refuse a function or partial with attributes, but for what `functools.wraps` notes."""
    if vars(value).keys() - {"__wrapped__"}:
        refuse(
            f"{where or 'this'} is {shown(value)}, which has attributes ({', '.join(sorted(vars(value)))}): let an "
            "object of a class hold them, with a method __call__"
        )


def fields_of(error: BaseException) -> dict[str, Any]:
    """What an exception has beside arguments and attributes, by name: its cause, and fields such as those of OSError.

    Neither its traceback nor what was handled when it was raised: code that asks for these is refused before it runs.
    """
    return {name: value for name, value in exception_fields(error).items() if name not in _OF_RAISING}


_OF_RAISING = ("args", "__traceback__", "__context__")


def _is_ours(function: Any) -> bool:
    return str(getattr(function, "__module__", "")).startswith("replay.")


def _parts(value: Any, where: str) -> tuple[str, Iterator[Any] | tuple[Any, ...]]:
    """How a value is built, and of what."""
    match value:
        case MethodType() if is_shared(value.__self__) and base_of(type(value.__self__)) and _is_ours(value.__func__):
            return "built-in method", (value.__name__, value.__self__)
        case MethodType():
            return "method", (value.__func__, value.__self__)
        case BuiltinFunctionType() | MethodWrapperType():
            return "built-in method", (value.__name__, value.__self__)
        case FunctionType():
            if names := rebound(value.__code__):
                refuse(
                    f"{where or 'this'} is the function {value.__name__}, which assigns variables of the function "
                    f"around it ({', '.join(sorted(names))}): make them attributes, or share the function itself, "
                    "as in f = p.share(...)"
                )
            _check_no_attributes(value, where)
            cells = tuple(cell.cell_contents for cell in value.__closure__ or ())
            defaults = tuple((value.__kwdefaults__ or {}).items())
            wrapped = tuple(vars(value).items())
            return "function", (value.__code__, value.__module__, cells, value.__defaults__, defaults, wrapped)
        case functools.partial() if type(value) is functools.partial:
            _check_no_attributes(value, where)
            return "partial", (value.func, value.args, tuple(value.keywords.items()))
        case BaseException():
            return "exception", (type(value), value.args, tuple(fields_of(value).items()), tuple(vars(value).items()))
        case weakref.ref():
            return "weak reference", (value(),)
    name = type(value).__name__
    refuse(f"{where or 'this'}: {shown(value)} is a {name}, which cannot be shared: nobody can see what it holds")
