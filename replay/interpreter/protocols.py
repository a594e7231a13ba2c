"""Protocols with several steps between which code of users may run, in plain Python that the interpreter runs.

A frame of one of these functions holds all that is still to do, so nothing else has to remember it. Tracebacks leave
these frames out. Functions of `intrinsics.py` are run by the interpreter itself.
"""

from __future__ import annotations

import sys
from typing import Any

from replay.interpreter.frame import MISSING, Returned
from replay.interpreter.intrinsics import (
    all_are_classes,
    called_type,
    check_class_cell,
    check_iterable,
    class_of,
    has_iteration,
    import_module_of,
    imported_before,
    is_awaitable_itself,
    is_sequence_method,
    merges_natively,
    metaclass_of,
    native_update,
    not_a_container,
    special,
    too_many,
    unsupported_operand,
)
from replay.interpreter.lookup import is_a
from replay.interpreter.versions import CALLED_PATTERN, KEY_ERROR_STAYS


def run_body(body: Any, namespace: Any) -> Any:
    """Run the code of a class body; returns its cell `__class__`. An intrinsic."""
    raise NotImplementedError("an intrinsic")


def run_and_forget(body: Any, namespace: Any) -> None:
    """Run code that has no result, or one that nobody wants."""
    run_body(body, namespace)


# -- making objects -------------------------------------------------------------------


def construct(kind: Any, new: Any, initialise: Any, arguments: Any, keywords: Any) -> Any:
    """`kind(...)`, of a class whose `__new__` or `__init__` is Python code."""
    made = new(kind, *arguments, **keywords)
    if issubclass(class_of(made), kind):
        if class_of(made) is not kind:
            initialise = special(class_of(made), "__init__")
        result = initialise(made, *arguments, **keywords)
        if result is not None:
            raise TypeError(f"__init__() should return None, not '{called_type(result)}'")
    return made


def build_class(body: Any, name: Any, *bases: Any, metaclass: Any = MISSING, **keywords: Any) -> Any:
    """The statement `class`."""
    real = resolved_bases(bases)
    kind = metaclass_of(metaclass, real)
    prepare = getattr(kind, "__prepare__", None)
    namespace = {} if prepare is None else prepare(name, real, **keywords)
    cell = run_body(body, namespace)
    if real != bases:
        namespace["__orig_bases__"] = bases
    made = kind(name, real, namespace, **keywords)
    check_class_cell(cell, made, name)
    return made


def resolved_bases(bases: Any) -> Any:
    """The bases, after `__mro_entries__` of those that are no classes."""
    if all_are_classes(bases):
        return bases
    real: list[Any] = []
    for base in bases:
        if is_a(base, type) or not hasattr(base, "__mro_entries__"):
            real.append(base)
            continue
        entries = base.__mro_entries__(bases)
        if type(entries) is not tuple:
            raise TypeError("__mro_entries__ must return a tuple")
        real.extend(entries)
    return tuple(real)


# -- imports --------------------------------------------------------------------------


def find_in_package(package: Any, names: Any) -> Any:
    """`from package import names`: those that the package has not are its modules, which are imported."""
    for name in names:
        if name != "*" and not hasattr(package, name):
            import_module_of(package, name)
    return package


def import_from(module: Any, name: Any) -> Any:
    """A name after `from module import`."""
    try:
        return getattr(module, name)
    except AttributeError:
        pass
    return imported_before(module, name)


# -- attributes -----------------------------------------------------------------------


def attribute_or_fallback(get: Any, arguments: Any, thing: Any, name: Any, fall_back: Any) -> Any:
    """An attribute of an object that has `__getattr__` beside a Python function which may raise AttributeError."""
    try:
        return get(*arguments)
    except AttributeError:
        pass
    return fall_back(thing, name)


def attribute(thing: Any, name: Any) -> Any:
    """`getattr(thing, name)`."""
    raise NotImplementedError("an intrinsic")


