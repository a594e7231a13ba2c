"""Instances written as text: one thread per line, one action per word.

Wx   store x            Wx:a   the same, named a        F   fence        S   store fence
Rx=a load x from a      Rx=0   from the initial value   Ux=a  rmw of x that reads from a; Ux:b=a names it b
"""

from __future__ import annotations

import re

from mcr.consistency.instance import INITIAL, NOWHERE, Instance, InstanceAction
from replay.world.memory_model import Access

_WORD = re.compile(r"(?P<kind>[WRUFS])(?P<location>[a-z]?)(:(?P<name>\w+))?(=(?P<source>\w+))?$")
_ACCESS = {
    "W": (Access.STORE, False, True),
    "R": (Access.LOAD, True, False),
    "U": (Access.BARRIER, True, True),
    "F": (Access.BARRIER, False, False),
    "S": (Access.STORE_BARRIER, False, False),
}


def instance(text: str) -> Instance:
    """The instance that the text describes."""
    locations: dict[str, int] = {}
    names = {"0": INITIAL}
    actions: list[InstanceAction] = []
    sources: dict[int, str] = {}
    for thread, line in enumerate(text.strip().splitlines()):
        for index, word in enumerate(line.split()):
            match = _WORD.match(word)
            assert match, word
            location = locations.setdefault(match["location"], len(locations)) if match["location"] else NOWHERE
            access, reads, writes = _ACCESS[match["kind"]]
            names[match["name"] or f"{match['location']}{len(actions)}"] = len(actions)
            if reads:
                sources[len(actions)] = match["source"]
            actions.append(InstanceAction(len(actions), thread, index, access, location, reads, writes))
    return Instance(tuple(actions), {read: (names[source],) for read, source in sources.items()})
