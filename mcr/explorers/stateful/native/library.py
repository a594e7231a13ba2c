"""Loads core.c as it was built when this package was installed; all works without it, by the loop in Python.

`_core` is built as an extension of Python, so that an installer knows how, but has nothing of Python in it: it is
loaded by ctypes, and one file serves all versions.
"""

from __future__ import annotations

import ctypes
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

VERSION = 0xC3D9E30F
"""The version of core.c that this package was written for: a library that was compiled from another is not used."""

FOLDER = Path(__file__).parent

_INT, _LONG, _SPACE, _WORDS = ctypes.c_int32, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_char_p


class Said(ctypes.Structure):
    """The place at which `core_run` has stopped: a state and, where something is not known, what is missing.

    state    the place of a state
    thread   the place of a thread in `Space._threads`
    process  its number
    action   the place of an action of that process
    value    the number that it finds where it looks
    outer    the place of the action with which a step of several actions begins; itself if it is one step
    """

    _fields_ = (
        ("state", _LONG), ("thread", _INT), ("process", _INT), ("action", _INT), ("value", _INT), ("outer", _INT),
    )  # fmt: skip


_FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "core_new": (_SPACE, (_INT,)),
    "core_free": (None, (_SPACE,)),
    "core_component": (None, (_SPACE, _INT, _INT, ctypes.POINTER(_INT))),
    "core_group": (None, (_SPACE, _INT, ctypes.POINTER(_INT))),
    "core_thread": (None, (_SPACE, _INT, _INT, _INT, _INT)),
    "core_process": (None, (_SPACE, _INT, _INT, _INT, _INT, ctypes.POINTER(_INT))),
    "core_entry": (_INT, (_SPACE, _INT, _INT, _INT, _INT, _INT, _INT, _INT, _INT)),
    "core_final": (None, (_SPACE, _INT, _INT)),
    "core_cycles": (ctypes.c_int64, (_SPACE, ctypes.POINTER(_LONG), _LONG, _INT, ctypes.POINTER(ctypes.c_uint32))),
    "core_run": (_INT, (_SPACE, _LONG, ctypes.POINTER(Said))),
    "core_see": (_INT, (_SPACE, _WORDS, ctypes.c_uint32)),
    "core_go_to": (None, (_SPACE, _LONG)),
    "core_find": (ctypes.c_int64, (_SPACE, _WORDS)),
    "core_state": (None, (_SPACE, _LONG, _WORDS, _INT)),
    "core_before": (ctypes.c_uint32, (_SPACE, _LONG)),
    "core_count": (_LONG, (_SPACE,)),
    "core_here": (_LONG, (_SPACE,)),
    "core_growth": (_LONG, (_SPACE, _LONG)),
}


def library() -> ctypes.CDLL | None:
    """The library with the types of its functions; None if there is none."""
    return _loaded()[0]


def why_missing() -> str:
    """Why there is no library, and what to do about it; "" if there is one."""
    return _loaded()[1]


@cache
def _loaded() -> tuple[ctypes.CDLL | None, str]:
    built = next((path for suffix in EXTENSION_SUFFIXES if (path := FOLDER / f"_core{suffix}").exists()), None)
    if built is None:
        return None, "core.c was not compiled: install a C compiler, then this package again"
    try:
        return _with_types(ctypes.CDLL(str(built))), ""
    except (OSError, AttributeError) as error:
        return None, f"{error}: install this package again"


def _with_types(loaded: ctypes.CDLL) -> ctypes.CDLL:
    """Raises OSError for another version, AttributeError for another library."""
    loaded.core_version.restype = ctypes.c_uint32
    if loaded.core_version() != VERSION:
        raise OSError("core.c has changed since it was compiled")
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, arguments
    return loaded


def integers(values: list[int]) -> Any:
    """An array for C."""
    return (_INT * max(1, len(values)))(*values)
