"""Values of user code as text: the one place that calls their `__repr__` and `__str__`.

These may raise, name addresses that differ in every run, or take megabytes.
None of that is a mistake of ours, and none may keep a report from being written.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

from replay.errors import ModelError
from replay.world.terms import Symbol, text

LONGEST = 2000
"""Characters of a text that are shown; of what is longer, the rest becomes a digest, so that texts stay distinct."""

_MODEL = re.compile(r"\bmcr_model_(.+?)_[0-9a-f]{8}(?=\.|$)")

_SIMPLE = (int, bool, float, type(None))


def shown(value: object) -> str:
    """The repr of a value, or what can be said instead; the same in every run that makes the same value."""
    try:
        return repr(value) if type(value) in _SIMPLE else shortened(_shown(value))
    except ValueError:
        return shortened(hex(value))  # type: ignore[arg-type]  # an integer of more digits than Python prints
    except RecursionError:
        return f"<{type(value).__name__}, nested too deeply to be shown>"


def module_title(name: str) -> str:
    """The name of a module, or of what it has, without what tells files of one name apart: the same in any folder."""
    return _MODEL.sub(r"\1", name)


def full_name(thing: Any) -> str:
    """The name of a class or a function with that of its module."""
    return f"{module_title(str(thing.__module__))}.{thing.__qualname__}"


def _shown(value: object) -> str:
    """The repr, element by element where Python's own depends on a hash seed or is refused for one element."""
    kind = type(value)
    if issubclass(kind, Symbol):
        return text(value.term)  # type: ignore[attr-defined]
    if kind is tuple:
        items = [_shown(item) for item in value]  # type: ignore[attr-defined]
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    if kind is frozenset:
        items = sorted(_shown(item) for item in value)  # type: ignore[attr-defined]
        return f"frozenset({{{', '.join(items)}}})" if items else "frozenset()"
    try:
        return repr(value) if kind is str else without_addresses(repr(value))
    except (RecursionError, KeyboardInterrupt):
        raise
    except BaseException as error:
        if isinstance(value, int) and kind is int:
            return hex(value)
        if isinstance(error, ModelError):  # it shows what is shared, and that only threads can look at
            return kind.__name__
        return f"<{kind.__name__}, whose __repr__ raises {type(error).__name__}>"


def shown_error(error: BaseException) -> str:
    """The message of an exception."""
    try:
        return shortened(without_addresses(str(error)))
    except BaseException as wrong:
        return f"<no message: its __str__ raises {type(wrong).__name__}>"


def shortened(text: str) -> str:
    """The text, if it is not longer than anybody reads."""
    if len(text) <= LONGEST:
        return text
    digest = hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()[:8]
    return f"{text[:LONGEST]}... ({len(text)} characters, digest {digest})"


def without_addresses(text: str) -> str:
    """Objects without a repr of their own show an address, different in every run; their type says enough."""
    return re.sub(_REST, "", re.sub(_ADDRESS, _bare_name, text)) if " at 0x" in text else text


_ADDRESS = r"<(function |bound method )?([\w.<>]+?)( object| of [^<>]*(?:<[^<>]*>)?)? at 0x[0-9a-fA-F]+>"
_REST = r" at 0x[0-9a-fA-F]+(?=[ >])"


def _bare_name(match: re.Match[str]) -> str:
    return match[2].rpartition(".")[2]
