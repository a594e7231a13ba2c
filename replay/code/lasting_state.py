"""Python objects that outlive the runs of a program, such as classes and global variables.

A thread that changes one of them once, and finds it changed ever after, does
the same in every run but the first: to compare a second run before and after
shows nothing. So what threads can reach is compared with what it was before
any of them ran.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import FunctionType

from replay.code.facts import facts, stands_for
from replay.code.hidden_state import Watched, changes, contents_of, watch
from replay.code.reachable import is_of_library, is_user_class, reachable
from replay.world.anatomy import is_written_in_python


class LastingState:
    """What code could reach when this was made.

    It is that of an instance of the program whose own parts never change, since its code never runs.
    """

    def __init__(self, codes: Iterable[Callable[[], object]]) -> None:
        found = reachable(("", code) for code in codes)
        self._watched = [*watch(found), *_watch_library(thing for _, thing in found.values())]

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


def _watch_library(found: Iterable[object]) -> Iterator[Watched]:
    """The classes of Python's library that functions name, and that code could change."""
    functions = (each for each in found if isinstance(each, FunctionType) and not is_of_library(each.__code__))
    named = (stands_for(use, each) for each in functions for use in facts(each.__code__).uses)
    for kind in {id(each): each for each in named if isinstance(each, type)}.values():
        if not is_user_class(kind) and is_written_in_python(kind):
            yield Watched(id(kind), kind.__name__, kind, contents_of(kind) or [])


def _sentence(found: Watched) -> str:
    if isinstance(found.thing, type):
        name, remedy = found.thing.__name__, f"make its attributes memory by p.share({found.thing.__name__})"
    else:
        name, remedy = found.name, "make it an attribute of an object that p.share() shares, or share it with p.var()"
    return (
        f"thread code changes the Python object {name!r}, which outlives a run of the program, so the first run finds "
        f"something else than all others; {remedy}"
    )
