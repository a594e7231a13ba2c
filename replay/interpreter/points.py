"""Places in code that stand for the same: copies of an instruction that the compiler has made share a number.

Compilers write what stands once in the source at several places, such as the condition of a loop, at its beginning and
at its end. Two copies are told apart if any step from them can be: classes are split until none has two instructions
whose next ones are of different classes.
"""

from __future__ import annotations

from collections.abc import Hashable

from replay.interpreter.decode import JUMPS, PLAIN_JUMPS, Decoded, following


def numbered(decoded: Decoded) -> list[int]:
    """The number of the place of each instruction."""
    count = len(decoded.steps)
    numbers = _classes([_kind(decoded, place) for place in range(count)])
    found = 0
    while found < len(set(numbers)) < count:
        found = len(set(numbers))
        ways = [[numbers[to] for to in _ways(decoded, place)] for place in range(count)]
        numbers = _classes([(number, *way) for number, way in zip(numbers, ways, strict=True)])
    return numbers


def _classes(kinds: list[Hashable]) -> list[int]:
    """Of each the index of the first that is equal."""
    first: dict[Hashable, int] = {}
    return [first.setdefault(kind, index) for index, kind in enumerate(kinds)]


def _kind(decoded: Decoded, place: int) -> Hashable:
    """Returns what tells an instruction from others, without what follows it."""
    name, argument = decoded.steps[place]
    handler = decoded.handlers[place]
    caught = None if handler is None else (handler.depth, handler.pushes_position)
    shown = None if name in JUMPS else _told(argument)
    return name, shown, decoded.positions[place], caught


def _told(argument: object) -> Hashable:
    """The argument of an instruction, with its type: 1 is not True."""
    return type(argument), repr(argument)


def _ways(decoded: Decoded, place: int) -> list[int]:
    """Returns what may follow an instruction: the next one, or both ways of a jump, the one for True first; then a
    handler."""
    step = decoded.steps[place]
    ways = [_past_jumps(decoded, each) for each in following(step, place)]
    handler = decoded.handlers[place]
    return ways if handler is None else [*ways, _past_jumps(decoded, handler.target)]


def _past_jumps(decoded: Decoded, place: int) -> int:
    """The next instruction that does anything."""
    for _ in decoded.steps:
        name, argument = decoded.steps[place]
        if name not in PLAIN_JUMPS:
            return place
        place = argument
    return place
