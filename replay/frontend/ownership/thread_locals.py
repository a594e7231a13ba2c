"""Attributes of `threading.local` and of classes made from it: each thread has its own, which are no memory.

One that a thread makes is shared at once, so that there is one way to its attributes. They are in a dictionary of the
thread (`RunningThread.locals`), which it begins with its first access, as CPython does.
"""

from __future__ import annotations

import _threading_local
from collections.abc import Callable
from typing import Any

from replay.code.ordinary import LOCAL, MAIN_THREAD
from replay.code.running_thread import current_run, heap_here, refuse
from replay.frontend.ordinary.identity import Identity
from replay.frontend.ordinary.kinds import is_shared
from replay.frontend.ordinary.local_parts import ARGUMENTS, FIRST, KEYWORDS
from replay.frontend.ordinary.values import UNSET
from replay.frontend.ownership.attributes import delete as delete_in_slot
from replay.frontend.ownership.attributes import is_data, is_slot, loaded, of_class
from replay.frontend.ownership.attributes import store as store_in_slot
from replay.interpreter.attribute_functions import delete_with_result, set_with_result
from replay.interpreter.attributes import load_plainly
from replay.interpreter.calls import intrinsic_of_objects
from replay.interpreter.execution import SWITCH
from replay.interpreter.frame import MISSING, Frame
from replay.interpreter.library.looking import raw_of_class
from replay.interpreter.lookup import lookup
from replay.interpreter.natives import natively

_VARIABLES = "__dict__"


@natively
def noted(known: Identity) -> dict[str, Any] | None:
    """Returns the attributes that the thread has; None if it has not begun with any."""
    held: dict[str, Any] | None = current_run().locals.get(_place(known))  # type: ignore[assignment]
    if held is not None and is_shared(held):
        refuse(f"the __dict__ that a thread has of {known} is shared: store a copy of it")
    return held


def _place(known: Identity) -> tuple[str, str]:
    return known.reference.name, _VARIABLES


def load_local(frame: Frame, thing: Any, known: Identity, name: str, fall_back: Any) -> int | None:
    """`thing.name`; `fall_back` is its `__getattr__`, None if it has none."""
    kind = type(thing)
    held = noted(known)
    if held is not None and name in held and name != _VARIABLES and not is_data(lookup(kind, name)):
        frame.stack.append(held[name])
        return None
    is_memory = heap_here().homes.is_of_class(kind, name)
    frame.execution.push(_load, [thing, known, name, kind, fall_back, is_memory], {})
    return SWITCH


def store_local(frame: Frame, thing: Any, known: Identity, name: str, value: Any) -> int:
    """`thing.name = value`."""
    frame.execution.push(_store, [thing, known, name, value], {})
    return SWITCH


def delete_local(frame: Frame, thing: Any, known: Identity, name: str) -> int:
    """`del thing.name`."""
    frame.execution.push(_delete, [thing, known, name], {})
    return SWITCH


# -- interpreted ---------------------------------------------------------------------


def _load(thing: Any, known: Identity, name: str, kind: Any, fall_back: Any, is_memory: bool) -> Any:
    held = _of_thread(thing, known)
    if name == _VARIABLES:
        return held
    try:
        found = raw_of_class(kind, name)
        if is_slot(found):
            value = loaded(known, name)
            if value is UNSET:
                raise lacks(thing, name)
            return value
        if name in held and not is_data(found):
            return held[name]
        if found is MISSING and not is_memory:
            raise lacks(thing, name)
        return of_class(thing, kind, name, is_memory, known.heap)
    except AttributeError:
        if fall_back is None:
            raise
    return fall_back(thing, name)


def _store(thing: Any, known: Identity, name: str, value: Any) -> None:
    held = _of_thread(thing, known)
    if name == _VARIABLES:
        raise is_read_only(thing)
    if is_slot(raw_of_class(type(thing), name)):
        store_in_slot(known, name, value)
    else:
        held[name] = value


def _delete(thing: Any, known: Identity, name: str) -> None:
    held = _of_thread(thing, known)
    if name == _VARIABLES:
        raise is_read_only(thing)
    if is_slot(raw_of_class(type(thing), name)):
        delete_in_slot(thing, known, name)
    elif name in held:
        del held[name]
    else:
        raise lacks(thing, name)


def _of_thread(thing: Any, known: Identity) -> dict[str, Any]:
    """Returns the attributes that the thread has. One that has none yet begins by what `__init__` sets."""
    held = noted(known)
    if held is None:
        held, is_new = begin(known)
        if is_new and has_initialiser(thing):
            arguments, keywords = given(known)
            try:
                type(thing).__init__(thing, *arguments, **keywords)
            except BaseException:
                forget(known)
                raise
    return held


# -- natively ------------------------------------------------------------------------


@natively
def begin(known: Identity) -> tuple[dict[str, Any], bool]:
    """Returns the attributes of a thread that had none so far, and whether there were none when it began.

    The thread that ran before all others has what it has set before.
    """
    run, heap = current_run(), heap_here()
    was_there = known.reference.member.lasts or known.reference.group.is_declared
    is_first = run.declares or (was_there and heap.has_main and run.name == MAIN_THREAD)
    first: Any = known.content[FIRST] if is_first else ()
    held = run.locals[_place(known)] = {name: heap.thaw(each) for name, each in first}
    return held, not is_first


@natively
def forget(known: Identity) -> None:
    """The thread begins anew with its next access: `__init__` has failed."""
    del current_run().locals[_place(known)]


@natively
def given(known: Identity) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Returns the arguments for `__init__`."""
    thaw = known.heap.thaw
    return thaw(known.content[ARGUMENTS]), {name: thaw(each) for name, each in known.content[KEYWORDS]}


@natively
def has_initialiser(thing: Any) -> bool:
    return lookup(type(thing), "__init__") is not object.__init__


@natively
def lacks(thing: Any, name: str) -> AttributeError:
    """Returns the error that Python raises for an attribute that is not there."""
    return AttributeError(f"{_shown_kind(thing)!r} object has no attribute {name!r}", name=name, obj=thing)


@natively
def is_read_only(thing: Any) -> AttributeError:
    return AttributeError(f"{_shown_kind(thing)!r} object attribute '__dict__' is read-only")


def _shown_kind(thing: Any) -> str:
    return "_thread._local" if type(thing) is LOCAL else type(thing).__name__


# -- what code calls -----------------------------------------------------------------


@intrinsic_of_objects(vars(LOCAL)["__new__"])
def _make(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> None:
    """Make one; it is shared at once if a thread makes it, and known by what the program function shares otherwise."""
    made = LOCAL.__new__(*arguments, **keywords)
    heap = heap_here()
    if not heap.declaring:
        heap.freeze(made)
    frame.stack.append(made)


def _makes_local(kind: Any) -> None:
    """Let a class of Python make objects of `threading.local`, as `_threading_local` does without C."""

    @intrinsic_of_objects(kind)
    def make(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> None:
        _make(frame, [LOCAL, *arguments], keywords)


for _kind in {LOCAL, _threading_local.local}:
    _makes_local(_kind)


def _of_locals(name: str, plainly: Callable[..., int | None]) -> None:
    """Let a method of C do what that of `object` does with other objects."""
    native = vars(LOCAL)[name]

    @intrinsic_of_objects(native)
    def call_method(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
        if arguments and not keywords and is_shared(arguments[0]):
            return plainly(frame, *arguments)
        frame.stack.append(native(*arguments, **keywords))
        return None


_of_locals("__getattribute__", load_plainly)
_of_locals("__setattr__", set_with_result)
_of_locals("__delattr__", delete_with_result)
