"""Weak references: they know what is shared as long as that is certain to be there.

CPython lets go of an object with the last reference to it, wherever in memory or in a thread that is, and tells those
who have asked to be told. Nobody here can say when that is.
"""

from __future__ import annotations

import sys
import weakref
from types import FunctionType
from typing import Any

from replay.code.running_thread import inside_run, refuse
from replay.frontend.ordinary.identity import Identity
from replay.interpreter.calls import intrinsic_of_objects
from replay.interpreter.frame import Frame
from replay.interpreter.lookup import identity
from replay.interpreter.origins import is_note

_REFERENCE: Any = weakref.ReferenceType


def check_weak_references(thing: Any, known: Identity) -> None:
    """Refuse what finds out by itself that a shared object is gone, which it never is here."""
    member = known.reference.member
    for each in weakref.getweakrefs(thing):
        is_silent = is_note(each) or (type(each) is _REFERENCE and _is_silent(each.__callback__))
        if not is_silent and not member.stays and not _is_of_logging(each):
            refuse(
                f"{known} is shared, and known to a proxy or a container of weak references, "
                "which are told when nobody else has it: keep it in a list or a dict, and take it out yourself"
            )


def _is_of_logging(reference: Any) -> bool:
    """Returns whether `logging` has it, to find handlers by their names and to close them at the end of the process."""
    logging: Any = sys.modules.get("logging")
    if logging is None:
        return False
    known = (*logging._handlerList, *logging._handlers.data.values(), *logging._at_fork_reinit_lock_weakset.data)
    return any(reference is each for each in known)


def _is_silent(callback: Any) -> bool:
    """Returns whether nothing of the program runs when a reference is told."""
    if type(callback) is FunctionType and callback.__qualname__.startswith("ThreadPoolExecutor."):
        return callback.__module__ == _OF_EXECUTORS  # its threads end with the process as well
    return callback is None


def _is_kept(frame: Frame, thing: Any) -> bool:
    """Returns whether a worker asks for its executor: whoever shuts that down has it, and workers end then either way.

    An executor that nobody shuts down is refused before threads run (`replay.code.foreign`).
    """
    return frame.globals.get("__name__") == _OF_EXECUTORS and type(thing).__module__ == _OF_EXECUTORS


_OF_EXECUTORS = "concurrent.futures.thread"


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
    def ask(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> None:
        thing = _REFERENCE.__call__(*arguments, **keywords)
        known = _known(frame, thing)
        if known is not None and inside_run() and not (known.reference.member.stays or _is_kept(frame, thing)):
            refuse(
                f"thread code asks a weak reference for {known}, and whether any other reference to it is "
                "left cannot be known here: keep an ordinary one beside it, in an attribute that never changes"
            )
        frame.stack.append(thing)

    @intrinsic_of_objects(weakref.finalize.__init__)
    def finalize(frame: Frame, arguments: list[Any], _: dict[str, Any]) -> None:
        """Shares an object that is to be tidied up after; it is never freed."""
        heap: Any = frame.execution.objects
        heap.freeze(arguments[1])
        if (known := _known(frame, arguments[1])) is not None:
            known.reference.member.ends = True
        frame.stack.append(None)

    for name in ("__call__", "detach", "peek"):
        _refuse(vars(weakref.finalize)[name], name)
    for name in ("alive", "atexit"):
        for each in (vars(weakref.finalize)[name].fget, vars(weakref.finalize)[name].fset):
            if each is not None:
                _refuse(each, name)


def _refuse(function: Any, name: str) -> None:
    @intrinsic_of_objects(function)
    def refused(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> None:
        refuse(f"finalize.{name} is used by thread code: call the function that tidies up yourself")


def _known(frame: Frame, thing: Any) -> Identity | None:
    """Returns the identity of a shared object; None of another one."""
    objects = frame.execution.objects
    return None if objects is None else objects.shared.get(identity(thing))
