"""The C names of integer types: how many bits, and whether signed."""

from __future__ import annotations

from typing import NamedTuple

from mcr.litmus.errors import LineError


class IntegerType(NamedTuple):
    bits: int
    signed: bool = True


INT = IntegerType(32)

_TYPES = {
    "char": IntegerType(8),
    "short": IntegerType(16),
    "int": INT,
    "long": IntegerType(64),
    "bool": IntegerType(8, False),
    "_Bool": IntegerType(8, False),
    "intptr_t": IntegerType(64),
    "uintptr_t": IntegerType(64, False),
} | {
    f"{sign}int{bits}_t": IntegerType(bits, not sign) for sign in ("", "u") for bits in (8, 16, 32, 64)
}  # fmt: skip

_QUALIFIERS = frozenset({"volatile", "const", "atomic", "_Atomic"})


def integer_type(words: list[str], line: int) -> IntegerType:
    """The type that words like ["unsigned", "int"] or ["atomic_int"] name."""
    kept = [word for word in words if word not in _QUALIFIERS]
    unsigned = "unsigned" in kept
    names = [word.removeprefix("atomic_") for word in kept if word not in ("unsigned", "signed")] or ["int"]
    if len(names) == 1 and names[0] in ("uint", "ulong"):
        names, unsigned = [names[0][1:]], True
    if len(names) > 1:
        names = [name for name in names if name != "int"] or ["int"]
    if set(names) == {"long"}:
        names = ["long"]
    if len(names) != 1 or names[0] not in _TYPES:
        raise LineError(f"unknown type {' '.join(words)!r}", line)
    found = _TYPES[names[0]]
    return IntegerType(found.bits, found.signed and not unsigned)


def is_atomic(words: list[str]) -> bool:
    """Returns whether a type's words make its accesses atomic."""
    return any(word.startswith("atomic") or word == "_Atomic" for word in words)