def named_attribute(thing: Any, name: Any) -> Any:
    """`getattr(thing, name)` in code of ours, which sees what user code would."""
    return attribute(thing, name)


def attribute_or_default(thing: Any, name: Any, default: Any) -> Any:
    """`getattr(thing, name, default)`."""
    try:
        return attribute(thing, name)
    except AttributeError:
        return default


def has_attribute(thing: Any, name: Any) -> bool:
    """`hasattr(thing, name)`."""
    try:
        attribute(thing, name)
    except AttributeError:
        return False
    return True


def namespace(thing: Any) -> Any:
    """`vars(thing)`."""
    found = attribute_or_default(thing, "__dict__", MISSING)
    if found is MISSING:
        raise TypeError("vars() argument must have __dict__ attribute")
    return found


def names_of_attributes(thing: Any) -> Any:
    """`dir(thing)`."""
    return sorted(special(class_of(thing), "__dir__")(thing))


# -- operators ------------------------------------------------------------------------


def binary(left: Any, right: Any, name: Any, reflected: Any, symbol: Any) -> Any:
    """A binary operator of which an operand has a method in Python."""
    result = binary_or_not(left, right, name, reflected)
    if result is NotImplemented:
        raise TypeError(unsupported_operand(left, right, symbol))
    return result


def binary_in_place(left: Any, right: Any, name: Any, reflected: Any, in_place: Any, symbol: Any) -> Any:
    """As `binary`, for an assignment such as `left += right`."""
    method = special(class_of(left), in_place)
    if method is not MISSING and not is_sequence_method(method):
        result = method(left, right)
        if result is not NotImplemented:
            return result
        method = MISSING
    result = binary_or_not(left, right, name, reflected, method)
    if result is NotImplemented:
        raise TypeError(unsupported_operand(left, right, symbol))
    return result


def binary_or_not(left: Any, right: Any, name: Any, reflected: Any, last: Any = MISSING) -> Any:
    """Returns what the operands' methods make of it, the last one asked being `last`; NotImplemented if none knows."""
    kind, other = class_of(left), class_of(right)
    method = special(kind, name)
    if is_sequence_method(method):
        last = method if last is MISSING else last
        method = MISSING
    back = MISSING if kind is other else special(other, reflected)
    if back is not MISSING and issubclass(other, kind) and back is not special(kind, reflected):
        result = back(right, left)
        if result is not NotImplemented:
            return result
        back = MISSING
    if method is not MISSING:
        result = method(left, right)
        if result is not NotImplemented:
            return result
    if back is not MISSING:
        result = back(right, left)
        if result is not NotImplemented:
            return result
    return NotImplemented if last is MISSING else last(left, right)


def compare(left: Any, right: Any, name: Any, reflected: Any, symbol: Any) -> Any:
    """A comparison of which an operand has a method in Python."""
    kind, other = class_of(left), class_of(right)
    method, back = special(kind, name), special(other, reflected)
    if kind is not other and issubclass(other, kind) and back is not MISSING:
        result = back(right, left)
        if result is not NotImplemented:
            return result
        back = MISSING
    if method is not MISSING:
        result = method(left, right)
        if result is not NotImplemented:
            return result
    if back is not MISSING:
        result = back(right, left)
        if result is not NotImplemented:
            return result
    if symbol == "==":
        return left is right
    if symbol == "!=":
        return left is not right
    raise TypeError(f"'{symbol}' not supported between instances of '{called_type(left)}' and '{called_type(right)}'")


def contains(things: Any, item: Any) -> Any:
    """`item in things`, of an object that can only be iterated over."""
    iterator = iterator_or_missing(things)
    if iterator is MISSING:
        raise TypeError(not_a_container(things))
    for each in iterator:  # noqa: SIM110
        if each is item or each == item:
            return True
    return False


def truth_by_bool(method: Any, thing: Any) -> Any:
    """The truth of an object with a Python `__bool__`."""
    result = method(thing)
    if result is not True and result is not False:
        raise TypeError(f"__bool__ should return bool, returned {called_type(result)}")
    return result


