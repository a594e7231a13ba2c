"""Methods that take many keys, where code compares or hashes them: CPython lets others run amid them."""

from __future__ import annotations

import pytest

from tests.ordinary.real import runner_of
from tests.ordinary.twins import found, loaded, seen

SOURCE = """\
import mcr
from collections import OrderedDict


class Key:
    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return self.number == getattr(other, "number", other)

    def __hash__(self):
        return hash(self.number)


class Alone:
    def __init__(self, number):
        self.number = number

    def __hash__(self):
        return self.number


class Shared:
    def __init__(self):
        self.it = {initial}

    def thread_0(self):
        {operation}

    def thread_1(self):
        {disturbance}


def seen(shared):
    return sorted(str(key.number if type(key) in (Key, Alone) else type(key).__name__) for key in shared.it),


@mcr.program
def generated(p):
    shared = p.share(Shared())
    threads = [p.thread(shared.thread_0), p.thread(shared.thread_1)]
    p.final(lambda: (*[thread.join() for thread in threads], *seen(shared)))
"""

DICT, SET, ORDERED = "{Key(2): 0, 4: 0}", "{Key(2), Key(4)}", "OrderedDict([(Key(2), 0)])"

OPERATIONS = {
    "dict of dict": (DICT, "self.it.update({Key(1): 1, Key(2): 2, Key(3): 3})"),
    "dict of dict whose first key is there": (DICT, "self.it.update({Key(2): 2, Key(3): 3})"),
    "dict with a number for a key": (DICT, "self.it.update({1: 1, 2: 2, Key(4): 4})"),
    "dict of numbers": (DICT, "self.it.update({1: 1, 4: 2, 3: 3})"),
    "dict of pairs": (DICT, "self.it.update([(Key(1), 1), (Key(3), 3)])"),
    "dict of pairs whose keys are only hashed": (DICT, "self.it.update([(Alone(1), 1), (Alone(3), 3)])"),
    "dict of tuples": ("{(Key(2), 0): 0}", "self.it.update({(Key(1), 0): 1, (Key(2), 0): 2})"),
    "dict by an operator": (DICT, "self.it |= {Key(1): 1, Key(2): 2}"),
    "ordered dict": (ORDERED, "self.it.update({Key(1): 1, Key(3): 3})"),
    "dict of ordered dict": (DICT, "self.it.update(OrderedDict([(Key(1), 1), (Key(3), 3)]))"),
    "set of list": (SET, "self.it.update([Key(1), Key(2), Key(3)])"),
    "set of two lists": (SET, "self.it.update([Key(1)], [Key(2)])"),
    "set of dict": (SET, "self.it.update({Key(1): 1, Key(2): 2, Key(3): 3})"),
    "set of numbers": (SET, "self.it.update([1, 2, 3])"),
    "set without a list": (SET, "self.it.difference_update([Key(2), Key(4)])"),
    "set without a dict": (SET, "self.it.difference_update({Key(2): 2, Key(4): 4})"),
}


def _written(initial: str, operation: str, disturbance: str) -> str:
    return SOURCE.format(initial=initial, operation=operation, disturbance=disturbance)


@pytest.mark.parametrize("takes_all", [True, False], ids=["all are taken", "one is taken"])
@pytest.mark.parametrize("case", OPERATIONS.values(), ids=OPERATIONS)
def test_others_run_where_code_of_keys_does(case: tuple[str, str], takes_all: bool) -> None:
    initial, operation = case
    takes_one = "self.it.discard(Key(2))" if initial is SET else "self.it.pop(Key(2), None)"
    disturbance = "self.it.clear()" if takes_all else takes_one
    source = _written(initial, operation, disturbance)
    real = runner_of(source, keeps_lock=True).preempted(2, 2000)
    assert real.complete
    assert found(loaded(source, "ordinary"), "sc", python="gil") == seen(real)


@pytest.mark.parametrize(
    "operation",
    [
        "self.it[2] = self.it[2] + 1", "self.it[4] = self.it.get(2) + 1", "assert 2 in self.it and 3 not in self.it",
        "self.it.setdefault(2, 5)", "self.it.pop(2)", "del self.it[2]", "self.it.update({2: 6})",
    ],
)  # fmt: skip
@pytest.mark.parametrize("initial", [DICT, "OrderedDict([(Key(2), 0), (4, 0), (Key(1), 0)])"])
def test_a_number_finds_the_key_that_says_it_is_equal(initial: str, operation: str) -> None:
    source = _written(initial, operation, "self.it.keys()")
    real = runner_of(source, keeps_lock=True).preempted(0, 2000)
    assert found(loaded(source, "ordinary"), "sc") == seen(real)
