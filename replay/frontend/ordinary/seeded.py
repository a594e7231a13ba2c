"""Generators of random numbers of the program's own: `random.Random(seed)`.

What one with a seed draws is known. Shared, it is a state in memory, and a draw is one update, as in CPython. What one
without a seed draws would be another number in each run, so it stands in a state of its own, which no seed leads to.
"""

from __future__ import annotations

import _random
import struct
from collections.abc import Callable
from typing import Any

from replay.code.outside import LUCK
from replay.code.running_thread import perform, refuse
from replay.frontend.ordinary.contents import GeneratorState
from replay.frontend.ordinary.kinds import identity_of
from replay.interpreter.natives import natively
from replay.world.operation import Kind

STATE = "(state)"
"""The part of a shared generator that is its state."""

METHODS: dict[str, Any] = {name: vars(_random.Random)[name] for name in ("random", "getrandbits", "seed", "setstate")}
SETTING = METHODS["seed"], METHODS["setstate"]
GETSTATE: Any = vars(_random.Random)["getstate"]
NEW: Any = vars(_random.Random)["__new__"]


_FORMAT = struct.Struct("<625I")
WITHOUT_SEED = (0,) * 624 + (624,)
NO_SEED = object()
"""The result of a draw from a shared generator without a seed."""


def state_of(generator: Any) -> GeneratorState:
    """Returns what memory holds for a generator that becomes shared."""
    return GeneratorState(_FORMAT.pack(*GETSTATE(generator)))


def forget_seed(generator: Any) -> None:
    """Let a generator stand in the state of those without a seed."""
    METHODS["setstate"](generator, WITHOUT_SEED)


def has_no_seed(arguments: Any) -> bool:
    """Returns whether a generator is seeded with nothing, which takes what the system gives."""
    return len(arguments) < 2 or arguments[1] is None


def check_seed(state: Any, name: str) -> None:
    """Refuse to draw from a generator without a seed."""
    if state == WITHOUT_SEED:
        refuse(f"thread code uses {name} of a generator without a seed, which draws another number in each run: {LUCK}")


def drawn(method: Any, generator: Any, *arguments: Any) -> Any:
    """Interpreted: a method of a generator that is shared."""
    known: Any = identity_of(generator)
    if method is GETSTATE:
        return told(known.load(STATE))
    known.heap.check_change(known, STATE)
    change = change_of(method, arguments)
    result = perform(
        Kind.UPDATE,
        known.cell(STATE),
        update=lambda held: change(held)[0],
        result=lambda held: change(held)[1],
        label=f"{method.__name__}()",
    )
    if result is NO_SEED:
        check_seed(WITHOUT_SEED, method.__name__)
    return result


@natively
def told(held: GeneratorState) -> tuple[int, ...]:
    """Returns the state as Python tells it."""
    return _FORMAT.unpack(held)


@natively
def change_of(method: Any, arguments: tuple[Any, ...]) -> Callable[[GeneratorState], tuple[GeneratorState, Any]]:
    """Returns what a method makes of a state, and its result."""

    def change(held: GeneratorState) -> tuple[GeneratorState, Any]:
        twin = _random.Random(0)
        METHODS["setstate"](twin, _FORMAT.unpack(held))
        if method is METHODS["seed"] and has_no_seed((twin, *arguments)):
            forget_seed(twin)
            return state_of(twin), None
        if method not in SETTING and GETSTATE(twin) == WITHOUT_SEED:
            return held, NO_SEED
        result = method(twin, *arguments)
        return state_of(twin), result

    return change