def truth_by_length(thing: Any) -> Any:
    """The truth of an object with a `__len__`, and no `__bool__`."""
    return len(thing) != 0


# -- iteration ------------------------------------------------------------------------


def iterator_or_missing(iterable: Any) -> Any:
    """An iterator; MISSING if the attempt to get one raises TypeError."""
    try:
        return iter(iterable)
    except TypeError:
        return MISSING


def sent(iterator: Any, value: Any) -> Any:
    """Returns what `yield from` gets of an iterator that is none of ours; `Returned` at its end."""
    try:
        return next(iterator) if value is None else iterator.send(value)
    except StopIteration as stop:
        return Returned(stop.value)


def awaitable_step(method: Any, iterator: Any) -> Any:
    """Returns what `async for` awaits of an iterator that is none of ours."""
    step = method(iterator)
    if is_awaitable_itself(step):
        return step
    await_ = special(class_of(step), "__await__")
    if await_ is MISSING:
        raise TypeError(f"'async for' received an invalid object from __anext__: {called_type(step)}")
    return await_(step)


def taken(iterable: Any, count: Any) -> Any:
    """Up to `count` items of an iterable, all if it is negative, for an assignment to several targets."""
    if not has_iteration(iterable):
        raise TypeError(f"cannot unpack non-iterable {called_type(iterable)} object")
    iterator = iter(iterable)
    items: list[Any] = []
    while len(items) != count:
        result = next(iterator, MISSING)
        if result is MISSING:
            break
        items.append(result)
    return items


def unpack(iterable: Any, count: Any) -> Any:
    """The items of an iterable that must have `count` of them."""
    items = taken(iterable, count + 1)
    if len(items) < count:
        raise ValueError(f"not enough values to unpack (expected {count}, got {len(items)})")
    if len(items) > count:
        raise ValueError(too_many(iterable, count))
    return items


def unpack_with_rest(iterable: Any, before: Any, after: Any) -> Any:
    """The items of an iterable, the ones between `before` and `after` as a list."""
    items = taken(iterable, -1)
    if len(items) < before + after:
        raise ValueError(f"not enough values to unpack (expected at least {before + after}, got {len(items)})")
    return [*items[:before], items[before : len(items) - after], *items[len(items) - after :]]


# -- containers and calls ---------------------------------------------------------------


def extend_list(target: Any, things: Any) -> None:
    """`[*things]`."""
    check_iterable(things)
    list.extend(target, things)


def update_set(target: Any, things: Any) -> None:
    """`{*things}`."""
    set.update(target, things)


def keys_of(mapping: Any) -> Any:
    """A list of what the `keys` of a mapping gives."""
    keys = mapping.keys()
    iterator = iterator_or_missing(keys)
    if iterator is MISSING:
        raise TypeError(f"{called_type(mapping)}.keys() returned a non-iterable (type {called_type(keys)})")
    return list(iterator)


def update_dictionary(target: Any, mapping: Any) -> None:
    """`{**mapping}`."""
    if merges_natively(mapping):
        native_update(target, dict.copy(mapping))
        return
    is_mapping = True
    try:
        for key in keys_of(mapping):
            target[key] = mapping[key]
    except AttributeError:
        is_mapping = False
    if not is_mapping:
        raise TypeError(f"'{called_type(mapping)}' object is not a mapping")


def merge_keywords(target: Any, mapping: Any, function: Any) -> None:
    """`function(**mapping)`, where there are keywords already."""
    is_mapping, repeated = True, MISSING
    if merges_natively(mapping):
        mapping = dict.copy(mapping)
    try:
        for key in keys_of(mapping):
            if key in target:
                repeated = key
                break
            target[key] = mapping[key]
    except AttributeError:
        is_mapping = False
    except KeyError as error:  # CPython takes it for its own
        if len(error.args) != 1:
            raise
        repeated = error.args[0]
    if not is_mapping:
        called = called_name(function)
        raise TypeError(f"{called} argument after ** must be a mapping, not {called_type(mapping)}")
    if repeated is not MISSING:
        if KEY_ERROR_STAYS and sys.exception() is not None:
            raise KeyError(repeated)
        raise TypeError(f"{called_name(function)} got multiple values for keyword argument '{repeated}'")


