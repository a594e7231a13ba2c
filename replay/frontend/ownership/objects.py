"""Answers to the interpreter's instructions: who owns an object, and what to do in the place of an access."""

from __future__ import annotations

from types import FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

from replay.code.running_thread import refuse
from replay.frontend.declarations import belongs_to_program
from replay.frontend.ordinary.class_memory import ClassMemory
from replay.frontend.ordinary.identity import Identity
from replay.frontend.ordinary.own import Local, ShareableBuiltin
from replay.frontend.ordinary.values import UNSET, Built, Group, Member, Reference
from replay.frontend.ownership import attributes, containers, operations
from replay.frontend.ownership.copies import instead_of
from replay.frontend.ownership.heap import OwnedHeap
from replay.frontend.ownership.homes import is_of_tests
from replay.interpreter.copying import is_of_module
from replay.interpreter.execution import SWITCH
from replay.interpreter.frame import NULL, Frame
from replay.interpreter.lookup import identity, lookup, python_method


class SharedObjects(OwnedHeap):
    """The heap, as instructions ask it (`replay.interpreter.ownership.Objects`)."""

    def load(self, frame: Frame, thing: Any, name: str, *, falls_back: bool = True) -> int | None:
        """`thing.name`."""
        kind = type(thing)
        found = lookup(kind, name)
        base = self.base_of(kind)
        if isinstance(thing, ShareableBuiltin):
            if type(found) is FunctionType:
                return _bind(frame, found, thing, kind)
            if issubclass(kind, Local) and found is NULL:
                frame.execution.push(Local.__getattr__, [thing, name], {})
                return SWITCH
            return _plainly(frame, thing, name)
        if base is not None and (model := containers.method(base, kind, name)) is not None:
            return _bind(frame, model, thing, kind)
        if name == "__class__":
            frame.stack.append(kind)
            return None
        known, is_memory, how = self.shared[identity(thing)], self.homes.has_cell(kind, name), attributes.load
        if name != "__dict__" and not attributes.is_data(found):
            if self.varies(kind, name):
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
        if issubclass(kind, ModuleType):
            if is_of_tests(frame.globals.get("__name__", "")):
                return False
            if name == "__dict__" and not _is_ours(frame):
                self.homes.check_whole(thing)
            cell = self.homes.cell_of_module(thing, name)
            if cell is None:
                return False
            frame.execution.push(_loaded_global, [self, cell], {})
            return True
        owner = thing if issubclass(kind, type) else kind
        if name == "__dict__" and owner is thing and not frame.decoded.hidden:
            self.homes.check_whole(thing)
        if not self.homes.has_cell(owner, name):
            if owner is kind:
                self.no_memory.add((kind, name))
            return False
        if owner is thing:
            frame.execution.push(attributes.load_of_class, [thing, name, self], {})
        else:
            fall_back = python_method(kind, "__getattr__")
            frame.execution.push(attributes.load_own, [thing, name, kind, fall_back, self], {})
        return True

    def store_of_class(self, frame: Frame, thing: Any, name: str, value: Any) -> bool:
        """`thing.name = value` of a class or module; False if it is the thread's own."""
        return self._changes_class(frame, thing, name, ClassMemory.store, value)

    def delete_of_class(self, frame: Frame, thing: Any, name: str) -> bool:
        """`del thing.name`, in the same way."""
        return self._changes_class(frame, thing, name, ClassMemory.remove)

    def _changes_class(self, frame: Frame, thing: Any, name: str, change: Any, *values: Any) -> bool:
        kind = type(thing)
        if issubclass(kind, ModuleType):
            cell: Any = self.homes.cell_of_module(thing, name)
        elif issubclass(kind, type) and is_of_module(thing):
            cell = self.homes.cell_of_class(thing, name)
        elif kind is FunctionType and ("<locals>" not in thing.__qualname__ or identity(thing) in self.roots):
            refuse(
                f"{thing.__qualname__}.{name} is set: what functions of modules, and those that threads run, have as "
                "attributes is no memory; let an object have it"
            )
        else:
            return False
        if cell is None or not self.classes.varies(cell):
            refuse(
                f"{thing.__name__}.{name} is set by code that was not seen to set it: assign it by its name, as "
                f"`{thing.__name__}.{name} = ...`, in the file of the program or of that class or module"
            )
        frame.execution.push(change, [self.classes, cell, *values], {})
        return True

    def load_global(self, frame: Frame, name: str) -> bool:
        """A global variable: its frame is pushed; False if it is no memory."""
        module = self.homes.module_of(frame.globals)
        cell = None if module is None else self.homes.cell_of_module(module, name)
        if cell is None:
            return False
        frame.execution.push(_loaded_global, [self, cell], {})
        return True

    def store_global(self, frame: Frame, name: str, value: Any) -> bool:
        """`global name; name = value`; False if it is the thread's own."""
        module = self.homes.module_of(frame.globals)
        return module is not None and self.store_of_class(frame, module, name, value)

    def variable(self, cell: Any) -> Identity | None:
        """The identity of a variable of a closure that threads assign; None of one that is no memory."""
        return self.variables.get(identity(cell))

    def load_variable(self, frame: Frame, known: Identity) -> int:
        """The value of such a variable."""
        frame.execution.push(_loaded_variable, [known], {})
        return SWITCH

    def store_variable(self, frame: Frame, known: Identity, value: Any) -> int:
        """Assign such a variable."""
        return operations.store(frame, known, "", self.stored(value)) or SWITCH

    def store(self, frame: Frame, thing: Any, name: str, value: Any) -> int | None:
        """`thing.name = value`."""
        if isinstance(thing, ShareableBuiltin):
            setattr(thing, name, value)
            frame.position += 1
            return None
        known, kind = self.shared[identity(thing)], type(thing)
        found = lookup(kind, name)
        if self.base_of(kind) is not None and not attributes.is_slot(found):
            if type(found) is MemberDescriptorType:
                refuse(f"{known}.{name} is set, which {kind.__name__} keeps where mcr cannot see it: make another one")
            if not kind.__dictoffset__:
                setattr(thing, name, value)  # raises AttributeError, as it has no place for it
        self.check_varies(known, name)
        return operations.store(frame, known, name, self.stored(value, name)) or SWITCH

    def delete(self, frame: Frame, thing: Any, name: str) -> int | None:
        """`del thing.name`."""
        frame.execution.push(attributes.delete, [thing, self.shared[identity(thing)], name], {})
        return SWITCH

    def is_outside_of_threads(self, value: Any) -> bool:
        """Returns whether an object is what a program declares, or what memory consists of."""
        return type(value) in _OF_MEMORY or belongs_to_program(value)

    def instead(self, native: Any, arguments: list[Any]) -> Any:
        """Returns what is called in the place of native code that is given shared objects; None for it."""
        shared = self.shared
        for each in arguments:
            if identity(each) in shared:
                return instead_of(native, arguments, shared)
        return None


