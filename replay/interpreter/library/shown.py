"""`repr` of containers whose items may have a `__repr__` of Python.

A container that holds itself is shown as `[...]`: one whose model is active in an outer frame of the thread.
"""

from __future__ import annotations

import collections
import gc
import types
from collections.abc import Callable
from typing import Any

from replay.interpreter.execution import running
from replay.interpreter.intrinsics import called_type
from replay.interpreter.library.dictionaries import items_now
from replay.interpreter.library.looking import plain_arguments
from replay.interpreter.library.numeric import items_of
from replay.interpreter.lookup import is_a
from replay.interpreter.natives import natively, stands_for
from replay.interpreter.versions import SETS_ARE_ASKED_TO_SHOW

_SHOWING: set[types.CodeType] = set()


def shows_itself(function: Callable[..., Any]) -> Callable[..., Any]:
    """Registers a model whose first argument is the container that it shows."""
    _SHOWING.add(function.__code__)
    return function


@natively
def is_being_shown(container: Any) -> bool:
    """Returns True if an outer call shows the container already."""
    *outer, _ = running().frames
    return any(frame.code in _SHOWING and frame.slots[0] is container for frame in outer)


def listed(items: Any) -> str:
    return ", ".join([repr(each) for each in items])


def listed_arguments(arguments: Any, keywords: Any) -> list[str]:
    """Returns the texts of the arguments of a call, in the order in which Python asks for them."""
    return [*[repr(each) for each in arguments], *[f"{key!s}={value!r}" for key, value in keywords.items()]]


@stands_for(list.__repr__, natively_if=plain_arguments)
@shows_itself
def show_list(container: Any, /) -> Any:
    if is_being_shown(container):
        return "[...]"
    return f"[{listed(live_items(container))}]"


def live_items(things: Any) -> Any:
    """The items of a list, which may change while they are shown."""
    position = 0
    while position < list.__len__(things):
        yield list.__getitem__(things, position)
        position += 1


@stands_for(tuple.__repr__, natively_if=plain_arguments)
@shows_itself
def show_tuple(container: Any, /) -> Any:
    if is_being_shown(container):
        return "(...)"
    items = items_of(container)
    return f"({listed(items)}{',' if len(items) == 1 else ''})"


@stands_for(dict.__repr__, natively_if=plain_arguments)
@shows_itself
def show_dict(container: Any, /) -> Any:
    if is_being_shown(container):
        return "{...}"
    return "{" + ", ".join([f"{key!r}: {value!r}" for key, value in items_now(container)]) + "}"


@stands_for(set.__repr__, frozenset.__repr__, natively_if=plain_arguments)
@shows_itself
def show_set(container: Any, /) -> Any:
    name = short_name(container)
    if is_being_shown(container):
        return f"{name}(...)"
    items = set_items(container)
    if not items:
        return f"{name}()"
    shown = "{" + listed(list(container) if SETS_ARE_ASKED_TO_SHOW else items) + "}"
    return shown if is_exact_set(container) else f"{name}({shown})"


@natively
def set_items(things: Any) -> list[Any]:
    return list(set.__iter__(things) if is_a(things, set) else frozenset.__iter__(things))


@natively
def is_exact_set(things: Any) -> bool:
    return type(things) is set


@natively
def short_name(thing: Any) -> str:
    return called_type(thing).rpartition(".")[2]


@stands_for(collections.deque.__repr__, natively_if=plain_arguments)
@shows_itself
def show_deque(container: Any, /) -> Any:
    if is_being_shown(container):
        return "[...]"
    limit = container.maxlen
    items = listed(list(container))
    return f"{short_name(container)}([{items}]{'' if limit is None else f', maxlen={limit}'})"


@stands_for(collections.defaultdict.__repr__)
def show_defaultdict(container: Any, /) -> Any:
    items = dict.__repr__(container)
    return f"{short_name(container)}({show_factory(container)}, {items})"


@shows_itself
def show_factory(container: Any) -> Any:
    return "..." if is_being_shown(container) else repr(container.default_factory)


_VIEWS: tuple[Any, ...] = ({}.keys(), {}.values(), {}.items())


@stands_for(*[type(each).__repr__ for each in _VIEWS])
@shows_itself
def show_view(container: Any, /) -> Any:
    if is_being_shown(container):
        return "..."
    return f"{called_type(container)}([{listed(container)}])"


@stands_for(types.MappingProxyType.__repr__)
def show_proxy(proxy: Any, /) -> Any:
    return f"mappingproxy({mapping_of(proxy)!r})"


@stands_for(types.MappingProxyType.__str__)
def text_of_proxy(proxy: Any, /) -> Any:
    return str(mapping_of(proxy))


@natively
def mapping_of(proxy: Any) -> Any:
    (mapping,) = gc.get_referents(proxy)
    return mapping


@stands_for(slice.__repr__, natively_if=plain_arguments)
def show_slice(places: Any, /) -> Any:
    return f"slice({places.start!r}, {places.stop!r}, {places.step!r})"


@stands_for(types.MethodType.__repr__)
def show_method(method: Any, /) -> Any:
    name, thing = name_of_method(method)
    return f"<bound method {name} of {thing!r}>"


@natively
def name_of_method(method: Any) -> tuple[str, Any]:
    """The name that it shows, and its object."""
    without = types.MethodType(types.MethodType.__func__.__get__(method), 0)
    name = types.MethodType.__repr__(without).removeprefix("<bound method ").removesuffix(" of 0>")
    return name, types.MethodType.__self__.__get__(method)


@stands_for(staticmethod.__repr__, classmethod.__repr__)
def show_function_of_class(method: Any, /) -> Any:
    kind, function = function_of_class(method)
    return f"<{kind}({function!r})>"


@natively
def function_of_class(method: Any) -> tuple[str, Any]:
    kind: Any = staticmethod if is_a(method, staticmethod) else classmethod
    return kind.__name__, kind.__func__.__get__(method)


@stands_for(BaseException.__repr__)
def show_exception(error: Any, /) -> Any:
    arguments = exception_arguments(error)
    if len(arguments) == 1:
        return f"{short_name(error)}({arguments[0]!r})"
    return f"{short_name(error)}{arguments!r}"


@stands_for(BaseException.__str__)
def text_of_exception(error: Any, /) -> Any:
    arguments = exception_arguments(error)
    if not arguments:
        return ""
    return str(arguments[0]) if len(arguments) == 1 else str(arguments)


@stands_for(KeyError.__str__)
def text_of_key_error(error: Any, /) -> Any:
    arguments = exception_arguments(error)
    return repr(arguments[0]) if len(arguments) == 1 else text_of_exception(error)


@natively
def exception_arguments(error: BaseException) -> tuple[Any, ...]:
    return BaseException.args.__get__(error)  # type: ignore[attr-defined, no-any-return]


@stands_for(types.SimpleNamespace.__repr__)
@shows_itself
def show_namespace(container: Any, /) -> Any:
    name = "namespace" if is_a_namespace(container) else short_name(container)
    if is_being_shown(container):
        return f"{name}(...)"
    held = [f"{key}={value!r}" for key, value in items_now(vars(container)) if is_a(key, str) and key]
    return f"{name}({', '.join(held)})"


@natively
def is_a_namespace(thing: Any) -> bool:
    return type(thing) is types.SimpleNamespace
