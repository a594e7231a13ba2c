"""How shared objects of ordinary classes are written, and what a model has in the place of Python's locks and the like.

Loaded where a program shares such objects: nothing of the kind exists before.
"""

from __future__ import annotations

from typing import Any
from weakref import ReferenceType

from replay.code.bytecode import Doubt
from replay.frontend.ordinary.class_cells import ClassCell
from replay.frontend.ordinary.class_memory import ClassMemory
from replay.frontend.ordinary.heap import Heap
from replay.frontend.ordinary.identity import Identity, reference_of_bare
from replay.frontend.ordinary.kinds import is_shared
from replay.frontend.ordinary.lasting import IdleLock, LastingLock
from replay.frontend.ordinary.locks import Lock, RLock
from replay.frontend.ordinary.own import Count, Own, SimpleQueue
from replay.frontend.ordinary.own import Local as OwnLocal
from replay.frontend.ordinary.values import Built, Reference, Unset
from replay.frontend.ordinary.weak import WeakReference
from replay.local_state.writer import Handler, Writer


def _own(writer: Writer, value: Own) -> None:
    """A lock that is shared by its name, one that is not by what it holds."""
    writer.tokens.append(type(value))
    if value.identity is not None:
        writer.tokens.append(value.identity.reference)
    elif writer.is_new(value):
        held = value.held()
        writer.tokens.append(tuple(held))
        for each in held.values():
            writer.write(each)


def _bare_object(writer: Writer, value: object) -> None:
    reference = reference_of_bare(value)
    if reference is not None:
        writer.tokens += (object, reference)
    elif writer.is_new(value):
        writer.tokens.append(object)


def _own_local(writer: Writer, value: OwnLocal) -> None:
    """What a shared one has, the thread has noted, and it is written with that."""
    if value.identity is not None:
        writer.tokens += (OwnLocal, value.identity.reference)
    elif writer.is_new(value):
        writer.tokens.append(OwnLocal)
        writer.write(value._attributes)


def _weak_reference(writer: Writer, value: Any) -> None:
    """As good as a strong one to what is shared, which the heap keeps alive."""
    held = value()
    if not is_shared(held):
        raise Doubt("a weak reference")
    writer.tokens.append(ReferenceType)
    writer.write(held)


def _reference(writer: Writer, value: Reference) -> None:
    writer.tokens.append(value)


def _identity(writer: Writer, value: Identity) -> None:
    writer.tokens += (Identity, value.reference)


def _class_cell(writer: Writer, value: ClassCell) -> None:
    writer.tokens += (ClassCell, value.kind.__module__, value.kind.__qualname__, value.name)


def _built(writer: Writer, value: Built) -> None:
    writer.tokens += (Built, value.how)
    writer.all(value.parts)


def _heap(writer: Writer, value: Heap) -> None:
    """There is one in each instance of the program, and all know the same."""
    writer.tokens.append(Heap)


HANDLERS: dict[type, Handler] = {
    object: _bare_object,
    ReferenceType: _weak_reference,
    Lock: _own,
    RLock: _own,
    SimpleQueue: _own,
    Count: _own,
    ClassCell: _class_cell,
    ClassMemory: lambda writer, value: writer.tokens.append(ClassMemory),
    OwnLocal: _own_local,
    LastingLock: lambda writer, value: writer.tokens.extend((LastingLock, value.name)),
    IdleLock: lambda writer, value: writer.tokens.append(IdleLock),
    WeakReference: _weak_reference,
    Reference: _reference,
    Identity: _identity,
    Built: _built,
    Unset: lambda writer, value: writer.tokens.append(Unset),
    Heap: _heap,
}
