"""`functools`: what calls functions, and caches of their results."""

from __future__ import annotations

import functools
from types import MethodType
from typing import Any

from replay.interpreter.frame import ANY_KEYWORDS
from replay.interpreter.intrinsics import called_type
from replay.interpreter.library.iterators import Rest
from replay.interpreter.library.looking import MISSING, has
from replay.interpreter.library.shown import is_being_shown, listed_arguments, shows_itself
from replay.interpreter.lookup import is_a
from replay.interpreter.natives import natively, shows_as, stands_for
from replay.interpreter.protocols import iterator_or_missing
from replay.interpreter.versions import CACHED_PROPERTY_LOCKS


@stands_for(functools.reduce)
def reduce(function: Any, iterable: Any, initial: Any = MISSING, /) -> Any:
    iterator = iterator_or_missing(iterable)
    if iterator is MISSING:
        raise TypeError("reduce() arg 2 must support iteration")
    result = initial
    for item in Rest(iterator):
        result = item if result is MISSING else function(result, item)
    if result is MISSING:
        raise TypeError("reduce() of empty iterable with no initial value")
    return result


@stands_for(functools.partial.__call__)
def call_partial(partial: Any, /, *arguments: Any, **keywords: Any) -> Any:
    function, given, named = parts_of(partial)
    return function(*given, *arguments, **{**named, **keywords})


@natively
def parts_of(partial: Any) -> tuple[Any, Any, Any]:
    names = ("func", "args", "keywords")
    function, given, named = (vars(functools.partial)[name].__get__(partial) for name in names)
    return function, given, named


@stands_for(functools.partial.__repr__)
@shows_itself
def show_partial(partial: Any, /) -> Any:
    if is_being_shown(partial):
        return "..."
    function, given, named = parts_of(partial)
    held = listed_arguments(given, named)
    return f"{name_of_partial(partial)}({', '.join([repr(function), *held])})"


@natively
def name_of_partial(partial: Any) -> str:
    """The name of its class, as this version of Python shows it."""
    return functools.partial.__repr__(functools.partial.__new__(type(partial), len)).partition("(")[0]


# -- comparing by a function -------------------------------------------------------------------

_KEY_WRAPPER = type(functools.cmp_to_key(lambda left, right: 0))


@shows_as(_KEY_WRAPPER)
class ComparedKey:
    """A key which compares as a function says; `obj` is MISSING in the one that makes others."""

    __slots__ = ("compare", "obj")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, compare: Any, obj: Any = MISSING) -> None:
        self.compare = compare
        self.obj = obj

    def __call__(self, obj: Any) -> Any:
        return ComparedKey(self.compare, obj)

    def compared(self, other: Any) -> Any:
        if not is_a(other, ComparedKey):
            raise TypeError("other argument must be K instance")
        return self.compare(self.obj, other.obj)

    def __lt__(self, other: Any) -> Any:
        return self.compared(other) < 0

    def __gt__(self, other: Any) -> Any:
        return self.compared(other) > 0

    def __eq__(self, other: Any) -> Any:
        return self.compared(other) == 0

    def __ne__(self, other: Any) -> Any:
        return self.compared(other) != 0

    def __le__(self, other: Any) -> Any:
        return self.compared(other) <= 0

    def __ge__(self, other: Any) -> Any:
        return self.compared(other) >= 0


@stands_for(functools.cmp_to_key)
def cmp_to_key(mycmp: Any) -> Any:
    return ComparedKey(mycmp)


# -- caches ----------------------------------------------------------------------------------


@stands_for(functools._lru_cache_wrapper)
class Cache:
    """A function that remembers results: the oldest is forgotten when there are `limit` of them; None for no limit.

    Caches that were made before the program ran are CPython's: they call their functions natively.
    """

    def __init__(self, user_function: Any, maxsize: Any, typed: Any, cache_info_type: Any) -> None:
        if not has(user_function, "__call__"):
            raise TypeError("the first argument must be callable")
        self._function = user_function
        self._limit = maxsize
        self._typed = typed
        self._info = cache_info_type
        self._results: dict[Any, Any] = {}
        self._hits = self._misses = 0

    def __call__(self, /, *arguments: Any, **keywords: Any) -> Any:
        if self._limit == 0:
            self._misses += 1
            return self._function(*arguments, **keywords)
        key = key_of(arguments, keywords, self._typed)
        result = self._results.get(key, MISSING)
        if result is not MISSING:
            self._hits += 1
            if self._limit is not None:
                self._results[key] = self._results.pop(key)
            return result
        self._misses += 1
        result = self._function(*arguments, **keywords)
        if key not in self._results:
            if self._limit is not None and len(self._results) >= self._limit:
                forget_oldest(self._results)
            self._results[key] = result
        return result

    def __get__(self, thing: Any, kind: Any = None) -> Any:
        return self if thing is None else MethodType(self, thing)

    def cache_info(self) -> Any:
        return self._info(self._hits, self._misses, self._limit, len(self._results))

    def cache_clear(self) -> None:
        self._results.clear()
        self._hits = self._misses = 0

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, _: Any) -> Any:
        return self

    def __reduce__(self) -> Any:
        return self.__qualname__  # type: ignore[attr-defined]


ANY_KEYWORDS.append(Cache.__call__.__code__)


@natively
def key_of(arguments: Any, keywords: Any, typed: Any) -> Any:
    """Returns the key of a remembered result. Its hash is that of the arguments, and may be Python code."""
    key = functools._make_key(arguments, keywords, typed)
    return HashedKey(key) if type(key) is tuple else key


class HashedKey(list[Any]):
    """A key of several parts which is hashed once, as `functools` has it up to 3.13."""

    def __init__(self, parts: tuple[Any, ...]) -> None:
        super().__init__(parts)
        self._hash = hash(parts)

    def __hash__(self) -> int:  # type: ignore[override]
        return self._hash


@natively
def forget_oldest(results: dict[Any, Any]) -> None:
    del results[next(iter(results))]


if CACHED_PROPERTY_LOCKS:

    @stands_for(functools.cached_property.__init__)
    def initialise_cached_property(descriptor: Any, func: Any) -> None:
        """As from 3.12 on, without a lock."""
        descriptor.func = func
        descriptor.attrname = None
        descriptor.__doc__ = func.__doc__

    @stands_for(functools.cached_property.__get__)
    def compute_once(descriptor: Any, instance: Any, owner: Any = None) -> Any:
        """As from 3.12 on, without a lock."""
        if instance is None:
            return descriptor
        if descriptor.attrname is None:
            raise TypeError("Cannot use cached_property instance without calling __set_name__ on it.")
        name = descriptor.attrname
        message = f"No '__dict__' attribute on {called_type(instance)!r} instance to cache {name!r} property."
        try:
            cache = instance.__dict__
        except AttributeError:
            raise TypeError(message) from None
        value = cache.get(name, MISSING)
        if value is MISSING:
            value = cache[name] = descriptor.func(instance)
        return value
