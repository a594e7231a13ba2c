"""x86 instructions as herd7 and diy7 write them, in the dialects X86 and X86_64: words only, no meaning.

X86 has Intel's order of operands (destination first) and 32 bits; X86_64 has
AT&T's (destination last), and a size in the mnemonic or in the register.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mcr.litmus.errors import LineError
from mcr.litmus.sections import Section, as_number


@dataclass(frozen=True, slots=True)
class RegisterOperand:
    """A register, or the low part of one: `name` is the whole register, as conditions call it."""

    name: str
    bits: int


@dataclass(frozen=True, slots=True)
class Immediate:
    """A number, or the address of a location."""

    value: int | str


@dataclass(frozen=True, slots=True)
class Memory:
    """A location by its name, or the one whose address a register holds."""

    location: str = ""
    register: str = ""


@dataclass(frozen=True, slots=True)
class LabelOperand:
    name: str


Operand = RegisterOperand | Immediate | Memory | LabelOperand


@dataclass(frozen=True, slots=True)
class Instruction:
    """bits is 0 where neither mnemonic nor registers say a size."""

    mnemonic: str
    operands: tuple[Operand, ...]
    bits: int
    locked: bool
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Label:
    name: str
    line: int


Item = Instruction | Label


class Dialect:
    """What differs between X86 and X86_64: registers, and the place of the destination."""

    def __init__(self, name: str, registers: dict[str, RegisterOperand], bits: int) -> None:
        self.name = name
        self.destination_first = name == "X86"
        self.bits = bits
        self._registers = registers

    def find_register(self, word: str) -> RegisterOperand | None:
        return self._registers.get(word.lower())

    def register_name(self, word: str, line: int) -> str:
        """The canonical name of a register in initial states and conditions."""
        found = self.find_register(word)
        if found is None:
            raise LineError(f"{word!r} is no register of {self.name}", line)
        return found.name


def _registers_32() -> dict[str, RegisterOperand]:
    table = {}
    for letters in ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp"):
        table[f"e{letters}"] = RegisterOperand(f"E{letters}".upper(), 32)
        table[letters] = RegisterOperand(f"E{letters}".upper(), 16)
        if letters.endswith("x"):
            table[f"{letters[0]}l"] = RegisterOperand(f"E{letters}".upper(), 8)
    return table


def _registers_64() -> dict[str, RegisterOperand]:
    table = {}
    for letters in ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp"):
        low = f"{letters[0]}l" if letters.endswith("x") else f"{letters}l"
        for word, bits in ((f"r{letters}", 64), (f"e{letters}", 32), (letters, 16), (low, 8)):
            table[word] = RegisterOperand(f"r{letters}", bits)
    for number in range(8, 16):
        for suffix, bits in (("", 64), ("d", 32), ("w", 16), ("b", 8)):
            table[f"r{number}{suffix}"] = RegisterOperand(f"r{number}", bits)
    return table


DIALECTS = {"X86": Dialect("X86", _registers_32(), 32), "X86_64": Dialect("X86_64", _registers_64(), 64)}

SIZES = {"b": 8, "w": 16, "l": 32, "q": 64}

_ARITHMETIC = frozenset({"add", "sub", "and", "or", "xor", "inc", "dec", "neg", "not", "xadd", "cmpxchg"})
_SIZED = _ARITHMETIC | {"mov", "xchg", "uxch", "cmp", "test"}
_CONDITIONS = (
    *("e", "z", "ne", "nz", "l", "nge", "ge", "nl", "le", "ng", "g", "nle"),
    *("b", "c", "nae", "ae", "nb", "nc", "be", "na", "a", "nbe", "s", "ns"),
)
_CONDITIONAL = frozenset(f"{stem}{condition}" for stem in ("j", "set", "cmov") for condition in _CONDITIONS)
_PLAIN = frozenset({"mfence", "sfence", "lfence", "nop", "pause", "jmp"}) | _CONDITIONAL
LOCKABLE = _ARITHMETIC | {"xchg"}
"""The instructions that take a lock prefix."""

HERD_SYNONYMS = {"jlt": "jl", "jgt": "jg"}

_PREFIXED = re.compile(r"(?:(lock)\s+)?([a-z_0-9]+)\s*(.*)", re.IGNORECASE | re.DOTALL)
_LABEL = re.compile(r"([A-Za-z_][\w.]*)\s*:\s*(.*)", re.DOTALL)
_NUMBER = re.compile(r"\$?\s*(-?(?:0x[0-9a-f]+|\d+))", re.IGNORECASE)
_MEMORY = re.compile(r"(?P<offset>0)?[\[(]\s*%?(?P<name>[A-Za-z_]\w*)\s*[\])]")
_RELATIVE = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*\(\s*%?rip\s*\)", re.IGNORECASE)
_NAME = re.compile(r"(?P<mark>[%$]?)(?P<name>[A-Za-z_][\w.]*)")


def parse_program(section: Section, dialect: Dialect) -> list[tuple[str, int, list[Item]]]:
    """The columns of the program: name of the thread, its line, its instructions."""
    rows = _rows(section)
    if not rows:
        raise LineError("there is no program", section.line)
    names, first = rows[0]
    for position, name in enumerate(names):
        if name != f"P{position}":
            raise LineError(f"expected the name of a thread, P{position}, found {name!r}", first)
    columns: list[tuple[str, int, list[Item]]] = [(name, first, []) for name in names]
    for cells, line in rows[1:]:
        if len(cells) != len(names):
            raise LineError(f"this row has {len(cells)} columns, the test has {len(names)} threads", line)
        for (_, _, items), cell in zip(columns, cells, strict=True):
            items.extend(_items(cell, line, dialect))
    return columns


def _rows(section: Section) -> list[tuple[list[str], int]]:
    """The rows of the table with their lines; a row ends with a semicolon."""
    found = []
    line = section.line
    *rows, rest = section.text.split(";")
    if rest.strip():
        rows.append(rest)
    for row in rows:
        start = line + len(row[: len(row) - len(row.lstrip())].split("\n")) - 1
        line += row.count("\n")
        if row.strip():
            found.append(([cell.strip() for cell in row.split("|")], start))
    return found


def _items(cell: str, line: int, dialect: Dialect) -> list[Item]:
    items: list[Item] = []
    while label := _LABEL.fullmatch(cell):
        items.append(Label(label[1], line))
        cell = label[2]
    if cell:
        items.append(_instruction(cell, line, dialect))
    return items


def _instruction(text: str, line: int, dialect: Dialect) -> Instruction:
    match = _PREFIXED.fullmatch(text)
    if match is None:
        raise LineError(f"not an instruction: {text!r}", line)
    mnemonic, bits = _mnemonic(match[2].lower(), line)
    jump = mnemonic.startswith("j")
    written = [part.strip() for part in match[3].split(",")] if match[3].strip() else []
    operands = [LabelOperand(part) if jump else _operand(part, line, dialect) for part in written]
    return Instruction(mnemonic, tuple(operands), bits, match[1] is not None, line, text)


def _mnemonic(word: str, line: int) -> tuple[str, int]:
    """The instruction and the size that its suffix says, 0 if it says none."""
    word = HERD_SYNONYMS.get(word, word)
    if word in _SIZED or word in _PLAIN:
        return word, 0
    if word[:-1] in _SIZED and word[-1] in SIZES:
        return word[:-1], SIZES[word[-1]]
    raise LineError(f"the instruction {word!r} is not supported", line)


def _operand(text: str, line: int, dialect: Dialect) -> Operand:
    if number := _NUMBER.fullmatch(text):
        return Immediate(as_number(number[1]))
    if memory := _MEMORY.fullmatch(text):
        return _memory(memory["name"], dialect)
    if relative := _RELATIVE.fullmatch(text):
        return Memory(relative["name"])
    if (name := _NAME.fullmatch(text)) is None:
        raise LineError(f"the operand {text!r} is not supported", line)
    if name["mark"] == "$":
        return Immediate(name["name"])
    register = dialect.find_register(name["name"])
    if register is None:
        raise LineError(f"{text!r} is no register of {dialect.name}", line)
    return register


def _memory(name: str, dialect: Dialect) -> Memory:
    register = dialect.find_register(name)
    return Memory(register=register.name) if register else Memory(location=name)
