"""Copies of executions that stand still: frames, generators, and all objects that only they can reach."""

from __future__ import annotations

from typing import Any

from replay.interpreter.async_generators import AsyncGenerator
from replay.interpreter.copied import check_globals
from replay.interpreter.copier import Copier, Uncopyable, copies
from replay.interpreter.execution import Execution
from replay.interpreter.frame import Frame, Handled
from replay.interpreter.generators import Coroutine, Generator
from replay.interpreter.identities import Identities
from replay.interpreter.lookup import identity
from replay.interpreter.set_orders import SetOrders


def copy_execution(copier: Copier, original: Execution) -> Execution:
    """A copy of an execution that stands still; its owner is copied by whoever owns it."""
    copy: Execution = copier.made(original, Execution())
    if original.dropped:
        raise Uncopyable("a generator that is about to be closed")
    copy.handled = _handled(copier, original.handled)
    copy.patience, copy.on_overrun, copy.begun = original.patience, original.on_overrun, original.begun
    copy.on_global = original.on_global
    copy.compiled, copy.guard = original.compiled, original.guard
    copy.objects = original.objects
    copy.frames = [_frame(copier, frame) for frame in original.frames]
    copy.take_lines(original, copier.copies)
    copy.identities = Identities(copier.all(original.identities.held()))
    copy.orders = SetOrders((copier.copy(things), order) for things, order in original.orders.held())
    for variable, value in original.context.items():
        copy.context.run(variable.set, copier.copy(value))
    return copy


def _handled(copier: Copier, original: Handled | None) -> Any:
    if original is None:
        return None
    found = copier.copies.get(identity(original))
    if found is None:
        found = copier.made(original, Handled())
        found.error = copier.copy(original.error)
        found.below = _handled(copier, original.below)
    return found


def _frame(copier: Copier, original: Frame) -> Frame:
    found = copier.copies.get(identity(original))
    if found is not None:
        return found  # type: ignore[no-any-return]
    check_globals(original.globals)
    copy: Frame = copier.made(original, Frame.__new__(Frame))
    copy.execution = copier.copies.get(identity(original.execution), original.execution)
    copy.decoded, copy.position, copy.is_base = original.decoded, original.position, original.is_base
    copy.globals, copy.builtins = original.globals, original.builtins
    copy.stack, copy.slots = copier.all(original.stack), copier.all(original.slots)
    copy.function = copier.copy(original.function)
    copy.names = None if original.names is None else copier.copy(original.names)
    copy.made = copier.copy(original.made)
    copy.handled = _handled(copier, original.handled)
    copy.generator = None if original.generator is None else copier.copy(original.generator)
    if hasattr(original, "call"):
        copy.call = original.call
    return copy


@copies(Generator, Coroutine, AsyncGenerator)
def _generator(copier: Copier, original: Generator) -> Generator:
    copy: Generator = copier.made(original, object.__new__(type(original)))
    copy.state = "over"  # until it has a frame
    copy.__name__, copy.__qualname__ = original.__name__, original.__qualname__
    copy.frame = _frame(copier, original.frame)
    copy.state = original.state
    return copy
