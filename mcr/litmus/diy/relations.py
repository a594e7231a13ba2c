"""The relations that cycles are made of, with diy7's names.

    Rfe Fre Coe     a read from, a from-read, a coherence step to another thread (Wse is an old name of Coe)
    Rfi Fri Coi     the same within a thread
    PodWR PosRR     program order from a write to a read of another location; between reads of the same one
    MFencedWR       program order with a fence between: MFence or SFence, then d or s, then the directions

A (atomic) and Na (not) after a name say of both its events whether they are
xchg: PodWRANa, RfeANa. Nothing stands for NaNa.

`cycles` enumerates cycles of relations up to rotation. A cycle is a violation of sequential consistency that a test
can ask for. Left out are cycles that say no more than shorter ones: Rfe Fre and Fre Coe are coherence or from-read
steps themselves, two steps of program order are one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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


Cycle = tuple[Relation, ...]

_COMPOSED = {("Rf", "Fr"), ("Co", "Co"), ("Fr", "Co")}
"""Pairs of communications that compose to another one."""


def cycles(vocabulary: Sequence[Relation], threads: int, edges: int) -> Iterator[Cycle]:
    """Every cycle with 2 to `threads` threads and at most `edges` relations, shortest first."""
    words = sorted(set(vocabulary), key=str)
    for length in range(2, edges + 1):
        for start in words:
            yield from _extended((start,), words, threads, length)


def _extended(path: Cycle, words: Sequence[Relation], threads: int, length: int) -> Iterator[Cycle]:
    if sum(relation.external for relation in path) > threads:
        return
    if len(path) == length:
        if fits(path[-1], path[0]) and _is_cycle(path) and path == _first_rotation(path):
            yield path
        return
    for word in words:
        if str(word) >= str(path[0]) and fits(path[-1], word):
            yield from _extended((*path, word), words, threads, length)


def fits(first: Relation, second: Relation) -> bool:
    """Returns whether `second` can follow `first`: they share an event, and together say more than one relation."""
    if first.target != second.source or first.atoms[1] != second.atoms[0]:
        return False
    if first.is_communication and second.is_communication:
        return first.external != second.external or (first.kind, second.kind) not in _COMPOSED
    return first.is_communication or second.is_communication


def _is_cycle(path: Cycle) -> bool:
    """At least two threads, and no walk that would end at another location than it began."""
    changes = sum(not relation.same_location for relation in path)
    return sum(relation.external for relation in path) >= 2 and changes != 1


def rotations(path: Cycle) -> Iterator[Cycle]:
    return (path[place:] + path[:place] for place in range(len(path)))


def _first_rotation(path: Cycle) -> Cycle:
    return min(rotations(path), key=lambda rotation: [str(relation) for relation in rotation])
