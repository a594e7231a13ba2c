"""Suspended generators as values of memory: where the frame of one stands, and what it holds.

Most iterators on the stack of a frame are those of its loops, which nothing else refers to. Memory holds how far they
are; each thread that goes on with the generator has iterators of its own.
"""

from __future__ import annotations

import gc
import operator
import sys
from collections.abc import Callable
from typing import Any

from replay.code.running_thread import refuse
from replay.frontend.ordinary.contents import IteratorAt, Suspended, base_of
from replay.frontend.ordinary.iterating import Backwards, Steps
from replay.frontend.ordinary.kinds import identity_of
from replay.frontend.ordinary.values import UNSET, Reference
from replay.interpreter.execution import running
from replay.interpreter.frame import MISSING, NULL, Frame, Handled
from replay.interpreter.generators import Generator
from replay.interpreter.library.iterators import Enumerate
from replay.interpreter.library.views import EntryIterator
from replay.interpreter.liveness import live_slots
from replay.interpreter.natives import STANDS_FOR

Freeze = Callable[[Any, str], Any]
"""Returns what memory holds for a part of an object, given its name."""


RUNNING, OVER = Suspended(("running",)), Suspended(("over",))


# -- into memory ----------------------------------------------------------------------


def suspended(generator: Generator, freeze: Freeze, name: str) -> Suspended:
    """Returns what memory holds for a generator that a thread has. Refuses one whose code runs."""
    if generator.state == "over":
        return OVER
    if generator.state == "running":
        refuse(f"{name} is a generator that becomes shared while its code runs: store it before its first next()")
    frame = generator.frame
    live = frozenset(live_slots(frame.decoded)[frame.position])
    _check_iterators(frame, live, name)
    names = frame.decoded.names
    slots = (
        _frozen(value, freeze, f".{names[place]}") if place in live else UNSET
        for place, value in enumerate(frame.slots)
    )
    line = frame.decoded.lines[max(frame.position - 1, 0)]
    stack = (_frozen(value, freeze, ".iterator") for value in frame.stack)
    handled = freeze(frame.handled.error, ".error")
    return Suspended((generator.state, line, frame.position, tuple(slots), tuple(stack), handled))


_PROBE = [object()]
_ONE = sys.getrefcount(_PROBE[0])
"""The count of something to which one list refers, as it is seen here."""


def _check_iterators(frame: Frame, live: frozenset[int], name: str) -> None:
    """Refuse an iterator to which anything but one slot of the frame refers: how far it is counts elsewhere as well."""
    for values in (frame.slots, frame.stack):
        for place in range(len(values)):
            kind = type(values[place])
            if not _is_iterator(kind):
                continue
            known = sum(values[place] is each for each in (*frame.slots, *frame.stack))
            seen = sum(values[place] is frame.slots[each] for each in live)
            seen += sum(values[place] is each for each in frame.stack)
            is_alone = seen <= 1 and sys.getrefcount(values[place]) - _ONE + 1 == known
            if seen and not (is_alone and (kind is not Enumerate or _holds_alone(values[place]))):
                refuse(
                    f"{name} is a generator with an iterator that is used elsewhere as well, and is lost here: let it "
                    "go through a list, or through another generator"
                )


def _holds_alone(counting: Any) -> bool:
    return _is_iterator(type(counting.iterator)) and sys.getrefcount(counting.iterator) <= _ONE


def _is_iterator(kind: type) -> bool:
    return _is_of_container(kind) or kind in _OF_VALUES or kind in (Steps, Backwards, Enumerate)


_VALUES: tuple[Any, ...] = ((), "", "\N{GREEK SMALL LETTER ALPHA}", b"", range(1), range(1 << 80))
_OF_VALUES = frozenset(type(iter(each)) for each in _VALUES)
_LINES: tuple[Any, ...] = ([], set())
_WAYS: dict[type, str] = {
    **{type(iter(each)): "keys" for each in _LINES},
    **{type(iter(getattr({}, way)())): way for way in ("keys", "values", "items")},
}
_REVERSED: type = type(reversed([*_LINES]))


