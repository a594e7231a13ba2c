"""Functions with two threads that ask for the numbers of objects: `lost` fails, `kept` holds, `refused` is refused."""

# ruff: noqa  # written as users do

import copy

from tests.ordinary.threaded import together


class Box:
    def __init__(self):
        self.n = 0


def kept_keys():
    d = {}

    def put():
        b = Box()
        d[id(b)] = b
        b.n += 1
        assert d[id(b)] is b and b.n == 1

    together(put, put)
    assert len(d) == 2


def lost_count():
    d = {}
    b = Box()
    d[id(b)] = 0

    def put():
        d[id(b)] += 1

    together(put, put)
    assert d[id(b)] == 2


def kept_before_and_after():
    box = []

    def put():
        mine = [1]
        n = id(mine)
        box.append((n, mine))

    def look():
        for n, it in list(box):
            assert id(it) == n

    together(put, look)


def refused_after_a_deep_copy():
    def work():
        x = [Box()]
        y = copy.deepcopy(x)
        assert id(x) != id(y) and id(x[0]) != id(y[0])
        assert id(x) == id(x)

    together(work, work)


class Counting:
    def __init__(self):
        self.n = 0

    def __deepcopy__(self, memo):
        memo[id(self)] = made = Counting()
        made.n = self.n + 1
        return made


def refused_in_a_deep_copy():
    def work():
        c = Counting()
        a, b = copy.deepcopy([c, c])
        assert a is b and a.n == 1

    together(work, work)


def lost_races():
    box = [Box()]
    ids = {}

    def get():
        if not ids:
            ids[id(box[0])] = 1
        else:
            ids[id(box[0])] += 1

    together(get, get)
    assert list(ids.values()) == [2]


def kept_exceptions():
    seen = {}

    def put():
        try:
            1 / 0
        except ZeroDivisionError as e:
            seen[id(e)] = e

    together(put, put)
    assert len(seen) == 2


def kept_functions():
    seen = set()

    def put():
        f = lambda: 1
        seen.add(id(f))
        seen.add(id(f))
        assert f() == 1

    together(put, put)
    assert len(seen) == 2


def kept_dead():
    seen = []

    def put():
        seen.append(id([]))

    together(put, put)
    assert seen[0] != seen[1]


def refused_value():
    together(lambda: id(3000))


def refused_iterator():
    together(lambda: id(iter([])))
