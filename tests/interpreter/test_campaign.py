"""The campaign's share for every change, and whether it would see mistakes."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from types import CellType, CodeType
from typing import Any

import pytest

from replay.interpreter import exceptions, execution, frame, generators
from replay.interpreter.decode import Decoded, decode
from replay.interpreter.execution import MAKERS, Instruction
from replay.interpreter.frame import NULL, Frame
from replay.interpreter.generators import resume
from tests.amount import amount
from tests.interpreter.program import generate
from tests.interpreter.running import Judge, prepared

MOST = 1_000
"""Programs, from the first seed on, in which each mistake below must be found."""

Patch = pytest.MonkeyPatch


def test_interpreter_agrees_with_python() -> None:
    judge = Judge()
    with prepared():
        for seed in range(1, amount(100, 20_000) + 1):
            assert judge.difference(generate(seed)) is None, f"seed {seed}"
    assert judge.skipped + judge.unstable < judge.programs / 50


# -- mistakes ---------------------------------------------------------------------------------


def operands_exchanged(patch: Patch) -> None:
    make = MAKERS["BINARY_OP"]

    def wrong(symbol: str, decoded: Decoded) -> Instruction:
        right = make(symbol, decoded)

        def binary_op(frame: Frame) -> int | None:
            stack = frame.stack
            stack[-1], stack[-2] = stack[-2], stack[-1]
            return right(frame)

        return binary_op if symbol == "-" else right

    patch.setitem(MAKERS, "BINARY_OP", wrong)


def in_place_ignored(patch: Patch) -> None:
    make = MAKERS["BINARY_OP"]
    patch.setitem(MAKERS, "BINARY_OP", lambda symbol, decoded: make(symbol.removesuffix("="), decoded))


def context_lost(patch: Patch) -> None:
    patch.setattr(exceptions, "set_context", lambda error, handled: None)


def finally_skipped(patch: Patch) -> None:
    """An exception goes past blocks that would raise it again at their end."""
    telling = ("CHECK_EXC_MATCH", "SPLIT_GROUP", "WITH_EXCEPT_START", "POP_EXCEPT", "RERAISE", "CLEANUP_THROW")

    def is_finally(decoded: Decoded, target: int) -> bool:
        names = [name for name, _ in decoded.steps[target:]]
        return names[0] == "PUSH_EXC_INFO" and next(name for name in names if name in telling) == "RERAISE"

    def wrong(code: CodeType) -> Decoded:
        decoded = copy(decode(code))  # others are given the same
        decoded.handlers = [
            None if each is not None and is_finally(decoded, each.target) else each for each in decoded.handlers
        ]
        return decoded

    patch.setattr(execution, "decode", wrong)


def empty_is_true(patch: Patch) -> None:
    make = MAKERS["TRUTH"]

    def wrong(argument: Any, decoded: Decoded) -> Instruction:
        right = make(argument, decoded)

        def truth(frame: Frame) -> int | None:
            if type(frame.stack[-1]) in (list, str, dict):
                frame.stack[-1] = True
            return right(frame)

        return truth

    patch.setitem(MAKERS, "TRUTH", wrong)


def returned_value_lost(patch: Patch) -> None:
    """The value of a generator's `return`."""
    make = MAKERS["RETURN_VALUE"]

    def wrong(argument: Any, decoded: Decoded) -> Instruction:
        right = make(argument, decoded)

        def return_value(frame: Frame) -> int | None:
            if frame.generator is not None:
                frame.stack[-1] = None
            return right(frame)

        return return_value

    patch.setitem(MAKERS, "RETURN_VALUE", wrong)


def defaults_in_wrong_order(patch: Patch) -> None:
    def wrong(function: Any, slots: list[Any]) -> None:
        code = function.__code__
        defaults = function.__defaults__ or ()
        for place, value in enumerate(defaults[::-1], code.co_argcount - len(defaults)):
            if slots[place] is NULL:
                slots[place] = value
        for name, value in (function.__kwdefaults__ or {}).items():
            place = code.co_varnames.index(name)
            if slots[place] is NULL:
                slots[place] = value

    patch.setattr(frame, "_fill_defaults", wrong)


def keyword_defaults_dropped(patch: Patch) -> None:
    patch.setattr(frame, "_fill_defaults", lambda function, slots: None)


def unpacked_in_wrong_order(patch: Patch) -> None:
    _replace(patch, "SPREAD", lambda frame: frame.stack.extend(frame.stack.pop()))


def cells_copied(patch: Patch) -> None:
    """A function gets its own variables where it should share those around it."""

    def copied(cell: CellType) -> CellType:
        try:
            return CellType(cell.cell_contents)
        except ValueError:
            return CellType()

    def wrong(count: int, _: Decoded) -> Instruction:
        def copy_free_vars(frame: Frame) -> None:
            frame.slots[len(frame.slots) - count :] = [copied(each) for each in frame.function.__closure__ or ()]

        return copy_free_vars

    patch.setitem(MAKERS, "COPY_FREE_VARS", wrong)


def only_exact_class_caught(patch: Patch) -> None:
    def wrong(frame: Frame) -> None:
        kinds = frame.stack.pop()
        frame.stack.append(type(frame.stack[-1]) in (kinds if type(kinds) is tuple else (kinds,)))

    _replace(patch, "CHECK_EXC_MATCH", wrong)


def handled_not_restored(patch: Patch) -> None:
    _replace(patch, "POP_EXCEPT", lambda frame: frame.stack.pop() and None)


def thrown_as_sent(patch: Patch) -> None:
    def wrong(generator: Any, error: Any) -> Any:
        return resume(generator, None)

    patch.setattr(generators, "throw_into", wrong)


def _replace(patch: Patch, name: str, instruction: Callable[[Frame], Any]) -> None:
    patch.setitem(MAKERS, name, lambda _argument, _decoded: instruction)


MISTAKES = (
    operands_exchanged,
    in_place_ignored,
    context_lost,
    finally_skipped,
    empty_is_true,
    returned_value_lost,
    defaults_in_wrong_order,
    keyword_defaults_dropped,
    unpacked_in_wrong_order,
    cells_copied,
    only_exact_class_caught,
    handled_not_restored,
    thrown_as_sent,
)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_found(mistake: Callable[[Patch], None], monkeypatch: Patch) -> None:
    monkeypatch.setattr(execution, "_by_identity", {})  # what was made without the mistake
    mistake(monkeypatch)
    judge = Judge()
    with prepared():
        assert any(judge.difference(generate(seed)) is not None for seed in range(1, MOST + 1))
