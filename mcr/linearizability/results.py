"""Results of calls, compared: objects by a pairing of those in an order of calls with those in a history."""

from __future__ import annotations

import re

from replay.frontend.history import OBJECT

Pairing = tuple[tuple[str, str], ...]
"""Objects of an order of calls, each with the one that stands for it in the history; no object has two partners."""

_PARTS = re.compile(OBJECT)


def matched(expected: str, seen: str, pairing: Pairing) -> Pairing | None:
    """Returns the pairing, longer where objects are met first, by which two results are the same; None if none does."""
    ours, theirs = _PARTS.split(expected), _PARTS.split(seen)
    if len(ours) == len(theirs) == 1:
        return pairing if expected == seen else None
    if ours[::2] != theirs[::2]:
        return None
    partners = dict(pairing)
    back = {other: one for one, other in pairing}
    for one, other in zip(ours[1::2], theirs[1::2], strict=True):
        if partners.setdefault(one, other) != other or back.setdefault(other, one) != one:
            return None
    return tuple(sorted(partners.items()))


def in_the_history(result: str, pairing: Pairing) -> str:
    """A result of an order with the names that its objects have in the history."""
    partners = dict(pairing)
    return _PARTS.sub(lambda found: partners.get(found[1], "another object"), result)
