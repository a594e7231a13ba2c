"""Names of tests, as diy7 makes them: a family, then what each thread has between its first and last event."""

from __future__ import annotations

from collections.abc import Iterator

from mcr.litmus.diy.relations import Cycle, Relation, rotations

_FAMILIES = {
    "2+2W": "WW Co WW Co",
    "LB": "RW Rf RW Rf",
    "MP": "WW Rf RR Fr",
    "R": "WW Co WR Fr",
    "S": "WW Rf RW Co",
    "SB": "WR Fr WR Fr",
    "3.2W": "WW Co WW Co WW Co",
    "3.LB": "RW Rf RW Rf RW Rf",
    "3.SB": "WR Fr WR Fr WR Fr",
    "4.2W": "WW Co WW Co WW Co WW Co",
    "4.LB": "RW Rf RW Rf RW Rf RW Rf",
    "4.SB": "WR Fr WR Fr WR Fr WR Fr",
    "ISA2": "WW Rf RW Rf RR Fr",
    "RWC": "W Rf RR Fr WR Fr",
    "W+RWC": "WW Rf RR Fr WR Fr",
    "WRC": "W Rf RW Rf RR Fr",
    "WRR+2W": "W Rf RR Fr WW Co",
    "WRW+2W": "W Rf RW Co WW Co",
    "WRW+WR": "W Rf RW Co WR Fr",
    "WWC": "W Rf RW Rf RW Co",
    "Z6.0": "WW Rf RW Co WR Fr",
    "Z6.1": "WW Co WW Rf RW Co",
    "Z6.2": "WW Rf RW Rf RW Co",
    "Z6.3": "WW Co WW Rf RR Fr",
    "Z6.4": "WW Co WR Fr WR Fr",
    "Z6.5": "WW Co WW Co WR Fr",
    "IRIW": "W Rf RR Fr W Rf RR Fr",
    "IRRWIW": "W Rf RR Fr W Rf RW Co",
    "IRWIW": "W Rf RW Co W Rf RW Co",
}
"""By family: the first and last directions of each thread, and the communication to the next one."""

_FAMILY_OF = {shape: family for family, shape in _FAMILIES.items()}

_ONE_LOCATION = {
    "W Rf RR Fr": "CoRR",
    "W Rf RW Co": "CoRW2",
    "W Co WR Fr": "CoWR",
    "RW Rf": "CoRW1",
    "WR Fr": "CoWR0",
    "WW Co": "CoWW",
}

_FIRST = ("W", "WW", "WR", "RW", "RR", "R")
"""In which order threads are tried for the first place of a test without a family."""


def starting_at_a_thread(cycle: Cycle) -> Iterator[Cycle]:
    """The rotations that begin with the first event of a thread."""
    return (rotation for rotation in rotations(cycle) if rotation[-1].external)


def oriented(cycle: Cycle) -> Cycle:
    """The rotation from which the test is written: that of its family, if it has one."""

    def rank(rotation: Cycle) -> tuple[bool, list[int], list[int], list[str]]:
        threads = threads_of(rotation)
        places = [_FIRST.index(_directions(thread)) for thread in threads]
        lengths = [len(thread) for thread in threads]
        return (shape(rotation) not in _FAMILY_OF, places, lengths, [str(relation) for relation in rotation])

    return min(starting_at_a_thread(cycle), key=rank)


def threads_of(cycle: Cycle) -> list[Cycle]:
    """The relations of each thread, the external one that leaves it last."""
    threads: list[list[Relation]] = [[]]
    for relation in cycle:
        threads[-1].append(relation)
        if relation.external:
            threads.append([])
    return [tuple(thread) for thread in threads if thread]


def shape(cycle: Cycle) -> str:
    return " ".join(f"{_directions(thread)} {thread[-1].kind}" for thread in threads_of(cycle))


def _directions(thread: Cycle) -> str:
    """The directions of a thread's first and last event; one letter if it has one event."""
    first, last = thread[0].source, thread[-1].source
    return first if len(thread) == 1 else first + last


def name_of(cycle: Cycle) -> str:
    """The name of a cycle that is `oriented`."""
    threads = threads_of(cycle)
    one_location = all(relation.same_location for relation in cycle)
    only_one = _ONE_LOCATION.get(shape(cycle)) if one_location else None
    family = only_one or _FAMILY_OF.get(shape(cycle)) or "+".join(map(_directions, threads))
    parts = [_thread_name(thread) for thread in threads if len(thread) > 1]
    if set(parts) == {"pos" if only_one else "po"}:
        parts = []
    elif len(parts) > 1 and len(set(parts)) == 1:
        parts = [f"{parts[0]}s"]
    return "+".join([family, *parts, *_lone_atoms(threads)])


def _lone_atoms(threads: list[Cycle]) -> list[str]:
    """A or Na for each thread with one event, if one of them is an xchg."""
    lone = [thread[0].atoms[0] for thread in threads if len(thread) == 1]
    return ["".join("A" if atom else "Na" for atom in lone)] if any(lone) else []


def _thread_name(thread: Cycle) -> str:
    """Names what is between the first and the last event, e.g. "rfi-po" or "mfence"."""
    inner = thread[:-1]
    return "-".join(
        _relation_name(relation, inner[place + 1] if place + 1 < len(inner) else None)
        for place, relation in enumerate(inner)
    )


def _relation_name(relation: Relation, following: Relation | None) -> str:
    """diy7 writes the direction between two steps of program order, where nothing else tells it."""
    atoms = relation.atom_suffix.lower()
    if relation.is_communication:
        return f"{relation.kind.lower()}i{atoms}"
    stem = {"Po": "po", "MFence": "mfence", "SFence": "sfence"}[relation.kind]
    direction = relation.target if following is not None and not following.is_communication else ""
    return f"{stem}{'s' if relation.same_location else ''}{direction}{atoms}"
