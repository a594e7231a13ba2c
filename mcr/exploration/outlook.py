"""How large an exploration will have become when it ends, as far as can be told before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Guess(NamedTuple):
    """A figure that nobody knows yet: about so many, hardly fewer than `least`, hardly more than `most`."""

    about: float
    least: float
    most: float


@dataclass(frozen=True)
class Outlook:
    """How far an exploration is.

    what   what it counts: "global states", "execution graphs", "local states"
    seen   how many there were so far
    whole  how many there are in all; None where that cannot be told
    goals  how many are left to ask a solver about, which may lead to others; None where there are none
    """

    what: str
    seen: int
    whole: Guess | None
    goals: int | None = None
