"""Weak references: they know what is shared as long as that is certain to be there.

CPython lets go of an object with the last reference to it, wherever in memory or in a thread that is, and tells those
who have asked to be told. This is certain here of an object that stays (`Member.stays`), and of one that the thread
which asks has itself. So weak containers are memory as other containers are, and refused is to ask them for an object
that may be gone, or how many are left.
"""

from __future__ import annotations

import gc
import sys
import weakref
from types import CodeType, FunctionType, ModuleType
from typing import Any

from replay.code.belonging import is_of_checker
from replay.code.running_thread import current_run, inside_run, refuse
from replay.code.terminals import GIVEN_UP
from replay.frontend.ordinary.identity import Identity
from replay.frontend.ownership.host import call_as_it_is, refuse_call
from replay.frontend.ownership.unseen import library_asks
from replay.interpreter.async_generators import FRAMED
from replay.interpreter.calls import intrinsic, intrinsic_of_objects
from replay.interpreter.execution import SWITCH
from replay.interpreter.frame import Frame
from replay.interpreter.lookup import ATOMS, identity, is_a
from replay.interpreter.origins import is_note

_REFERENCE: Any = weakref.ReferenceType
_KNOWN = (_REFERENCE, weakref.KeyedRef)


def check_weak_references(thing: Any, known: Identity) -> None:
    """Refuse what finds out by itself that a shared object is gone, which it never is here."""
    member = known.reference.member
    for each in weakref.getweakrefs(thing):
        is_silent = is_note(each) or (type(each) in _KNOWN and _is_silent(each.__callback__))
        if not is_silent and not member.stays and not _is_of_logging(each):
            refuse(
                f"{known} is shared, and known to a proxy or a container of weak references, "
                "which are told when nobody else has it: keep it in a list or a dict, and take it out yourself"
            )


def looks_into(frame: Frame, kind: type) -> bool:
    """Returns whether code of the user reads what a weak container is made of, past the methods of that."""
    return issubclass(kind, (*_COUNTS,)) and not frame.decoded.hidden and inside_run() and not library_asks(frame)


def entries(container: Any) -> Any:
    """Interpreted: what a weak container is made of, after all objects in it are asked for."""
    held = container.data
    for reference in [*held.values()] if is_a(container, weakref.WeakValueDictionary) else [*held]:
        reference()
    return held


def _is_of_logging(reference: Any) -> bool:
    """Returns whether `logging` has it, to find handlers by their names and to close them at the end of the process."""
    logging: Any = sys.modules.get("logging")
    if logging is None:
        return False
    known = (*logging._handlerList, *logging._handlers.data.values(), *logging._at_fork_reinit_lock_weakset.data)
    return any(reference is each for each in known)


def _is_silent(callback: Any) -> bool:
    """Returns whether nothing of the program runs when a reference is told, but for what weak containers do."""
    if type(callback) is FunctionType and callback.__code__ in _OF_CONTAINERS:
        return True
    if type(callback) is FunctionType and callback.__qualname__.startswith("ThreadPoolExecutor."):
        return callback.__module__ == _OF_EXECUTORS  # its threads end with the process as well
    return callback is None


def _is_kept(frame: Frame, thing: Any) -> bool:
    """Returns whether a worker asks for its executor: whoever shuts that down has it, and workers end then either way.

    An executor that nobody shuts down is refused before threads run (`replay.code.foreign`).
    """
    return frame.globals.get("__name__") == _OF_EXECUTORS and type(thing).__module__ == _OF_EXECUTORS


_OF_EXECUTORS = "concurrent.futures.thread"
_OF_CONTAINERS = frozenset(
    code
    for kind in (weakref.WeakValueDictionary, weakref.WeakKeyDictionary, weakref.WeakSet)
    for code in kind.__init__.__code__.co_consts
    if type(code) is CodeType and code.co_name in ("remove", "_remove")
)
"""Code that takes out of a weak container what is gone."""


