"""Python objects that threads share behind the back of the model.

A thread sees what others write to locations, and nothing else: each thread runs in a fresh instance of its program. A
list, an attribute or a `nonlocal` variable that one thread changes and another one uses would therefore seem to work,
and be wrong. What a thread's code can reach besides locations, and what memory hands to it, is therefore compared
before and after it runs. What cannot be compared must not be shared.
"""

from __future__ import annotations

import enum
import functools
import sys
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import chain
from types import CellType, CodeType, FunctionType, ModuleType
from weakref import ReferenceType

from replay.code.belonging import is_of_checker, is_of_python, is_user_class
from replay.code.facts import facts, rebound
from replay.code.ordinary import CHANCE, HAS_MODELS
from replay.code.reachable import Named, is_call, reachable, targets, user_functions
from replay.code.remembered import remembered_code, results
from replay.code.seen import LOGGERS, PLAIN, WRAPPERS, is_leaf, is_memory, is_seen, is_stream
from replay.code.stateless import is_known_module
from replay.code.thread_run import ThreadRun
from replay.code.variables import INNER, Global, Kept, Table, inner
from replay.code.watched import Watched, changes, contents_of, watch
from replay.interpreter.intrinsics import shown_class
from replay.interpreter.lookup import identity
from replay.world.memory_model import Access
from replay.world.operation import Freed, Guard, Kind, LibraryCall, Location, Source, Unwritten
from replay.world.values import NoValue

AFTER_IT_WAS_STORED = (
    "after it went through memory, where values never change; share what changes with p.record(), or store a new object"
)
"""How a sentence ends on a value that some thread code has changed."""

_OF_ORDINARY = (
    "make it an attribute of an object that is shared, or give p.share() what has it: a class, a module, or a function "
    "that closes over it"
)

_CONTAINERS = (dict, list, set, deque)


