"""How shared objects of ordinary classes are written, and what a model has in the place of Python's locks and the like.

Loaded where a program shares such objects: nothing of the kind exists before.
"""

from __future__ import annotations

from typing import Any
from weakref import ReferenceType

from replay.frontend.ordinary.generators import SharedGenerator
from replay.frontend.ordinary.identity import Identity
from replay.frontend.ordinary.own import (
    Lock,
    RLock,
    ShareableBuiltin,
    SharedCount,
    SharedCycle,
    SimpleQueue,
)
from replay.frontend.ordinary.publication import LOCK, RLOCK
from replay.frontend.ordinary.values import Built, Reference, Unset
from replay.frontend.ownership.homes import Home
from replay.frontend.ownership.objects import SharedObjects
from replay.interpreter.lookup import identity
from replay.local_state.writer import ALL_ALIKE, Handler, Unkeyable, Writer, made_of, told_by


def _own(writer: Writer, value: ShareableBuiltin) -> None:
    """Writes a shared object by its name, another by what it holds."""
    writer.tokens.append(type(value))
    if value.identity is not None:
        writer.tokens.append(value.identity.reference)
    elif writer.is_new(value):
        writer.all(value.private())


def _weak_reference(writer: Writer, value: Any) -> None:
    """As good as a strong one to what is shared, which the heap keeps alive: nothing is called when that goes."""
    held = value()
    if identity(held) not in writer.shared:
        raise Unkeyable("a weak reference")
    writer.tokens.append(ReferenceType)
    writer.all((held, value.__callback__))


def _lock_of_host(writer: Writer, value: Any) -> None:
    """A lock that was there before the program: it is never really taken, so it is only which one it is."""
    writer.tokens += (type(value), writer.fixed.keep(value))


HANDLERS: dict[type, Handler] = {
    **dict.fromkeys((Lock, RLock, SimpleQueue, SharedCount, SharedCycle, SharedGenerator), _own),
    ReferenceType: _weak_reference,
    **dict.fromkeys((LOCK, RLOCK), _lock_of_host),
    Home: told_by(lambda value: (value.name,)),
    Reference: lambda writer, value: writer.tokens.append(value),
    Identity: told_by(lambda value: (value.reference,)),
    Built: made_of(lambda value: (value.how, value.parts), has_identity=False),
    **dict.fromkeys((SharedObjects, Unset), ALL_ALIKE),  # each instance has one
}