def _has_it(frame: Frame, thing: Any) -> bool:
    """Returns whether the running thread holds an object, by a variable or by what is its own."""
    heap: Any = frame.execution.objects
    todo: list[Any] = [value for each in frame.execution.frames for value in (*each.slots, *each.stack)]
    seen: set[int] = set()
    while todo and len(seen) < _MOST:
        value = todo.pop()
        if value is thing:
            return True
        if identity(value) in seen or identity(value) in heap.shared or is_a(value, _NOT_OWN):
            continue
        seen.add(identity(value))
        if type(value) in FRAMED:
            todo += (*value.frame.slots, *value.frame.stack)
        elif not is_of_checker(type(value)):
            todo += gc.get_referents(value)
    return False


def _given_up(reason: str) -> None:
    """Interpreted: stop here for good."""
    current_run().block(reason)


_ASKS = (
    "asks a weak reference for {}: and is not followed further, as that may be gone: keep an ordinary reference beside "
    "it, in an attribute that never changes"
)
_MOST = 10_000
_NOT_OWN: Any = (type, ModuleType, FunctionType, *ATOMS)


def _is_certain(frame: Frame, thing: Any, known: Identity) -> bool:
    """Returns whether a shared object cannot have been freed."""
    return known.reference.member.stays or _is_kept(frame, thing) or _has_it(frame, thing)


def install() -> None:
    """Let what makes weak references, and asks them, look at what is shared. Both is native code else."""

    def make(native: Any, place: int) -> None:
        @intrinsic_of_objects(native)
        def make_reference(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> None:
            frame.stack.append(native(*arguments, **keywords))
            if inside_run() and (known := _known(frame, arguments[place])) is not None:
                check_weak_references(arguments[place], known)

    make(_REFERENCE, 0)
    make(_REFERENCE.__new__, 1)
    make(weakref.proxy, 0)

    @intrinsic_of_objects(_REFERENCE.__call__)
    def ask(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int | None:
        thing = _REFERENCE.__call__(*arguments, **keywords)
        known = _known(frame, thing)
        if known is not None and inside_run() and not _is_certain(frame, thing, known):
            frame.execution.push(_given_up, [f"{GIVEN_UP}{_ASKS.format(known)}"], {})
            return SWITCH
        frame.stack.append(thing)
        return None

    @intrinsic_of_objects(weakref.finalize.__init__)
    def finalize(frame: Frame, arguments: list[Any], _: dict[str, Any]) -> None:
        """Shares an object that is to be tidied up after; it is never freed."""
        heap: Any = frame.execution.objects
        heap.freeze(arguments[1])
        if (known := _known(frame, arguments[1])) is not None:
            known.reference.member.ends = True
        frame.stack.append(None)

    for kind, names in _COUNTS.items():
        for name in names:
            _counts(vars(kind)[name])
    for name in ("__call__", "detach", "peek"):
        refuse_call(vars(weakref.finalize)[name], _FINALIZE.format(name))
    for name in ("alive", "atexit"):
        for each in (vars(weakref.finalize)[name].fget, vars(weakref.finalize)[name].fset):
            if each is not None:
                refuse_call(each, _FINALIZE.format(name))


_FINALIZE = "finalize.{} is used by thread code: call the function that tidies up yourself"

_COUNTS: dict[Any, tuple[str, ...]] = {
    weakref.WeakValueDictionary: ("__len__", "__delitem__", "valuerefs", "itervaluerefs"),
    weakref.WeakKeyDictionary: ("__len__", "keyrefs"),
    weakref.WeakSet: ("__len__",),
}
"""Methods that tell whether an object is there without asking for it."""


def _counts(function: Any) -> None:
    """Let such a method ask for all objects first."""

    @intrinsic_of_objects(function)
    def count(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int:
        if inside_run():
            frame.execution.push(_after_all_are_asked, [function, *arguments], keywords)
            return SWITCH
        return call_as_it_is(frame, function, arguments, keywords)


def _after_all_are_asked(function: Any, container: Any, *arguments: Any) -> Any:
    """Interpreted."""
    entries(container)
    return _as_it_is(function, container, *arguments)


def _as_it_is(function: Any, *arguments: Any) -> Any:
    """Call a method as if it had no intrinsic, which this is."""
    raise NotImplementedError


@intrinsic(_as_it_is)
def _call_it(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int:
    return call_as_it_is(frame, arguments[0], arguments[1:], keywords)


def _known(frame: Frame, thing: Any) -> Identity | None:
    """Returns the identity of a shared object; None of another one."""
    objects = frame.execution.objects
    return None if objects is None else objects.shared.get(identity(thing))
