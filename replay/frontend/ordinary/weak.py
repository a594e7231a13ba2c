"""Weak references in a model: they know what is shared as long as that is certain to be there."""

from __future__ import annotations

import sys
import weakref
from typing import Any

from greenlet import getcurrent

from replay.code.running_thread import inside_run, refuse
from replay.frontend.ordinary.kinds import identity_of, is_shared

_REFERENCE = weakref.ReferenceType


class _ClassOfReferences(type):
    """`weakref.ref` is the class of references in modules that a model uses: it makes Python's own for others."""

    def __call__(cls, *args: Any) -> Any:
        is_of_others = cls is WeakReference and getattr(getcurrent(), "heap", None) is None
        return _REFERENCE(*args) if is_of_others else super().__call__(*args)

    def __instancecheck__(cls, thing: object) -> bool:
        return isinstance(thing, _REFERENCE) if cls is WeakReference else type.__instancecheck__(cls, thing)


class WeakReference(weakref.ref[Any], metaclass=_ClassOfReferences):
    """Like `weakref.ref`; of a shared object that may be gone by now, nobody here can say whether it is.

    CPython lets go of an object with the last reference to it, wherever in memory or in a thread that is.
    """

    __slots__ = ()

    def __new__(cls, thing: Any, callback: Any = None) -> Any:
        """Also for `KeyedRef` and the like of `weakref`, which are no references of this class."""
        made = _REFERENCE.__new__(cls, thing, callback)
        if is_shared(thing) and inside_run():
            check_weak_references(thing)
        return made

    def __call__(self) -> Any:
        thing = super().__call__()
        if thing is not None and is_shared(thing) and inside_run() and not identity_of(thing).reference.member.stays:
            refuse(
                f"thread code asks a weak reference for {identity_of(thing)}, and whether any other reference to it is "
                "left cannot be known here: keep an ordinary one beside it, in an attribute that never changes"
            )
        return thing


def proxy(original: Any, thing: Any, callback: Any = None) -> Any:
    """`weakref.proxy`, in a model."""
    made = original(thing, callback)
    if is_shared(thing) and inside_run():
        check_weak_references(thing)
    return made


def check_weak_references(thing: Any) -> None:
    """Refuse what finds out by itself that a shared object is gone, which it never is here."""
    member = identity_of(thing).reference.member
    for each in weakref.getweakrefs(thing):
        is_silent = type(each) is WeakReference and each.__callback__ is None
        if issubclass(type(each), _REFERENCE) and type(each.__callback__) is weakref.finalize:
            each.__callback__.atexit = False  # it would run outside of all models
            is_silent = member.ends = True
        if not is_silent and not member.stays and not is_of_logging(each):
            refuse(
                f"{identity_of(thing)} is shared, and known to a proxy or a container of weak references, "
                "which are told when nobody else has it: keep it in a list or a dict, and take it out yourself"
            )


def is_of_logging(reference: Any) -> bool:
    """Whether `logging` has it, to find handlers by their names and to close them at the end of the process."""
    logging: Any = sys.modules.get("logging")
    if logging is None:
        return False
    known = (*logging._handlerList, *logging._handlers.data.values(), *logging._at_fork_reinit_lock_weakset.data)
    return any(reference is each for each in known)
