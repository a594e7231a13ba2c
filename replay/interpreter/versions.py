"""Differences between versions of CPython beside opcodes; no module but these two asks for the version."""

from __future__ import annotations

import sys

VERSION = sys.version_info[:2]

CACHED_PROPERTY_LOCKS = VERSION < (3, 12)
"""`functools.cached_property` holds a lock while it computes."""

SHOWS_ORDERED_AS_DICT = VERSION >= (3, 12)

SUBSET_STOPS_EARLY = VERSION >= (3, 12)
"""`issubset` takes no more items of an iterable when all were found."""

SPLITS_OFF_NOTHING = VERSION >= (3, 12)
"""An `except*` that catches nothing of a group leaves what `split` has made; before, the group itself."""

CHANGES_BEFORE_BEGIN = VERSION < (3, 12)
"""StopIteration that is thrown into a generator which has not begun becomes a RuntimeError."""

KEY_ERROR_STAYS = VERSION < (3, 12)
"""A keyword that is there already, while an exception is handled, raises the KeyError by which CPython finds it."""

HAS_END_SEND = VERSION >= (3, 12)
"""END_SEND follows the loop of a `yield from`; SEND_END does its work."""

CALLED_PATTERN = "class" if VERSION >= (3, 12) else "type"

CLOSES_BY_THROWING = VERSION >= (3, 13)
"""`close` of a step of an asynchronous generator raises in it; that of a generator returns its value."""

LOCALS_ARE_NEW = VERSION >= (3, 13)
"""`locals()` of a function is another dictionary each time."""

RUNS_HAVE_EQUALS = VERSION >= (3, 13)
"""Sorting reverses descending runs in which rows are equal."""

TRUNCATES = VERSION < (3, 14)
"""`int` asks for `__trunc__`."""

ANNOTATIONS_ARE_KEPT = VERSION < (3, 14)
"""A function has annotations; from 3.14 on it computes them when it is asked."""

TUPLE_ASKS_LENGTH = VERSION < (3, 14)

WRAPPED_HAS_LINE = VERSION >= (3, 14)
"""The group that `except*` makes of a single exception has a traceback."""

SETS_ARE_ASKED_TO_SHOW = VERSION < (3, 14)
"""What a set shows is what its `__iter__` gives."""

RESULTS_HAVE_CONTEXT = VERSION < (3, 14)
"""The StopIteration that carries a result has a context."""

NEW_MESSAGES = VERSION >= (3, 14)
"""Messages of errors are those of 3.14."""
