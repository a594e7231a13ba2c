"""Things of C that go on to look at a container: iterators, views, and the dictionaries of objects.

A container that becomes shared is emptied where it is, which who goes through it, or has a view of it, would see. So
code of its thread that has such a thing gets one of the shared container in its place, or is refused.
"""

from __future__ import annotations

import gc
import operator
import types
from collections import OrderedDict, deque
from types import CellType
from typing import Any, NoReturn

from replay.code.running_thread import refuse
from replay.frontend.ordinary.changes import looked_at
from replay.frontend.ordinary.contents import base_of
from replay.frontend.ordinary.identity import Identity
from replay.frontend.ordinary.iterating import Backwards, DictView, Steps
from replay.frontend.ownership.views import AttributesView
from replay.interpreter.async_generators import FRAMED
from replay.interpreter.execution import running_execution
from replay.interpreter.frame import NULL, held_in
from replay.interpreter.library.iterators import LibraryIterator, Reversed, SequenceIterator
from replay.interpreter.lookup import identity
from replay.interpreter.natives import STANDS_FOR
from replay.world.anatomy import slots_of

_WAYS = ("keys", "values", "items")
_TABLES: tuple[Any, ...] = ({}, OrderedDict())
_LINES: tuple[Any, ...] = ([], deque())
_GONE_THROUGH: tuple[Any, ...] = (*_LINES, set(), bytearray())
_VIEWS: dict[type, str] = {type(getattr(table, way)()): way for table in _TABLES for way in _WAYS}
_FORWARDS: dict[type, str] = {
    **{type(iter(each)): "keys" for each in _GONE_THROUGH},
    **{type(iter(getattr({}, way)())): way for way in _WAYS},
}
_BACKWARDS = frozenset(type(reversed(each)) for each in _LINES)
_REFUSED = frozenset(
    {
        types.MappingProxyType,
        type(iter(OrderedDict())),
        *(type(reversed(getattr(table, way)())) for table in _TABLES for way in _WAYS),
    }
)
HOLDERS = frozenset({*_VIEWS, *_FORWARDS, *_BACKWARDS, *_REFUSED})


def check_held(name: str, value: Any, shared: dict[int, Identity]) -> None:
    """Refuse what threads can reach if it goes on to look at something that is shared."""
    if STANDS_FOR.get(type(value), type(value)) in HOLDERS:
        for each in gc.get_referents(value):
            if (known := shared.get(identity(each))) is not None:
                refuse(
                    f"{name} is a {type(value).__name__} of {known}, which threads share, and would not see what they "
                    "change: make it anew where it is used"
                )


class Sharing:
    """An object becomes shared; what it holds is still there."""

    def __init__(self, thing: Any, known: Identity) -> None:
        self._thing, self._known = thing, known
        self._variables = object.__getattribute__(thing, "__dict__") if type(thing).__dictoffset__ else None
        self._seen: set[int] = set()
        self._is_item = base_of(type(thing)) is None

    def replace(self) -> None:
        """Put in the place of what code of the thread has of the object what looks at memory. Refuses the rest."""
        execution = running_execution()
        for frame in () if execution is None else execution.frames:
            self._replace_in(frame.slots)
            self._replace_in(frame.stack)

    def _replace_in(self, values: list[Any]) -> None:
        for place, value in enumerate(values):
            instead = self._instead_of(value)
            if instead is not value:
                values[place] = instead

    def _instead_of(self, value: Any) -> Any:
        kind = type(value)
        shown = STANDS_FOR.get(kind, kind)
        if shown in HOLDERS:
            return self._of_memory(value, shown) if self._looks_at(value) else value
        if value is self._variables and value is not None:
            return AttributesView(self._known)
        if kind is tuple:
            made = tuple(map(self._instead_of, value))
            return value if all(map(operator.is_, made, value)) else made
        if identity(value) not in self._seen:
            if kind is CellType:
                self._replace_in_cell(value)
            elif kind in FRAMED:
                self._seen.add(identity(value))
                self._replace_in(value.frame.slots)
                self._replace_in(value.frame.stack)
            elif issubclass(kind, LibraryIterator):
                self._replace_in_model(value)
        return value

    def _replace_in_cell(self, cell: CellType) -> None:
        self._seen.add(identity(cell))
        held = held_in(cell)
        instead = self._instead_of(held)
        if instead is not held:
            cell.cell_contents = instead

    def _replace_in_model(self, model: Any) -> None:
        self._seen.add(identity(model))
        for slot in slots_of(type(model)):
            held = getattr(model, slot.__name__, NULL)
            if held is self._thing and not isinstance(model, SequenceIterator | Reversed):  # these go by its methods
                self._refuse(type(model).__name__)
            if type(held) is list:
                self._replace_in(held)
            elif (instead := self._instead_of(held)) is not held:
                slot.__set__(model, instead)

    def _looks_at(self, value: Any) -> bool:
        """Returns whether it goes through the object; it may also hold an item that it gave last."""
        return not self._is_item and any(each is self._thing for each in gc.get_referents(value))

    def _of_memory(self, value: Any, kind: type) -> Any:
        known = self._known
        if kind in _REFUSED:
            self._refuse(kind.__name__)
        if kind in _VIEWS:
            return DictView(self._thing, known, _VIEWS[kind], looked_at)
        made: Any = object.__new__(Backwards if kind in _BACKWARDS else Steps)
        made._identity, made._ended = known, False
        made._base, made._seen = base_of(type(self._thing)), known.content[""]
        left = operator.length_hint(value)
        if kind in _BACKWARDS:
            made._at = left
        else:
            made._which, made._length, made._left = _FORWARDS[kind], len(made._seen), left
            made._at = len(made._seen) - left
        return made

    def _refuse(self, what: str) -> NoReturn:
        refuse(
            f"{self._known} becomes shared while code of its thread has a {what} of it: make that anew where it is used"
        )
