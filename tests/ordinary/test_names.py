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


class Nothing:
    """Which one it is counts, and what its methods say."""

    __slots__ = ()

    def __getitem__(self, key):
        return 1


class Added(tuple):
    """A tuple that knows how it is added to others."""

    __slots__ = ()

    def __radd__(self, other):
        return Added(other + tuple(self))


class Spelled:
    __module__ = property(lambda self: "spelled")

    def __init__(self):
        self.kept = Nothing()


class Odd:
    def __init__(self):
        self.one, self.other = Nothing(), Nothing()
        self.added = Added((1, Box()))
        self.spelled = Spelled()
        self.total = 0

    def add(self):
        self.total += self.one["a"] + self.spelled.kept["b"]
        self.one, self.other = self.other, self.one
        return self.one is self.other, type(self.added).__name__, self.added[0]


@pytest.mark.parametrize("algorithm", ["stateful", "cover"])
def test_a_thread_knows_which_object_it_has_that_holds_nothing(algorithm):
    @mcr.program
    def chosen(p):
        it = p.share(Odd())

        def choose():
            mine = it.one if it.total else it.other
            return it.total, mine is it.one

        thread = p.thread(choose)
        p.thread(lambda: setattr(it, "total", 1))
        p.final(lambda: thread.join())

    assert outcomes(chosen, algorithm=algorithm) == {"(0, False)", "(1, False)", "(1, True)"}


def test_objects_that_hold_nothing_and_classes_with_odd_names():
    @mcr.program
    def odd(p):
        it = p.share(Odd())
        threads = [p.thread(it.add) for _ in range(2)]
        p.final(lambda: (it.total, it.one is it.other, *[thread.join() for thread in threads]))

    found = outcomes(odd)
    assert {eval(each)[0] for each in found} == {2, 4}
    assert {eval(each)[2:] for each in found} >= {((False, "Added", 1), (False, "Added", 1))}


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
