"""Instructions of the statement `match`."""

from __future__ import annotations

from replay.interpreter import protocols
from replay.interpreter.calls import call
from replay.interpreter.decode import Decoded
from replay.interpreter.execution import SWITCH, Instruction, simple, with_argument
from replay.interpreter.frame import Frame

_IS_SEQUENCE, _IS_MAPPING = 1 << 5, 1 << 6


@simple
def GET_LEN(frame: Frame) -> int | None:
    return call(frame, len, [frame.stack[-1]], {})


@simple
def MATCH_MAPPING(frame: Frame) -> None:
    frame.stack.append(bool(type(frame.stack[-1]).__flags__ & _IS_MAPPING))


@simple
def MATCH_SEQUENCE(frame: Frame) -> None:
    frame.stack.append(bool(type(frame.stack[-1]).__flags__ & _IS_SEQUENCE))


@simple
def MATCH_KEYS(frame: Frame) -> int:
    frame.execution.push(protocols.match_keys, [frame.stack[-2], frame.stack[-1]], {})
    return SWITCH


@with_argument
def MATCH_CLASS(count: int, _: Decoded) -> Instruction:
    def match_class(frame: Frame) -> int:
        stack = frame.stack
        names, kind, subject = stack.pop(), stack.pop(), stack.pop()
        frame.execution.push(protocols.match_class, [subject, kind, count, names], {})
        return SWITCH

    return match_class
