"""Things of the host are known for what they are, whatever the collector was told, and none of them is changed."""

from __future__ import annotations

import gc
from collections import Counter, OrderedDict
from copy import copy
from datetime import timedelta, tzinfo
from threading import Thread
from types import SimpleNamespace

import mcr
from tests.ordinary.test_objects import outcomes


def seen(value, known=[]):  # noqa: B006 - threads share it
    known.append(value)
    return len(known)


def test_functions_are_of_the_host_which_were_frozen_before_a_fork():
    @mcr.program
    def counting(p):
        held = p.share([0])
        threads = [p.thread(lambda: (held.append(1), seen(1))[1]) for _ in range(2)]
        p.final(lambda: sorted(each.join() for each in threads))

    gc.freeze()
    try:
        assert outcomes(counting) == {"[1, 2]", "[2, 2]"}
    finally:
        gc.unfreeze()
    assert seen.__defaults__ == ([],)


class Held:
    def __init__(self):
        self.counts = Counter("aab")
        self.order = OrderedDict(a=1)


class Reduced:
    def __init__(self):
        self.value = [1]

    def __reduce__(self):
        return Reduced, ()


def test_what_a_container_holds_is_no_attribute_and_can_be_copied():
    @mcr.program
    def looking(p):
        held, reduced = p.share(Held()), p.share(Reduced())

        def look():
            attributes = vars(held.counts)
            copies = copy(held.counts), copy(held.order), copy(reduced).value
            return repr((type(attributes) is dict, dict(attributes), *copies))

        thread = p.thread(look)
        p.final(lambda: thread.join())

    expected = True, {}, Counter("aab"), OrderedDict(a=1), [1]
    assert outcomes(looking) == {repr(repr(expected))}


class Zone(tzinfo):
    """There is one, which its class has, as with the zone UTC of dateutil."""

    def utcoffset(self, _):
        return timedelta(0)


Zone.only = Zone()


def test_a_class_is_stored_that_has_a_time_zone():
    def stores():
        box = SimpleNamespace()
        other = Thread(target=lambda: setattr(box, "zone", Zone))
        other.start()
        other.join()
        assert box.zone.only.utcoffset(None) == timedelta(0)

    def changes():
        box = SimpleNamespace(zone=Zone)
        other = Thread(target=lambda: setattr(box.zone.only, "used", True))
        other.start()
        assert not hasattr(Zone.only, "used")
        other.join()

    assert mcr.check(stores).verdict.value == "verified"
    assert mcr.check(changes).verdict.value == "bug"
    assert not hasattr(Zone.only, "used")
