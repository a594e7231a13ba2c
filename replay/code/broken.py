"""Exceptions that no schedule is to blame for: a name that is misspelt, a call that does not fit.

They would be reported as bugs that are possible under every model. But they say nothing of the algorithm: the model is
broken, and is to be mended first.
"""

from __future__ import annotations

import re

from replay.sentences import did_you_mean
from replay.world.shown import shown_error

_CALL = r"[\w.<>]+\(\) (missing \d+ required|takes |got an unexpected keyword|got multiple values)"
"""How Python begins to say that the arguments of a call do not fit the function."""


def why_broken(error: BaseException, known: list[str], *, has_asked: bool) -> str:
    """The sentence that says that the model is broken, "" if it may be the program that is wrong.

    `known` are the names that the line could have named which raised it.
    `has_asked` says whether the thread had performed an operation: what it does before depends on no other thread.
    Whoever uses what it has read may meet None where it should not be, and that is a bug. Not for programs that share
    ordinary objects: others may assign each name and attribute, and until one does, reading it is no operation.
    """
    if type(error) is NameError:
        return f"NameError: {shown_error(error)}, whatever the schedule{did_you_mean(error.name or '', known)}"
    if isinstance(error, TypeError) and re.match(_CALL, str(error)):
        return f"TypeError: {shown_error(error)}, whatever the schedule"
    if not has_asked and isinstance(error, (TypeError, AttributeError, UnboundLocalError, ImportError)):
        known = dir(type(error.obj)) if isinstance(error, AttributeError) and error.obj is not None else []
        meant = did_you_mean(getattr(error, "name", None) or "", [name for name in known if not name.startswith("_")])
        text, asks, near = shown_error(error).partition("; did you mean")  # of mcr itself, as users wrote `mcr.NAME`
        return f"{type(error).__name__}: {text}, whatever the schedule{meant or asks + near}"
    return ""
