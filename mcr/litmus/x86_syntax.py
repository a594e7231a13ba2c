"""x86 instructions as herd7 and diy7 write them, in the dialects X86 and X86_64: words only, no meaning.

X86 has Intel's order of operands (destination first) and 32 bits; X86_64 has
AT&T's (destination last), and a size in the mnemonic or in the register.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mcr.litmus.errors import LineError
from mcr.litmus.syntax import Node, as_number, line_at, parsed


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
    """The differences between X86 and X86_64: registers, and the place of the destination."""

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

_NAME = re.compile(r"[A-Za-z_][\w.]*")


def parse_program(section: str, dialect: Dialect) -> list[tuple[str, int, list[Item]]]:
    """The columns of the program: name of the thread, its line, its instructions."""
    rows = [row for row in parsed("x86", section).children if len(row.children) > 1 or row.children[0].children]
    if not rows:
        raise LineError("there is no program", line_at(section))
    columns: list[tuple[str, int, list[Item]]] = []
    for position, cell in enumerate(rows[0].children):
        if _text(cell, section) != f"P{position}":
            raise LineError(
                f"expected the name of a thread, P{position}, found {_text(cell, section)!r}", rows[0].meta.line
            )
        columns.append((f"P{position}", cell.meta.line, []))
    for row in rows[1:]:
        if len(row.children) != len(columns):
            count = len(row.children)
            raise LineError(f"this row has {count} columns, the test has {len(columns)} threads", row.meta.line)
        for (_, _, items), cell in zip(columns, row.children, strict=True):
            items.extend(_item(tree, section, dialect) for tree in cell.children)
    return columns


def _text(tree: Node, section: str) -> str:
    """Returns the text from which a node was read."""
    return "" if tree.meta.empty else section[tree.meta.start_pos : tree.meta.end_pos]


def _item(tree: Node, section: str, dialect: Dialect) -> Item:
    line, words = tree.meta.line, tree.children
    if tree.data == "label":
        return Label(str(words[0]), line)
    locked = words[0].type == "LOCK"
    word, *written = words[locked:]
    mnemonic, bits = _mnemonic(word.lower(), line)
    jump = mnemonic.startswith("j")
    operands = tuple(LabelOperand(str(each)) if jump else _operand(each, dialect) for each in written)
    return Instruction(mnemonic, operands, bits, locked, line, _text(tree, section))


def _mnemonic(word: str, line: int) -> tuple[str, int]:
    """The instruction and the size that its suffix says, 0 if it says none."""
    word = HERD_SYNONYMS.get(word, word)
    if word in _SIZED or word in _PLAIN:
        return word, 0
    if word[:-1] in _SIZED and word[-1] in SIZES:
        return word[:-1], SIZES[word[-1]]
    raise LineError(f"the instruction {word!r} is not supported", line)


def _operand(token: Node, dialect: Dialect) -> Operand:
    if token.type == "IMMEDIATE":
        return Immediate(as_number(token.lstrip("$ ")))
    name = _NAME.search(token)
    if name is None or token.type == "OTHER":
        raise LineError(f"the operand {token.strip()!r} is not supported", token.line)
    register = dialect.find_register(name[0])
    match token.type:
        case "ADDRESS":
            return Immediate(name[0])
        case "MEMORY" if register is not None:
            return Memory(register=register.name)
        case "MEMORY" | "RELATIVE":
            return Memory(location=name[0])
    if register is None:
        raise LineError(f"{str(token)!r} is no register of {dialect.name}", token.line)
    return register
