"""Steps of CPython with its global lock: a thread is alone between two places where others may run.

CPython 3.12 to 3.14 looks whether it is another thread's turn when a function of Python's begins or a generator goes
on, after a call of what is written in C, and at the end of each turn of a loop (`RESUME`, `CALL`, `JUMP_BACKWARD`: the
instructions that look at its `eval_breaker`); and whoever waits lets others run. So `balance += n` is one step, and
`balance += int(n)` is not.

What is known to keep the lock is in a list of instructions; after any other, others may run. An instruction may
call code without saying so, as `+` does `__add__`: the interpreter counts the functions that begin. Where code is in a
loop, an instruction that is met twice has been left in between.
"""

from __future__ import annotations

import functools
from types import CodeType

from replay.code.bytecode import instructions
from replay.interpreter.execution import Execution, running_execution
from replay.world.operation import Kind, Operation, same_location

_KEEP = frozenset({
    "CACHE", "EXTENDED_ARG", "NOP", "POP_TOP", "COPY", "SWAP", "PUSH_NULL", "PRECALL", "KW_NAMES", "PUSH_EXC_INFO",
    "POP_EXCEPT", "RERAISE", "LOAD_CONST", "LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_AND_CLEAR", "LOAD_FAST_LOAD_FAST",
    "STORE_FAST", "STORE_FAST_LOAD_FAST", "STORE_FAST_STORE_FAST", "DELETE_FAST", "LOAD_DEREF", "STORE_DEREF",
    "LOAD_GLOBAL", "STORE_GLOBAL", "LOAD_NAME", "LOAD_CLOSURE", "LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR", "DELETE_ATTR",
    "BINARY_OP", "BINARY_SUBSCR", "STORE_SUBSCR", "DELETE_SUBSCR", "BINARY_SLICE", "STORE_SLICE", "COMPARE_OP",
    "CONTAINS_OP", "IS_OP", "UNARY_NOT", "UNARY_NEGATIVE", "UNARY_INVERT", "UNARY_POSITIVE", "TO_BOOL", "BUILD_TUPLE",
    "BUILD_LIST", "BUILD_SET", "BUILD_MAP", "BUILD_CONST_KEY_MAP", "BUILD_SLICE", "BUILD_STRING", "LIST_APPEND",
    "SET_ADD", "MAP_ADD", "LIST_EXTEND", "LIST_TO_TUPLE", "SET_UPDATE", "DICT_UPDATE", "DICT_MERGE", "FORMAT_VALUE",
    "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "CONVERT_VALUE", "UNPACK_SEQUENCE", "UNPACK_EX", "GET_ITER", "GET_LEN",
    "END_FOR", "POP_ITER", "RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "CHECK_EXC_MATCH", "JUMP_FORWARD",
    "POP_JUMP_IF_TRUE", "POP_JUMP_IF_FALSE", "POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE", "POP_JUMP_FORWARD_IF_TRUE",
    "POP_JUMP_FORWARD_IF_FALSE", "POP_JUMP_FORWARD_IF_NONE", "POP_JUMP_FORWARD_IF_NOT_NONE", "JUMP_IF_TRUE_OR_POP",
    "JUMP_IF_FALSE_OR_POP", "LOAD_ASSERTION_ERROR", "MATCH_MAPPING", "MATCH_SEQUENCE", "FOR_ITER",
})  # fmt: skip
"""Instructions after which the thread goes on, unless they have called a function of Python's."""


class GlobalLock:
    """Decides for each operation of a thread whether others may have run since the one before.

    frame  the place among all frames of the frame of user code that performed the one before
    at     the offset of its instruction there
    begun  how many functions had begun then
    """

    def __init__(self) -> None:
        self._frame = self._at = 0
        self._before: Operation | None = None
        self._begun = 0

    def is_kept(self, operation: Operation) -> bool:
        """Returns whether no other thread can run between the operation before and this one, for which the thread
        asks now.

        Who may have to wait gives the lock away. A frame that is gone, and another one in its place, has begun since.
        """
        execution = running_execution()
        assert execution is not None
        code, frame, at = _innermost(execution)
        goes_on = execution.begun == self._begun and frame == self._frame and _goes_on(operation)
        before, begun_at = self._before, self._at
        self._frame, self._at, self._before, self._begun = frame, at, operation, execution.begun
        if code is None or before is None or not goes_on:
            return False
        if at == begun_at:
            looks_on = before.kind is operation.kind is Kind.LOAD and same_location(before.location, operation.location)
            # `looks_on`: a function that is written in C goes on looking at one container
            return not _is_in_loop(code, at) and (_all_keep(code, at, at + 1) or looks_on)
        return begun_at < at and _all_keep(code, begun_at, at)


def _innermost(execution: Execution) -> tuple[CodeType | None, int, int]:
    """The innermost frame of user code: its code, its place among all frames, and the offset of its instruction."""
    frames = execution.frames
    for place in range(len(frames) - 1, -1, -1):
        if not (frame := frames[place]).decoded.hidden:
            return frame.code, place, frame.decoded.offsets[max(frame.position - 1, 0)]
    return None, 0, 0


_GO_ON = frozenset({Kind.LOAD, Kind.STORE, Kind.UPDATE, Kind.UNLOCK})


def _goes_on(operation: Operation) -> bool:
    """Returns whether an operation never has to wait."""
    return operation.kind in _GO_ON and operation.ready is None


@functools.lru_cache(1 << 12)
def _all_keep(code: CodeType, start: int, end: int) -> bool:
    """Returns whether all instructions between two places keep the lock, the one at `start` among them."""
    return all(each.opname in _KEEP for each in instructions(code) if start <= each.offset < end)


@functools.lru_cache(1 << 12)
def _is_in_loop(code: CodeType, at: int) -> bool:
    """Returns whether an instruction may run again in the same frame."""
    jumps = (each for each in instructions(code) if "JUMP" in each.opname and isinstance(each.argval, int))
    return any(each.argval <= at <= each.offset for each in jumps)
