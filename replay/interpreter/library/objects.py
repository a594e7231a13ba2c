"""Methods of `object` and `property` that call others."""

from __future__ import annotations

from typing import Any

from replay.interpreter.library.looking import call_method, is_python, plain_arguments
from replay.interpreter.natives import stands_for


@stands_for(object, natively_if=lambda _, __: True)
def make_object() -> Any:
    """`object()` runs natively; what is called with a class made of it is found elsewhere."""
    return object()


@stands_for(object.__ne__, natively_if=plain_arguments)
def unequal(thing: Any, other: Any, /) -> Any:
    result = call_method(thing, "__eq__", other)
    return result if result is NotImplemented else not result


def _by_python(arguments: Any, keywords: Any) -> bool:
    return not arguments or not is_python(arguments[0].fget)


@stands_for(property.__get__, natively_if=_by_python)
def get_property(descriptor: Any, thing: Any, kind: Any = None, /) -> Any:
    return descriptor if thing is None else descriptor.fget(thing)


@stands_for(property.__set__, natively_if=lambda arguments, _: not arguments or not is_python(arguments[0].fset))
def set_property(descriptor: Any, thing: Any, value: Any, /) -> None:
    descriptor.fset(thing, value)


@stands_for(property.__delete__, natively_if=lambda arguments, _: not arguments or not is_python(arguments[0].fdel))
def delete_property(descriptor: Any, thing: Any, /) -> None:
    descriptor.fdel(thing)
