"""The canonical form of Python values: what they are and how they are shared, as a flat list of hashable tokens.

Two forms are equal iff no code that looks at the values can tell them apart,
short of asking for an address. Which of equal numbers, texts or tuples an
object is, the form says only if the thread's code may ask for that. So 1 is not
True is not 1.0, an order of insertion counts where it can be seen, and one list
in two variables is not two equal lists. No code of users runs: nothing is
compared, hashed or shown.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from types import NoneType
from typing import Any

from replay.frontend.ordinary.values import Reference
from replay.interpreter.execution import Execution
from replay.interpreter.lookup import identity
from replay.local_state.reach import Fixed, Namespace, Reach, has_identity


class Unkeyable(Exception):
    """A state gets no key; the message says why, in a few words."""


LIMIT = 20_000
"""Tokens of one form; what is larger is not worth the time."""

_SIMPLE = frozenset({int, str, bool, bytes, NoneType})
"""Types whose values are tokens of their own, beside the type."""

Handler = Callable[["Writer", Any], None]

Rules = Callable[[type], Handler]
"""How values of a type are written; raises Unkeyable for types of which that is not known."""


class Writer:
    """Writes one form. Objects that are met again are written as the number of their first meeting."""

    def __init__(self, handlers: dict[type, Handler], rules: Rules, fixed: Fixed, reach: Reach) -> None:
        """`handlers` are those of types met before, to be completed by `rules`; `reach` is that of the thread."""
        self.reach_of_thread = reach
        self.tokens: list[Any] = []
        self.fixed = fixed
        self.execution: Execution | None = None
        """The execution whose state is written; None at the end of a thread."""
        self.shared: Mapping[int, Any] = {}
        """Identities of its shared objects, by `lookup.identity`."""
        self.namespaces: dict[int, Namespace] = {}
        """What the code and classes met so far reach by name, by id: it belongs to the form as well."""
        self._handlers = handlers
        self._rules = rules
        self._identities = reach.identities
        self._met: dict[int, int] = {}
        self._kept: list[object] = []

    def begin(self, execution: Execution) -> None:
        """Write the state of an execution, not that of a thread at its end."""
        self.execution = execution
        if execution.objects is not None:
            self.shared = execution.objects.shared

    def write(self, value: object) -> None:
        """Append the form of a value."""
        kind = type(value)
        shared = self.shared.get(identity(value))
        if shared is not None:
            self.tokens += (Reference, shared.reference)
            return
        if self._identities and has_identity(value):
            self.keep(value)
            if not self.is_new(value):
                return
        if kind in _SIMPLE:
            self.tokens += (kind, value)
            return
        handler = self._handlers.get(kind)
        if handler is None:
            handler = self._rules(kind)
            if self.fixed.number(kind) is not None:  # a class of one run would be kept alive, and all that it reaches
                self._handlers[kind] = handler
        handler(self, value)

    def all(self, values: Any) -> None:
        """Append the forms of a number of values, after their number."""
        self.tokens.append(len(values))
        self.check_size(len(values))
        for value in values:
            self.write(value)

    def is_new(self, value: object) -> bool:
        """Returns whether an object is met for the first time; else what is to be written of it was written.

        The object must live until the form is complete (`keep`).
        """
        met = self._met
        count = len(met)
        number = met.setdefault(id(value), count)
        if number == count:
            self.check_size()
            return True
        self.tokens += ("again", number)
        return False

    def check_size(self, more: int = 0) -> None:
        """Raise Unkeyable if the form grows too large, with so many values more."""
        if len(self.tokens) + more > LIMIT:
            raise Unkeyable("more objects than are worth the time")

    def compare(self, namespace: Namespace) -> None:
        """Tell which constants that code reaches are objects that were met, if it may ask for that."""
        for value in namespace.values if self._identities else ():
            if id(value) in self._met:
                self.tokens += ("is", self.fixed.keep(value), self._met[id(value)])

    def reach(self, what: Namespace) -> None:
        """Let what code or a class reaches by name be part of the form."""
        self.namespaces.setdefault(id(what), what)

    def keep(self, value: object) -> None:
        """Let an object live until the form is complete."""
        self._kept.append(value)


def holding(write_contents: Handler, *, has_identity: bool = True) -> Handler:
    """The rule for objects that are their type and contents: an object with an identity is written once."""

    def write(writer: Writer, value: object) -> None:
        if not has_identity or writer.is_new(value):
            writer.tokens.append(type(value))
            write_contents(writer, value)

    return write


def made_of(parts: Callable[[Any], Iterable[object]], *, has_identity: bool = True) -> Handler:
    """The rule for objects that are their type and some parts; how many follow must be seen from the first ones."""

    def write_parts(writer: Writer, value: object) -> None:
        for part in parts(value):
            writer.write(part)

    return holding(write_parts, has_identity=has_identity)


def told_by(tokens: Callable[[Any], Iterable[Hashable]]) -> Handler:
    """The rule for objects that their type and a few constants tell from all others."""
    return lambda writer, value: writer.tokens.extend((type(value), *tokens(value)))


ALL_ALIKE = told_by(lambda _: ())
"""The rule for objects that are all the same."""