class HiddenState:
    """A record of the state that some code can reach; `others`, code or frames, may reach it as well."""

    def __init__(
        self,
        code: Callable[[], object],
        others: Sequence[object],
        *,
        ordinary: bool = False,
        is_asked_for: Callable[[Global], bool] | None = None,
        earlier: Sequence[object] = (),
    ) -> None:
        """`ordinary`: the program shares ordinary objects. `earlier`: what may have changed things before it begins.

        `is_asked_for` tells global variables that threads can read only by code that refuses what cannot be seen.
        """
        self._others = others
        self._tellers = [*others, *earlier]
        self._of_others: dict[object, Named] | None = None
        self._ordinary = ordinary
        found = reachable([("", code)])
        self._watched = list(watch(found, ordinary=ordinary))
        self._shared: list[Watched] = []
        self._known: set[object] = set()
        self._unseen = [
            (alike, _described(*each))
            for key, each in found.items()
            if self._is_unseen(each[1])
            for alike in (key, *targets(each[1]))
        ]
        if self._unseen and is_asked_for is not None:
            had = reachable([("", code)], is_asked_for)
            self._unseen = [each for each in self._unseen if each[0] in had]
        self._given_unseen = ""
        self._caches = list(caches(found, of_objects=not ordinary))
        self._found = found if self._caches else {}
        functions = user_functions(thing for _, thing in found.values()) if self._caches else []
        self._counts = any("cache_info" in facts(each.__code__).spelled for each in functions)
        self._children: set[str] = set()
        self._of_children: dict[object, Watched] = {}

    def _is_unseen(self, thing: object) -> bool:
        """Returns whether a thing may hold objects that cannot be compared, and are not refused where code uses it."""
        has_model = not HAS_MODELS.isdisjoint(type(thing).__mro__)
        if self._ordinary and (has_model or type(thing) in (ReferenceType, ModuleType)):
            return (
                False  # what code reads and sets of a module is memory, and its native functions are known or refused
            )
        if self._ordinary and thing is CHANCE:
            return False
        return _is_unseen(thing)

    def share(self, value: object) -> None:
        """Watch a value that went through memory: whatever it holds, all threads do."""
        if type(value) in PLAIN or identity(value) in self._known:
            return
        found = reachable([(type(value).__name__, value)])
        self._known.update(found)
        unseen = (_described(*each) for each in found.values() if self._is_unseen(each[1]))
        self._given_unseen = self._given_unseen or next(unseen, "")
        self._shared += (
            watched for watched in watch(found) if not isinstance(watched.thing, Global | CellType | FunctionType)
        )

    def begin_child(self, name: str, code: Callable[[], object]) -> None:
        """A thread begins that finds things as they are now, and sees no change that this one makes later."""
        self._children.add(name)
        for watched in watch(reachable([("", code)])):
            self._of_children.setdefault(watched.key, watched)

    def end_child(self, name: str) -> None:
        """A thread has ended; when none is left, what they found may change."""
        self._children.discard(name)
        if not self._children:
            self._of_children.clear()

    def wrong(self, run: ThreadRun) -> str:
        """Returns a sentence on what the code of a run must not have done, "" for nothing."""
        self._of_others = None
        if (changed := self._changed()) is not None:
            return (
                f"changes the Python object {changed.name!r}, which other threads use and would not see change; "
                f"{_instead(changed.thing, changed.name, self._ordinary)}"
            )
        if (changed := next(changes(self._shared), None)) is not None:
            return f"changes the Python object {changed.name!r} {AFTER_IT_WAS_STORED}"
        if asked := self._asked(run.looked_into()):
            return asked
        if cache := self._handed_out():
            return IS_OPEN.format(repr(cache))
        if cache := self._counted():
            return (
                f"asks how often the cache {cache!r} was used, which other threads change and would not see; count "
                "with p.var(), or make one for each thread"
            )
        if cache := self._asks_through_cache(run.active_code):
            return (
                f"uses shared memory inside of what the cache {cache!r} remembers, and other threads would be given "
                "what it found; remember only what depends on nothing but arguments"
            )
        if uncertain := self._given_unseen or next((what for key, what in self._unseen if self._is_shared(key)), ""):
            return (
                f"uses the Python object {uncertain}, which other threads use and whose changes cannot be seen; make "
                "one for each thread, or share what it gives with p.var()"
            )
        return ""

    def _changed(self) -> Watched | None:
        """Returns something that others reach too and that is not what it was; None if there is nothing."""
        own = (each for each in changes(self._watched) if any(map(self._is_shared, (each.key, *inner(each.thing)))))
        return next(chain(own, changes(self._of_children.values())), None)

    def _asked(self, looked_into: Iterable[tuple[object, str]]) -> str:
        """A sentence on what the code has asked for of an object, and what others may have made different."""
        told: dict[object, Named] | None = None
        for thing, what in looked_into:
            told = reachable([("", other) for other in self._tellers]) if told is None else told
            if any(identity(thing) in known for known in (told, self._known, self._of_children)):
                return (
                    f"uses {what} of an object of class {type(thing).__name__}, which other threads may change and it "
                    "would not see change; make one for each thread, or share what it uses with p.var()"
                )
        return ""

    def _handed_out(self) -> str:
        """The name of a cache that others ask too, and that came to hold what can change."""
        return next((name for key, name, cache in self._caches if self._is_open(cache) and self._is_shared(key)), "")

    def _counted(self) -> str:
        """Returns the name of a cache that others ask too, and whose counts the code may ask for; "" if none is."""
        caches = self._caches if self._counts else []
        asked = ((key, name) for key, name, cache in caches if isinstance(cache, functools._lru_cache_wrapper))
        return next((name for key, name in asked if self._is_shared(key)), "")

    def _asks_through_cache(self, active: Callable[[], Iterable[CodeType]]) -> str:
        """The name of a cache that others ask too, and whose function is active."""
        codes = {*active()} if self._caches else set()
        asked = ((key, name) for key, name, cache in self._caches if not codes.isdisjoint(remembered_code(cache)))
        return next((name for key, name in asked if self._is_shared(key)), "")

    def _is_open(self, cache: object) -> bool:
        found = reachable(("", result) for result in results(cache))
        return is_any_new(found, self._found)

    def _is_shared(self, key: object) -> bool:
        """Returns whether others reach something; what they reach is found out once for each call of `wrong`."""
        if self._of_others is None:
            self._of_others = reachable([("", other) for other in self._others]) if self._others else {}
        return key in self._of_others


