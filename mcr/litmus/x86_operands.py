"""Operands of x86 instructions: how to read and write them, at which size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mcr.litmus.code import (
    OLD,
    Assign,
    Binary,
    Constant,
    Expression,
    Load,
    Register,
    Statement,
    Store,
    Update,
    Wrapped,
)
from mcr.litmus.errors import LineError
from mcr.litmus.x86_syntax import (
    Dialect,
    Immediate,
    Instruction,
    LabelOperand,
    Memory,
    Operand,
    RegisterOperand,
)


@dataclass(frozen=True, slots=True)
class Jump:
    """Go to a label if the condition, unless None, is not zero."""

    label: str
    condition: Expression | None
    line: int


StatementOrJump = Statement | Jump
Change = Callable[[Expression], Expression]


class InstructionTranslation:
    """One instruction under translation: collects its `steps`."""

    def __init__(self, instruction: Instruction, dialect: Dialect) -> None:
        self.instruction = instruction
        self.line = instruction.line
        self.steps: list[StatementOrJump] = []
        self.accesses: list[str] = []
        """The locations accessed; "" stands for an address in a register."""
        self._dialect = dialect
        self.bits = instruction.bits or self._bits_of_registers()

    def error(self, problem: str) -> LineError:
        return LineError(f"{self.instruction.text!r} {problem}", self.line)

    def _bits_of_registers(self) -> int:
        sizes = {operand.bits for operand in self.instruction.operands if isinstance(operand, RegisterOperand)}
        if len(sizes) > 1:
            raise self.error("mixes registers of different sizes")
        return sizes.pop() if sizes else 32

    # -- which operands --------------------------------------------------------

    def none(self) -> None:
        """Refuse operands."""
        if self.instruction.operands:
            raise self.error("takes no operand")

    def one(self) -> Operand:
        if len(self.instruction.operands) != 1:
            raise self.error("needs one operand")
        return self.instruction.operands[0]

    def two(self) -> tuple[Operand, Operand]:
        """Destination and source; at most one of them is memory."""
        operands = self.instruction.operands
        if len(operands) != 2:
            raise self.error("needs two operands")
        if all(isinstance(operand, Memory) for operand in operands):
            raise self.error("has two memory operands")
        return (operands[0], operands[1]) if self._dialect.destination_first else (operands[1], operands[0])

    def target_and_register(self) -> tuple[Operand, RegisterOperand]:
        """For instructions whose target is the memory operand, wherever it is written; herd writes it first."""
        target, register = self.two()
        if isinstance(register, Memory):
            target, register = register, target
        if not isinstance(register, RegisterOperand):
            raise self.error("needs a register")
        return target, register

    def accumulator(self) -> RegisterOperand:
        """EAX, in the size of the instruction."""
        return RegisterOperand(self._dialect.register_name("eax", self.line), self.bits)

    # -- values ------------------------------------------------------------------

    def address(self, memory: Memory) -> Expression:
        self.accesses.append(memory.location)
        return Register(memory.register) if memory.register else Constant(memory.location)

    def read(self, operand: Operand) -> Expression:
        """The operand's value; a memory operand is loaded into OLD."""
        match operand:
            case Immediate(value):
                return self.wrapped(Constant(value))
            case RegisterOperand(name):
                return Register(name) if self._is_whole else self.wrapped(Register(name))
            case Memory():
                self.steps.append(Load(OLD, self.address(operand), self.line))
                return Register(OLD)
            case LabelOperand():
                raise self.error("cannot read a label")

    def write(self, operand: Operand, value: Expression) -> None:
        match operand:
            case Memory():
                self.steps.append(Store(self.address(operand), value, self.line))
            case RegisterOperand(name):
                self.assign(name, self._widened(name, value))
            case _:
                raise self.error("cannot write its destination")

    def modify(self, operand: Operand, name: str, change: Change, *arguments: Expression) -> Expression:
        """Replace the operand by change(old value), in one step if locked; returns the old value.

        A register is left for the caller to write, as the old value may still be needed.
        """
        if not isinstance(operand, Memory):
            return self.read(operand)
        address = self.address(operand)
        old = Register(OLD)
        if self.instruction.locked or name == "exchange":
            self.steps.append(Update(OLD, address, change(old), None, name, arguments, self.line))
        else:
            self.steps += [Load(OLD, address, self.line), Store(address, change(old), self.line)]
        return old

    def assign(self, register: str, value: Expression) -> None:
        self.steps.append(Assign(register, value, self.line))

    def wrapped(self, value: Expression) -> Expression:
        """The value as a signed number of the instruction's size."""
        return Wrapped(value, self.bits)

    def unsigned(self, value: Expression) -> Expression:
        return Wrapped(value, self.bits, signed=False)

    @property
    def _is_whole(self) -> bool:
        return self.bits == self._dialect.bits

    def _widened(self, register: str, value: Expression) -> Expression:
        """Returns the value of a register after a part of it was written; 32 bits clear the upper half of 64."""
        if self._is_whole:
            return value
        low = self.unsigned(value)
        if self.bits == 32:
            return low
        kept = Binary("&", Register(register), Constant(-1 << self.bits))
        return Wrapped(Binary("|", kept, low), self._dialect.bits)
