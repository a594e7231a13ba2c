"""`re.sub`, where a function says what a match is replaced by."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from replay.interpreter.library.looking import plain_arguments
from replay.interpreter.library.numeric import as_index
from replay.interpreter.natives import stands_for


def _by_text(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """Returns whether a text says what matches are replaced by, and not a function."""
    replacement = arguments[1] if len(arguments) > 1 else keywords.get("repl")
    return type(replacement) in (str, bytes) and plain_arguments(arguments[1:], keywords)


@stands_for(re.sub, natively_if=_by_text)
def replace(pattern: Any, repl: Any, string: Any, count: Any = 0, flags: Any = 0) -> Any:
    return re.compile(pattern, flags).sub(repl, string, count)


@stands_for(re.subn, natively_if=_by_text)
def replace_and_count(pattern: Any, repl: Any, string: Any, count: Any = 0, flags: Any = 0) -> Any:
    return re.compile(pattern, flags).subn(repl, string, count)


@stands_for(re.Pattern.sub, natively_if=_by_text)
def replace_matches(pattern: Any, /, repl: Any, string: Any, count: Any = 0) -> Any:
    return replaced(pattern, repl, string, count)[0]


@stands_for(re.Pattern.subn, natively_if=_by_text)
def replace_and_count_matches(pattern: Any, /, repl: Any, string: Any, count: Any = 0) -> Any:
    return replaced(pattern, repl, string, count)


def replaced(pattern: Any, repl: Any, string: Any, count: Any) -> tuple[Any, int]:
    """Returns the text, and how often something was replaced: as often as there is something if `count` is 0."""
    if not callable(repl):
        return pattern.subn(exact(repl), string, as_index(count))  # type: ignore[no-any-return]
    text = exact(string)
    parts, end, times, count = [], 0, 0, as_index(count)
    for match in pattern.finditer(text):
        if count and times >= count:
            break
        if end < match.start():
            parts.append(text[end : match.start()])
        replacement = repl(match)
        if replacement is not None:
            parts.append(replacement)
        end = match.end()
        times += 1
    if end < len(text):
        parts.append(text[end:])
    return text[:0].join(parts), times


def exact(text: Any) -> Any:
    """The text or the bytes that an object holds, without its class."""
    return str.__str__(text) if isinstance(text, str) else bytes(text)
