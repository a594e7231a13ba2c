"""Refuses code that changes, or looks at, parts of objects that Python keeps outside of attributes: they are no memory.

An exception has its arguments there, a function its code, a class its bases; an object has its class there.
"""

from __future__ import annotations

import _random
import builtins
import functools
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import Any

from replay.code.lines import is_of_library
from replay.code.ordinary import LOCAL
from replay.code.running_thread import refuse
from replay.frontend.ordinary.named_tuples import FIELD
from replay.frontend.ordinary.valued import COMPARED
from replay.frontend.ownership import attributes
from replay.interpreter.calls import intrinsic_of_objects
from replay.interpreter.frame import NULL, Frame
from replay.interpreter.lookup import identity, lookup, namespace_of
from replay.interpreter.natives import natively

_IN_NAMESPACE = frozenset({"__doc__", "__module__"})
"""Names that a class has among its other attributes, though its metaclass has descriptors for them."""

MOVING = frozenset({"__context__", "__traceback__"})
"""Attributes that an exception is given whenever it is raised."""


def check_seen(owner: object, kind: type, name: str, found: Any) -> None:
    """Refuse to change what an object of a class keeps where it is no memory; `found` is what the class has by a name.

    A property, or a field of a named tuple, is left to who asks.
    """
    if found is NULL or type(found) in (property, FIELD) or attributes.is_slot(found):
        return
    if lookup(type(found), "__set__") is NULL and lookup(type(found), "__delete__") is NULL:
        return
    if issubclass(kind, type) and name in _IN_NAMESPACE:
        return
    if name == "__dict__":
        refuse(f"{owner} is shared: it cannot be given another __dict__; set its attributes one by one")
    if name == "__class__":
        refuse(f"{owner} is shared: it cannot become an object of another class; make a new one")
    if issubclass(kind, BaseException):
        refuse(f"{owner} is shared, and its {name} cannot be changed: make another exception")
    refuse(f"{owner}.{name} is set, which {kind.__name__} keeps where mcr cannot see it: make another one")


def check_moving(frame: Frame, owner: object, name: str) -> None:
    """Refuse code that asks where a shared exception was raised: any thread may raise it again.

    Python's library asks where it shows exceptions.
    """
    if not is_of_library(frame.code):
        refuse(
            f"{owner} is shared, and thread code asks for its {name}, which changes where any thread raises it: ask "
            "for it before others can reach the exception"
        )


BEHIND = frozenset({"__globals__", "f_globals", "__builtins__", "f_builtins", "__subclasses__", "f_locals", "f_trace"})
"""Attributes that show modules, classes and variables to code which was not given them."""

_GLOBALS = frozenset({"__globals__", "f_globals"})
"""Those for which there is a view of what is memory."""


def check_behind(frame: Frame, name: str) -> None:
    """Refuse code that asks for one of `BEHIND` which is not seen; Python's own library may ask."""
    if name not in _GLOBALS and not library_asks(frame):
        refuse(
            f"thread code uses {name}, by which threads may share what mcr cannot see: name the functions, modules and "
            "objects themselves"
        )


def library_asks(frame: Frame) -> bool:
    """Returns whether Python's own library runs the instruction."""
    return is_of_library(next(frame.execution.visible()).code)


def no_annotations(frame: Frame, owner: object) -> dict[str, Any]:
    """Returns annotations for Python's library of a shared function that had none. Refuses code that may set some."""
    if not library_asks(frame):
        refuse(
            f"{owner} is shared, and thread code asks for its __annotations__, which it keeps where mcr cannot see "
            "them: define the function outside of functions"
        )
    return {}


def _read_by_descriptor(native: Any) -> None:
    """Refuse a descriptor of C, taken from its class, that reads what no instruction would see."""

    @intrinsic_of_objects(native)
    def read(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> None:
        if arguments and getattr(arguments[0], "__name__", "") in _KEPT:
            refuse(
                f"thread code uses {arguments[0].__name__}, by which threads may share what mcr cannot see: ask for "
                "it as an attribute"
            )
        frame.stack.append(native(*arguments, **keywords))


_KEPT = BEHIND | {"__annotations__"}

for _kind in (MemberDescriptorType, GetSetDescriptorType):
    _read_by_descriptor(namespace_of(_kind)["__get__"])


# -- methods of C --------------------------------------------------------------------


OF_DESCRIPTORS = frozenset(
    identity(namespace_of(kind)[name])
    for kind in (MemberDescriptorType, GetSetDescriptorType)
    for name in ("__get__", "__set__", "__delete__")
    if name in namespace_of(kind)
)
"""Methods by which a descriptor of C, such as that of a slot, reads and changes what an object keeps."""

_ERRORS = [each for each in vars(builtins).values() if isinstance(each, type) and issubclass(each, BaseException)]

_KNOWN = frozenset(
    identity(namespace_of(kind)[name])
    for kinds, names in (
        ([object], ["__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__repr__", "__str__"]),
        ([object], ["__format__", "__init__"]),
        ([object, LOCAL], ["__getattribute__", "__setattr__", "__delattr__"]),
        (_ERRORS, ["__repr__", "__str__", "with_traceback"]),
        ([FunctionType, functools.partial], ["__get__", "__call__", "__repr__"]),
        ([_random.Random], ["random", "getrandbits", "seed", "getstate", "setstate"]),
    )
    for kind in kinds
    for name in names
    if name in namespace_of(kind)
)
"""Methods that look at nothing of an object that changes, or for which the interpreter has something else."""


def check_native(native: Any, owner: object) -> None:
    """Refuse a method of C of an object that is no container, unless it is known to see and change no attributes."""
    if identity(native) not in _KNOWN and native.__objclass__ not in COMPARED:
        if issubclass(native.__objclass__, BaseException):
            refuse(f"{owner} is shared, and {native.__name__} changes it, or looks into it: make another exception")
        refuse(
            f"{native.__qualname__} is written in C, and looks into {owner}, which is shared, or changes it: write in "
            "Python what it does, or make another object"
        )


def by_name(native: Any, descriptor: Any, thing: Any, owner: object) -> Any:
    """Returns what does the same as a method of a descriptor by the name of the attribute. Refuses what is hidden."""
    if lookup(type(thing), descriptor.__name__) is not descriptor:
        refuse(
            f"{descriptor.__name__!r} of {owner}, which is shared, is looked for past its class, which has another one "
            "by that name: give them two names"
        )
    return _BY_NAME[native.__name__]


@natively
def _name_of(descriptor: Any) -> str:
    return descriptor.__name__  # type: ignore[no-any-return]


def _get(descriptor: Any, thing: Any, _: Any = None) -> Any:
    return object.__getattribute__(thing, _name_of(descriptor))


def _set(descriptor: Any, thing: Any, value: Any) -> None:
    object.__setattr__(thing, _name_of(descriptor), value)


def _delete(descriptor: Any, thing: Any) -> None:
    object.__delattr__(thing, _name_of(descriptor))


_BY_NAME = {"__get__": _get, "__set__": _set, "__delete__": _delete}
