"""Python objects that outlive the runs of a program, such as classes and global variables.

A thread that changes one of them once, and finds it changed ever after, does
the same in every run but the first: to compare a second run before and after
shows nothing. So what threads can reach is compared with what it was before
any of them ran.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from replay.code.hidden_state import Watched, changes, contents_of, watch
from replay.code.reachable import reachable


class LastingState:
    """What code could reach when this was made.

    It is that of an instance of the program whose own parts never change, since its code never runs.
    """

    def __init__(self, codes: Iterable[Callable[[], object]]) -> None:
        self._watched = list(watch(reachable(("", code) for code in codes)))

    def wrong(self, make_instance: Callable[[], object]) -> str:
        """What is not what it was, and what to do about it; "" if there is nothing.

        What changes with each instance of the program is the business of the program function, not of its threads.
        """
        changed = dict(changes(self._watched))
        if not changed:
            return ""
        now = [each._replace(contents=contents_of(each.thing) or []) for each in self._watched if each.key in changed]
        make_instance()
        for key, _ in changes(now):
            del changed[key]
        found = next((each for each in now if each.key in changed), None)
        return "" if found is None else _sentence(found)


def _sentence(found: Watched) -> str:
    if isinstance(found.thing, type):
        name, remedy = found.thing.__name__, f"make its attributes memory by p.share({found.thing.__name__})"
    else:
        name, remedy = found.name, "make it an attribute of an object that p.share() shares, or share it with p.var()"
    return (
        f"thread code changes the Python object {name!r}, which outlives a run of the program, so the first run finds "
        f"something else than all others; {remedy}"
    )
