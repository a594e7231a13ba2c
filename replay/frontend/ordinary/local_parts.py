"""Parts of objects of `threading.local`, and of classes made from it: no attribute of such an object is shared.

Each thread has a dictionary of its own, and calls `__init__` when it begins one, with the arguments of the call that
has made the object. CPython keeps them, and the dictionaries, where only the garbage collector sees them.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

from replay.code.ordinary import LOCAL

ARGUMENTS, KEYWORDS, FIRST = "\0arguments", "\0keywords", "\0first"
"""Names of parts that are no attributes. `FIRST` is what the thread has set that made the object."""


def _kept(local: Any) -> list[Any]:
    """Returns what C keeps of such an object: arguments, those by keywords if there are any, and dictionaries."""
    held = gc.get_referents(local)
    return held[len(held) - held[::-1].index(type(local)) :]


_WITHOUT_KEYWORDS = len(_kept(LOCAL()))


def held_by_local(local: Any, frozen: Callable[[Any, str], Any]) -> dict[str, Any]:
    """Returns what memory holds for the parts that C keeps; `frozen` makes it of one and its name."""
    kept = _kept(local)
    keywords = kept[1] if len(kept) > _WITHOUT_KEYWORDS else {}
    dictionaries: Any = kept[1 + len(kept) - _WITHOUT_KEYWORDS].values()
    return {
        ARGUMENTS: frozen(kept[0], ".arguments"),
        KEYWORDS: tuple((name, frozen(each, f".{name}")) for name, each in keywords.items()),
        FIRST: tuple((name, frozen(each, f".{name}")) for name, each in next(iter(dictionaries), {}).items()),
    }
