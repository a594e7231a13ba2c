"""Ordinary objects in memory: references by name, and values that are built anew where they are read.

Each thread runs in an instance of the program of its own, so an object of one
is never one of another. A reference says which object is meant; where it is
read, it becomes the object that stands for the same in the instance that reads.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Final

from replay.world.shown import shown
from replay.world.values import canonical_key


class Unset:
    """The type of `UNSET`."""

    def __repr__(self) -> str:
        return "unset"

    def __reduce__(self) -> str:
        return "UNSET"


UNSET: Final = Unset()
"""What the cell of an attribute holds that an object does not have."""


class Member:
    """One object of a group: its name, its class, and what its parts held when it became shared.

    `stays`: the program shares it by a name, or one that stays has it in an attribute that never changes. `ends`: code
    runs when Python frees it, which no model does. `lasts`: it stands for what the host has, which outlives the runs.
    `made`: its class, if a thread has made that; None for others.
    """

    __slots__ = ("content", "ends", "kind", "lasts", "made", "name", "stays")

    def __init__(self, name: str, kind: Any) -> None:
        self.name = name
        self.kind = kind
        self.stays = self.lasts = False
        self.ends = hasattr(kind, "__del__")
        self.content: dict[str, Any] = {}
        self.made: Reference | None = None

    @property
    def kind_in_keys(self) -> Any:
        """Returns what tells its class from others: each run makes a class of a thread anew."""
        return self.kind if self.made is None else self.made


class Group:
    """The objects that became shared at one time, since they lead to each other.

    Two groups are one if their objects have the same names, classes and
    contents: what a thread makes after different histories may have one name.
    """

    def __init__(self, *, declared: bool) -> None:
        """`declared` says that the program function shares them: they are the same in all of its instances."""
        self.members: list[Member] = []
        self.key: Hashable = "declared"
        self.is_declared = declared

    def complete(self) -> None:
        """All objects are there, with what they hold: find the key."""
        if not self.is_declared:
            self.key = tuple(
                (each.name, self._canonical(each.kind_in_keys), self._canonical_content(each)) for each in self.members
            )

    def _canonical_content(self, member: Member) -> Hashable:
        return tuple((name, self._canonical(held)) for name, held in member.content.items())

    def _canonical(self, value: object) -> Hashable:
        if isinstance(value, Reference):
            return ("of the group", value.name) if value.group is self else value
        if isinstance(value, Built):
            return value.how, *map(self._canonical, value.parts)
        if isinstance(value, tuple | frozenset):
            return type(value), *map(self._canonical, value)
        return canonical_key(value)


class Reference:
    """A reference to an object that is shared: a value of memory."""

    __slots__ = ("group", "member")

    def __init__(self, member: Member, group: Group) -> None:
        self.member = member
        self.group = group

    @property
    def name(self) -> str:
        return self.member.name

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(other) is Reference
            and self.member.name == other.member.name
            and (self.group is other.group or self.group.key == other.group.key)
        )

    def __hash__(self) -> int:
        return hash(self.member.name)

    def __repr__(self) -> str:
        return self.member.name


class Built:
    """A value that is built of others where it is read: a bound method, a weak reference.

    how    what it is, one of the names that `replay.frontend.ownership.built` knows
    parts  what it is built of, as memory holds it
    """

    __slots__ = ("how", "key", "parts")

    def __init__(self, how: str, parts: Iterable[Any]) -> None:
        self.how = how
        self.parts = tuple(parts)
        self.key: Hashable = None

    def _own_key(self) -> Hashable:
        if self.key is None:  # late: a group that is not complete yet has none
            self.key = tuple(each if isinstance(each, Reference) else canonical_key(each) for each in self.parts)
        return self.key

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is Built and self.how == other.how and self._own_key() == other._own_key())

    def __hash__(self) -> int:
        return hash((self.how, len(self.parts)))

    def __repr__(self) -> str:
        if self.how == "method":
            function, owner = self.parts
            return f"{shown(owner)}.{getattr(function, '__name__', function)}"
        return f"{self.how}({', '.join(map(shown, self.parts))})"


def ending(values: Iterable[Any]) -> list[str]:
    """The classes of objects that code tidies up after, of those that values of memory lead to, in order."""
    seen: set[int] = set()
    found: set[str] = set()
    todo = list(values)
    while todo:
        value = todo.pop()
        if isinstance(value, tuple | frozenset):
            todo.extend(value)  # `+=` would ask a tuple that knows how it is added to a list
        elif type(value) is Built:
            todo.extend(value.parts)
        elif type(value) is Reference and id(value.member) not in seen:
            seen.add(id(value.member))
            todo.extend(value.member.content.values())
            if value.member.ends and not value.member.stays:
                found.add(value.member.kind.__name__)
    return sorted(found)
