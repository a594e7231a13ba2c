"""Objects of C that never change, each itself and no other one; and cycles, which do."""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import re
import struct
import threading
import types

import pytest

import mcr
from replay.code.reachable import reachable
from replay.frontend.ordinary.wholes import whole_of
from tests.ordinary.test_objects import outcomes


@dataclasses.dataclass
class Config:
    n: int = 0
    items: list = dataclasses.field(default_factory=list)


class Name(str):
    __slots__ = ()


class Odd(int):
    __slots__ = ()

    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


class WithAttributes(str):
    pass


class Told(tuple):
    """It knows of the classes that are made from it."""

    __slots__ = ()

    def __init_subclass__(cls):
        pass


class Box:
    def __init__(self):
        self.kept = self.other = None
        self.names = {}
        self.config = Config()

    def search(self):
        self.kept = re.search("b(.)", "aabc")

    def last_of_many(self):
        self.kept = [*re.finditer("a", "banana")][2]

    def whole(self):
        self.kept = re.fullmatch("a|ab", "ab")

    def layout(self):
        self.kept = struct.Struct("<I")

    def hidden(self):
        self.kept = types.MappingProxyType({"x": [1]})

    def by_class(self):
        self.kept = types.MappingProxyType({bool: [1], int: [2]})

    def signature(self):
        self.kept = inspect.signature(self.search)

    def size(self):
        self.kept = len(dataclasses.asdict(self.config))

    def name(self):
        self.kept = Name("a")
        self.names[Name("a")] = 1

    def odd(self):
        self.kept = Odd(1)

    def with_attributes(self):
        self.kept = WithAttributes("a")

    def view(self):
        held = {"x": 1}
        self.kept = types.MappingProxyType(held)

    def made_here(self):
        class Here(Told):
            pass

        self.kept = Here((1,))

    def two_alike(self):
        self.kept, self.other = re.match("a", "a"), re.match("a", "a")


def what_another_thread_finds(way, look):
    """What a thread finds in what another one has stored."""

    @mcr.program
    def program(p):
        box = p.share(Box())
        storing = p.thread(getattr(box, way))

        def looks():
            storing.join()
            return look(box.kept)

        looking = p.thread(looks)
        p.final(looking.join)

    return outcomes(program)


@pytest.mark.parametrize(
    ("way", "look"),
    [
        ("search", lambda found: (found.group(1), found.span(), found.re.pattern, found.string)),
        ("last_of_many", lambda found: (found.span(), found.pos, found.endpos)),
        ("whole", lambda found: (found[0], found.lastindex)),
        ("layout", lambda found: (found.size, found.pack(1))),
        ("hidden", lambda found: (len(found), found["x"][0], "y" in found)),
        ("by_class", lambda found: (len(found), found[bool][0], found[int][0], str in found)),
        ("signature", lambda found: len(found.parameters)),
        ("size", lambda found: found),
        ("name", lambda found: (type(found) is Name, found == "a", found.upper())),
        ("with_attributes", lambda found: (type(found) is WithAttributes, found == "a")),
    ],
)
def test_what_never_changes_is_found_by_other_threads_as_it_is(way, look):
    alone = Box()
    getattr(alone, way)()
    assert what_another_thread_finds(way, look) == {repr(look(alone.kept))}


def test_what_a_hidden_dictionary_holds_is_shared():
    def append(found):
        found["x"].append(2)
        return len(found["x"])

    assert what_another_thread_finds("hidden", append) == {"2"}


def test_the_checker_does_not_count_among_those_that_have_a_dictionary():
    view = types.MappingProxyType({"x": 1})
    found = reachable([("view", view)])
    assert any(type(thing) is dict for _, thing in found.values())
    assert whole_of(view) == ("mappingproxy", (dict, ("x",), (1,)))


def test_two_matches_are_two_though_they_look_alike():
    @mcr.program
    def program(p):
        box = p.share(Box())
        storing = p.thread(box.two_alike)

        def looks():
            storing.join()
            return box.kept is box.kept, box.kept is box.other

        looking = p.thread(looks)
        p.final(looking.join)

    assert outcomes(program) == {"(True, False)"}


def test_a_key_is_the_one_that_it_is_equal_to():
    @mcr.program
    def program(p):
        box = p.share(Box())
        storing = p.thread(box.name)

        def looks():
            storing.join()
            box.names["a"] = 2
            return [(type(key) is Name, value) for key, value in box.names.items()]

        looking = p.thread(looks)
        p.final(lambda: str(looking.join()))

    assert outcomes(program) == {"'[(True, 2)]'"}


@pytest.mark.parametrize(
    ("way", "sentence"),
    [
        ("odd", "is 1 of class Odd, made from int: it can be shared if the class does not compare in a way of its own"),
        ("view", "is a mappingproxy of a dict that others have, too: make it of a copy of that"),
        ("made_here", "is an object of class Here, which every run of the program makes anew"),
    ],
)
def test_what_is_refused_says_what_to_write(way, sentence):
    @mcr.program
    def program(p):
        p.thread(getattr(p.share(Box()), way))

    with pytest.raises(mcr.ModelError) as error:
        mcr.check(program, "sc")
    assert sentence in error.value.message


class Picker:
    """Hands out servers in turn, in the way of many clients."""

    def __init__(self, servers, lock=None):
        self.servers = itertools.cycle(servers)
        self.lock = lock

    def pick(self):
        if self.lock is None:
            return next(self.servers)
        with self.lock:
            return next(self.servers)


def picked(p, picker, times):
    def picks():
        return tuple(picker.pick() for _ in range(times))

    threads = [p.thread(picks), p.thread(picks)]
    p.final(lambda: "".join(sorted("".join(threads[0].join() + threads[1].join()))))


@mcr.program
def in_turn(p, locked=False, times=1):
    picked(p, p.share(Picker("ab", threading.Lock() if locked else None)), times)


def test_a_cycle_has_no_lock():
    """Without the global lock two threads may get one item; a lock of one's own, or the global one, forbids it."""
    assert outcomes(in_turn) == {"'ab'", "'aa'"}
    assert outcomes(in_turn, python="gil") == {"'ab'"}
    assert outcomes(in_turn(locked=True, times=3)) == {"'aaabbb'"}


def test_a_cycle_of_what_may_change_is_refused():
    @mcr.program
    def program(p):
        picker = p.share(Picker(["a"]))
        p.thread(picker.pick)

    with pytest.raises(mcr.ModelError, match=r"is a cycle of what may change: write itertools.cycle\(tuple"):
        mcr.check(program, "sc")


class OfObjects:
    def __init__(self):
        self.first, self.second = Config(1), Config(2)
        self.servers = itertools.cycle((self.first, self.second))

    def pick(self):
        return next(self.servers) is self.first, next(self.servers) is self.second


def test_a_cycle_gives_the_objects_that_it_was_given():
    @mcr.program
    def program(p):
        thread = p.thread(p.share(OfObjects()).pick)
        p.final(thread.join)

    assert outcomes(program) == {"(True, True)"}
