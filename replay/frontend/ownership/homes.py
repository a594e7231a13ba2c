"""Homes on the host: classes, modules and functions by names, and the objects and variables to which these lead.

The host is there once for all runs, and never written to. What threads read of it is a value, or stands for an object
of the host with the same contents. What threads change of it is memory, which holds at first what the host has.
"""

from __future__ import annotations

import itertools
import sys
from abc import ABC
from collections.abc import Mapping
from types import BuiltinFunctionType, CellType, FunctionType, ModuleType
from typing import Any

from replay.code.ordinary import HAS_MODELS
from replay.code.running_thread import refuse
from replay.frontend.ordinary.constants import note_names
from replay.frontend.ordinary.contents import base_of
from replay.frontend.ordinary.identity import Identity
from replay.frontend.ordinary.plain import is_plain
from replay.frontend.ordinary.publication import SharingTransaction
from replay.frontend.ordinary.valued import has_attributes
from replay.frontend.ordinary.values import UNSET, Group, Member, Reference
from replay.interpreter.copied import is_of_module
from replay.interpreter.frame import NULL
from replay.interpreter.lookup import ATOMS, identity, is_a, lookup, mro_of, namespace_of
from replay.interpreter.origins import is_of_host
from replay.world.anatomy import is_written_in_python
from replay.world.shown import full_name, module_title

_WITHOUT_MEMORY = (
    *("replay.", "mcr.", "solvers.", "threading.", "queue.", "concurrent.", "logging.", "weakref."),
    "builtins.",
)
"""Modules that models are made of: threads read of these what the host has."""


ANNOTATIONS = "__annotations__"


class Home:
    """A class, a function or the global variables of a module of the host, in one instance of a program.

    held      what the host has by names
    made      what the program function has put there
    identity  of what threads change; None while nothing is
    """

    __slots__ = ("held", "identity", "itself", "kind", "made", "name")

    def __init__(self, name: str, kind: type, held: Mapping[str, Any]) -> None:
        self.name, self.kind, self.held = name, kind, held
        self.made: dict[str, Any] = {}
        self.itself: dict[str, bool] = {}
        self.identity: Identity | None = None

    def now(self, name: str) -> Any:
        """Returns what it has by a name before threads begin; UNSET for nothing."""
        return self.made[name] if name in self.made else self.held.get(name, UNSET)


