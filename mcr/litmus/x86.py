"""The meaning of x86 instructions, as loads, stores, updates and fences.

A lock-prefixed instruction, and xchg with memory, is one rmw; without the
prefix, an instruction that reads and writes memory is a load and a store.
mfence is a full fence, sfence a store fence (free under TSO), lfence nothing,
as no model here lets a load pass a load. Flags are registers of their own.
"""

from __future__ import annotations

from collections.abc import Callable

from mcr.litmus.code import OLD, Binary, Constant, Expression, Fence, If, Load, Register, Store, StoreFence, Update
from mcr.litmus.x86_operands import InstructionTranslation, Jump
from mcr.litmus.x86_syntax import LOCKABLE, Dialect, Instruction, LabelOperand, Memory, Operand, RegisterOperand

ZERO, SIGN, LESS, CARRY = "ZF", "SF", "LESS", "CF"
"""The flags. LESS stands for "SF differs from OF": the exact signed result is negative."""

FLAGS = frozenset({ZERO, SIGN, LESS, CARRY})

_0, _1 = Constant(0), Constant(1)


def translate(instruction: Instruction, dialect: Dialect) -> InstructionTranslation:
    """The steps of one instruction. Raises LineError if it has no meaning here."""
    work = InstructionTranslation(instruction, dialect)
    if instruction.locked and not _may_lock(instruction):
        raise work.error("takes no lock prefix")
    _INSTRUCTIONS[instruction.mnemonic](work)
    return work


def _may_lock(instruction: Instruction) -> bool:
    return instruction.mnemonic in LOCKABLE and any(isinstance(operand, Memory) for operand in instruction.operands)


# -- moves and fences ------------------------------------------------------------


def _move(work: InstructionTranslation) -> None:
    destination, source = work.two()
    work.write(destination, work.read(source))


def _fence(work: InstructionTranslation) -> None:
    work.none()
    work.steps.append(Fence(work.line))


def _store_fence(work: InstructionTranslation) -> None:
    work.none()
    work.steps.append(StoreFence(work.line))


def _nothing(work: InstructionTranslation) -> None:
    work.none()


# -- arithmetic -------------------------------------------------------------------

_OPERATION = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^"}


def _binary(work: InstructionTranslation) -> None:
    destination, source = work.two()
    _combine(work, destination, work.instruction.mnemonic, work.read(source))


def _combine(work: InstructionTranslation, destination: Operand, name: str, right: Expression) -> None:
    """destination = destination `name` right"""

    def change(old: Expression) -> Expression:
        return work.wrapped(Binary(_OPERATION[name], old, right))

    old = work.modify(destination, name, change, right)
    _set_flags(work, name, old, right)
    if not isinstance(destination, Memory):
        work.write(destination, change(old))


def _step(work: InstructionTranslation) -> None:
    """inc and dec: they leave the carry flag alone."""
    _combine(work, work.one(), "add" if work.instruction.mnemonic == "inc" else "sub", _1)


def _negate(work: InstructionTranslation) -> None:
    operand = work.one()
    old = work.modify(operand, "neg", lambda old: work.wrapped(Binary("-", _0, old)))
    _set_flags(work, "sub", _0, old)
    if not isinstance(operand, Memory):
        work.write(operand, work.wrapped(Binary("-", _0, old)))


def _complement(work: InstructionTranslation) -> None:
    operand = work.one()
    old = work.modify(operand, "not", lambda old: Binary("^", old, Constant(-1)))
    if not isinstance(operand, Memory):
        work.write(operand, Binary("^", old, Constant(-1)))


def _exchange_add(work: InstructionTranslation) -> None:
    target, register = work.target_and_register()
    if not isinstance(target, Memory):
        raise work.error("needs a memory operand")
    _combine(work, target, "add", work.read(register))
    work.write(register, Register(OLD))


# -- flags -----------------------------------------------------------------------


def _set_flags(work: InstructionTranslation, name: str, left: Expression, right: Expression) -> None:
    """The flags of `left name right`."""
    result = work.wrapped(Binary(_OPERATION[name], left, right))
    negative = Binary("<", result, _0)
    if name == "sub":
        work.assign(ZERO, Binary("==", left, right))
        work.assign(LESS, Binary("<", left, right))
        carry: Expression = Binary("<", work.unsigned(left), work.unsigned(right))
    elif name == "add":
        work.assign(ZERO, Binary("==", result, _0))
        work.assign(LESS, Binary("<", Binary("+", left, right), _0))
        carry = Binary(">=", Binary("+", work.unsigned(left), work.unsigned(right)), Constant(1 << work.bits))
    else:
        work.assign(ZERO, Binary("==", result, _0))
        work.assign(LESS, negative)
        carry = _0
    work.assign(SIGN, negative)
    if work.instruction.mnemonic not in ("inc", "dec"):
        work.assign(CARRY, carry)


