"""The relations that cycles are made of, with diy7's names.

    Rfe Fre Coe     a read from, a from-read, a coherence step to another thread (Wse is an old name of Coe)
    Rfi Fri Coi     the same within a thread
    PodWR PosRR     program order from a write to a read of another location; between reads of the same one
    MFencedWR       program order with a fence between: MFence or SFence, then d or s, then the directions

A (atomic) and Na (not) after a name say of both its events whether they are
xchg: PodWRANa, RfeANa. Nothing stands for NaNa.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from replay.errors import CheckerError

_COMMUNICATIONS = {"Rf": "WR", "Fr": "RW", "Co": "WW", "Ws": "WW"}
_COMMUNICATION = re.compile(r"(Rf|Fr|Co|Ws)([ei])(AA|ANa|NaA|NaNa)?")
_PROGRAM_ORDER = re.compile(r"(Po|MFence|SFence)([ds])([RW])([RW])(AA|ANa|NaA|NaNa)?")
_ATOMS = {None: (False, False), "NaNa": (False, False), "AA": (True, True), "ANa": (True, False), "NaA": (False, True)}

DEFAULT_RELATIONS = (
    "Rfe", "Fre", "Coe", "PodRR", "PodRW", "PodWR", "PodWW", "MFencedRR", "MFencedRW", "MFencedWR", "MFencedWW",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation between two events.

    kind           "Rf", "Fr" or "Co", or "Po", "MFence" or "SFence"
    external       whether its events belong to different threads
    same_location  whether its events access the same location
    source, target directions of its events, "R" or "W"
    atoms          whether they are xchg
    """

    kind: str
    external: bool
    same_location: bool
    source: str
    target: str
    atoms: tuple[bool, bool] = (False, False)

    @property
    def is_communication(self) -> bool:
        return self.kind in _COMMUNICATIONS

    @property
    def atom_suffix(self) -> str:
        return "" if self.atoms == (False, False) else "".join("A" if atom else "Na" for atom in self.atoms)

    def __str__(self) -> str:
        if self.is_communication:
            return f"{self.kind}{'e' if self.external else 'i'}{self.atom_suffix}"
        return f"{self.kind}{'s' if self.same_location else 'd'}{self.source}{self.target}{self.atom_suffix}"


def relation(name: str) -> Relation:
    """The relation of that name. Raises CheckerError for an unknown one, and for an xchg that would only read."""
    if found := _COMMUNICATION.fullmatch(name):
        kind = "Co" if found[1] == "Ws" else found[1]
        directions = _COMMUNICATIONS[kind]
        made = Relation(kind, found[2] == "e", True, directions[0], directions[1], _ATOMS[found[3]])
    elif found := _PROGRAM_ORDER.fullmatch(name):
        made = Relation(found[1], False, found[2] == "s", found[3], found[4], _ATOMS[found[5]])
    else:
        raise CheckerError(f"unknown relation {name!r}; there are e.g. {', '.join(DEFAULT_RELATIONS)}, Rfi, PosRR")
    if (made.atoms[0] and made.source == "R") or (made.atoms[1] and made.target == "R"):
        raise CheckerError(f"the relation {name} asks for an atomic read, which x86 has not")
    return made


def relations(names: str) -> tuple[Relation, ...]:
    """The relations of names with blanks or commas between them."""
    return tuple(relation(name) for name in names.replace(",", " ").split())
