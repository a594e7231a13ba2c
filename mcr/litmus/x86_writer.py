"""Writes a straight thread as X86 instructions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcr.litmus.straight import StraightOperation, StraightThread
from mcr.litmus.test import RegisterColumn
from mcr.litmus.write import REGISTERS
from replay.errors import ModelError
from replay.world.operation import Kind


@dataclass(frozen=True)
class WrittenThread:
    """The instructions, and for each deciding step the register that holds what it read."""

    code: list[str]
    columns: dict[int, RegisterColumn]


def write_thread(number: int, thread: StraightThread, deciding: Sequence[int]) -> WrittenThread:
    """Write a thread; what the `deciding` steps read stays in registers to the end.

    Raises ModelError if the registers do not suffice.
    """
    return _Writer(number, thread, deciding).written()


class _Writer:
    """Registers are given out once; compare_exchange needs EAX, which is then no one else's."""

    def __init__(self, number: int, thread: StraightThread, deciding: Sequence[int]) -> None:
        self._number = number
        self._thread = thread
        self._deciding = deciding
        self._copied = {step.written.read for step in thread.steps if step.written and step.written.read is not None}
        compares = any(step.name == "compare_exchange" for step in thread.steps)
        self._free = list(REGISTERS[1:] if compares else REGISTERS)
        self._scratch = ""
        self._holds: dict[int, str] = {}
        self._code: list[str] = []

    def written(self) -> WrittenThread:
        for place, step in enumerate(self._thread.steps):
            self._step(place, step)
        columns = {place: RegisterColumn(self._number, self._holds[place]) for place in self._deciding}
        return WrittenThread(self._code, columns)

    def _register(self) -> str:
        if not self._free:
            raise ModelError(f"thread {self._number} needs more than the {len(REGISTERS)} registers of X86")
        return self._free.pop(0)

    def _target(self, place: int) -> str:
        """The register for what a step reads: its own if that is needed later, else one that is shared."""
        if place in self._deciding or place in self._copied:
            self._holds[place] = self._register()
            return self._holds[place]
        self._scratch = self._scratch or self._register()
        return self._scratch

    def _step(self, place: int, step: StraightOperation) -> None:
        cell = f"[{step.location_name}]"
        if step.kind is Kind.LOAD:
            self._code.append(f"MOV {self._target(place)},{cell}")
        elif step.kind is Kind.STORE:
            self._code.append(f"MOV {cell},{self._value(step)}")
        elif step.kind is Kind.UPDATE:
            self._rmw(place, step, cell)
        else:
            self._code.append("MFENCE" if step.kind is Kind.FENCE else "SFENCE")

    def _value(self, step: StraightOperation) -> str:
        """The operand for what is written: a constant, or a register, copied if something is added."""
        written = step.written
        assert written is not None
        if written.read is None:
            return f"${written.amount}"
        source = self._holds[written.read]
        if written.amount == 0:
            return source
        sum_register = self._register()
        self._code += [f"MOV {sum_register},{source}", f"ADD {sum_register},${written.amount}"]
        return sum_register

    def _rmw(self, place: int, step: StraightOperation, cell: str) -> None:
        if step.name == "compare_exchange":
            expected, new = step.arguments
            register = self._target(place)
            self._code += [f"MOV EAX,${expected}", f"MOV {register},${new}"]
            self._code += [f"LOCK CMPXCHG {cell},{register}", f"MOV {register},EAX"]
        elif step.name == "exchange":
            value, register = self._value(step), self._target(place)
            self._code += [f"MOV {register},{value}", f"XCHG {cell},{register}"]
        elif place in self._deciding or place in self._copied:
            register = self._target(place)
            self._code += [f"MOV {register},${step.arguments[0]}", f"LOCK XADD {cell},{register}"]
        else:
            self._code.append(f"LOCK ADD {cell},${step.arguments[0]}")
