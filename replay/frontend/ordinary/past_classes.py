"""Methods of containers that code takes from their class: `dict.__getitem__(self, key)` in a class made from `dict`.

Of a container that is shared they would find nothing, since C code looks into it past its methods. So the code of a
class whose objects are shared is changed to take them from here instead, where a shared container has its own ones, and
so are default values of its functions. All other objects get what Python has.
"""

from __future__ import annotations

import builtins
import dis
import functools
import itertools
from collections import OrderedDict, defaultdict, deque
from types import CodeType, FunctionType, SimpleNamespace
from typing import Any

from replay.code.running_thread import refuse
from replay.frontend.ordinary.changes import identity_of_container, is_shared_container, looked_at
from replay.frontend.ordinary.contents import base_of
from replay.frontend.ordinary.iterating import Steps
from replay.frontend.ordinary.kinds import method_of
from replay.frontend.ordinary.methods import item

_FAMILIES: dict[tuple[Any, ...], str] = {
    (dict, OrderedDict, defaultdict): "__getitem__ __setitem__ __delitem__ __contains__ __iter__ __len__ get pop "
    "popitem setdefault clear update keys values items copy",
    (list,): "__getitem__ __setitem__ __delitem__ __contains__ __iter__ __len__ append insert extend pop clear reverse "
    "remove index count copy",
    (set,): "__contains__ __iter__ __len__ add discard remove clear update copy",
    (deque,): "__getitem__ __contains__ __iter__ __len__ append appendleft pop popleft clear extend remove",
}
"""The methods that do the same for a shared container, whoever calls them and in which way."""

_MARK = "\0"
"""What the name of a class ends in that stands for it in the code of users."""


def _steps(thing: Any) -> Any:
    return Steps(identity_of_container(thing), "keys", base_of(type(thing)))


def _length(thing: Any) -> int:
    return len(identity_of_container(thing).load(""))


def _item(thing: Any, key: Any) -> Any:
    held = looked_at(thing)
    return item(thing, held, key) if isinstance(held, dict) else held[key]


_OWN = {"__iter__": _steps, "__len__": _length, "__getitem__": _item}
"""What asks who calls, when it is called as a method."""


def _of_either(kind: Any, name: str) -> Any:
    """The method of a class for what is not shared, and for what is that of the shared container."""
    original: Any = getattr(kind, name)

    @functools.wraps(original)
    def method(thing: Any, /, *args: Any, **kwargs: Any) -> Any:
        if not is_shared_container(thing):
            return original(thing, *args, **kwargs)
        base = base_of(type(thing))
        if base is not kind:
            refuse(f"{kind.__name__}.{name} is called with {thing!r}, which is made from another class: use super()")
        own: Any = _OWN.get(name) or method_of(base, name)
        return own(thing, *args, **kwargs)

    return method


METHODS: dict[Any, SimpleNamespace] = {
    kind: SimpleNamespace(**{name: _of_either(kind, name) for name in names.split()})
    for kinds, names in _FAMILIES.items()
    for kind in kinds
}
"""By class, what its methods are in the code of users."""

INSTEAD: dict[int, Any] = {
    id(getattr(kind, name)): method
    for kind, methods in METHODS.items()
    for name, method in vars(methods).items()
    if name in vars(kind)
}
"""By the identity of methods, which live as long as Python."""


def take_from_here(function: FunctionType) -> None:
    """Let a function take methods of containers from here that it takes from their class."""
    known = {name: kind for name, kind in _names(function).items() if kind in METHODS}
    changed = _changed(function.__code__, known) if known else function.__code__
    if changed is not function.__code__:
        function.__globals__.update({f"{name}{_MARK}": METHODS[kind] for name, kind in known.items()})
        function.__code__ = changed


def _names(function: FunctionType) -> dict[str, Any]:
    """What names of classes mean in a function that are global variables."""
    names = [kind.__name__ for kind in METHODS]
    return {name: function.__globals__.get(name, vars(builtins).get(name)) for name in names}


def _changed(code: CodeType, known: dict[str, Any]) -> CodeType:
    """Code that looks the names of these classes up under others, where it asks them for a method that is here."""
    found, names, constants = bytearray(code.co_code), list(code.co_names), list(code.co_consts)
    looks = list(dis.get_instructions(code))
    for look, following in itertools.pairwise(looks):
        kind = known.get(look.argval) if look.opname == "LOAD_GLOBAL" else None
        if kind is None or not following.opname.startswith(("LOAD_ATTR", "LOAD_METHOD")):
            continue
        name = f"{look.argval}{_MARK}"
        place = names.index(name) if name in names else len(names)
        if str(following.argval) in vars(METHODS[kind]) and place < 128 and (look.arg or 0) < 256:
            names[place:] = [name] if place == len(names) else names[place:]
            found[look.offset + 1] = place << 1 | ((look.arg or 0) & 1)
    for index, each in enumerate(constants):
        if isinstance(each, CodeType):
            constants[index] = _changed(each, known)
    if bytes(found) == code.co_code and all(one is two for one, two in zip(constants, code.co_consts, strict=True)):
        return code
    return code.replace(co_code=bytes(found), co_names=tuple(names), co_consts=tuple(constants))