def call_with(function: Any, arguments: Any, keywords: Any) -> Any:
    """`function(*arguments, **keywords)` of any iterable and any mapping."""
    if not has_iteration(arguments):
        called = called_name(function)
        raise TypeError(f"{called} argument after * must be an iterable, not {called_type(arguments)}")
    named: dict[str, Any] = {}
    if type(keywords) is dict:
        named = keywords
    else:
        merge_keywords(named, keywords, function)
    return apply(function, tuple(arguments), named)


def called_name(function: Any) -> Any:
    """Returns the name of a function in CPython's messages about calls."""
    name = getattr(function, "__qualname__", None)
    if name is None:
        return str(function)
    module = getattr(function, "__module__", None)
    return f"{name}()" if module is None or module == "builtins" else f"{module}.{name}()"


def apply(function: Any, arguments: Any, keywords: Any) -> Any:
    """Call a function with a tuple and a dictionary."""
    return function(*arguments, **keywords)


def raise_made(error: Any, cause: Any) -> None:
    """`raise error from cause`, where one or both are classes."""
    if is_a(error, type) and issubclass(error, BaseException):
        kind, error = error, error()
        if not is_a(error, BaseException):
            raise TypeError(f"calling {kind!r} should have returned an instance of BaseException, not {type(error)!r}")
    if is_a(cause, type) and issubclass(cause, BaseException):
        cause = cause()
    raise_in_caller(error, cause)


def raise_in_caller(error: Any, cause: Any) -> None:
    """Raise an exception in the frame below. An intrinsic."""
    raise NotImplementedError("an intrinsic")


# -- patterns -------------------------------------------------------------------------


def match_class(subject: Any, kind: Any, count: Any, names: Any) -> Any:
    """The attributes that a class pattern asks for; None if it does not match."""
    if not is_a(kind, type):
        raise TypeError(f"called match pattern must be a {CALLED_PATTERN}")
    if not isinstance(subject, kind):
        return None
    values: list[Any] = []
    wanted: list[Any] = []
    arguments = getattr(kind, "__match_args__", MISSING) if count else ()
    if arguments is MISSING:
        check_patterns(kind, count, 1 if kind.__flags__ & MATCHES_SELF else 0)
        values.append(subject)
        arguments = ()
    elif type(arguments) is not tuple:
        raise TypeError(f"{kind.__name__}.__match_args__ must be a tuple (got {called_type(arguments)})")
    else:
        check_patterns(kind, count, len(arguments))
    for name in (*arguments[:count], *names):
        if type(name) is not str:
            raise TypeError(f"__match_args__ elements must be strings (got {called_type(name)})")
        if name in wanted:
            raise TypeError(f"{kind.__name__}() got multiple sub-patterns for attribute {name!r}")
        wanted.append(name)
    for name in wanted:
        value = getattr(subject, name, MISSING)
        if value is MISSING:
            return None
        values.append(value)
    return tuple(values)


MATCHES_SELF = 1 << 22
"""The flag of classes whose only positional pattern is matched with the subject itself."""


def check_patterns(kind: Any, count: Any, allowed: Any) -> None:
    if count > allowed:
        plural = "" if allowed == 1 else "s"
        raise TypeError(f"{kind.__name__}() accepts {allowed} positional sub-pattern{plural} ({count} given)")


def match_keys(subject: Any, keys: Any) -> Any:
    """The values that a mapping has for keys; None if it lacks one."""
    values: list[Any] = []
    for key in keys:
        value = subject.get(key, MISSING)
        if value is MISSING:
            return None
        values.append(value)
    return tuple(values)
