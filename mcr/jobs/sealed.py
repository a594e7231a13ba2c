"""Messages that leave this machine, or this run: sealed, so that what is damaged or of others is refused.

A message is JSON: what kind it is, which checker and which Python wrote it,
its body, and a digest of all that.
"""

from __future__ import annotations

import functools
import hashlib
import json
import platform
from pathlib import Path
from typing import Any, TypeVar

from replay.documents import checked, parsed
from replay.errors import FormatError

Wanted = TypeVar("Wanted")

SCHEMA = "mcr-message/1"

_PACKAGES = Path(__file__).resolve().parents[2]


@functools.cache
def own_version() -> dict[str, str]:
    """This checker, by a digest of its source, and this Python."""
    digest = hashlib.sha256()
    for package in ("mcr", "replay", "solvers"):
        for file in sorted((_PACKAGES / package).rglob("*.py")):
            digest.update(file.relative_to(_PACKAGES).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return {"mcr": digest.hexdigest()[:16], "python": platform.python_version()}


def seal(kind: str, body: object) -> str:
    """The message with this body, which is a value that msgspec knows."""
    import msgspec  # late, as most explorations stay here

    content = {"schema": SCHEMA, "kind": kind, **own_version(), "body": msgspec.to_builtins(body)}
    return json.dumps({**content, "digest": _digest(content)}, sort_keys=True)


def unseal(text: str, kind: str, wanted: type[Wanted], where: str) -> Wanted:
    """The body of a message. Raises FormatError, which names `where` it was found, for anything else."""
    content = parsed(text, where)
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise FormatError(f"{where}: no message of this checker, or one of another version")
    digest = content.pop("digest", None)
    if digest != _digest(content):
        raise FormatError(f"{where}: the message is damaged")
    for name, own in own_version().items():
        if content[name] != own:
            raise FormatError(f"{where}: the message is of another {_NAMES[name]}: {content[name]}, not {own}")
    if content["kind"] != kind:
        raise FormatError(f"{where}: the message is no {kind}")
    try:
        return checked(content["body"], wanted)
    except FormatError as error:
        raise FormatError(f"{where}: {error}") from None


_NAMES = {"mcr": "version of mcr", "python": "version of Python"}


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
