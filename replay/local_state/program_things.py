"""How the things that a program declares are written: by name, since they are descriptions and nothing else.

Their identity says nothing: a reference to a record may have come from
another run by way of memory.
"""

from __future__ import annotations

from replay.code.thread_run import RunningThread
from replay.frontend.declarations import Declarations
from replay.frontend.locks import Condition, Mutex
from replay.frontend.shared import Array, Operations, Record, Variable
from replay.frontend.threads import Call, Thread
from replay.local_state.doubt import Doubt
from replay.local_state.writer import Handler, Writer
from replay.world.operation import Location, Operation


def _location(writer: Writer, value: Location) -> None:
    writer.tokens += (Location, value.name)
    writer.write(value.initial)


def _variable(writer: Writer, value: Variable) -> None:
    writer.tokens.append(Variable)
    _location(writer, value.location)


def _operations(writer: Writer, value: Operations) -> None:
    writer.tokens.append(Operations)
    _location(writer, value._location)


def _record(writer: Writer, value: Record) -> None:
    """Records of two histories may have one name and other fields."""
    own = vars(value)
    writer.tokens += (Record, own["_name"])
    cells = own["_cells"]
    writer.tokens += (len(cells), *cells)
    for cell in cells.values():
        writer.write(cell.location.initial)


def _named(writer: Writer, value: Array | Mutex | Condition | Thread) -> None:
    """What only the program function makes, once under a name, and threads."""
    writer.tokens += (type(value), value.name)


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
    writer.tokens += (thread.name, wait, held, counts)
    if thread.handled is not None:
        writer.write(thread.handled)


def write_operation(writer: Writer, operation: Operation) -> None:
    """A request: equal for two that the machine may not tell apart, and whose functions have one future."""
    writer.tokens += (operation.kind, operation.label, operation.target, operation.wait_from >= 0)
    for part in (operation.location, operation.value, operation.update, operation.result, operation.code):
        if part is None:
            writer.tokens.append(None)
        else:
            writer.write(part)
    writer.all(operation.choices)


HANDLERS: dict[type, Handler] = {
    Location: _location,
    Variable: _variable,
    Operations: _operations,
    Record: _record,
    Array: _named,
    Mutex: _named,
    Condition: _named,
    Thread: _named,
    Declarations: _declarations,
    Call: _call,
    RunningThread: _running_thread,
    Operation: write_operation,
}
