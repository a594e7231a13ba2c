"""Objects that look alike, or are found at one place, are several: what one thread does to one, no other one shows."""

from __future__ import annotations

import pytest

import mcr
from tests.ordinary.test_objects import outcomes


class Box:
    def __init__(self, size=0):
        self.size = size
        self.full = 0


class Things:
    def __init__(self):
        taken = [0]

        def take(others=[0]):  # noqa: B006
            taken.append(1)
            return len(others)

        self.pair = {Box(): Box()}
        self.callbacks = {lambda: 1: [], lambda: 2: []}
        self.boxes = frozenset({Box(1), Box(2)})
        self.take = take
        self.kept = (Box(1), 2)

    def key_and_value(self):
        ((key, value),) = self.pair.items()
        key.full += 1
        return value.full, key is value

    def keys_that_look_alike(self):
        one, other = self.callbacks.values()
        one.append(1)
        return len(other), one is other, len(self.callbacks)

    def elements_that_look_alike(self):
        one, other = sorted(self.boxes, key=lambda box: box.size)
        one.full += 1
        return other.full, one is other, other.size

    def tuples(self):
        kept, mine = self.kept, (self.pair,)
        is_kept = self.kept is kept
        self.kept = mine
        return is_kept, self.kept is mine, self.kept is kept

    def variable_and_default(self):
        return self.take()


WAYS = ("key_and_value", "keys_that_look_alike", "elements_that_look_alike", "variable_and_default", "tuples")


@pytest.mark.parametrize("way", WAYS)
def test_they_are_what_they_are_in_python(way):
    @mcr.program
    def alone(p):
        thread = p.thread(getattr(p.share(Things()), way))
        p.final(lambda: thread.join())

    assert outcomes(alone) == {repr(getattr(Things(), way)())}


@pytest.mark.parametrize("made_by", ["program", "thread"])
def test_a_set_whose_elements_nothing_tells_apart_is_refused(made_by):
    """Their order is another one in every run, and so would be their names."""

    @mcr.program
    def alike(p):
        boxes = p.share([{Box(), Box()} if made_by == "program" else None])

        def thread():
            boxes.append({Box(), Box()})

        p.thread(thread)

    with pytest.raises(mcr.ModelError, match="a set is shared whose elements look alike"):
        mcr.check(alike, "sc")
