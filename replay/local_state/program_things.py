"""How the things that a program declares are written: by name, since they are descriptions and nothing else.

Their identity says nothing: a reference to a record may have come from
another run by way of memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from weakref import ReferenceType

from replay.code.running_thread import RunningThread
from replay.frontend.declarations import Declarations
from replay.frontend.description import Description
from replay.frontend.history import Call, History
from replay.frontend.shared import Operations, Record, Variable
from replay.frontend.shared import Reference as CellReference
from replay.frontend.threads import Local, ThreadCall
from replay.local_state.writer import ALL_ALIKE, Handler, Unkeyable, Writer, made_of, told_by
from replay.on_terms.symbols import Number, Truth
from replay.world.operation import Kind, Location, Operation


def _named_parts(parts_of: Callable[[Any], tuple[str, Mapping[str, object]]]) -> Handler:
    """The rule for what has a name and parts by name: two of one name may have other parts, after other histories."""

    def parts(value: object) -> tuple[object, ...]:
        name, held = parts_of(value)
        return (name, tuple(held), *held.values())

    return made_of(parts, has_identity=False)


def thing(writer: Writer, value: Description) -> None:
    """Writes the few constants that tell it from all others, and the functions of the user that it calls."""
    writer.tokens += (type(value), value._key())
    writer.all(value.runs)


def _declarations(writer: Writer, value: Declarations) -> None:
    if len(vars(value)) != _ATTRIBUTES:
        raise Unkeyable("an attribute that a model gave to what it declares on")
    writer.tokens.append(Declarations)


_ATTRIBUTES = len(vars(Declarations()))


def write_thread(writer: Writer, thread: RunningThread) -> None:
    """Writes what the run keeps for a thread: the locks that it holds, the wait it is in, and what it has numbered."""
    wait = thread.performed - thread.wait_from if thread.wait_from >= 0 else -1
    held, counts = tuple(sorted(thread.held)), tuple(sorted(thread.counts.items()))
    writer.tokens += (wait, held, counts)
    for name in sorted(thread.locals):
        writer.tokens += name
        writer.write(thread.locals[name])


def write_operation(writer: Writer, operation: Operation) -> None:
    """A request: equal for two that the machine may not tell apart, and whose functions have one future."""
    writer.tokens += (operation.called, operation.label, operation.ready, operation.target)
    writer.tokens += (operation.wait_from >= 0, operation.completes)
    if operation.kind is Kind.NOTE:  # its label says what is told, and who is told is one for all
        writer.tokens += operation.operands
        return
    parts = (operation.location, operation.value, operation.update, operation.result, operation.code)
    for part in parts:
        if part is None:
            writer.tokens.append(None)
        else:
            writer.write(part)
    writer.all(operation.choices)


def _weak_reference(writer: Writer, value: object) -> None:
    """Nobody knows when what it refers to goes."""
    raise Unkeyable("a weak reference")


HANDLERS: dict[type, Handler] = {
    **dict.fromkeys((Number, Truth), told_by(lambda value: (value.term,))),  # equal terms are one object
    Location: made_of(lambda value: value, has_identity=False),
    **dict.fromkeys((Variable, CellReference), made_of(lambda value: value.location, has_identity=False)),
    Operations: made_of(lambda value: value._location, has_identity=False),
    Record: _named_parts(lambda value: (vars(value)["_name"], vars(value)["_parts"])),
    Local: _named_parts(lambda value: (value.name, value.initial_attributes)),
    Call: told_by(lambda value: (value.thread, value.operation)),
    Declarations: _declarations,
    ThreadCall: made_of(lambda value: (value.name, value.function, value.args, value.daemon), has_identity=False),
    **dict.fromkeys((History, RunningThread), ALL_ALIKE),  # there is one, of which the key says the rest
    Operation: write_operation,
    object: made_of(lambda _: ()),  # which nothing but its identity tells from others
    ReferenceType: _weak_reference,
}
