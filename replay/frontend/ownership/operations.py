"""Operations on shared objects, each one instruction of the thread that performs it."""

from __future__ import annotations

from typing import Any

from replay.code.interpreted import calls_code, made_operation, perform_at
from replay.frontend.ordinary.changes import Change, copied, others_look_between, spelled_call
from replay.frontend.ordinary.contents import base_of, is_compared_by_code, runs_code
from replay.frontend.ordinary.identity import Identity
from replay.frontend.ordinary.iterating import Backwards, Steps
from replay.frontend.ordinary.values import UNSET, Reference
from replay.interpreter.calls import intrinsic
from replay.interpreter.execution import SWITCH
from replay.interpreter.frame import Frame
from replay.interpreter.lookup import HASHED_NATIVELY, identity
from replay.interpreter.natives import natively
from replay.world.operation import Kind


@intrinsic(Identity.load)
def _load(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
    known: Any = arguments[0]
    if arguments[1] == "" and issubclass(known.reference.member.kind, list | bytearray):
        frame.execution.push(Identity.load, arguments, keywords)  # elements may be moving, or a buffer in use
        return SWITCH
    return load(frame, known, arguments[1])


def load(frame: Frame, known: Identity, part: str) -> int | None:
    """Load a cell of a shared object; push what it holds at first if it is none that changes."""
    if known.heap.is_constant(known, part):
        frame.stack.append(known.content.get(part, UNSET))
        return None
    return perform_at(frame, made_operation(Kind.LOAD, known.cell(part)))


@intrinsic(Identity.store)
def _store(frame: Frame, arguments: list[Any], _: dict[str, Any]) -> int | None:
    return store(frame, *arguments)


def store(frame: Frame, known: Identity, part: str, value: object) -> int | None:
    """Store into a cell of a shared object; None is pushed."""
    known.heap.check_change(known, part)
    return perform_at(frame, made_operation(Kind.STORE, known.cell(part), value=value))


calls_code[identity(Change.written)] = Change.calls_code


@intrinsic(copied)
def _copied(frame: Frame, arguments: list[Any], _: dict[str, Any]) -> int | None:
    """A copy of a shared container that holds a content; interpreted where code hashes or compares its keys."""
    thing, content = arguments[:2]
    if isinstance(thing, dict | set) and any(runs_code(each, ("__hash__", "__eq__")) for each in content):
        frame.execution.push(copied, arguments, {})
        return SWITCH
    frame.stack.append(copied(*arguments))
    return None


HASHED_NATIVELY.add(Reference)

for _each in (
    *(base_of, runs_code, is_compared_by_code, spelled_call, others_look_between, Change),
    *(vars(Steps)["_step"], vars(Backwards)["_step"]),
):
    natively(_each)
