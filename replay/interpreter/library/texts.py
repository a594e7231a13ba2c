"""Texts of objects: `str`, `repr`, `format` and what they call, `print`, joining, and old-style formatting."""

from __future__ import annotations

import io
import re
import sys
from collections import deque
from typing import Any

from replay.interpreter.execution import is_shared_here
from replay.interpreter.intrinsics import called_type, class_of
from replay.interpreter.library.iterators import Rest
from replay.interpreter.library.looking import (
    MISSING,
    all_plain,
    call_built_in,
    call_method,
    has,
    is_plain,
    plain_arguments,
    result_of,
)
from replay.interpreter.library.numeric import as_index, floating, integer, made
from replay.interpreter.library.sequences import length_hint, make_list
from replay.interpreter.lookup import is_a
from replay.interpreter.natives import call_natively, natively, stands_for
from replay.interpreter.protocols import iterator_or_missing


@stands_for(str, natively_if=plain_arguments)
def make_text(*arguments: Any, **keywords: Any) -> Any:
    return text_of((str,), arguments, keywords)


def text_of(native: Any, arguments: Any, keywords: Any) -> Any:
    if len(arguments) == 1 and not keywords:
        return shown(arguments[0])
    if not arguments and list(keywords) == ["object"]:
        return shown(keywords["object"])
    return call_natively(*native, *arguments, **keywords)


def shown(thing: Any) -> Any:
    """`str(thing)`."""
    if class_of(thing) is str:
        return thing
    return result_of(thing, "__str__", str, "string")


@stands_for(str.__new__, natively_if=lambda arguments, keywords: not keywords and is_plain(arguments[1:]))
def new_text(kind: Any, /, *arguments: Any, **keywords: Any) -> Any:
    return made(str, kind, text_of((str.__new__, str), arguments, keywords))


@stands_for(object.__str__)
def shown_by_repr(thing: Any, /) -> Any:
    return call_method(thing, "__repr__")


@stands_for(repr, natively_if=plain_arguments)
def represented(thing: Any, /) -> Any:
    return result_of(thing, "__repr__", str, "string")


@stands_for(ascii, natively_if=plain_arguments)
def in_ascii(thing: Any, /) -> Any:
    return escaped(repr(thing))


@natively
def escaped(text: str) -> str:
    return text.encode("ascii", "backslashreplace").decode("ascii")


@stands_for(format, natively_if=plain_arguments)
def formatted(value: Any, format_spec: Any = "", /) -> Any:
    if not is_a(format_spec, str):
        raise TypeError(f"format() argument 2 must be str, not {called_type(format_spec)}")
    result = call_method(value, "__format__", format_spec)
    if not is_a(result, str):
        raise TypeError(f"__format__ must return a str, not {called_type(result)}")
    return result


@stands_for(object.__format__, natively_if=plain_arguments)
def formatted_as_text(thing: Any, format_spec: Any, /) -> Any:
    if not is_a(format_spec, str):
        raise TypeError(f"__format__() argument must be str, not {called_type(format_spec)}")
    if format_spec:
        raise TypeError(f"unsupported format string passed to {called_type(thing)}.__format__")
    return str(thing)


# -- joining ---------------------------------------------------------------------------------


def as_sequence(iterable: Any) -> Any:
    """A list of the items of an iterable."""
    if class_of(iterable) in (list, tuple):
        return iterable
    iterator = iterator_or_missing(iterable)
    if iterator is MISSING:
        raise TypeError("can only join an iterable")
    return make_list(iterator)


def _joins_plainly(arguments: Any, keywords: Any) -> bool:
    return len(arguments) == 2 and type(arguments[1]) in (list, tuple, str, dict, set, frozenset)


@stands_for(str.join, natively_if=_joins_plainly)
def join(separator: Any, iterable: Any, /) -> Any:
    return call_built_in(separator, "join", as_sequence(iterable))


