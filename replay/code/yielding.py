"""Thread code written as a generator that yields operations."""

from __future__ import annotations

from typing import Any

from replay.code.running_thread import current_run
from replay.errors import ModelError
from replay.world.operation import Operation
from replay.world.shown import shown


def drive(generator: Any) -> object:
    """Perform what a generator yields, and give it the results; returns its own."""
    result: object = None
    error: BaseException | None = None
    while True:
        try:
            operation = generator.send(result) if error is None else generator.throw(error)
        except StopIteration as stop:
            return stop.value
        if not isinstance(operation, Operation):
            where = f"{generator.gi_code.co_filename}:{generator.gi_frame.f_lineno}"
            raise ModelError(f"a generator thread must yield operations, not {shown(operation)}", where)
        result, error = _performed(operation)


def _performed(operation: Operation) -> tuple[object, BaseException | None]:
    """The result of an operation, or the exception to raise where it was yielded."""
    try:
        return current_run().perform(operation), None
    except BaseException as error:  # an update failed, or the run was given up
        return None, error