class Homes:
    """The homes of the host, in one instance of a program.

    names  objects and homes of the host, and what they are called, by `lookup.identity`; the same in all instances
    cells  variables of functions of the host that have begun, by `lookup.identity`; the same in all instances
    empty  annotations of classes and modules of the host that have none, by `lookup.identity`, in the same way
    """

    def __init__(self, heap: Any, like: Homes | None) -> None:
        self._heap = heap
        self._homes: dict[int, Home | None] = {}
        self._of_classes: dict[tuple[Any, str], bool] = {}
        self._known: dict[int, tuple[Any, str, type, Mapping[str, Any]]] = {} if like is None else like._known
        """Homes of all instances by identity: the thing itself, its name, its class, and what it has."""
        self.names: dict[int, tuple[Any, str]] = {} if like is None else like.names
        self.cells: dict[int, CellType] = {} if like is None else like.cells
        self.empty: dict[int, tuple[Any, dict[str, Any]]] = {} if like is None else like.empty

    def admit(self, function: FunctionType) -> None:
        """A function of the host begins."""
        for cell in function.__closure__ or ():
            self.cells[identity(cell)] = cell

    def has(self, thing: Any) -> bool:
        """Returns whether a function, a class or a variable of a closure is of the host."""
        if type(thing) is CellType:
            return identity(thing) in self.cells
        return (type(thing) is FunctionType or is_a(thing, type)) and is_of_host(thing)

    # -- what homes have ----------------------------------------------------------

    def of(self, thing: Any) -> Home | None:
        """The home that is a class, a function, a module, or its global variables; None if it is a thread's own."""
        key = identity(thing)
        if key not in self._homes:
            is_module = is_a(thing, ModuleType)
            self._homes[key] = self.of(vars(thing)) if is_module else self._made(thing)
        return self._homes[key]

    def _made(self, thing: Any) -> Home | None:
        known = self._known.get(identity(thing))
        if known is None:
            found = self._found(thing)
            if found is None:
                return None
            known = self._known[identity(thing)] = thing, *found
        return Home(*known[1:])

    def _found(self, thing: Any) -> tuple[str, type, Mapping[str, Any]] | None:
        kind = type(thing)
        if kind is dict:
            full = str(thing.get("__name__", "__main__"))
            module = sys.modules.get(full)
            has_module = module is not None and vars(module) is thing
            if "__builtins__" not in thing or not (has_module or self._is_of_old_module(thing)):
                return None
            title, held = module_title(full).rpartition(".")[2], thing
            note_names(thing)
        elif kind is FunctionType and is_of_host(thing):
            full, title, held = full_name(thing), thing.__qualname__, thing.__dict__
        elif issubclass(kind, type) and (is_of_host(thing) or is_of_module(thing)):
            full, title, held = full_name(thing), thing.__qualname__, namespace_of(thing)
        else:
            return None
        if f"{full}.".startswith(_WITHOUT_MEMORY) or is_of_tests(full):
            return None
        name = self.named(thing, title if title not in self._taken() else full)
        return name, thing if issubclass(kind, type) else ModuleType, held

    def _is_of_old_module(self, names: dict[str, Any]) -> bool:
        """Returns whether a file that was loaded anew had these global variables before, or the program has them."""
        return names is self._heap.program.__globals__ or "__spec__" in names

    def is_itself(self, home: Home, name: str) -> bool:
        """Returns whether what a home has by a name is no memory, and what the host has."""
        found = home.itself.get(name)
        if found is None:
            is_changed = name in home.made or self.cell(home, name) is not None
            found = home.itself[name] = not is_changed and self.stays(home.held.get(name, UNSET))
        return found and self._heap.noted is None

    def is_of_class(self, kind: Any, name: str) -> bool:
        """Returns whether something else is read than what a class or one of its bases has by a name."""
        key = (kind, name)
        found = self._of_classes.get(key)
        if found is None:
            homes = [home for base in mro_of(kind) if (home := self.of(base)) is not None]
            found = not all(self.is_itself(home, name) for home in homes)
            if self._heap.noted is None:
                self._of_classes[key] = found
        return found

    def cell(self, home: Home, name: str) -> Identity | None:
        """The identity of a home by which threads change what it has by a name; None if they do not."""
        if home.identity is not None and name in home.identity.content:
            return home.identity
        if self._heap.declaring or f"{home.name}.{name}" not in self._heap.changing:
            return None
        return self.changed(home, name)

    def changed(self, home: Home, name: str) -> Identity:
        """Returns the identity of a home that is about to change: memory holds at first what is there."""
        if home.identity is None:
            member = Member(home.name, home.kind)
            member.lasts = True
            home.identity = Identity(self._heap, Reference(member, Group(declared=True)))
        if name not in home.identity.content:
            held = home.now(name)
            home.identity.content[name] = self.frozen(held, f"{home.name}.{name}.{type(held).__name__}")
            self.forget()
        return home.identity

    def all_names(self, home: Home) -> list[str]:
        """The names of all that a home may have. Refuses to tell if more than one of it is memory."""
        prefix = f"{home.name}."
        varying = sorted(
            name for each in self._heap.changing if each.startswith(prefix)
            and (name := each.removeprefix(prefix)).isidentifier()
        )  # fmt: skip
        if len(varying) > 1:
            refuse(
                f"code that uses {home.name}.__dict__ goes through all attributes: name the attributes, as in "
                f"{home.name}.x"
            )
        return [*dict.fromkeys((*home.held, *home.made, *varying))]

    def is_view(self, home: Home) -> bool:
        """Returns whether what `vars` gives of a home is not what the host has."""
        return not all(self.is_itself(home, name) for name in self.all_names(home))

    def first(self, home: Home, name: str) -> Any:
        """Returns what a home has that is no memory: a stand-in for what the host has, or what the program function
        made."""
        if name in home.made:
            return home.made[name]
        self._heap.note(f"{home.name}.{name}")
        return self.standing_for(home.held.get(name, UNSET), f"{home.name}.{name}")

    def annotations(self, thing: Any) -> Any:
        """Returns what stands for annotations that no namespace of the host has; None if a namespace has them.

        These are those of a function, and those of a class or a module that has none: as in Python, it has an empty
        dict from now on, whatever its bases have.
        """
        home = self.of(thing)
        if home is None or ANNOTATIONS in home.held or ANNOTATIONS in home.made or self.cell(home, ANNOTATIONS):
            return None
        if type(thing) is FunctionType:
            held = thing.__annotations__
        else:
            _, held = self.empty.setdefault(identity(thing), (thing, {}))
        return self.standing_for(held, f"{home.name}.{ANNOTATIONS}")

    def set_up(self, home: Home, name: str, value: Any) -> None:
        """The program function changes what a home has."""
        home.made[name] = value
        self.forget()

    def begin(self) -> None:
        """Share what the program function has made for homes."""
        for home in self._all():
            for name, value in home.made.items():
                part = f"{home.name}.{name}"
                home.made[name] = self._heap.thaw(self._heap.freeze(value, part, named=part))
        self.forget()

    def forget(self) -> None:
        """Look again at what is no memory."""
        for home in self._all():
            home.itself.clear()
        self._of_classes.clear()
        self._heap.no_memory.clear()

    def identities(self) -> list[Identity]:
        """Returns the identities of homes of which something changes."""
        return [home.identity for home in self._all() if home.identity is not None]

    def _all(self) -> list[Home]:
        return [home for home in self._homes.values() if home is not None]

    def named(self, thing: Any, name: str) -> str:
        """The name of something of the host: this one, with a number if it is that of something else."""
        if identity(thing) not in self.names:
            taken = self._taken()
            names = itertools.chain([name], (f"{name}#{number}" for number in itertools.count(2)))
            self.names[identity(thing)] = thing, next(each for each in names if each not in taken)
        return self.names[identity(thing)][1]

    def _taken(self) -> set[str]:
        return {name for _, name in self.names.values()}

    # -- objects ------------------------------------------------------------------

    def stays(self, value: Any) -> bool:
        """Returns whether threads may have an object of the host itself."""
        kind = type(value)
        if value is UNSET or kind in ATOMS or identity(value) in self._heap.shared:
            return True
        if is_a(value, tuple | frozenset) and not has_attributes(value):
            return all(map(self.stays, value))
        if kind is BuiltinFunctionType and not is_written_in_python(type(value.__self__)):
            return type(value.__self__) not in HAS_MODELS and base_of(type(value.__self__)) is None
        if kind in (CellType, FunctionType):
            return kind is FunctionType
        return (
            kind is _OF_ABSTRACT
            or is_plain(value)
            or _is_for_attributes(kind)
            or kind.__module__.startswith(("mcr.", "replay."))
        )

    def standing_for(self, value: Any, name: str) -> Any:
        """Returns what stands for something that the host has, and is called this unless it has a name already."""
        return value if self.stays(value) else self._heap.thaw(self.frozen(value, name))

    def frozen(self, value: Any, name: str) -> Any:
        """Returns what memory holds for it. Refuses what cannot be shared."""
        if self.stays(value):
            return value if value is UNSET else self._heap.freeze(value)
        name = self.named(value, name)
        self._heap.kept.append(value)
        sharing = SharingTransaction(self._heap, name, name, is_lasting=True)
        frozen = sharing.frozen(value, name)
        sharing.complete()
        return frozen


_OF_ABSTRACT: Any = type(vars(ABC)["_abc_impl"])
"""What abstract classes keep of their subclasses."""


def _is_for_attributes(kind: type) -> bool:
    """Returns whether objects of a class are methods or the like of the classes that have them."""
    return lookup(kind, "__get__") is not NULL and not is_written_in_python(kind)


def is_of_tests(module: str) -> bool:
    """Returns whether a module is of what runs tests: code that they have rewritten asks it, and it reads the host."""
    return module.partition(".")[0] in ("_pytest", "pytest", "pluggy")
