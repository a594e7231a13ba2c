"""The shared objects of one instance of a program: what becomes shared, what memory holds for it, and the way back.

What is stored into shared memory becomes shared itself, and so does all that it leads to: each object turns, where it
is, into one that loads and stores. So whoever had it before has the shared one now.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Callable, Hashable, Iterable
from contextlib import suppress
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

from replay.code.reachable import Global, is_user_class, reachable
from replay.code.running_thread import current_run, inside_run, refuse
from replay.frontend.ordinary import modules
from replay.frontend.ordinary.changes import is_shared_container, looked_at
from replay.frontend.ordinary.class_cells import can_be_memory, is_for_threads, look_for_class_cells
from replay.frontend.ordinary.class_memory import ClassMemory
from replay.frontend.ordinary.closures import is_variable, share_function
from replay.frontend.ordinary.contents import base_of, taken
from replay.frontend.ordinary.identity import BareObjects, Identity, is_bare, user_class
from replay.frontend.ordinary.kinds import become, blank, check_untouched, identity_of, is_shared, shared_class
from replay.frontend.ordinary.lasting import (
    LastingLocal,
    LastingLock,
    look_at_module,
    look_for_lasting_locks,
    look_into_object,
)
from replay.frontend.ordinary.own import ShareableBuiltin
from replay.frontend.ordinary.publication import (
    SharingTransaction,
    fields_of,
    held_by_users,
    is_plain,
    name_of_constant,
)
from replay.frontend.ordinary.stores import sources_of, stores_of
from replay.frontend.ordinary.threads import HANDLE
from replay.frontend.ordinary.values import BY_NAME, Built, Member, Reference
from replay.frontend.ordinary.weak import WeakReference, check_weak_references
from replay.frontend.threads import FINAL
from replay.interpreter.lookup import identity
from replay.world.shown import shown
from replay.world.values import canonical_key


def build(frozen: Built, thaw: Callable[[Any], Any]) -> Any:
    """A value that is made of these parts."""
    parts = [thaw(part) for part in frozen.parts[1 if frozen.how in BY_NAME else 0 :]]
    return _BUILDERS[frozen.how](*parts)


def _method(function: Any, owner: Any) -> Any:
    return MethodType(function, owner)


def _function(code: Any, module: str, cells: Any, defaults: Any, keywords: Any, wrapped: Any) -> Any:
    closure = tuple(CellType(each) for each in cells)
    made = FunctionType(code, vars(sys.modules[module]), code.co_name, defaults, closure)
    made.__kwdefaults__ = dict(keywords) or None
    made.__module__ = module
    vars(made).update(wrapped)
    return made


def _exception(kind: Any, arguments: Any, fields: Any, attributes: Any) -> Any:
    made = kind.__new__(kind, *arguments)
    made.args = arguments
    for name, value in fields:
        with suppress(AttributeError):  # what nobody can set follows from the arguments
            setattr(made, name, value)
    vars(made).update(attributes)
    return made


_BUILDERS: dict[str, Callable[..., Any]] = {
    "method": _method,
    "built-in method": lambda name, owner: getattr(owner, name),
    "function": _function,
    "partial": lambda function, arguments, keywords: functools.partial(function, *arguments, **dict(keywords)),
    "exception": _exception,
    "weak reference": WeakReference,
}


def outcome(value: Any, freeze: Callable[[Any], Any]) -> Any:
    """The value with containers by what they hold now, which takes a load of each, and all else as `freeze` has it."""
    copies: dict[Reference, Any] = {}
    seen: list[Any] = []
    todo = [value]
    while todo:  # all loads are here, where keys of local states see what is known so far
        each = todo.pop(0)
        if is_shared_container(each):
            reference = identity_of(each).reference
            if reference not in copies:
                copies[reference] = looked_at(each)
                todo.append(copies[reference])
        elif not _is_among(each, seen):
            seen.append(each)
            todo.extend(_parts(each))
    return _told(value, copies, freeze, frozenset())


def _is_among(thing: Any, things: Iterable[Any]) -> bool:
    return any(thing is other for other in things)


def _parts(value: Any) -> list[Any]:
    base = base_of(type(value))
    if base is not None and issubclass(base, dict):
        return [*value, *value.values()]
    return list(value) if base is not None or isinstance(value, tuple | frozenset) else []


def _told(value: Any, copies: dict[Reference, Any], freeze: Callable[[Any], Any], around: frozenset[object]) -> Any:
    """`around` are the containers that it is in: one that holds itself is named there."""
    known: object = identity_of(value).reference if is_shared_container(value) else id(value)
    if known in around:
        return freeze(value)
    held = copies[known] if isinstance(known, Reference) else value
    kind = type(held)

    def part(each: Any, _: str = "") -> Any:
        return _told(each, copies, freeze, around | {known})

    if isinstance(held, tuple):
        return tuple.__new__(kind, map(part, held))
    if kind is frozenset:
        return frozenset(map(part, held))
    base = base_of(kind)
    return freeze(held) if base is None else taken(base, held, part)


class Heap:
    """What is shared in one instance of a program.

    declaring  whether the program function is running
    declare    declares a thread of the program
    made       the locks that the program function has made
    classes    what classes hold
    program    the function of the program
    """

    def __init__(self, function: Callable[..., object], like: Heap | None = None) -> None:
        """`function` is that of the program, whose file says as well which attributes change; `like` is the first."""
        self._like = like
        self._lasting_objects: dict[int, object] = {} if like is None else like._lasting_objects
        self.lasting_references: dict[int, Reference] = {}
        self.host_names: dict[int, tuple[Any, str]] = {}
        self.other_names: dict[int, str] = {} if like is None else like.other_names
        self.shared: dict[int, Identity] = {}
        """Those whose code is interpreted, by `lookup.identity`; none where classes are replaced."""
        self.declaring = True
        self.made: list[Any] = []
        self.declare: Callable[..., Any] = refuse
        self.program = function
        self._objects: dict[Reference, Any] = {}
        self._built: dict[Built, Any] = {}
        self.names: set[str] = set()
        self.showing: set[tuple[object, Reference]] = set()
        self._known: dict[Hashable, Any] = {}
        self._built_of: dict[int, Built] = {}
        self._kept_values: list[tuple[Any, list[Any]]] = []
        self._bare = BareObjects()
        self._lasting: dict[int, Any] = {}
        self._numbered: dict[int, tuple[Any, int]] = {}
        self.look_at_home(sys.modules.get(function.__module__))
        self.classes = ClassMemory(self, function)

    def look_at_home(self, module: object) -> None:
        """Put in the place of what the module of the program has what knows which model runs."""
        look_at_module(module)

    def share(self, thing: Any, name: str) -> Any:
        """Let an object, and all that it leads to, be shared under a name. Returns it. Refuses what cannot be."""
        if is_shared(thing):
            if identity_of(thing).heap is not self:
                refuse(
                    f"{name} was made before the program function was called, and there is one for all runs: "
                    "make it in the program function"
                )
            refuse(f"{identity_of(thing)} is shared already")
        if not is_plain(thing) and not isinstance(thing, FunctionType) and self.is_lasting(thing):
            refuse(
                f"{name} was made before the program function was called, and there is one for all runs: "
                "make it in the program function"
            )
        if isinstance(thing, FunctionType) and share_function(thing, lambda held: self.share(held, name)):
            return thing
        if is_plain(thing) or not isinstance(self.freeze(thing, named=name), Reference):
            refuse(f"share() takes an object of a class, a list, a dict, a set or a deque, not {shown(thing)}")
        return thing

    def share_class(self, kind: Any) -> None:
        """Let a class that a program names be memory. Refuses one that is not the user's."""
        if not can_be_memory(kind):
            refuse(f"{kind.__name__} cannot be shared: it is not written in Python, or assigns its attributes itself")
        self.look_at_class(kind)

    def share_module(self, module: ModuleType) -> bool:
        """Let the variables of a module be memory; returns whether code that runs now was changed for that.

        Refuses a module that is not the user's.
        """
        if not modules.can_be_memory(module):
            refuse(f"{module.__name__} cannot be shared: it is a module of Python, or its source is not there")
        look_at_module(module)
        self.classes.share_module(module)
        return modules.make_memory(module, self.program)

    def look_at_class(self, kind: Any) -> None:
        """A class of objects that are shared, or that the program names: what it holds may be memory."""
        self.classes.know(kind)
        look_for_lasting_locks(kind)
        look_for_class_cells(kind, self.program)

    def is_lasting(self, thing: object) -> bool:
        """Whether a module or a class had an object by a name when the first instance shared something.

        It is never changed: in memory is one that holds the same.
        """
        known = held_by_users() if self._like is None else self._lasting_objects
        return identity(thing) in known

    def other_name_of(self, thing: object, name: str) -> tuple[str, str] | None:
        """What memory calls something, and what thread code calls it where it is no memory; None if it does not."""
        known = self.classes.other_names if id(thing) in self.classes.other_names else self.other_names
        is_in_memory = known is self.other_names and identity(thing) not in self.lasting_references
        return None if is_in_memory or id(thing) not in known else (name, known[id(thing)])

    def is_memory(self, variable: Global) -> bool:
        """Whether a global variable is memory: the program shares its module."""
        return self.classes.has_variable(variable.namespace, variable.name)

    def is_asked_for(self, variable: Global) -> bool:
        """Returns True for a global variable that threads read only through this, which refuses what it cannot see."""
        return False

    def lasting(self, lock: LastingLock | LastingLocal) -> Any:
        """What stands in this model for a lock, or a `local`, that a class, a module or a function holds."""
        if id(lock) not in self._lasting:
            made = self._lasting[id(lock)] = lock.of_model()
            self.freeze(made, named=lock.name)
        return self._lasting[id(lock)]

    def number_of(self, thing: Any) -> int | None:
        """What `id` is of an object, the same in all instances and runs; None where no number is.

        Objects that the program function asks it of have one in the order in which it asks, all other shared ones one
        made of their name. So it is the same before and after they become shared. What a module has by a name has one
        made of that.
        """
        if id(thing) not in self._numbered and self.declaring and not is_shared(thing):
            self._numbered[id(thing)] = thing, _number(f"asked {len(self._numbered)}")
        if id(thing) in self._numbered:
            return self._numbered[id(thing)][1]
        if is_shared(thing):
            return _number(f"shared {identity_of(thing)}")
        name = name_of_constant(thing)
        return _number(name) if name else None

    def name_of(self, thing: Any) -> str:
        """What a shared object is called; "" for one that is not shared."""
        return str(identity_of(thing)) if is_shared(thing) else ""

    def freeze(self, value: Any, part: str = "", *, named: str = "") -> Any:
        """What memory holds for a value that a thread has; objects that were its own become shared.

        `part` is where it is stored, for errors. `named` is what a new object is called.
        """
        if type(value) in (int, str, bool, float, type(None)):
            return value
        publication = SharingTransaction(self, named, part)
        frozen = publication.frozen(value)
        publication.complete()
        if isinstance(frozen, tuple | frozenset):
            self._one(frozen, value)
        return frozen

    def returned(self, value: Any, thread: str) -> Any:
        """What a thread has returned: what a join finds, or an outcome."""
        return outcome(value, self.freeze) if thread == FINAL else self.freeze(value)

    def look_at_code(self, codes: Iterable[Callable[[], object]]) -> None:
        """Look at what threads lead to, before any of them runs.

        Puts locks of a model in the place of those that objects have which were made before the program ran. Notes what
        classes and modules hold as memory that has other names.
        """
        found = list(reachable((("", code) for code in codes), self.is_memory).values())
        self.other_names.update((id(thing), name) for name, thing in found if not is_shared(thing))
        self._lasting_objects = held_by_users()
        for _, thing in found:
            if is_user_class(type(thing)) and not isinstance(thing, type) and not is_shared(thing):
                look_into_object(thing, type(thing).__name__)

    def share_what_was_made(self, codes: Iterable[Callable[[], object]], named: Callable[[str], str]) -> None:
        """Share what Python has for threads, if threads can reach it, and the program has not: locks, queues and so on.

        `codes` are what the threads run; `named` makes names that are nobody else's of those under which they reach it.
        What was made before, as when its module was loaded, is there for others as well, and stays as it is.
        """
        if any(lock.identity is None for lock in self.made):
            for name, thing in list(reachable((("", code) for code in codes), self.is_memory).values()):
                if not is_shared(thing) and _is_made_here(thing):
                    self.share(thing, named(name or type(thing).__name__))

    def thaw(self, frozen: Any) -> Any:
        """What a thread of this instance has for what memory holds."""
        kind = type(frozen)
        if kind is Reference:
            found = self._objects.get(frozen)
            return self._standing_for(frozen) if found is None else found
        if kind is Built:
            if frozen not in self._built:
                self.remember(frozen, build(frozen, self.thaw))
            return self._built[frozen]
        if isinstance(frozen, tuple) and frozen:
            return self._one(frozen, self._thawed_tuple(frozen))
        if kind is frozenset:
            return self._one(frozen, frozenset(map(self.thaw, frozen)))
        return frozen

    def _one(self, frozen: Any, thing: Any) -> Any:
        """A tuple or frozenset that has shared objects: one for all equal ones, as memory has."""
        return thing if thing is frozen else self._known.setdefault(canonical_key(frozen), thing)

    def _thawed_tuple(self, frozen: tuple[Any, ...]) -> tuple[Any, ...]:
        thawed = tuple(map(self.thaw, frozen))
        if all(one is two for one, two in zip(thawed, frozen, strict=True)):
            return frozen
        return thawed if type(frozen) is tuple else tuple.__new__(type(frozen), thawed)

    def _standing_for(self, reference: Reference) -> Any:
        """A new object for one that another instance made."""
        if is_bare(reference.member.kind):
            self.enter(object.__new__(reference.member.kind), reference)
        else:
            self._objects[reference] = blank(Identity(self, reference))
        return self._objects[reference]

    def enter(self, thing: Any, reference: Reference) -> None:
        """An object becomes the shared one that a reference names."""
        self._objects[reference] = thing
        if is_bare(type(thing)):
            self._bare.enter(thing, reference)
        else:
            become(thing, Identity(self, reference))
            check_weak_references(thing)

    def is_object(self, value: Any) -> bool:
        """Whether a function, an exception or the like is an object with a name, and not a value that is built anew."""
        return False

    def parts_of(self, value: Any, frozen: Callable[[Any, str], Any]) -> dict[str, Any]:
        """What memory holds for the parts of such an object."""
        raise NotImplementedError

    def stand_in_of(self, thing: object) -> Any:
        """What stands here for a lock or counter that was made elsewhere; None if nothing does yet."""
        return None

    def check_class(self, kind: Any) -> None:
        """Refuse a class whose objects cannot be shared."""
        shared_class(kind)

    def check(self) -> None:
        """Refuse shared objects that were changed where nobody sees it."""
        for thing in list(self._objects.values()):
            check_untouched(thing)
        for thing, before in self._kept_values:
            if not _are_same(_parts_of_value(thing), before):
                what = "an exception" if isinstance(thing, BaseException) else f"a {type(thing).__name__}"
                refuse(
                    f"{shown(thing)} is shared, and thread code changes it: {what} is a value of memory; let it have "
                    "an object that changes"
                )

    def overrun(self) -> None:
        """Nobody interprets threads."""

    def built_of(self, thing: Any) -> Built | None:
        """What memory holds for a function, a partial or an exception that was shared, None if it was not."""
        return self._built_of.get(id(thing))

    def remember(self, frozen: Built, thing: Any) -> None:
        """Give this object to threads of this instance that read the value."""
        if self._built.setdefault(frozen, thing) is thing and frozen.how in BY_NAME:
            self._built_of[id(thing)] = frozen
            self._kept_values.append((thing, _parts_of_value(thing)))

    def next_name(self, kind: Any, what: str = "record") -> str:
        """What tells an object that a thread shares from all others of an execution."""
        run = current_run()
        return f"{kind.__name__}#{run.name}.{run.next_number(what)}"

    def varies(self, kind: type, name: str) -> bool:
        """Whether an attribute of objects of a class may change."""
        return name in self.varying(kind) or name == HANDLE or is_variable(user_class(kind), name)

    def varies_in(self, member: Member, part: str) -> bool:
        """The same of an attribute of one object."""
        return self.varies(member.kind, part)

    def is_constant(self, known: Identity, part: str) -> bool:
        """Whether to read a part of a shared object is no operation: in the program function, before threads run."""
        return self.declaring and not inside_run()

    def check_change(self, known: Identity, part: str) -> None:
        """Refuse a change by the program function, and of what code may look at where it is no memory."""
        if not inside_run() and self.declaring:
            refuse(f"{known} is shared: only threads may change it now (set it up before p.share)")
        if (names := known.reference.member.other_name) is not None:
            refuse(
                f"{names[0]}, or what it holds, is changed by a thread, and code of threads has it as {names[1]}, "
                f"where it is no memory: use {names[0]} there, or share the module that has it"
            )

    def varying(self, kind: type) -> frozenset[str]:
        """The names of attributes of objects of a class that code of the program sets."""
        return _varying(user_class(kind), self.program)


