"""Damage: to JSON, to text, to bytes, to Python. All of it is a function of the random generator that is given."""

from __future__ import annotations

import copy
import io
import json
import random
import tokenize
from collections.abc import Callable, Iterator
from typing import Any

HOSTILE = ["\x1b]0;owned\x07", "\x00", "\u202e", "\ud800", "\uffff", "\r\n", "a\nb", "<b>&'\"", "../../x", "é" * 300]
"""Texts that somebody may obey, or that no file and no XML can hold."""

ODD: list[Any] = [
    None, True, False, -1, 0, 1, 2, 7, 10**6, 2**63, 10**40, -(10**40), 0.5, 1e300, float("nan"), float("inf"),
    "", "x", "0", "1", "tso", "load", "store", "final", [], {}, [1], ["x"], {"x": 1}, [[]], *HOSTILE,
]  # fmt: skip
"""Values of every type."""

Place = tuple[Any, Any]
"""A list or an object, and the index or the key of something in it."""


def _places(data: Any) -> Iterator[Place]:
    """Every place in the data."""
    pairs = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in pairs:
        yield data, key
        yield from _places(value)


def damaged_data(rng: random.Random, data: Any) -> Any:
    """The data with one to three places changed."""
    data = copy.deepcopy(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = list(_places(data))
        if places:
            rng.choice(_CHANGES)(rng, places, *rng.choice(places))
    return data


def _replaced(rng: random.Random, places: list[Place], holder: Any, key: Any) -> None:
    holder[key] = rng.choice(ODD)


def _nudged(rng: random.Random, places: list[Place], holder: Any, key: Any) -> None:
    """A change that keeps the type: what passes the schema and must be found by what it means."""
    value = holder[key]
    if isinstance(value, int):
        holder[key] = value + rng.choice((-2, -1, 1, 2))
    elif isinstance(value, str):
        others = [other[k] for other, k in places if isinstance(other[k], str)]
        holder[key] = rng.choice(others)


def _deleted(rng: random.Random, places: list[Place], holder: Any, key: Any) -> None:
    del holder[key]


def _swapped(rng: random.Random, places: list[Place], holder: Any, key: Any) -> None:
    other, place = rng.choice(places)
    holder[key], other[place] = copy.deepcopy(other[place]), copy.deepcopy(holder[key])


def _doubled(rng: random.Random, places: list[Place], holder: Any, key: Any) -> None:
    if isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[key]))
    else:
        holder[rng.choice(HOSTILE)] = copy.deepcopy(holder[key])


_CHANGES: list[Callable[..., None]] = [_replaced, _nudged, _nudged, _deleted, _swapped, _doubled]


def damaged_bytes(rng: random.Random, data: bytes) -> bytes:
    """The bytes with some of them lost, changed or added."""
    place = rng.randrange(len(data) + 1)
    choice = rng.randrange(6)
    if choice == 0:
        return data[:place]
    if choice == 1:
        return data[:place] + bytes([rng.randrange(256)]) + data[place + 1 :]
    if choice == 2:
        return data[:place] + rng.choice((b"\xff", b"\x00", b"\xef\xbb\xbf", b"[" * 20_000, b"9" * 5000)) + data[place:]
    if choice == 3:
        return b"\xef\xbb\xbf" + data
    if choice == 4:
        end = rng.randrange(place, len(data) + 1)
        return data[:place] + data[end:]
    return data[:place] + data[place : place + 40] * 2 + data[place + 40 :]


def damaged_json(rng: random.Random, data: Any) -> bytes:
    """JSON, damaged as data or as bytes."""
    if rng.random() < 0.2:
        return damaged_bytes(rng, json.dumps(data).encode())
    return json.dumps(damaged_data(rng, data), ensure_ascii=rng.random() < 0.5).encode(errors="surrogatepass")


def damaged_words(rng: random.Random, text: str, extra: list[str]) -> str:
    """Text with words, numbers and lines changed; `extra` are words that may come in."""
    words = _words(text)
    for _ in range(rng.choice((1, 1, 2, 4))):
        place = rng.randrange(len(words))
        choice = rng.randrange(5)
        if choice == 0:
            words[place] = rng.choice(words)
        elif choice == 1:
            words[place] = ""
        elif choice == 2:
            words.insert(place, rng.choice(words))
        elif choice == 3:
            words[place] = rng.choice(extra)
        else:
            other = rng.randrange(len(words))
            words[place], words[other] = words[other], words[place]
        words = words or [""]
    return "".join(words)


def _words(text: str) -> list[str]:
    words, last = [""], ""
    for character in text:
        kind = "a" if character.isalnum() or character == "_" else character
        if kind != last or kind != "a":
            words.append("")
        words[-1] += character
        last = kind
    return words


PYTHON = [
    "None", "0", "1", "-1", "2", "1000", "True", "p", "x", "self", "lambda: 0", "yield", "return", "raise", "not",
    "pass", "''", "[]", "()", "*", "**{}", "try:", "finally:", "await", "async", ".join()", ".load()", ".store(1)",
    "del", "global", "1/0", "p.fence()", "p.assume(False)", "p.wait_until(lambda: 1)",
]  # fmt: skip
"""Words for models. No number is so large that it costs memory rather than sense."""


def damaged_python(rng: random.Random, text: str) -> str:
    """A model with tokens or lines changed; most stay Python."""
    if rng.random() < 0.3:
        return _damaged_lines(rng, text)
    try:
        tokens = [token for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.string.strip()]
    except (tokenize.TokenError, SyntaxError):
        return _damaged_lines(rng, text)
    lines = text.split("\n")
    for _ in range(rng.choice((1, 1, 2))):
        one, two = rng.choice(tokens), rng.choice(tokens)
        if one.start[0] == one.end[0]:
            row, line = one.start[0] - 1, lines[one.start[0] - 1]
            word = rng.choice((two.string, rng.choice(PYTHON), ""))
            lines[row] = line[: one.start[1]] + word + line[one.end[1] :]
    return "\n".join(lines)


def _damaged_lines(rng: random.Random, text: str) -> str:
    lines = text.split("\n")
    place, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    choice = rng.randrange(4)
    if choice == 0:
        del lines[place]
    elif choice == 1:
        lines.insert(place, lines[other])
    elif choice == 2:
        lines[place], lines[other] = lines[other], lines[place]
    else:
        lines[place] = " " * rng.choice((1, 4, 8)) + lines[place]
    return "\n".join(lines)