def _joins_plain_bytes(arguments: Any, keywords: Any) -> bool:
    return _joins_plainly(arguments, keywords) and all_plain(arguments[1])


@stands_for(bytes.join, bytearray.join, natively_if=_joins_plain_bytes)
def join_bytes(separator: Any, iterable: Any, /) -> Any:
    items = as_sequence(iterable)
    return call_built_in(separator, "join", [bytes_of_shared(each) for each in items])


def bytes_of_shared(item: Any) -> Any:
    """A bytearray that is shared as what it holds now; other items as they are."""
    return bytes(item) if is_a(item, bytearray) and is_shared_here(item) else item


@stands_for(bytes.startswith, bytearray.startswith, natively_if=plain_arguments)
def starts_with(text: Any, prefixes: Any, /, *places: Any) -> Any:
    return call_built_in(text, "startswith", bytes_of_all(prefixes), *places)


@stands_for(bytes.endswith, bytearray.endswith, natively_if=plain_arguments)
def ends_with(text: Any, suffixes: Any, /, *places: Any) -> Any:
    return call_built_in(text, "endswith", bytes_of_all(suffixes), *places)


def bytes_of_all(texts: Any) -> Any:
    """Prefixes or suffixes, with the bytes of shared ones in their place."""
    return tuple([bytes_of_shared(each) for each in texts]) if is_a(texts, tuple) else texts


@stands_for(vars(io.BytesIO)["writelines"], natively_if=lambda arguments, _: all_plain(arguments[1:]))
def write_lines(stream: Any, lines: Any, /) -> None:
    for line in lines:
        stream.write(line)


@stands_for(bytes.__mod__, bytearray.__mod__, natively_if=plain_arguments)
def fill_in_bytes(pattern: Any, values: Any, /) -> Any:
    if is_a(values, tuple):
        return call_built_in(pattern, "__mod__", tuple([bytes_of_shared(each) for each in values]))
    if class_of(values) is dict:
        return call_built_in(pattern, "__mod__", {key: bytes_of_shared(each) for key, each in values.items()})
    return call_built_in(pattern, "__mod__", values)


# -- bytes -----------------------------------------------------------------------------------


@stands_for(bytes, natively_if=plain_arguments)
def make_bytes(*arguments: Any, **keywords: Any) -> Any:
    source = arguments[0] if len(arguments) == 1 and not keywords else MISSING
    if source is not MISSING and has(source, "__bytes__") and class_of(source) is not bytes:
        return result_of(source, "__bytes__", bytes, "bytes")
    return (
        call_natively(bytes, *arguments, **keywords)
        if source is MISSING
        else call_natively(bytes, source_of_bytes(source))
    )


def source_of_bytes(source: Any) -> Any:
    """A number, a list of numbers, or an object that is one of bytes itself."""
    if is_a(source, str) or is_buffer(source) or is_a(source, int):
        return source
    if has(source, "__index__"):
        try:
            return as_index(source)
        except TypeError:
            pass  # it may be iterable
    if class_of(source) in (list, tuple):
        return [byte_of(each) for each in source]
    iterator = iterator_or_missing(source)
    if iterator is MISSING:
        raise TypeError(f"cannot convert '{called_type(source)}' object to bytes")
    length_hint(source, 64)
    return [byte_of(each) for each in Rest(iterator)]


def byte_of(item: Any) -> Any:
    """An item as a number. Raises ValueError for one that is no byte, before the next item is looked at."""
    number = as_index(item)
    call_natively(bytes, (number,))
    return number


@natively
def is_buffer(thing: Any) -> bool:
    try:
        memoryview(thing).release()
    except TypeError:
        return False
    return True


# -- `%` -------------------------------------------------------------------------------------

CONVERSION = re.compile(r"%(?:\((?P<key>[^()]*)\))?(?P<flags>[#0\- +]*)(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d*))?"
                        r"[hlL]?(?P<how>.)", re.DOTALL)  # fmt: skip