def _is_of_container(kind: type) -> bool:
    return STANDS_FOR.get(kind, kind) in _WAYS or kind is _REVERSED


def _frozen(value: Any, freeze: Freeze, part: str) -> Any:
    """Returns what memory holds for what a frame has."""
    kind = type(value)
    if value is NULL or value is MISSING:
        return IteratorAt(("mark", repr(value)))
    if _is_of_container(kind):
        return _of_container(value, kind, freeze, part)
    if kind in _OF_VALUES:
        _, arguments, *state = value.__reduce__()
        return IteratorAt(("values", freeze(arguments[0], part), *(each for each in state if each is not None)))
    if kind is Steps:
        return IteratorAt(("steps", value._identity.reference, *(getattr(value, each) for each in _OF_STEPS)))
    if kind is Backwards:
        return IteratorAt(("backwards", value._identity.reference, value._ended, value._base, value._seen, value._at))
    if kind is Enumerate:
        return IteratorAt(("enumerate", freeze(value.count, part), _frozen(value.iterator, freeze, part)))
    return freeze(value, part)


_OF_STEPS = ("_ended", "_base", "_seen", "_at", "_which", "_length", "_left")


def _of_container(value: Any, kind: type, freeze: Freeze, part: str) -> IteratorAt:
    """Of an iterator over a container of the thread's own, which becomes shared."""
    held = [value.things] if issubclass(kind, EntryIterator) else gc.get_referents(value)
    container = next((each for each in held if base_of(type(each)) is not None), None)
    if container is None:  # it has come to its end
        return IteratorAt(("values", ()))
    reference: Reference = freeze(container, part)
    content = reference.member.content[""]
    left = operator.length_hint(value)
    base = base_of(type(container))
    if kind is _REVERSED:
        return IteratorAt(("backwards", reference, False, base, content, left))
    length = value.size if issubclass(kind, EntryIterator) else len(content)
    if base is not list and (length != len(content) or (base is set and left != length)):
        refuse(f"a generator is shared in the middle of a loop over {reference}: let it go through a list of that")
    fields = False, base, content, len(content) - left, _WAYS[STANDS_FOR.get(kind, kind)], length, left
    return IteratorAt(("steps", reference, *fields))


# -- and back -------------------------------------------------------------------------


def generator_at(held: Suspended, function: Any, thaw: Callable[[Any], Any]) -> Generator:
    """Returns a generator of the running thread's own that stands where memory says."""
    execution = running()
    state, _, position, slots, stack, error = held
    frame = Frame(
        execution,
        function,
        execution.compiled(function.__code__),
        [NULL if each is UNSET else _thawed(each, thaw) for each in slots],
        Handled(),
    )
    frame.position = position
    frame.stack.extend(_thawed(each, thaw) for each in stack)
    generator = Generator(frame)
    generator.state = state
    frame.handled.error = thaw(error)
    return generator


def _thawed(held: Any, thaw: Callable[[Any], Any]) -> Any:
    if type(held) is not IteratorAt:
        return thaw(held)
    how, *parts = held
    match how:
        case "mark":
            return NULL if parts[0] == repr(NULL) else MISSING
        case "values":
            iterator = iter(thaw(parts[0]))
            if len(parts) > 1:
                iterator.__setstate__(parts[1])
            return iterator
        case "enumerate":
            counting = Enumerate.__new__(Enumerate)
            counting.count, counting.iterator = thaw(parts[0]), _thawed(parts[1], thaw)
            return counting
    made: Any = object.__new__(Steps if how == "steps" else Backwards)
    reference, *fields = parts
    made._identity = identity_of(thaw(reference))
    for name, each in zip(_OF_STEPS, fields, strict=False):
        setattr(made, name, each)
    return made
