"""Python objects that outlive the runs of a program.

Classes and global variables outlive the instances of a program. A thread that changes one of them once, and finds it
changed ever after, does the same in every run but the first: to compare a second run before and after shows nothing.
So these are compared with what they were before any thread ran.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator

from replay.code.belonging import is_user_class
from replay.code.facts import facts
from replay.code.hidden_state import IS_OPEN, caches, is_any_new
from replay.code.names import stands_for
from replay.code.reachable import reachable, user_functions
from replay.code.remembered import results
from replay.code.watched import Watched, changes, contents_of, watch
from replay.interpreter.lookup import identity
from replay.world.anatomy import is_written_in_python


class LastingState:
    """A record of the state that code can reach, of an instance of the program that is never run."""

    def __init__(self, codes: Iterable[Callable[[], object]], *, ordinary: bool) -> None:
        """`ordinary`: as of `HiddenState`."""
        _load_what_comes_late()
        found = reachable(("", code) for code in codes)
        self._watched = [*watch(found, ordinary=ordinary), *_watch_library(thing for _, thing in found.values())]
        self._caches = [(name, cache) for _, name, cache in caches(found, of_objects=True)]
        self._known = set(found)

    def wrong(self, make_instance: Callable[[], object]) -> str:
        """Returns a sentence on a thing that threads have changed, and what to do about it; "" if there is none.

        Changes that each new instance of the program makes are of the program function, and do not count.
        """
        for name, cache in self._caches:
            if is_any_new(reachable(("", result) for result in results(cache)), self._known):
                return f"thread code {IS_OPEN.format(repr(name))}"
        now = [each._replace(contents=contents_of(each.thing) or []) for each in changes(self._watched)]
        if not now:
            return ""
        make_instance()
        reset = {each.key for each in changes(now)}
        found = next((each for each in now if each.key not in reset), None)
        return "" if found is None else _sentence(found)


def _load_what_comes_late() -> None:
    """Load what `concurrent.futures` loads when code first asks for it: it would count as changed by the program."""
    futures = sys.modules.get("concurrent.futures")
    if futures is not None:
        getattr(futures, "ThreadPoolExecutor", None)


def _watch_library(found: Iterable[object]) -> Iterator[Watched]:
    """The classes of Python's library that functions name, and that code could change."""
    named = (stands_for(use, each) for each in user_functions(found) for use in facts(each.__code__).uses)
    for kind in {identity(each): each for each in named if isinstance(each, type)}.values():
        if not is_user_class(kind) and is_written_in_python(kind):
            yield Watched(identity(kind), kind.__name__, kind, contents_of(kind) or [])


def _sentence(found: Watched) -> str:
    if isinstance(found.thing, type):
        name, remedy = found.thing.__name__, f"make its attributes memory by p.share({found.thing.__name__})"
    else:
        name, remedy = (
            found.name,
            "make it an attribute of an object that p.share() shares, share its module by p.share(module), or share it "
            "with p.var()",
        )
    return (
        f"thread code changes the Python object {name!r}, which outlives a run of the program, so every later run "
        f"finds it changed; {remedy}"
    )
