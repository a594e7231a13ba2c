"""`repr` of shared containers.

Of a list or a dict CPython shows one entry after the other, and looks again after each that lets other threads run: one
whose `__repr__` is of Python, or that holds such a one. Of all other containers it takes a list first.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

from replay.code.running_thread import current_run
from replay.frontend.ordinary.changes import identity_of_container, looked_at
from replay.frontend.ordinary.contents import base_of, runs_code
from replay.frontend.ordinary.values import Reference
from replay.frontend.threads import FINAL
from replay.interpreter.library.shown import is_being_shown, short_name, shows_itself
from replay.interpreter.natives import natively

_NESTED = {list: "[...]", deque: "[...]", dict: "{...}", set: "set(...)", OrderedDict: "..."}
"""What Python shows of a container inside itself."""

_IN_STEPS = (list, dict, defaultdict)


def repr_of(base: Any) -> Callable[[Any], str]:
    """Returns the `__repr__` of shared containers of a class."""

    def method(self: Any) -> str:
        if is_being_shown(self):
            return f"{short_name(self)}({self.default_factory!r}, {{...}})" if base is defaultdict else _NESTED[base]
        if base not in _IN_STEPS or current_run().name == FINAL:
            return str(base.__repr__(looked_at(self)))
        entries = ", ".join(_texts(self, base))
        if base is defaultdict:
            return f"{short_name(self)}({self.default_factory!r}, {{{entries}}})"
        return f"[{entries}]" if base is list else f"{{{entries}}}"

    return shows_itself(method)


def _texts(self: Any, base: Any) -> list[str]:
    """Interpreted: what is shown of each entry."""
    known = identity_of_container(self)
    thaw = known.heap.thaw
    held, at, texts = known.load(""), 0, []
    seen = keys_of(base, held)
    while at < len(held):
        entry = held[at]
        texts.append(repr(thaw(entry)) if base is list else f"{thaw(entry[0])!r}: {thaw(entry[1])!r}")
        at += 1
        if any(_lets_in(thaw, part) for part in ([entry] if base is list else entry)):
            now = known.load("")
            if base is list:
                held = now
            else:
                held, at = left(held[at:], seen, now), 0
                seen += keys_of(base, held)
    return texts


def _lets_in(thaw: Any, held: Any) -> bool:
    """Interpreted: whether other threads may run while something is shown that memory holds like this.

    Of a container inside, only its own entries are asked.
    """
    if not is_container(held):
        return is_shown_by_code(held)
    return any(is_shown_by_code(each) for each in identity_of_container(thaw(held)).load(""))


@natively
def is_container(held: Any) -> bool:
    return type(held) is Reference and base_of(held.member.kind) is not None


@natively
def is_shown_by_code(held: Any) -> bool:
    """Returns whether Python code tells how a value of memory is shown, or one in a tuple."""
    return runs_code(held, ("__repr__",))


@natively
def keys_of(base: Any, held: Any) -> list[Any]:
    """The keys of a dict as memory holds it; of a list none are needed."""
    return [] if base is list else [key for key, _ in held]


@natively
def left(rest: Any, seen: list[Any], now: Any) -> list[Any]:
    """Returns what of a dict is to be shown yet: what was behind and is still there, and what came since."""
    entries = [entry for key, _ in rest for entry in now if entry[0] == key]
    return entries + [entry for entry in now if entry[0] not in seen]