@stands_for(str.__mod__, natively_if=plain_arguments)
def fill_in(pattern: Any, values: Any, /) -> Any:
    if not is_a(pattern, str):
        return NotImplemented
    is_tuple = is_a(values, tuple)
    given = [*values] if is_tuple else [values]
    filled: list[Any] = []
    named: dict[str, Any] = {}
    position = 0
    for conversion in conversions(pattern):
        if conversion == "%":
            continue
        key, how, stars = conversion
        if key is not None:
            if not is_tuple and has(values, "__getitem__") and not (is_a(values, str) or is_a(values, deque)):
                named[key] = filling(values[key], how)
            continue
        position += stars
        while len(filled) < position and len(filled) < len(given):
            filled.append(given[len(filled)])
        if position < len(given):
            filled.append(filling(given[position], how))
            position += 1
    if named:
        return call_natively(str.__mod__, pattern, named)
    return call_natively(str.__mod__, pattern, (*filled, *given[len(filled) :]) if is_tuple else (*filled, *given)[0])


@natively
def conversions(pattern: str) -> list[Any]:
    """Of each place to fill in: the key or None, the letter, and how many numbers come before the value."""
    found: list[Any] = []
    for match in CONVERSION.finditer(pattern):
        if match["how"] == "%":
            found.append("%")
        else:
            stars = (match["width"] == "*") + (match["precision"] == "*")
            found.append((match["key"], match["how"], stars))
    return found


def filling(value: Any, how: str) -> Any:
    """Returns an object that native code fills in for a value without calling code of users."""
    if is_plain(value) or how not in "srdiuxXoceEfFgGa":
        return value
    if how == "s":
        return str(value)
    if how in "ra":
        return Shown(repr(value))
    if how in "diu" and has(value, "__int__") and not is_a(value, int):
        return converted(integer, value)
    if how in "xXoc" and has(value, "__index__") and not is_a(value, int):
        return converted(as_index, value)
    if how in "eEfFgG" and has(value, "__float__") and not is_a(value, float):
        return floating(value)
    return value


def converted(convert: Any, value: Any) -> Any:
    """The number that a value is converted to; in place of a TypeError native code says what it wants instead."""
    try:
        return convert(value)
    except TypeError:
        return no_number(class_of(value))


@natively
def no_number(kind: type) -> Any:
    """An object that is no number, of a class with that name."""
    return type(kind.__name__, (), {})()


class Shown:
    """An object whose `repr` is known."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


# -- print -----------------------------------------------------------------------------------


@stands_for(print)
def print_out(*things: Any, sep: Any = None, end: Any = None, file: Any = None, flush: Any = False) -> None:
    if file is None:
        file = standard_output()
        if file is None:
            return
    for name, text in (("sep", sep), ("end", end)):
        if text is not None and not is_a(text, str):
            raise TypeError(f"{name} must be None or a string, not {called_type(text)}")
    for position, thing in enumerate(things):
        if position:
            file.write(" " if sep is None else sep)
        write = file.write
        write(str(thing))
    file.write("\n" if end is None else end)
    if flush:
        file.flush()


@natively
def standard_output() -> Any:
    if not hasattr(sys, "stdout"):
        raise RuntimeError("lost sys.stdout")
    return sys.stdout


def _by_plain_table(arguments: Any, keywords: Any) -> bool:
    return all_plain(arguments) and not any(map(is_shared_here, arguments))


@stands_for(str.translate, natively_if=_by_plain_table)
def translated(text: Any, table: Any, /) -> Any:
    """Each character for what the table has for it, if it has something."""
    return "".join([in_its_place(table, letter) for letter in call_natively(str.__str__, text)])


def in_its_place(table: Any, letter: str) -> Any:
    try:
        found = table[ord(letter)]
    except LookupError:
        return letter
    if found is None:
        return ""
    if is_a(found, int):
        return chr(found)
    if not is_a(found, str):
        raise TypeError("character mapping must return integer, None or str")
    return found
