"""`str.format` and `str.format_map`, whose fields are looked up and formatted by methods of Python."""

from __future__ import annotations

import _string  # type: ignore[import-not-found]
from typing import Any

from replay.interpreter.library.looking import MISSING, plain_arguments
from replay.interpreter.natives import natively, stands_for


class Numbering:
    """Which fields are numbered: `kind` is "automatic" or "manual", "" before the first one."""

    __slots__ = ("count", "kind")

    def __init__(self) -> None:
        self.kind = ""
        self.count = 0


@stands_for(str.format, natively_if=plain_arguments)
def fill_in(pattern: Any, /, *arguments: Any, **keywords: Any) -> Any:
    return filled_in(pattern, arguments, keywords, Numbering(), 2)


@stands_for(str.format_map, natively_if=plain_arguments)
def fill_in_mapping(pattern: Any, mapping: Any, /) -> Any:
    return filled_in(pattern, MISSING, mapping, Numbering(), 2)


def filled_in(pattern: Any, arguments: Any, keywords: Any, numbering: Numbering, depth: int) -> Any:
    """A text with its fields filled in; fields of a format may have fields of their own, `depth` deep."""
    if depth <= 0:
        raise ValueError("Max string recursion exceeded")
    parts: list[Any] = []
    for literal, name, spec, conversion in parsed(pattern):
        parts.append(literal)
        if name is not None:
            thing = converted(field(name, arguments, keywords, numbering), conversion)
            parts.append(format(thing, filled_in(spec, arguments, keywords, numbering, depth - 1) if spec else ""))
    return "".join(parts)


@natively
def parsed(pattern: str) -> list[Any]:
    return list(_string.formatter_parser(pattern))


def field(name: str, arguments: Any, keywords: Any, numbering: Numbering) -> Any:
    first, rest = place_of(name, numbering)
    if type(first) is str:
        thing = keywords[first]
    elif arguments is MISSING:
        raise ValueError("Format string contains positional fields")
    elif first >= len(arguments):
        raise IndexError(f"Replacement index {first} out of range for positional args tuple")
    else:
        thing = arguments[first]
    for is_attribute, key in rest:
        thing = getattr(thing, key) if is_attribute else thing[key]
    return thing


@natively
def place_of(name: str, numbering: Numbering) -> tuple[Any, list[Any]]:
    """The argument that a field names, by its number or its name, and the attributes and items to follow."""
    first, rest = _string.formatter_field_name_split(name)
    if isinstance(first, str) and first:
        return first, list(rest)
    kind = "manual" if isinstance(first, int) else "automatic"
    if numbering.kind not in ("", kind):
        raise ValueError(f"cannot switch from {_SWITCHES[numbering.kind]} to {_SWITCHES[kind]}")
    numbering.kind = kind
    if kind == "automatic":
        first = numbering.count
        numbering.count += 1
    return first, list(rest)


_SWITCHES = {"manual": "manual field specification", "automatic": "automatic field numbering"}


def converted(thing: Any, conversion: Any) -> Any:
    if conversion is None:
        return thing
    if conversion == "r":
        return repr(thing)
    if conversion == "s":
        return str(thing)
    if conversion == "a":
        return ascii(thing)
    raise ValueError(f"Unknown conversion specifier {conversion}")
