"""The program function, where it is interpreted: what it makes for threads is of the model."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from replay.code.interpreted import InterpretedCode
from replay.code.lines import lines_of
from replay.code.running_thread import RunningThread
from replay.code.terminals import Ended
from replay.code.user_code import refuse_while_set_up
from replay.errors import ModelError
from replay.frontend.declarations import Declarations
from replay.frontend.ordinary.own import ShareableBuiltin
from replay.frontend.ownership import library
from replay.frontend.ownership.objects import SharedObjects
from replay.interpreter.exceptions import Refused
from replay.world.operation import UNWRITTEN, Kind, Operation

Broken = Callable[[BaseException], NoReturn]


class _ProgramFunction(InterpretedCode):
    """The code of the program function, which performs operations on what is shared already, one after the other."""

    def __init__(self, thread: RunningThread, broken: Broken) -> None:
        super().__init__(thread)
        self._broken = broken
        self._returned = True

    def _left(self, error: BaseException) -> object:
        if isinstance(error, ModelError):
            raise error
        self._broken(error)

    def _ended(self, result: object) -> object:
        return Ended(None)

    def perform_all(self, heap: SharedObjects) -> None:
        """Run to the end. What memory holds then is what threads find first."""
        memory: dict[str, Any] = {}
        asked = self.go()
        while isinstance(asked, Operation):
            asked = self._performed(asked, memory, heap)
        if not isinstance(asked, Ended):
            self._refuse_to_wait("what never comes")
        for thing, known in heap.cells():
            known.begin_with(memory)
            if isinstance(thing, ShareableBuiltin):
                thing.become_shared(known)

    def _refuse_to_wait(self, what: str) -> NoReturn:
        lines = lines_of(self.execution)
        raise ModelError(f"the program function waits for {what}", str(lines[0]) if lines else "")

    def _performed(self, asked: Operation, memory: dict[str, Any], heap: SharedObjects) -> Any:
        """Performs this operation, and returns what the code asks for next."""
        cell = asked.location
        if asked.kind is Kind.CHOOSE:
            return self.go(asked.choices[0])
        if cell is None or not any(known.has(cell) for _, known in heap.cells()):
            refuse_while_set_up("shared state", self.execution)
        held = memory.get(cell.name, cell.initial)
        if asked.ready is not None and not asked.ready(held):
            self._refuse_to_wait(f"{cell.name}, which no thread changes now")
        following = self.go(held)
        wrote = self.thread.wrote if asked.kind is Kind.UPDATE else asked.value
        if asked.kind is not Kind.LOAD and wrote is not UNWRITTEN:
            memory[cell.name] = wrote
        return following


def declared(program: Any, like: Declarations | None, broken: Broken) -> Declarations:
    """A new instance of a program; `broken` tells of an exception that leaves its function. Raises ModelError."""
    library.install()
    heap = SharedObjects(program, like.heap if like is not None else None)
    p = Declarations(like, heap)
    heap.declare = p.thread
    arguments = {name: heap.homes.standing_for(value, name) for name, value in program.values.items()}
    thread = RunningThread("", partial(program.set_up, p, arguments), 0)
    thread.heap, thread.declares = heap, True
    code = _ProgramFunction(thread, broken)
    code.perform_all(heap)
    try:
        code.execution.call(_share_all, heap, p)
    except Refused as refused:
        raise refused.error from None
    heap.declaring = False
    return p


def _share_all(heap: Any, p: Any) -> None:
    heap.share_what_was_made(p.all_code, p.own_name)
    heap.begin()
