"""Python's debugger, where code asks for it: the one that looks on stops there."""

from __future__ import annotations

import pdb
from typing import Any

from replay.interpreter.natives import stands_for

_set_trace = getattr(pdb.set_trace, "__func__", pdb.set_trace)
"""`pdb.set_trace`, or the method of pytest that it is while pytest runs."""


@stands_for(_set_trace)
def set_trace(*_: Any, **__: Any) -> None:
    breakpoint()