def _parts_of_value(thing: Any) -> list[Any]:
    """What nobody may change of a function, a partial or an exception that is shared."""
    fields = {"args": thing.args, **fields_of(thing)} if isinstance(thing, BaseException) else {}
    if isinstance(thing, FunctionType):
        fields = {"code": thing.__code__, "defaults": thing.__defaults__}
    return [*fields, *fields.values(), *vars(thing), *vars(thing).values()]


def _are_same(now: list[Any], before: list[Any]) -> bool:
    return len(now) == len(before) and all(one is two or one == two for one, two in zip(now, before, strict=True))


def _number(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=6).digest(), "big")


@functools.lru_cache(1024)
def _varying(kind: Any, function: Any) -> frozenset[str]:
    """The attributes of objects of a class that may change in a program of this function."""
    remembered = frozenset(name for each in kind.__mro__ for name, held in vars(each).items() if _remembers(held))
    finds_others = any("__new__" in vars(each) for each in kind.__mro__ if is_user_class(each))
    stores = stores_of(sources_of(kind, function))
    return stores.varying | remembered | (stores.early if finds_others else frozenset())


def _remembers(held: object) -> bool:
    """Whether what a class has computes an attribute and may keep it in the object, as `functools.cached_property`."""
    get, put = getattr(type(held), "__get__", None), getattr(type(held), "__set__", None)
    return type(get) is FunctionType and put is None


def _is_made_here(thing: Any) -> bool:
    """Whether it is something that threads wait at, or a thread, and was made in a model: its locks are of one."""
    if isinstance(thing, ShareableBuiltin) or is_shared(thing):
        return True
    return is_for_threads(thing) and (HANDLE in vars(thing) or any(map(_is_made_here, vars(thing).values())))
