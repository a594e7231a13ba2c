"""What memory holds once it was freed."""

from __future__ import annotations

from typing import Final


class Freed:
    """The type of `FREED`."""

    def __repr__(self) -> str:
        return "freed"

    def __reduce__(self) -> str:
        return "FREED"  # there is one, also for who got it from another process


FREED: Final = Freed()
"""What a location holds that was freed, for good: whoever reads it gets `UseAfterFree`."""


class UseAfterFree(Exception):
    """A thread uses what was freed, or frees it again: a bug of the checked program."""


def may_be_freed(location: str) -> bool:
    """Whether a location of that name can be freed: what records and threads made has a number in its name."""
    return "#" in location
