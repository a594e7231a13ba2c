"""Contents of a shared container, as one value of memory, and which values of that kind run code.

A content is a tuple that says of which kind it is. To change it, a method of Python's own container runs on a copy, and
what the copy holds then is the next value. That is one step unless it runs code of somebody's, which lets other threads
in between. To compare numbers, strings and tuples of them is Python's own business; so it is to ask whether an object
is another one, where its class has no `__eq__`. All else is code.
"""

from __future__ import annotations

import functools
import hashlib
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from types import BuiltinFunctionType, FunctionType
from typing import Any, NoReturn

from replay.code.running_thread import Silenced, refuse
from replay.frontend.ordinary.valued import COMPARED, base_of_value
from replay.frontend.ordinary.values import Built, Reference
from replay.interpreter.lookup import is_a
from replay.world.shown import shown
from replay.world.values import same

LIMIT, FACTORY = "\0maxlen", "\0default_factory"
"""What a deque and a `defaultdict` have beside their elements, by names that no attribute has."""


class Content(tuple[Any, ...]):
    """The contents of a container, in order."""

    __slots__ = ()


class ListContent(Content):
    """Of a list: its elements."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"[{', '.join(map(shown, self))}]"


class MovingContent(Content):
    """Of a list whose elements are being moved: what those may see who take no lock, and last what it will hold."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{self[-1]!r} in a moment"


class SortingContent(ListContent):
    """Of a list that is being sorted: nothing, as long as it was not changed."""

    __slots__ = ()


class Untouched(list[Any]):
    """A list as its methods see it while it is being sorted: empty, as long as no thread has changed it."""


def moving(before: Any, after: Any) -> Any:
    """Returns what a list holds while it changes: `after` at once if no thread that looks at elements can tell."""
    differ = sum(not same(one, two) for one, two in zip(before, after, strict=False))
    is_told = differ > 1 or (differ == 1 and len(before) != len(after))
    return MovingContent((before, after, after)) if is_told else after


class DequeContent(ListContent):
    """Of a deque: its elements."""

    __slots__ = ()


class DictContent(Content):
    """Of a dict: its keys with their values."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{{{', '.join(f'{shown(key)}: {shown(value)}' for key, value in self)}}}"


class SetContent(Content):
    """Of a set: its elements in the order in which they came."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{{{', '.join(map(shown, self))}}}" if self else "set()"


class Suspended(tuple[Any, ...]):
    """A generator: its state, and, if that is "new" or "waiting", line, position, slots, stack and handled error."""

    __slots__ = ()

    @property
    def state(self) -> str:
        return str(self[0])

    def __repr__(self) -> str:
        return f"{self.state} at line {self[1]}" if len(self) > 1 else self.state


class IteratorAt(tuple[Any, ...]):
    """An iterator of a frame: how it is made, and of what."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"iterator{tuple.__repr__(self)}"


class LentContent(Content):
    """Of a bytearray whose buffer is in use: by how many, whether one of its bytes changed since, and its bytes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{self[-1]!r}, which cannot be re-sized now"


class GeneratorState(bytes):
    """Of a generator of random numbers: its state."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"state {hashlib.blake2b(self, digest_size=4).hexdigest()}"


CONTENTS: tuple[type, ...] = (
    *(ListContent, MovingContent, SortingContent, DequeContent, DictContent, SetContent, LentContent),
    *(Suspended, IteratorAt, GeneratorState),
)
"""The classes of what memory holds for containers, generators, and generators of random numbers.

