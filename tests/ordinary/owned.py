"""Programs that share objects without `p.share`: what threads reach is memory, whoever has it.

Each name says what is right of it: `lost` fails, `kept` holds, `refused` is refused.
"""

from __future__ import annotations

import abc
import threading
import weakref
from typing import Any, ClassVar

import mcr

counts: dict[str, int] = {}
total = 0


class Registry:
    names: ClassVar[list[str]] = []
    number = 0

    @classmethod
    def add(cls, name):
        cls.names.append(name)
        cls.number += 1


class Plugin(abc.ABC):  # noqa: B024
    pass


class Box:
    weak: ClassVar[Any] = weakref.WeakKeyDictionary()

    def __init__(self):
        self.routes = {}
        self.default = []
        self.found = None

    def send(self, what):
        self.routes.get("nobody", self.default).append(what)

    def look(self):
        self.found = "routes" in dir(self)
        assert self.found and dir(self) == sorted({*vars(self), *dir(Box)})

    def note(self):
        self.weak[self] = 1


def bump():
    global total
    total += 1


def put():
    counts["a"] = counts.get("a", 0) + 1


@mcr.program
def lost_global(p):
    p.share(Box())
    p.thread(bump)
    p.thread(bump)

    @p.final
    def end():
        assert total == 2


@mcr.program
def lost_in_dict_of_module(p):
    p.share(Box())
    p.thread(put)
    p.thread(put)

    @p.final
    def end():
        assert counts["a"] == 2


@mcr.program
def lost_in_class(p):
    p.share(Box())
    p.thread(Registry.add, "a")
    p.thread(Registry.add, "b")

    @p.final
    def end():
        assert len(Registry.names) == 2
        assert Registry.number == 2


@mcr.program
def lost_in_closure(p):
    p.share(Box())
    done, items = 0, []

    def work():
        nonlocal done
        items.append(1)
        done += 1

    p.thread(work)
    p.thread(work)

    @p.final
    def end():
        assert len(items) == 2
        assert done == 2


@mcr.program
def kept_by_lock(p):
    p.share(Box())
    done, lock = 0, threading.Lock()

    def work():
        nonlocal done
        with lock:
            done += 1

    p.thread(work)
    p.thread(work)

    @p.final
    def end():
        assert done == 2


@mcr.program
def lost_default_of_get(p):
    """What `get` gives back is the object itself."""
    box = p.share(Box())
    p.thread(box.send, 1)

    @p.final
    def end():
        assert box.default == []


@mcr.program
def kept_dir(p):
    p.thread(p.share(Box()).look)


@mcr.program
def kept_weak_dictionary(p):
    p.thread(p.share(Box()).note)


@mcr.program
def refused_registration(p):
    p.share(Box())
    p.thread(Plugin.register, int)


def made():
    def inner():
        return inner

    inner.calls = 0
    return inner


class Job:
    def __init__(self):
        self.function = made()
        self.error = None
        self.owner = None

    def run(self):
        self.function.calls += 1
        assert self.function() is self.function

    def fail(self):
        try:
            try:
                raise KeyError(1)
            except KeyError as cause:
                raise OSError(2, "no", "file") from cause
        except OSError as error:
            self.error = error

    def look(self):
        error = self.error
        assert error is None or (error.filename == "file" and type(error.__cause__) is KeyError)

    def take(self):
        mine = lambda: None  # noqa: E731
        self.owner = mine
        return self.owner is mine


@mcr.program
def lost_attribute_of_closure(p):
    job = p.share(Job())
    p.thread(job.run)
    p.thread(job.run)

    @p.final
    def end():
        assert job.function.calls == 2


@mcr.program
def kept_by_exception(p):
    job = p.share(Job())
    p.thread(job.fail)
    p.thread(job.look)


@mcr.program
def lost_to_equal_lambda(p):
    job = p.share(Job())
    threads = [p.thread(job.take) for _ in range(2)]

    @p.final
    def end():
        assert threads[0].join() and threads[1].join()


@mcr.program
def kept_attribute_of_function(p):
    p.share(Box())

    def work():
        work.calls = 1

    p.thread(work)
