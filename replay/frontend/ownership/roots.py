"""The objects that threads can reach before they begin, and the program function has made, become shared.

Closures, arguments, default values, and all that these lead to. What modules and classes hold is looked at where code
asks for it.
"""

from __future__ import annotations

import functools
import threading
from collections import deque
from collections.abc import Callable, Iterator
from types import CellType, FunctionType, MethodType
from typing import Any

from replay.code.belonging import is_user_class
from replay.code.facts import rebound
from replay.code.names import cell_contents
from replay.code.ordinary import HAS_MODELS
from replay.frontend.ordinary.contents import base_of
from replay.frontend.ordinary.identity import Identity
from replay.frontend.ordinary.own import ShareableBuiltin
from replay.frontend.ordinary.plain import is_plain
from replay.frontend.ordinary.values import UNSET, Group, Member, Reference
from replay.frontend.ownership.holders import check_held
from replay.frontend.threads import ThreadCall
from replay.interpreter.frame import NULL, held_in
from replay.interpreter.lookup import identity, is_a
from replay.world.values import NoValue


def share_roots(heap: Any, codes: list[Callable[[], object]], named: Callable[[str], str]) -> None:
    """Share what the code of threads leads to; `named` makes names that are nobody else's."""
    found = list(_walk(codes, heap))
    assigned: set[int] = set()
    for _, each, _ in found:
        if type(each) is FunctionType:
            heap.roots.add(identity(each))
            heap.kept.append(each)
            names = rebound(each.__code__)
            cells = zip(each.__code__.co_freevars, each.__closure__ or (), strict=True)
            assigned.update(identity(cell) for name, cell in cells if name in names)
    for name, each, _ in found:
        if type(each) is CellType and identity(each) in assigned and identity(each) not in heap.variables:
            heap.variables[identity(each)] = heap.shared[identity(each)] = _variable(heap, each, named(name))
    for _, each, _ in found:
        if type(each) is FunctionType and (vars(each) or heap.changes(each)):
            title = heap.titles.get(identity(each), f"{each.__name__}.").removesuffix(".")
            heap.freeze(each, named=named(title))
    for name, each, is_for_all in found:
        if is_for_all and identity(each) not in heap.shared:
            heap.share(each, named(name or type(each).__name__))
    for name, each, _ in found:
        check_held(name, each, heap.shared)


def _variable(heap: Any, cell: CellType, name: str) -> Identity:
    """A variable of a closure as memory, which holds at first what it holds now."""
    member = Member(name, CellType)
    known = Identity(heap, Reference(member, Group(declared=True)))
    heap.kept.append(cell)
    held = held_in(cell)
    member.content[""] = UNSET if held is NULL else heap.freeze(held, named=f"{name}.{type(held).__name__}")
    return known


def _is_for_all(thing: Any) -> bool:
    """Returns whether something is an object of its own that may change."""
    kind = type(thing)
    if is_a(thing, ShareableBuiltin) or kind in HAS_MODELS or base_of(kind) is not None or _is_for_threads(thing):
        return True
    return is_user_class(kind) and not issubclass(kind, type | NoValue | BaseException) and not is_plain(thing)


def _walk(codes: list[Any], heap: Any) -> Iterator[tuple[str, Any, bool]]:
    """Returns what code leads to, up to what may change and what the host has.

    With the names by which it does, and whether it may change.
    """
    todo = deque(("", code) for code in codes)
    seen: dict[int, Any] = {}
    while todo:
        name, thing = todo.popleft()
        if identity(thing) in seen or heap.homes.has(thing):
            continue
        seen[identity(thing)] = thing
        is_for_all = _is_for_all(thing)
        yield name, thing, is_for_all
        if not is_for_all:
            todo.extend(_parts(name, thing, heap.titles.get(identity(thing), "")))


def _parts(name: str, thing: Any, title: str) -> Iterator[tuple[str, Any]]:
    if type(thing) is ThreadCall:
        yield name, thing.function
        yield from (("", each) for each in thing.args)
    elif type(thing) is FunctionType:
        names = (f"{title}{each}" for each in thing.__code__.co_freevars)
        yield from zip(names, thing.__closure__ or (), strict=True)
        yield from ((name, each) for each in (*(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values()))
    elif type(thing) is MethodType:
        yield from (("", thing.__self__), (name, thing.__func__))
    elif type(thing) is functools.partial:
        yield from ((name, each) for each in (thing.func, *thing.args, *thing.keywords.values()))
    elif type(thing) is CellType:
        yield from ((name, each) for each in cell_contents(thing))
    elif is_a(thing, tuple | frozenset):
        yield from ((name, each) for each in thing)


def _is_for_threads(value: Any) -> bool:
    """Returns whether it is an object of Python's own library that threads wait at, and that is written in Python."""
    home = str(type(value).__module__).partition(".")[0]  # a class may have a slot of that name
    is_object = not is_a(value, type | threading.Thread) and type(value).__dictoffset__ != 0
    return home in ("threading", "queue", "concurrent") and is_object
