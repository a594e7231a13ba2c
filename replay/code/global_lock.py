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

from replay.interpreter.decode import Decoded, following
from replay.interpreter.execution import Execution, running_execution
from replay.world.operation import Kind, Operation, same_location

_KEEP = frozenset({
    "NOP", "POP_TOP", "COPY", "SWAP", "PUSH_NULL", "PUSH_EXC_INFO", "POP_EXCEPT", "RERAISE", "LOAD_CONST", "LOAD_FAST",
    "LOAD_FAST_AND_CLEAR", "STORE_FAST", "DELETE_FAST", "LOAD_DEREF", "STORE_DEREF", "LOAD_GLOBAL", "STORE_GLOBAL",
    "LOAD_NAME", "LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR", "DELETE_ATTR", "BINARY_OP", "BINARY_SUBSCR", "STORE_SUBSCR",
    "DELETE_SUBSCR", "COMPARE_OP", "CONTAINS_OP", "IS_OP", "TRUTH", "NEGATE", "UNARY_OP", "BUILD_TUPLE", "BUILD_LIST",
    "BUILD_SET", "BUILD_MAP", "BUILD_CONST_KEY_MAP", "BUILD_SLICE", "BUILD_STRING", "LIST_APPEND", "SET_ADD", "MAP_ADD",
    "LIST_EXTEND", "LIST_TO_TUPLE", "SET_UPDATE", "DICT_UPDATE", "DICT_MERGE", "CONVERT", "FORMAT", "UNPACK_SEQUENCE",
    "UNPACK_EX", "SPREAD", "GET_ITER", "GET_LEN", "RETURN_VALUE", "RAISE_VARARGS", "CHECK_EXC_MATCH", "JUMP", "JUMP_IF",
    "JUMP_IF_NONE", "MATCH_MAPPING", "MATCH_SEQUENCE", "FOR", "FOR_END",
})  # fmt: skip
"""Instructions of the interpreter after which the thread goes on, unless they have called a function of Python's."""


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

    def let_go(self) -> None:
        """Others may run before the next operation: code runs until then that the interpreter does not see."""
        self._before = None


def _innermost(execution: Execution) -> tuple[Decoded | None, int, int]:
    """The innermost frame of user code: its instructions, its place among all frames, and the offset where it is."""
    frames = execution.frames
    for place in range(len(frames) - 1, -1, -1):
        if not (frame := frames[place]).decoded.hidden:
            return frame.decoded, place, frame.decoded.offsets[max(frame.position - 1, 0)]
    return None, 0, 0


_GO_ON = frozenset({Kind.LOAD, Kind.STORE, Kind.UPDATE, Kind.UNLOCK})


def _goes_on(operation: Operation) -> bool:
    """Returns whether an operation never has to wait."""
    return operation.kind in _GO_ON and operation.ready is None


@functools.lru_cache(1 << 12)
def _all_keep(code: Decoded, start: int, end: int) -> bool:
    """Returns whether all that two offsets enclose keeps the lock, the instruction at `start` among it."""
    return all(
        code.steps[place][0] in _KEEP and min(following(code.steps[place], place), default=place) >= place
        for place, offset in enumerate(code.offsets)
        if start <= offset < end
    )


@functools.lru_cache(1 << 12)
def _is_in_loop(code: Decoded, at: int) -> bool:
    """Returns whether the instruction at an offset may run again in the same frame."""
    ways = ((place, to) for place, step in enumerate(code.steps) for to in following(step, place) if to <= place)
    return any(code.offsets[to] <= at <= code.offsets[place] for place, to in ways)
