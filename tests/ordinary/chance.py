"""Threads that draw numbers at random: functions that start them, without a line of ours."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable


def _with_a_thread(draw: Callable[[], object]) -> object:
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(draw()))
    thread.start()
    thread.join()
    return found[0]


def draws_choice() -> object:
    return _with_a_thread(lambda: random.choice("abc"))


def draws_a_number() -> object:
    return _with_a_thread(lambda: random.randint(2, 4))


def draws_from_a_range() -> object:
    return _with_a_thread(lambda: random.randrange(0, 10, 4))


def draws_an_order() -> object:
    order = [1, 2, 3]
    _with_a_thread(lambda: random.shuffle(order))
    return tuple(order)


def draws_a_sample() -> object:
    return tuple(random.sample([1, 2, 3], 2)) if _with_a_thread(lambda: True) else ()


def draws_from_a_generator_of_its_own() -> object:
    return _with_a_thread(lambda: random.Random(7).choice("abcdefgh"))


class _Picker:
    """An object that has the function which draws, as RRCache of cachetools."""

    def __init__(self, pick: Callable[[str], str] = random.choice) -> None:
        self.pick = pick


def draws_by_a_default_value() -> object:
    picker = _Picker()
    return _with_a_thread(lambda: picker.pick("ab"))


def bug_two_draw_the_same() -> None:
    first = random.choice("abc")
    second = _with_a_thread(lambda: random.choice("abc"))
    assert (first, second) != ("b", "c")


def refused_a_real_number() -> object:
    return _with_a_thread(random.random)


def refused_many_numbers() -> object:
    return _with_a_thread(lambda: random.randint(1, 100))


def refused_a_seed() -> object:
    return _with_a_thread(lambda: random.seed(1))


def refused_an_attribute() -> None:
    def change() -> None:
        vars(random)["_inst"].gauss_next = 1.0

    _with_a_thread(change)
