"""The generator of random numbers behind `random.choice` and the like: a draw from few values is any of them.

Python's own code for `choice`, `randint`, `shuffle` and `sample` asks one method for a number below a limit: that is a
choice, and all of them are explored. A real number is any of too many, so what asks for one is refused.
"""

from __future__ import annotations

import random
from typing import Any, NoReturn

from replay.code.outside import LUCK
from replay.code.running_thread import inside_run, perform, refuse
from replay.world.operation import Kind

DRAWN = "drawn at random"
"""How reports call a draw."""

ORDERED = "the order of a set"
"""How reports call the choice of an order in which a thread goes through a set of objects (`ownership.orders`)."""

MOST = 16
"""From so many numbers a thread may draw."""

BELOW: Any = vars(random.Random)["_randbelow"]
"""The method that draws a number below a limit."""


def drawn_below(_: Any, limit: int) -> Any:
    """Interpreted: any of the numbers below a limit, for `Random._randbelow` of that generator."""
    if not inside_run():
        refuse(f"the program function draws a number at random, which would be another one in each run: {LUCK}")
    if limit > MOST:
        refuse(f"thread code draws one of {limit:,} numbers at random, and {MOST} are what is explored: {LUCK}")
    return perform(Kind.CHOOSE, choices=tuple(range(limit)), label=DRAWN)


def refuse_draw(name: str) -> NoReturn:
    """Refuse what draws a real number or bits, or looks at or changes where the generator stands."""
    refuse(f"thread code uses random.{name}, which draws numbers for all runs: {LUCK}")
