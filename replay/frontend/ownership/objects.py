"""Answers to the interpreter's instructions: who owns an object, and what to do in the place of an access."""

from __future__ import annotations

from types import CellType, FunctionType, GetSetDescriptorType, MethodType, ModuleType
from typing import Any, NoReturn

from replay.code.lines import is_of_library
from replay.code.ordinary import CHANCE, LOCAL
from replay.code.running_thread import refuse
from replay.code.user_code import stop_here
from replay.errors import TakenForConstant
from replay.frontend.declarations import belongs_to_program
from replay.frontend.ordinary.contents import CONTENTS
from replay.frontend.ordinary.identity import Identity
from replay.frontend.ordinary.iterating import DictView
from replay.frontend.ordinary.named_tuples import FIELD
from replay.frontend.ordinary.own import ShareableBuiltin
from replay.frontend.ordinary.plain import is_plain
from replay.frontend.ordinary.publication import LOCK, RLOCK
from replay.frontend.ordinary.values import UNSET, Built, Group, Member, Reference
from replay.frontend.ownership import attributes, containers, operations
from replay.frontend.ownership.called_back import run_natively
from replay.frontend.ownership.copies import instead_of, instead_of_listing
from replay.frontend.ownership.given_bytes import check_keywords
from replay.frontend.ownership.heap import Heap
from replay.frontend.ownership.homes import ANNOTATIONS, Home, is_of_tests
from replay.frontend.ownership.made import ANNOTATIONS as OF_FUNCTION
from replay.frontend.ownership.orders import SETS, check_no_set, instead_of_set
from replay.frontend.ownership.thread_locals import delete_local, load_local, store_local
from replay.frontend.ownership.unseen import (
    BEHIND,
    MOVING,
    check_behind,
    check_moving,
    check_seen,
    no_annotations,
)
from replay.frontend.ownership.views import AttributesView, View, home_view
from replay.frontend.ownership.weak import entries, looks_into
from replay.interpreter.copier import Copier
from replay.interpreter.execution import SWITCH, host_lines
from replay.interpreter.frame import NULL, Frame, empty_variable
from replay.interpreter.lookup import identity, is_a, lookup, mro_of, python_method
from replay.interpreter.views import FrameView


