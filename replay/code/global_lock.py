"""Where CPython with its global lock lets other threads run: what a thread does between two such places is one step.

CPython 3.12 to 3.14 looks whether it is another thread's turn when a function of Python's begins or a generator goes
on, after a call of what is written in C, and at the end of each turn of a loop (`RESUME`, `CALL`, `JUMP_BACKWARD`: the
instructions that look at its `eval_breaker`); and whoever waits lets others run. So `balance += n` is one step, and
`balance += int(n)` is not.

What is known to keep the lock is in a list of instructions; after any other, others may run. An instruction may
call code without saying so, as `+` does `__add__`: Python tells of each function that begins (`sys.setprofile`).
Where code is in a loop, an instruction that is met twice has been left in between.
"""

from __future__ import annotations

import dis
import functools
import sys
import sysconfig
import traceback
from types import CodeType, FrameType

from replay.code.bytecode import instructions
from replay.code.lines import is_of_library, is_ours, is_user_code, user_frames
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
    """What says of each operation of a thread whether others may have run since the one before.

    frame    the frame of user code that performed the one before: its identity, or its place in the interpreter's list
    at       the offset of its instruction there
    entered  whether a function has begun since; where the thread is interpreted, how many had begun then
    """

    def __init__(self) -> None:
        self._frame = self._at = 0
        self._before: Operation | None = None
        self._entered: int = False

    def profile(self, frame: FrameType, event: str, _: object) -> None:
        """For `sys.setprofile` while the thread runs."""
        if event == "call" and is_user_code(frame.f_code.co_filename) and not _is_for_us(frame):
            self._entered = True

    def is_kept(self, operation: Operation) -> bool:
        """Whether no other thread can run between the operation before and this one, for which the thread asks now.

        Who may have to wait gives the lock away. A frame that is gone, and another one in its place, has begun since.
        """
        execution = running_execution()
        code, frame, at = _innermost() if execution is None else _innermost_of(execution)
        entered = self._entered if execution is None else execution.begun != self._entered
        is_same, before, begun_at = frame == self._frame, self._before, self._at
        self._frame, self._at, self._before = frame, at, operation
        self._entered = False if execution is None else execution.begun
        if code is None or before is None or entered or not is_same or not _goes_on(operation):
            return False
        if at == begun_at:
            looks_on = before.kind is operation.kind is Kind.LOAD and same_location(before.location, operation.location)
            # `looks_on`: a function that is written in C goes on looking at one container
            return not _is_in_loop(code, at) and (_all_keep(code, at, at + 1) or looks_on)
        return begun_at < at and _all_keep(code, begun_at, at)


def _innermost() -> tuple[CodeType | None, int, int]:
    """The innermost frame of user code: its code, its identity, and where its instruction begins."""
    frame = next(user_frames(sys._getframe(1)), None)
    return (None, 0, 0) if frame is None else (frame.f_code, id(frame), _begin(frame.f_code, frame.f_lasti))


def _innermost_of(execution: Execution) -> tuple[CodeType | None, int, int]:
    """The same where the thread is interpreted: its code, its place among all frames, and its instruction."""
    frames = execution.frames
    for place in range(len(frames) - 1, -1, -1):
        if not (frame := frames[place]).decoded.hidden:
            return frame.code, place, frame.decoded.offsets[max(frame.position - 1, 0)]
    return None, 0, 0


_TOOLS = ("contextlib", "dataclasses", "dis", "inspect")
"""Modules of Python's library whose functions the checker calls for itself: none runs code of what it is given."""


def _is_for_us(frame: FrameType) -> bool:
    """Whether a function of Python's library, or one that Python has generated, begins because the checker calls it."""
    back: FrameType | None = frame
    while back is not None and (is_of_library(back.f_code) or back.f_code.co_filename == "<string>"):
        frame, back = back, back.f_back
    if back is None or back is frame or not is_ours(back.f_code.co_filename):
        return False
    home = frame.f_globals.get("__name__", "")
    return home in _TOOLS or home.startswith(("replay.", "namedtuple_")) or frame.f_code in _FOR_US


_FOR_US: frozenset[CodeType] = frozenset(
    each.__code__
    for each in (
        dis.Instruction._replace,
        functools.cached_property.__get__,
        sysconfig.get_config_var,
        traceback.walk_tb,
    )
)
"""Other functions of the library that the checker calls for itself, some of them in its first run only."""


_GO_ON = frozenset({Kind.LOAD, Kind.STORE, Kind.UPDATE, Kind.UNLOCK})


def _goes_on(operation: Operation) -> bool:
    """Whether an operation never has to wait."""
    return operation.kind in _GO_ON and operation.ready is None


@functools.lru_cache(1 << 12)
def _begin(code: CodeType, offset: int) -> int:
    """Where the instruction begins in which an offset lies."""
    return max(each.offset for each in instructions(code) if each.offset <= offset)


@functools.lru_cache(1 << 12)
def _all_keep(code: CodeType, start: int, end: int) -> bool:
    """Whether all instructions between two places keep the lock, the one at `start` among them."""
    return all(each.opname in _KEEP for each in instructions(code) if start <= each.offset < end)


@functools.lru_cache(1 << 12)
def _is_in_loop(code: CodeType, at: int) -> bool:
    """Whether an instruction may run again in the same frame."""
    jumps = (each for each in instructions(code) if "JUMP" in each.opname and isinstance(each.argval, int))
    return any(each.argval <= at <= each.offset for each in jumps)
