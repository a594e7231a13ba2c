"""What cells, arrays, mutexes, conditions and threads have in common: they describe, and are no values.

Python would take most slips for something sensible: a cell where its value
was meant is true, unequal to every number, and takes any attribute. The
program would then be verified because it never does what it says. So whatever
only a value could do is refused, with a sentence that says what to write.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

from replay.code.thread_run import inside_run, refuse
from replay.world.shown import shown
from replay.world.values import NoValue

_REFUSED = {
    "has no truth value": "bool",
    "cannot be used in arithmetic": "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod divmod "
    "rdivmod pow rpow matmul rmatmul lshift rlshift rshift rrshift and rand or ror xor rxor neg pos abs invert round "
    "trunc floor ceil",
    "is no number": "int float complex index",
    "has no elements": "len iter reversed contains getitem setitem delitem",
    "cannot be used in a with statement": "enter exit",
}
"""What is said of a description, and the special methods that make it say so."""

_COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}


class Description(NoValue):
    """A name for something shared. Subclasses say what it is, and what to write for what was probably meant.

    Two descriptions may be compared, and are equal iff they describe the same.
    """

    __slots__ = ()
    _is = "a description"
    _instead = ""

    def refuse(self, what: str, instead: str = "") -> NoReturn:
        """Raise ModelError in the program that took a description for a value."""
        hint = (instead or self._instead).format(name=self)
        refuse(f"{self!r} is {self._is}: it {what} ({hint})")

    def why_no_value(self) -> str:
        return f"{self!r} is {self._is}, and no value: it cannot be stored ({self._instead.format(name=self)})"

    def _key(self) -> object:
        """Equal for descriptions of the same."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Description):
            return type(self) is type(other) and self._key() == other._key()
        self.refuse(f"cannot be compared with {shown(other)}")

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._key()))

    def __setattr__(self, name: str, value: object) -> None:
        self.refuse(f"has no attribute {name!r} that could be set")

    def __delattr__(self, name: str) -> None:
        self.refuse(f"has no attribute {name!r} that could be deleted")

    if not TYPE_CHECKING:  # else every attribute would exist for type checkers

        def __getattr__(self, name: str) -> NoReturn:
            if inside_run() and not name.startswith("__"):  # those are what Python and its libraries try
                self.refuse(f"has no attribute {name!r}")
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")


def _refusing(what: str) -> Callable[..., NoReturn]:
    def method(self: Description, *_: object) -> NoReturn:
        self.refuse(what)

    return method


def _refusing_order(sign: str) -> Callable[[Description, object], NoReturn]:
    def method(self: Description, other: object) -> NoReturn:
        self.refuse(f"cannot be compared by {sign} with {shown(other)}")

    return method


for _what, _names in _REFUSED.items():
    for _name in _names.split():
        setattr(Description, f"__{_name}__", _refusing(_what))
for _name, _sign in _COMPARISONS.items():
    setattr(Description, f"__{_name}__", _refusing_order(_sign))
