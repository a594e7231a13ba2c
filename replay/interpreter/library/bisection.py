"""`bisect`: the Python versions that CPython ships."""

from __future__ import annotations

from replay.interpreter.library.looking import plain_arguments
from replay.interpreter.library.shipped import stand_for_all

stand_for_all("bisect", "_bisect", plain_arguments)
