"""Functions that share variables, as users have them."""

# ruff: noqa: B020, C416

from __future__ import annotations

import functools
import threading


def counter(step=1):
    count = 0
    history = []

    def up():
        nonlocal count
        count += step
        history.append(count)
        return count

    def seen():
        return count, tuple(history)

    up.seen = seen
    return up


def locked_counter():
    count, lock = 0, threading.Lock()

    def up():
        nonlocal count
        with lock:
            count += 1

    def down():
        def by(number):
            nonlocal count
            with lock:
                count -= number

        by(1)

    up.down = down
    up.count = lambda: count
    return up


def once(function):
    """A decorator that calls a function the first time only."""
    value, was_called = None, False

    def wrapper():
        nonlocal value, was_called
        if not was_called:
            value = function()
            was_called = True
        return value

    return wrapper


def shadowed():
    count = 0

    def up():
        nonlocal count

        def nested():
            before = count

            def inside():
                count = before
                return count

            return inside

        def with_default(before=count):
            count = before + 1
            return count

        class Named:
            count = 5

        count += with_default() + Named.count
        count = sum([count for count in (1, 2)]) + (lambda count: count)(3) + count + nested()()
        before_it = count
        for count in [count + 1 for count in range(count, before_it + 2)]:
            before_it += count
        return count

    return up


def two_of_a_name():
    count = 0

    def inner():
        count = 5

        def up():
            nonlocal count
            count += 1

        return up

    def outer():
        nonlocal count
        count += 1

    outer.inner = inner()
    return outer


def apart():
    count = 0

    def up():
        nonlocal count
        count += 1

    def seen():
        return count

    return up, seen


def walrus():
    count = 0

    def up():
        nonlocal count
        return (count := count + 1)

    return up


def without_value():
    def up():
        nonlocal count
        count = 1

    if not up:
        count = 0
    return up


def memoized(function):
    def wrapper(argument):
        if argument not in wrapper.results:
            wrapper.results[argument] = function(argument)
        return wrapper.results[argument]

    wrapper.results = {}
    return wrapper


@once
def of_module():
    return 1


class Holder:
    def __init__(self):
        self.up = counter()


def _name():
    return "name"


def counted(function):
    calls = 0

    @functools.wraps(function)
    def wrapper():
        nonlocal calls
        calls += 1
        return function(), calls

    return wrapper


class HolderOfDecorated:
    """What it holds bears the name of a function of the module, and is none."""

    def __init__(self):
        self.up = counted(_name)


WITHOUT_SOURCE = """
def make():
    count = 0

    def up():
        nonlocal count
        count += 1

    return up
"""