class SharedObjects(Heap):
    """The heap, as instructions ask it (`replay.interpreter.ownership.Objects`)."""

    def load(self, frame: Frame, thing: Any, name: str, *, falls_back: bool = True) -> int | None:
        """`thing.name`."""
        kind = type(thing)
        found = lookup(kind, name)
        base = self.base_of(kind)
        if is_a(thing, ShareableBuiltin):
            if type(found) is FunctionType:
                return _bind(frame, found, thing, kind)
            return _plainly(frame, thing, name)
        known = self.shared[identity(thing)]
        if issubclass(kind, LOCAL):
            return load_local(frame, thing, known, name, python_method(kind, "__getattr__") if falls_back else None)
        if kind is CellType and name == "cell_contents":
            frame.execution.push(_contents_of_cell, [known], {})
            return SWITCH
        if name in MOVING and issubclass(kind, BaseException):
            check_moving(frame, known, name)
        if name == "data" and looks_into(frame, kind):
            frame.execution.push(entries, [thing], {})
            return SWITCH
        if name in BEHIND:
            check_behind(frame, name)
            if name == "__globals__" and self._loads_globals(frame, thing.__globals__):
                return SWITCH
        if name == ANNOTATIONS and kind is FunctionType:
            held = known.content.get(OF_FUNCTION)
            frame.stack.append(no_annotations(frame, known) if held is None else self.thaw(held))
            return None
        is_constant = self.is_constant(known, name)
        is_of_class = is_constant and name not in known.content
        if base is not None and is_of_class and (model := containers.method(base, kind, name)) is not None:
            return _bind(frame, model, thing, kind)
        if name == "__class__" and found is vars(object)["__class__"]:
            frame.stack.append(kind)
            return None
        is_memory, how = self.homes.is_of_class(kind, name), attributes.load
        if name != "__dict__" and not attributes.is_data(found):
            if not is_constant:
                how = attributes.load_changing
            elif (held := known.content.get(name, UNSET)) is not UNSET:
                frame.stack.append(self.thaw(held))
                return None
            elif type(found) is FunctionType and not is_memory:
                frame.stack.append(MethodType(found, thing))
                return None
        fall_back = python_method(kind, "__getattr__") if falls_back else None
        frame.execution.push(how, [thing, known, name, kind, fall_back, is_memory], {})
        return SWITCH

    def load_of_class(self, frame: Frame, thing: Any, name: str) -> bool:
        """`thing.name` of a class, a module or an object of the thread's own; False if it is no memory."""
        kind = type(thing)
        if name in BEHIND:
            check_behind(frame, name)
            names = thing.__globals__ if kind is FunctionType else thing.f_globals if kind is FrameView else None
            return type(names) is dict and self._loads_globals(frame, names)
        if name == ANNOTATIONS and type(lookup(kind, name)) is GetSetDescriptorType:
            found = self.homes.annotations(thing)
            if found is not None:
                frame.execution.push(_itself, [found], {})
                return True
        if kind is MethodType and lookup(kind, name) is NULL:
            frame.execution.push(_attribute_of, [thing.__func__, name], {})
            return True
        if kind is FunctionType or issubclass(kind, ModuleType):
            if is_of_tests(frame.globals.get("__name__", "")):
                return False
            home = self.homes.of(thing)
            if home is not None and name == "__dict__" and kind is not FunctionType:
                return self._pushes_view(frame, home)
            if home is None or self.homes.is_itself(home, name):
                return False
            frame.execution.push(attributes.of_home, [thing, home, name, self], {})
            return True
        owner = thing if issubclass(kind, type) else kind
        is_memory = self.homes.is_of_class(owner, name)
        if owner is thing:
            if name == "__dict__" and (home := self.homes.of(thing)) is not None:
                return self._pushes_view(frame, home)
            if not is_memory and (lookup(thing, name) is not NULL or not self.homes.is_of_class(kind, name)):
                return False
            frame.execution.push(attributes.load_of_class, [thing, name, self], {})
        else:
            if not is_memory:
                if self.noted is None:
                    self.no_memory.add((kind, name))
                return False
            fall_back = python_method(kind, "__getattr__")
            frame.execution.push(attributes.load_own, [thing, name, kind, fall_back, self], {})
        return True

    def view(self, known: Identity) -> AttributesView:
        """Returns the result of `vars` for a shared object."""
        return AttributesView(known)

    def _pushes_view(self, frame: Frame, home: Home) -> bool:
        if not self.homes.is_view(home):
            return False
        frame.execution.push(home_view, [home, self], {})
        return True

    def store_of_class(self, frame: Frame, thing: Any, name: str, value: Any) -> bool:
        """`thing.name = value` of a class, a module or a function; False if it is the thread's own."""
        home = self._home_of(thing)
        if home is not None:
            check_seen(home.name, type(thing), name, lookup(type(thing), name))
            frame.execution.push(attributes.store_in_home, [home, name, value, self], {})
        return home is not None

    def delete_of_class(self, frame: Frame, thing: Any, name: str) -> bool:
        """`del thing.name`, in the same way."""
        home = self._home_of(thing)
        if home is not None:
            check_seen(home.name, type(thing), name, lookup(type(thing), name))
            frame.execution.push(attributes.delete_in_home, [thing, home, name, self], {})
        return home is not None

    def _home_of(self, thing: Any) -> Home | None:
        """The home of which an attribute changes. Ends the exploration if that is a function that all threads have."""
        kind = type(thing)
        if identity(thing) in self.roots and not self.declaring:
            stop_here(TakenForConstant(f"{thing.__qualname__}()"))
        if thing is CHANCE:
            refuse("thread code changes the generator of the module random, which all runs have: make a random.Random")
        return self.homes.of(thing) if kind is FunctionType or issubclass(kind, type | ModuleType) else None

    def load_global(self, frame: Frame, name: str) -> bool:
        """A global variable: its frame is pushed; False if it is no memory."""
        home = self.homes.of(frame.globals)
        if home is None or self.homes.is_itself(home, name):
            return False
        frame.execution.push(attributes.global_variable, [home, name, frame.builtins, self], {})
        return True

    def load_globals(self, frame: Frame) -> bool:
        """All global variables: a view of them, if some are memory."""
        return self._loads_globals(frame, frame.globals)

    def _loads_globals(self, frame: Frame, names: dict[str, Any]) -> bool:
        home = self.homes.of(names)
        return home is not None and self._pushes_view(frame, home)

    def store_global(self, frame: Frame, name: str, value: Any) -> bool:
        """`global name; name = value`; False if it is the thread's own."""
        home = self.homes.of(frame.globals)
        if home is not None:
            frame.execution.push(attributes.store_in_home, [home, name, value, self], {})
        return home is not None

    def delete_global(self, frame: Frame, name: str) -> bool:
        """`global name; del name`; False if it is the thread's own."""
        home = self.homes.of(frame.globals)
        if home is not None:
            frame.execution.push(attributes.delete_global, [home, name, self], {})
        return home is not None

    def variable(self, frame: Frame, slot: int) -> Identity | None:
        """The identity of a variable of a closure that is memory; None of one that is a thread's own."""
        cell = frame.slots[slot]
        found = self.variables.get(identity(cell))
        if found is None and identity(cell) in self.homes.cells:
            function = frame.code.co_qualname.replace("<locals>.", "")
            made = self.homes.standing_for(cell, f"{function}.{frame.decoded.names[slot]}")
            found = self.variables[identity(cell)] = self.variables[identity(made)]
        return found

    def load_variable(self, frame: Frame, known: Identity, slot: int) -> int | None:
        """The value of such a variable."""
        if self.is_constant(known, "") and (held := known.content[""]) is not UNSET:
            frame.stack.append(self.thaw(held))
            return None
        frame.execution.push(_loaded_variable, [known, *_name_in(frame, slot)], {})
        return SWITCH

    def store_variable(self, frame: Frame, known: Identity, value: Any) -> int:
        """Assign such a variable."""
        return operations.store(frame, known, "", self.stored(value)) or SWITCH

    def delete_variable(self, frame: Frame, known: Identity, slot: int) -> int:
        """Delete such a variable."""
        frame.execution.push(_deleted_variable, [known, *_name_in(frame, slot)], {})
        return SWITCH

    def store(self, frame: Frame, thing: Any, name: str, value: Any) -> int | None:
        """`thing.name = value`."""
        if is_a(thing, ShareableBuiltin):
            setattr(thing, name, value)
            frame.position += 1
            return None
        known, kind = self.shared[identity(thing)], type(thing)
        if issubclass(kind, type):
            _refuse_to_change(known, name)
        if issubclass(kind, LOCAL):
            return store_local(frame, thing, known, name, value)
        found = lookup(kind, name)
        if name == "__dict__" and type(value) is AttributesView and value.is_of(known):  # as `it.__dict__ |= ...` does
            frame.position += 1
            return None
        check_seen(known, kind, name, found)
        if type(found) in (property, FIELD):
            found.__set__(thing, value)  # raises AttributeError
        has_place = kind.__dictoffset__ or attributes.is_slot(found)
        if not has_place and (self.base_of(kind) is not None or not attributes.is_data(found)):
            object.__setattr__(thing, name, value)  # raises AttributeError
        return operations.store(frame, known, name, self.stored(value, name)) or SWITCH

    def delete(self, frame: Frame, thing: Any, name: str) -> int | None:
        """`del thing.name`."""
        known, kind = self.shared[identity(thing)], type(thing)
        if issubclass(kind, type):
            _refuse_to_change(known, name)
        if issubclass(kind, LOCAL):
            return delete_local(frame, thing, known, name)
        found = lookup(kind, name)
        check_seen(known, kind, name, found)
        if type(found) in (property, FIELD):
            found.__delete__(thing)  # raises AttributeError
        frame.execution.push(attributes.delete, [thing, known, name], {})
        return SWITCH

    def number_for(self, frame: Frame, thing: Any) -> int | None:
        """Returns what `id` is of an object; None of one that Python's own library compares within a thread.

        An object of the thread's own becomes shared, so that all who get hold of it know it by the same number.
        """
        number = self.number_of(thing)
        if frame.decoded.hidden or is_of_library(frame.code):
            return number
        if number is None:
            if frame.execution.identities.has(thing):
                refuse(
                    "thread code uses id of what Python's library has asked it of, as copy.deepcopy does, and got "
                    "another number: ask for it before, or give the objects numbers or names of their own"
                )
            if not isinstance(self.freeze(thing, _ASKED), Reference):
                refuse(
                    "thread code uses id, which a model cannot have: the address of a value is another one in every "
                    "run: compare values, or give the objects numbers or names of their own"
                )
            number = self.number_of(thing)
        frame.execution.assumed.numbers = True
        return number

    def check_cause(self, error: Any, cause: Any) -> None:
        """Refuse `raise error from cause` if that changes an exception that is shared."""
        known = self.shared.get(identity(error))
        if known is not None and not (error.__cause__ is cause and error.__suppress_context__):
            refuse(f"{known} is shared, and raised `from` another exception, which changes it: make another one")

    def check_native(self, error: BaseException) -> None:
        """Refuse native code that has called a method of users on a shared object: its attributes are in memory."""
        if isinstance(error, AttributeError) and identity(error.obj) in self.shared and (lines := host_lines(error)):
            _, name, line = lines[-1]
            refuse(
                f"native code calls {name} (line {line}) on a shared object, whose attributes are in memory, as for "
                "keys of an OrderedDict or items of a frozenset: use a tuple of what it is made of, a dict or a set"
            )

    def copier(self) -> Copier:
        """Returns what copies a thread, and neither what a program declares nor what memory consists of."""
        return Copier(_is_of_all, self.shared, self.homes.cells)

    def instead(self, native: Any, arguments: list[Any]) -> Any:
        """Returns what is called in the place of native code that is given shared objects; None for it."""
        shared = self.shared
        for place, each in enumerate(arguments):
            kind = type(each)
            if kind in SETS and (found := instead_of_set(native, arguments, place, shared)) is not None:
                return found
            if (identity(each) in shared and not issubclass(kind, type)) or View in mro_of(kind):
                return instead_of(native, arguments, shared)
            if kind is DictView and (found := instead_of_listing(native, each)) is not None:
                return found
        return None

    def run_natively(self, native: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """Returns what native code returns that calls no Python code back."""
        return run_natively(native, arguments, keywords)

    def check_keywords(self, native: Any, keywords: dict[str, Any]) -> None:
        """Refuse native code that could look into what it is given by keywords."""
        check_keywords(native, keywords)
        check_no_set(native, keywords, self.shared)


def _is_of_all(value: Any) -> bool:
    """Returns whether a value is none of a thread's own: also one that a module has, and that is only told by `is`."""
    return type(value) in _OF_MEMORY or belongs_to_program(value) or is_plain(value)


_ASKED = "what id() is asked of"

_OF_MEMORY = frozenset({
    Home, Identity, Reference, Built, Member, Group, SharedObjects, *CONTENTS, LOCK, RLOCK
})  # fmt: skip
"""Classes of what memory consists of, and of locks: a native one is of the host, and the model has its own instead."""


def _refuse_to_change(known: Identity, name: str) -> NoReturn:
    refuse(
        f"{name} of {known} is changed, a class that a thread has made and that is shared: define the class in the "
        "file, outside of functions"
    )


def _itself(value: Any) -> Any:
    """Interpreted."""
    return value


def _attribute_of(function: Any, name: str) -> Any:
    """Interpreted: what a bound method has by its function."""
    return getattr(function, name)


def _name_in(frame: Frame, slot: int) -> tuple[str, bool]:
    """The name of a variable of a closure in the function that uses it, and whether it is one of a function around."""
    name = frame.decoded.names[slot]
    return name, name in frame.code.co_freevars


def _loaded_variable(known: Identity, name: str, is_free: bool) -> Any:
    """Interpreted: the value of a variable of a closure."""
    return attributes.thawed(known, _assigned(known.load(""), name, is_free))


def _contents_of_cell(known: Identity) -> Any:
    """Interpreted: what a function asks of the variable of another one."""
    held = known.load("")
    if held is UNSET:
        raise ValueError("Cell is empty")
    return attributes.thawed(known, held)


def _deleted_variable(known: Identity, name: str, is_free: bool) -> None:
    """Interpreted: a variable of a closure is deleted."""
    _assigned(known.remove(""), name, is_free)


def _assigned(held: Any, name: str, is_free: bool) -> Any:
    """Returns the value of a variable of a closure. Raises NameError if it has none."""
    if held is UNSET:
        raise empty_variable(name, is_free)
    return held


def _bind(frame: Frame, found: Any, thing: Any, kind: type) -> int | None:
    if type(found) is property:
        frame.execution.push(found.fget, [thing], {})
        return SWITCH
    frame.stack.append(found if type(found) is staticmethod else MethodType(found, thing))
    return None


def _plainly(frame: Frame, thing: Any, name: str) -> int | None:
    frame.stack.append(object.__getattribute__(thing, name))
    return None