A bytearray whose buffer nobody uses is `bytes` there.
"""

BASES: tuple[type, ...] = (OrderedDict, defaultdict, dict, list, set, deque, bytearray)
"""The containers that can be shared; of two that fit a class, the first one is meant."""


def base_of(kind: type) -> type | None:
    """The container that a class is made from, None if it is none."""
    known = kind
    return next((base for base in BASES if issubclass(known, base)), None)


def taken(base: type, held: Any, each: Callable[[Any, str], Any]) -> Content | bytes:
    """Returns the contents of a container that is not shared yet; `each` turns a part with its name into memory's
    value."""
    if issubclass(base, dict):
        pairs = enumerate(list(dict.items(held)))
        return DictContent(
            (each(key, f".keys[{place}]"), each(value, f"[{shown(key)}]")) for place, (key, value) in pairs
        )
    if base is set:
        return SetContent(sorted(in_order(set.__iter__(held), each), key=_look))
    if base is bytearray:
        return bytes(memoryview(held))
    kind = DequeContent if base is deque else ListContent
    return kind(each(value, f"[{index}]") for index, value in enumerate(base.__iter__(held)))  # type: ignore[attr-defined]


def in_order(values: Iterable[Any], each: Callable[[Any, str], Any]) -> list[Any]:
    """Returns what memory holds for the elements of a set, in an order that is the same in every run."""
    ordered = sorted(values, key=_look)
    looks = Counter(map(_look, ordered))
    parts = [each(value, f"[{shown(value)}]" if looks[_look(value)] == 1 else ALIKE) for value in ordered]
    if any(looks[_look(value)] > 1 and type(part) is not Reference for value, part in zip(ordered, parts, strict=True)):
        refuse_alike()
    return parts


ALIKE = "[\0]"
"""What an element of a set is called there that looks like another one."""


def refuse_alike() -> NoReturn:
    refuse(
        "a set is shared whose elements look alike, and their order is another one in every run: give their class a "
        "__repr__ that tells them apart, or keep them in a list"
    )


def _look(value: object) -> tuple[str, str, str]:
    """Returns what tells an element of a set from others, in every run: how it is shown, and attributes that are
    plain."""
    held = object.__getattribute__(value, "__dict__") if type(value).__dictoffset__ else {}
    plain = [(name, each) for name, each in held.items() if type(each) in (bool, int, float, str, bytes, type(None))]
    return type(value).__name__, shown(value), shown(tuple(sorted(plain)))


def unpacked(base: type, content: Iterable[Any], limit: int | None = None) -> Any:
    """A container of Python that holds this; a `defaultdict` without its factory."""
    if base is deque:
        return deque(content, limit)
    if type(content) is SortingContent:
        return Untouched()
    return {} | dict(content) if base is defaultdict else base(content)


def packed(base: type, container: Any, before: Content, given: Iterable[Any]) -> Content:
    """Returns what a container holds after it held `before`; of a set, `given` tells the order of what was added."""
    if issubclass(base, dict):
        return DictContent(container.items())
    if base is set:
        old = dict.fromkeys(before)
        added = [value for value in dict.fromkeys(given) if value in container and value not in old]
        return SetContent([*(value for value in before if value in container), *added])
    if type(container) is Untouched and not container:
        return before
    return DequeContent(container) if base is deque else ListContent(container)


ASKED = (
    *("__eq__", "__hash__", "__lt__", "__gt__", "__le__", "__ge__", "__ne__", "__add__", "__radd__", "__bool__"),
    *("__len__", "__iter__", "__contains__"),
)
"""Methods by which C code asks the items of containers."""

_NOT_OF_ORDER = tuple(name for name in ASKED if name not in ("__lt__", "__gt__", "__le__", "__ge__"))

_SILENT = (int, float, complex, str, bytes, bool, type(None), type(Ellipsis), range, FunctionType, BuiltinFunctionType)


def runs_code(value: Any, methods: tuple[str, ...] = ASKED) -> bool:
    """Returns whether one of these methods of a value, as memory or a thread has it, may run code, or look into
    memory."""
    kind: Any = type(value)
    if kind in _SILENT:
        return False
    if kind is Reference:
        return _is_compared(value) or not _is_silent(value.member.kind, methods)
    if kind is Built:
        return False
    if is_a(value, tuple | frozenset) and any(runs_code(each, methods) for each in value):
        return True
    return not _is_silent(kind, methods)


def _is_compared(reference: Reference) -> bool:
    """Returns whether an object is equal to others that have its value, which memory does not tell."""
    return base_of_value(reference.member.kind) in COMPARED


@functools.cache
def _is_silent(kind: type, methods: tuple[str, ...]) -> bool:
    if base_of(kind) is not None:
        return False
    return not any(hasattr(getattr(kind, each, None), "__code__") for each in methods)


def runs_code_of(kind: type) -> bool:
    """Returns whether objects of a class are asked by methods in Python."""
    return not _is_silent(kind, ASKED)


def is_equal_by_code(kind: type) -> bool:
    """Returns whether methods in Python answer more than what is less about objects of a class.

    Whatever asks for order finds such a method by `runs_code`.
    """
    return not _is_silent(kind, _NOT_OF_ORDER)


# -- keys that code compares ----------------------------------------------------------
#
# Memory holds such a key by reference, and two objects may be one key. Which of those that are there is meant, the code
# itself says. To look a key up is one step all the same: while it compares, nothing may be looked at that changes, so
# that no other thread could make a difference. Where code does so, it is refused.

_WHY = (
    "the __eq__ or __hash__ of a key of a shared dict or set looks at something that threads change, which makes many "
    "steps of one: use a tuple, or a frozen data class"
)


def comparing_keys() -> Silenced:
    """Around what hashes and compares keys: refuses operations of the code that does."""
    return Silenced(_WHY)


def check_key(key: Any, base: type) -> None:
    """Raise, as a dict or set does, TypeError for a key without a hash. Refuses one whose hash changes."""
    kind = type(key)
    if kind.__hash__ is None:
        named = {"__module__": kind.__module__, "__qualname__": kind.__qualname__}
        stand_in = type(kind.__name__, (), {"__hash__": None, **named})()  # what is shared has a class of another name
        {stand_in} if issubclass(base, set) else {stand_in: None}
    if hasattr(kind.__hash__, "__code__") or kind is tuple:
        with comparing_keys():
            hash(key)


def is_compared_by_code(frozen: Any) -> bool:
    """Returns whether a key, as memory holds it, is an object that is equal to others when code of the user says so."""
    if type(frozen) is Reference:
        return _is_compared(frozen) or hasattr(frozen.member.kind.__eq__, "__code__")
    return is_a(frozen, tuple | frozenset) and any(map(is_compared_by_code, frozen))


def compared_by_code(values: Iterable[Any]) -> list[str]:
    """Returns the names of classes with an `__eq__` of the user whose objects are keys of shared dicts and sets.

    `values` are those of memory.
    """
    found: set[str] = set()
    for value in values:
        if isinstance(value, DictContent | SetContent):
            todo: list[Any] = [key for key, _ in value] if isinstance(value, DictContent) else [*value]
            while todo:
                key = todo.pop()
                if type(key) is Reference and hasattr(key.member.kind.__eq__, "__code__"):
                    found.add(key.member.kind.__name__)
                elif is_a(key, tuple | frozenset):
                    todo.extend(key)
    return sorted(found)


class KnownKeys:
    """The keys that are there, as memory holds them; `thaw` makes of one what threads have."""

    def __init__(self, known: Iterable[Any], thaw: Callable[[Any], Any]) -> None:
        self._there = list(known)
        self._is_coded = any(map(is_compared_by_code, self._there))
        self._thaw = thaw

    def resolved(self, key: Any) -> Any:
        """Returns the key that is there already for this one, or the key itself, which is there then."""
        self._is_coded = self._is_coded or is_compared_by_code(key)
        if self._is_coded:
            with comparing_keys():
                key = self._equal(key)
        self._there.append(key)
        return key

    def _equal(self, key: Any) -> Any:
        mine = self._thaw(key)
        for each in self._there:
            other = self._thaw(each)
            # not asked in a dict: there a number would ask a key of a class natively
            if other is mine or (hash(other) == hash(mine) and other == mine):
                return each
        return key

    def are_compared(self, key: Any) -> bool:
        """Returns whether code of the user compares this one with another that is there and has its hash."""
        if not self._is_coded and not is_compared_by_code(key):
            return False
        is_coded = _is_compared_in_python(key)
        others = [each for each in self._there if is_coded or _is_compared_in_python(each)]
        with comparing_keys():
            return any(hash(self._thaw(each)) == hash(self._thaw(key)) and not same(each, key) for each in others)


def _is_compared_in_python(key: Any) -> bool:
    return bool(compared_by_code([SetContent([key])]))
