"""Which of two engines runs thread code, while there are two."""

import os

from replay.interpreter.decode import TABLES, VERSION

_INTERPRETS = os.environ.get("MCR_ENGINE") != "greenlets" and VERSION in TABLES

INTERPRETS = [_INTERPRETS]
"""Whether code of plain models runs on frames of the interpreter, which knows these versions of CPython."""

INTERPRETS_ORDINARY = [_INTERPRETS]
"""Whether code that shares ordinary objects does (`replay.frontend.ownership`)."""
