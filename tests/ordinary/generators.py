"""Functions whose threads share a generator: `bug_` and `right_`, as Python has it with and without its lock."""

from __future__ import annotations

import threading

from tests.ordinary.threaded import together


def numbers(items):
    try:
        for place, each in enumerate(items):
            yield place * each
    finally:
        items.append(0)


def bug_two_threads_go_on():
    """One of them says ValueError: generator already executing."""
    each = numbers([1, 2])
    together(lambda: next(each), lambda: next(each))


def bug_first_to_come():
    """What a thread makes and stores is where it left it."""
    box = []

    def put():
        each = numbers([5, 6])
        next(each)
        box.append(each)

    together(put, lambda: [next(each) for each in box])
    assert next(box[0], None) == 6


def bug_a_dictionary_grows_meanwhile():
    values = {3: 1, 4: 2}
    sums = (key + value for key, value in values.items())
    next(sums)
    together(lambda: next(sums), lambda: values.update({5: 1}))


def bug_closed_by_two_threads():
    """Nobody else may close it while its code runs."""
    each = numbers([1])
    next(each)
    together(lambda: each.close(), lambda: each.close())


def right_with_a_lock():
    lock, items, found = threading.Lock(), [1, 2, 3], []
    each = numbers(items)

    def take():
        with lock:
            found.append(next(each))

    together(take, take)
    assert found == [0, 2]
    assert list(each) == [6]
    assert items == [1, 2, 3, 0]


def inner():
    got = yield 1
    while got:
        got = yield got
    return 7


def outer(each):
    try:
        return (yield from each)
    except KeyError:
        yield "key"


def right_generator_that_waits_for_another():
    lock, found = threading.Lock(), []
    each = outer(inner())
    next(each)

    def send(value):
        with lock:
            found.append(each.send(value))

    together(lambda: send(3), lambda: send(4))
    assert sorted(found) == [3, 4]
    assert each.throw(KeyError) == "key"


def right_error_that_is_handled():
    def fail():
        try:
            raise KeyError(1)
        except KeyError:
            yield 1
            raise

    each = fail()
    next(each)
    found = []

    def go_on():
        try:
            next(each)
        except (KeyError, StopIteration, ValueError) as error:
            found.append(type(error).__name__)

    together(go_on, go_on)
    assert found.count("KeyError") == 1


def right_ends_for_both():
    """After its end it says so to every thread, and no code runs."""
    each = (n for n in [])
    found = [*each]
    together(lambda: found.extend(each), each.close)
    assert found == []


def right_of_each_kind_of_loop():
    def steps():
        for _ in range(2):
            for letter in "ab":
                for one in {1: 2}:
                    for two in reversed([3]):
                        yield letter, one, two

    each, lock, found = steps(), threading.Lock(), []

    def take():
        with lock:
            found.append(next(each))

    together(take, take)
    assert found == [("a", 1, 3), ("b", 1, 3)]
    assert [*each] == found


def refused_iterator_of_others():
    items = iter([1, 2])
    each = (n for n in items)
    next(each)
    together(lambda: next(each), lambda: None)
    next(items)


def refused_while_it_runs():
    box = []

    def itself():
        box.append(box[0])
        yield from range(3)

    each = itself()
    box.append(each)
    together(lambda: next(each), lambda: box[-1].gi_frame)
