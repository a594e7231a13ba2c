"""Files of text and JSON: read whole and held against a schema, once; written whole or not at all.

A reader of JSON says with types what must be in the file (classes of msgspec, in `replay.traces.logs` for traces). What
is wrong is told by one FormatError that names the file and the field, and nobody behind this door has to ask again. A
file that is written is never seen half-written, even if the process is killed.
"""

from __future__ import annotations

import functools
import json
import os
import re
import stat
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from replay.errors import FormatError

Wanted = TypeVar("Wanted")


def read_text(path: Path) -> str:
    """The text of a UTF-8 file, without the mark that some editors begin it with.

    Raises FormatError naming the file.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}") from None
    except ValueError as error:  # a name that no file can have
        raise FormatError(f"{path}: {error}") from None
    return decoded(data, path)


def decoded(data: bytes, file: object) -> str:
    """The text that the bytes of a file spell in UTF-8. Raises FormatError naming the line."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(f"{file}:{line}: not UTF-8") from None


def parsed(text: str, file: object, line: int = 0) -> Any:
    """The data that JSON spells; `line` is where the text stands in its file, 0 if it is the whole.

    Raises FormatError naming file and line.
    """
    try:
        return json.loads(text, object_pairs_hook=_without_twins)
    except json.JSONDecodeError as error:
        raise FormatError(f"{file}:{line or error.lineno}: not JSON, or truncated: {error}") from None
    except RecursionError:
        raise FormatError(f"{file}:{line or 1}: nested too deeply") from None
    except ValueError as error:  # a key that is there twice, a number that is too long
        raise FormatError(f"{file}:{line or 1}: {error}") from None


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object. Of two values for one key, readers would have to guess which is meant."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twin = next(name for name in found if names.count(name) > 1)
        raise ValueError(f"the key {twin!r} is there twice")
    return found


def checked(data: object, wanted: type[Wanted] | Any, where: str = "") -> Wanted:
    """The data as a value of the type that is wanted; `where` is the path of the field that holds it.

    Raises FormatError naming the field.
    """
    import msgspec  # late: only who reads files needs it

    try:
        value: Wanted = msgspec.convert(data, wanted)
    except msgspec.ValidationError as error:
        raise FormatError(_sentence(str(error), where)) from None
    except UnicodeEncodeError as error:  # half a character in a key; no field is called so
        raise FormatError(f"{where or 'the file'}: there is no field {error.object!r}") from None
    return value


def checked_entries(data: Iterable[tuple[str, object]], wanted: type[Wanted] | Any, where: str) -> dict[str, Wanted]:
    """The values of an object whose keys are free, each as `checked` gives it: so that an error names the key."""
    return {name: checked(value, wanted, f"{where}[{name!r}]") for name, value in data}


_WORDS = (
    (re.compile("Object missing required field `(.*)`"), r"the field '\1' is missing"),
    (re.compile("Object contains unknown field `(.*)`"), r"there is no field '\1'"),
    (re.compile("Expected `(.*)`, got `(.*)`"), r"expected \1, got \2"),
)


def _sentence(said: str, where: str) -> str:
    """Returns the sentence of msgspec, "Expected `int`, got `str` - at `$.events[1].id`", with the field in front."""
    what, _, path = said.rpartition(" - at ") if " - at `$" in said else (said, "", "")
    for pattern, words in _WORDS:
        what = pattern.sub(words, what)
    field = (where + path.strip("`").removeprefix("$")).removeprefix(".")
    return f"{field}: {what}" if field else what


_PREFIX, _SUFFIX = ".mcr-", ".part"
_ABANDONED = 600
"""Seconds after which an unfinished file counts as left behind by a process that was killed."""


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that it is never seen half-written; its folder is made if need be. Raises OSError.

    Text becomes UTF-8. What UTF-8 does not have (a byte of a file name that is no text) is escaped as JSON does it.
    A link is followed; a device or a pipe is written to, not replaced.
    """
    data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    if _is_stream(path):
        path.write_bytes(data)
        return
    target = path.resolve() if path.is_symlink() else path
    _sweep(target.parent)
    temporary = target.with_name(f"{_PREFIX}{os.getpid()}-{threading.get_ident()}{_SUFFIX}")
    try:
        temporary.write_bytes(data)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def _is_stream(path: Path) -> bool:
    """Returns whether something is there that holds no text of its own."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@functools.cache
def _sweep(folder: Path) -> None:
    """Remove what processes that were killed left in a folder; once for each process of ours."""
    for part in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
        try:
            if part.stat().st_mtime < time.time() - _ABANDONED:
                part.unlink()
        except OSError:  # somebody else was quicker, or it is not ours to remove
            continue