def _is_ours(frame: Frame) -> bool:
    """Returns whether it is code of ours that asks, by way of the interpreter's own perhaps."""
    asking: Frame = next(each for each in reversed(frame.execution.frames) if not each.decoded.is_own)
    return asking.decoded.hidden


_OF_MEMORY = frozenset({Identity, Reference, Built, Member, Group, SharedObjects})


def _loaded_global(heap: Any, cell: Any) -> Any:
    """Interpreted: the value of a global variable."""
    held = heap.classes.load(cell)
    if held is UNSET:
        raise NameError(f"name {cell.name!r} is not defined")
    return held


def _loaded_variable(known: Identity) -> Any:
    """Interpreted: the value of a variable of a closure."""
    held = known.load("")
    if held is UNSET:
        name = known.reference.name
        raise NameError(
            f"cannot access free variable {name!r} where it is not associated with a value in enclosing scope"
        )
    return attributes.thawed(known, held)


def _bind(frame: Frame, found: Any, thing: Any, kind: type) -> int | None:
    if type(found) is property:
        frame.execution.push(found.fget, [thing], {})
        return SWITCH
    frame.stack.append(found if type(found) is staticmethod else MethodType(found, thing))
    return None


def _plainly(frame: Frame, thing: Any, name: str) -> int | None:
    frame.stack.append(object.__getattribute__(thing, name))
    return None
