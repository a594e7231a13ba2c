"""Cells, arrays, mutexes, conditions and threads as descriptions, which are not what they hold.

Python would take most slips for something sensible: a cell where its value
was meant is true, unequal to every number, and takes any attribute. The
program would then be verified because it never does what it says. So whatever
only a value could do is refused, with a sentence that says what to write.

Most may be stored nevertheless: a mutex in a cell can only be a reference to
it. A cell cannot, since its value may have been meant; `x.ref` can.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from replay.code.running_thread import inside_run, refuse
from replay.sentences import nearest
from replay.world.operation import Location
from replay.world.shown import shown
from replay.world.values import NoValue

if TYPE_CHECKING:
    from typing_extensions import (
        TypeVar,
    )  # its `default` lets models go on to write `mcr.Variable` for what holds anything

    T = TypeVar("T", default=Any)
else:
    from typing import TypeVar

    T = TypeVar("T")

_REFUSED = {
    "has no truth value": "bool",
    "cannot be used in arithmetic": "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod divmod "
    "rdivmod pow rpow matmul rmatmul lshift rlshift rshift rrshift and rand or ror xor rxor neg pos abs invert round "
    "trunc floor ceil",
    "is no number": "int float complex index",
    "has no elements": "len iter reversed contains getitem setitem delitem",
    "cannot be used in a with statement": "enter exit",
}
"""What is said of what is no value, and the special methods that make it say so."""

_HELD = (int, float, complex, list, tuple, dict, set, frozenset)
"""Types of what a cell or an array holds. Code that compares one of these with a reference has forgotten to load."""

_COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}


class Description(NoValue):
    """A name for something shared. Subclasses say what it is, and what to write for what was probably meant.

    Two references may be compared, and are equal iff they describe the same. In a thread, a cell cannot: its value may
    have been meant.
    """

    __slots__ = ()
    _is = "a description"
    _instead = ""

    @property
    def _sort(self) -> type:
        """Returns its kind, apart from how it is referred to."""
        return type(self)

    def refuse(self, what: str, instead: str = "") -> NoReturn:
        """Raise ModelError in the program that took a description for a value."""
        hint = (instead or self._instead).format(name=self)
        refuse(f"{self!r} is {self._is}: it {what} ({hint})")

    def why_no_value(self) -> str:
        return f"{self!r} is {self._is}, and no value: it cannot be stored ({self._instead.format(name=self)})"

    def _key(self) -> Hashable:
        """All that tells it from others of its sort, in any execution: what has one name need not be made alike."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Description):
            if inside_run():
                self._check_is_value(f"cannot be compared with {shown(other)}")
                other._check_is_value(f"cannot be compared with {shown(self)}")
            return self._sort is other._sort and self._key() == other._key()
        if self.is_value and not isinstance(other, _HELD):
            return False
        self.refuse(f"cannot be compared with {shown(other)}")

    def __hash__(self) -> int:
        if inside_run():
            self._check_is_value("cannot be looked up in a dict or a set")
        return hash((self._sort.__name__, self._key()))

    def _check_is_value(self, what: str) -> None:
        if not self.is_value:
            self.refuse(what)

    def __setattr__(self, name: str, value: object) -> None:
        self.refuse(f"has no attribute {name!r} that could be set")

    def __delattr__(self, name: str) -> None:
        self.refuse(f"has no attribute {name!r} that could be deleted")

    if not TYPE_CHECKING:  # else every attribute would exist for type checkers

        def __getattr__(self, name: str) -> NoReturn:
            if inside_run() and not name.startswith("__"):  # those are what Python and its libraries try
                near = nearest(
                    name, [known for known in dir(type(self)) if known[0] != "_" and _can_be_asked(self, known)]
                )
                self.refuse(f"has no attribute {name!r}", f"did you mean {{name}}.{near}?" if near else "")
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")


def _can_be_asked(thing: Description, name: str) -> bool:
    """Returns whether it is a method for users."""
    return callable(getattr(type(thing), name)) and not hasattr(Thing, name)


class Thing(Description):
    """Something shared that is no plain cell: a mutex, an array, a queue. References to it are values.

    In a record or an array it has a place of its own. What is made there has no name until it is `placed`.
    """

    __slots__ = ()

    @property
    def name(self) -> str:
        """The name in reports."""
        raise NotImplementedError

    @property
    def is_value(self) -> bool:  # type: ignore[override]
        """True if memory may hold a reference to it: not before it has a name."""
        return bool(self.name)

    def why_no_value(self) -> str:
        return f"{self._is} has no name here: {NAME_IT}"

    def placed(self, name: str) -> Thing:
        """Returns a copy with a name."""
        raise NotImplementedError

    def locations(self) -> Iterator[Location]:
        """The locations that it consists of."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.name


NAME_IT = 'assign it to a variable first (`x = ...`), or give it a name, as in p.var("x", 0)'
"""What to do about a thing without a name."""


def refuse_as_value(kind: type, refuse: Callable[[Any, str], NoReturn], *allowed: str) -> None:
    """Let the special methods that only a value would have refuse objects of a class, all but those allowed."""

    def refusing(what: str) -> Callable[..., NoReturn]:
        return lambda thing, *_: refuse(thing, what)

    def refusing_order(sign: str) -> Callable[[Any, object], NoReturn]:
        return lambda thing, other: refuse(thing, f"cannot be compared by {sign} with {shown(other)}")

    methods = {name: refusing(what) for what, names in _REFUSED.items() for name in names.split()}
    methods |= {name: refusing_order(sign) for name, sign in _COMPARISONS.items()}
    for name in methods.keys() - set(allowed):
        setattr(kind, f"__{name}__", methods[name])


refuse_as_value(Description, Description.refuse)