def _compare(work: InstructionTranslation) -> None:
    left, right = work.two()
    _set_flags(work, "sub", work.read(left), work.read(right))


def _test(work: InstructionTranslation) -> None:
    left, right = work.two()
    _set_flags(work, "and", work.read(left), work.read(right))


# -- exchanges ---------------------------------------------------------------------


def _exchange(work: InstructionTranslation) -> None:
    target, register = work.target_and_register()
    new = work.read(register)
    if isinstance(target, Memory):
        work.modify(target, "exchange", lambda _: new, new)
    else:
        work.assign(OLD, work.read(target))
        work.write(target, new)
    work.write(register, Register(OLD))


def _unlocked_exchange(work: InstructionTranslation) -> None:
    """herd's uxch: what xchg would be without its built-in lock."""
    target, register = work.target_and_register()
    new = work.read(register)
    work.modify(target, "uxch", lambda _: new)
    work.write(register, Register(OLD))


def _compare_exchange(work: InstructionTranslation) -> None:
    target, register = work.target_and_register()
    if not isinstance(target, Memory):
        raise work.error("needs a memory operand")
    accumulator = work.accumulator()
    expected, new, old = work.read(accumulator), work.read(register), Register(OLD)
    equal, address = Binary("==", old, expected), work.address(target)
    if work.instruction.locked:
        work.steps.append(Update(OLD, address, new, equal, "compare_exchange", (expected, new), work.line))
    else:
        work.steps += [Load(OLD, address, work.line), If(equal, (Store(address, new, work.line),), (), work.line)]
    _set_flags(work, "sub", expected, old)
    work.write(accumulator, old)


# -- conditions --------------------------------------------------------------------


def _not(flag: Expression) -> Expression:
    return Binary("==", flag, _0)


_Z, _S, _L, _C = (Register(flag) for flag in (ZERO, SIGN, LESS, CARRY))
_L_OR_Z, _C_OR_Z = Binary("or", _L, _Z), Binary("or", _C, _Z)

_WHEN: dict[str, Expression] = {
    "e": _Z, "z": _Z, "ne": _not(_Z), "nz": _not(_Z),
    "l": _L, "nge": _L, "ge": _not(_L), "nl": _not(_L),
    "le": _L_OR_Z, "ng": _L_OR_Z, "g": _not(_L_OR_Z), "nle": _not(_L_OR_Z),
    "b": _C, "c": _C, "nae": _C, "ae": _not(_C), "nb": _not(_C), "nc": _not(_C),
    "be": _C_OR_Z, "na": _C_OR_Z, "a": _not(_C_OR_Z), "nbe": _not(_C_OR_Z),
    "s": _S, "ns": _not(_S),
}  # fmt: skip


def _jump(work: InstructionTranslation) -> None:
    target = work.one()
    assert isinstance(target, LabelOperand)
    condition = None if work.instruction.mnemonic == "jmp" else _WHEN[work.instruction.mnemonic[1:]]
    work.steps.append(Jump(target.name, condition, work.line))


def _set(work: InstructionTranslation) -> None:
    work.bits = 8
    work.write(work.one(), _WHEN[work.instruction.mnemonic[3:]])


def _conditional_move(work: InstructionTranslation) -> None:
    """The load happens in any case. herd writes the destination first in both dialects."""
    source, destination = work.target_and_register()
    if isinstance(source, RegisterOperand):
        destination, source = work.instruction.operands  # type: ignore[assignment]
    value = work.read(source)
    before = len(work.steps)
    work.write(destination, value)
    taken = tuple(step for step in work.steps[before:] if not isinstance(step, Jump))
    work.steps[before:] = [If(_WHEN[work.instruction.mnemonic[4:]], taken, (), work.line)]


_INSTRUCTIONS: dict[str, Callable[[InstructionTranslation], None]] = {
    "mov": _move,
    "mfence": _fence,
    "sfence": _store_fence,
    "xadd": _exchange_add,
    "neg": _negate,
    "not": _complement,
    "cmp": _compare,
    "test": _test,
    "xchg": _exchange,
    "uxch": _unlocked_exchange,
    "cmpxchg": _compare_exchange,
    "jmp": _jump,
    **dict.fromkeys(("lfence", "nop", "pause"), _nothing),
    **dict.fromkeys(_OPERATION, _binary),
    **dict.fromkeys(("inc", "dec"), _step),
    **{f"j{condition}": _jump for condition in _WHEN},
    **{f"set{condition}": _set for condition in _WHEN},
    **{f"cmov{condition}": _conditional_move for condition in _WHEN},
}