def _instead(thing: object, name: str, ordinary: bool) -> str:
    """Returns the advice for a thread that changes a thing which is not shared."""
    kind = type(thing)
    if is_user_class(kind):
        return f"share the object of class {kind.__name__} where it is made: p.share({kind.__name__}(...))"
    if kind in _CONTAINERS and name.isidentifier():
        return f"share it where it is made: {name} = p.share({name})"
    return _OF_ORDINARY if ordinary else "share it with p.var() or p.array(), or return it from the thread"


def caches(found: dict[object, Named], *, of_objects: bool) -> Iterator[tuple[object, str, object]]:
    """Yields identity, name and object of each cache of results among the things found.

    `of_objects`: also objects with a `cached_property`, whose results may be memory.
    """
    kinds = {
        thing
        for _, thing in found.values()
        if of_objects
        and isinstance(thing, type)
        and any(isinstance(value, functools.cached_property) for value in vars(thing).values())
    }
    for key, (name, thing) in found.items():
        if isinstance(thing, functools._lru_cache_wrapper) or (kinds and not kinds.isdisjoint(type(thing).__mro__)):
            yield key, name, thing


IS_OPEN = (
    "is given by the cache {} what can change, or what only one object is, and other threads would be given the same; "
    "let it remember values that nobody changes, such as tuples, or make one for each thread"
)


def is_any_new(found: dict[object, Named], known: Container[object]) -> bool:
    """Returns whether a cache has got a new entry that can change."""
    return any(_can_change(thing) for key, (_, thing) in found.items() if key not in known)


def _can_change(thing: object) -> bool:
    """Returns whether a thing made by a cached call may be changed later: it is no value, and holds something."""
    if isinstance(thing, FunctionType):
        return bool(vars(thing)) or bool(rebound(thing.__code__))
    kind = type(thing)
    if isinstance(thing, Global | CellType | type | enum.Enum | functools._lru_cache_wrapper) or kind in WRAPPERS:
        return False
    if kind.__hash__ is None or _is_unseen(thing):
        return True
    return kind.__eq__ is object.__eq__ and bool(contents_of(thing))


def _described(name: str, thing: object) -> str:
    shown = thing.kind if type(thing) is Kept else shown_class(thing)
    kind = next(each for each in shown.__mro__ if not is_of_checker(each))
    home = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return f"{name!r} of type {home}{kind.__qualname__}"


_CONSTANT = (Kind, Access, Location, Source, LibraryCall, Guard, Freed, Unwritten)
"""Classes of the checker whose objects nobody changes."""


def _is_unseen(thing: object) -> bool:
    """Returns whether a thing may hold objects that cannot be compared: its exact type is not known."""
    kind = type(thing)
    if (
        is_memory(kind)
        or isinstance(thing, Global | Table | CellType | FunctionType | type | NoValue)
        or thing is INNER
    ):
        return False
    if isinstance(thing, ModuleType):
        return is_of_python(thing) and not is_known_module(thing)
    if thing is sys.modules:
        return True
    if is_of_checker(kind):
        return not (is_call(kind) or kind in _CONSTANT or is_leaf(thing) or is_stream(thing))
    return not (kind in WRAPPERS or kind in LOGGERS or is_stream(thing) or is_seen(kind))
