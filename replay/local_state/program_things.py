"""How the things that a program declares are written: by name, since they are descriptions and nothing else.

Their identity says nothing: a reference to a record may have come from
another run by way of memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from weakref import ReferenceType

from replay.code.bytecode import Doubt
from replay.code.running_thread import RunningThread
from replay.frontend.declarations import Declarations
from replay.frontend.description import Thing
from replay.frontend.history import Call as CallBeingMade
from replay.frontend.history import History
from replay.frontend.locks import Condition, Mutex
from replay.frontend.shared import Array, Operations, Record, Variable
from replay.frontend.shared import Reference as CellReference
from replay.frontend.sync.counting import Barrier, BoundedSemaphore, Event, Semaphore
from replay.frontend.sync.owned import ReadersWriterLock, ReentrantLock, Side
from replay.frontend.sync.passing import Future, Once, Queue
from replay.frontend.threads import Call, Local, Thread
from replay.local_state.writer import Handler, Writer
from replay.on_terms.symbols import Number, Truth
from replay.world.operation import Kind, Location, Operation
from replay.world.terms import Symbol


def _location(writer: Writer, value: Location) -> None:
    writer.tokens += (Location, value.name)
    writer.write(value.initial)


def _variable(writer: Writer, value: Variable) -> None:
    writer.tokens.append(type(value))
    _location(writer, value.location)


def _operations(writer: Writer, value: Operations) -> None:
    writer.tokens.append(Operations)
    _location(writer, value._location)


def _record(writer: Writer, value: Record) -> None:
    """Records of two histories may have one name and other fields."""
    own = vars(value)
    writer.tokens += (Record, own["_name"])
    _parts(writer, own["_parts"])


def _parts(writer: Writer, parts: Mapping[str, object]) -> None:
    writer.tokens += (len(parts), *parts)
    for part in parts.values():
        writer.write(part)


def _thing(writer: Writer, value: Thing | Thread) -> None:
    """What is told from all others by a few constants."""
    writer.tokens += (type(value), value._key())


def _barrier(writer: Writer, value: Barrier) -> None:
    _thing(writer, value)
    writer.all(value.runs)


def _side(writer: Writer, value: Side) -> None:
    writer.tokens.append((Side, value.writes))
    _thing(writer, value.lock)


def _local(writer: Writer, value: Local) -> None:
    writer.tokens += (Local, value.name)
    _parts(writer, value.initial_attributes)


def _history(writer: Writer, value: History) -> None:
    """A program has one."""
    writer.tokens.append(History)


def _call_being_made(writer: Writer, value: CallBeingMade) -> None:
    writer.tokens += (CallBeingMade, value.thread, value.operation)


def _declarations(writer: Writer, value: Declarations) -> None:
    if len(vars(value)) != _ATTRIBUTES:
        raise Doubt("an attribute that a model gave to what it declares on")
    writer.tokens.append(Declarations)


_ATTRIBUTES = len(vars(Declarations()))


def _call(writer: Writer, value: Call) -> None:
    writer.tokens += (Call, value.name)
    writer.write(value.function)
    writer.write(value.args)


def _running_thread(writer: Writer, value: RunningThread) -> None:
    """The thread itself, of which the key says the rest."""
    writer.tokens.append(RunningThread)


def write_thread(writer: Writer, thread: RunningThread) -> None:
    """What the run keeps for a thread: the locks that it holds, the wait it is in, and what it has numbered."""
    wait = thread.performed - thread.wait_from if thread.wait_from >= 0 else -1
    held, counts = tuple(sorted(thread.held)), tuple(sorted(thread.counts.items()))
    writer.tokens += (wait, held, counts)
    for name in sorted(thread.locals):
        writer.tokens += name
        writer.write(thread.locals[name])
    if thread.handled is not None:
        writer.write(thread.handled)


def write_operation(writer: Writer, operation: Operation) -> None:
    """A request: equal for two that the machine may not tell apart, and whose functions have one future."""
    writer.tokens += (operation.called, operation.label, operation.ready, operation.target, operation.wait_from >= 0)
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


def _symbol(writer: Writer, value: Symbol) -> None:
    """Equal terms are one object, so the term is the token."""
    writer.tokens += (type(value), value.term)


def _bare_object(writer: Writer, value: object) -> None:
    """`object()`, which nothing but its identity tells from others."""
    if writer.is_new(value):
        writer.tokens.append(object)


def _weak_reference(writer: Writer, value: object) -> None:
    """Nobody knows when what it refers to goes."""
    raise Doubt("a weak reference")


HANDLERS: dict[type, Handler] = {
    Number: _symbol,
    Truth: _symbol,
    Location: _location,
    Variable: _variable,
    Operations: _operations,
    Record: _record,
    CellReference: _variable,
    Array: _thing,
    Mutex: _thing,
    Condition: _thing,
    **dict.fromkeys(
        (Semaphore, BoundedSemaphore, Event, ReentrantLock, ReadersWriterLock, Once, Future, Queue), _thing
    ),
    Barrier: _barrier,
    Side: _side,
    Local: _local,
    History: _history,
    CallBeingMade: _call_being_made,
    Thread: _thing,
    Declarations: _declarations,
    Call: _call,
    RunningThread: _running_thread,
    Operation: write_operation,
    object: _bare_object,
    ReferenceType: _weak_reference,
}
