"""Functions that start threads with a `threading.local` or an object of a class made from it: `right_` and `bug_`.

Threads of the former run one after the other, so CPython runs them in one way.
"""

import threading

import pytest


def in_threads(*functions):
    """Runs each in a thread of its own, one after the other, and raises what it raises."""
    raised = []

    def caught(function):
        try:
            function()
        except BaseException as error:
            raised.append(error)

    for function in functions:
        thread = threading.Thread(target=caught, args=(function,))
        thread.start()
        thread.join()
    if raised:
        raise raised[0]


class Counting(threading.local):
    step = 2

    def __init__(self, first=0):
        self.n = first

    def up(self):
        self.n += self.step
        return self.n


class Named:
    def __init__(self, name, *, size):
        self.name, self.size = name, size


class Mixed(Named, threading.local):
    """`__init__` comes from a class that knows nothing of threads."""


class Plain(threading.local):
    n = 5


class InSlots(threading.local):
    __slots__ = ("shared",)


class Failing(threading.local):
    def __init__(self, fails):
        if fails:
            fails.pop()
            raise ValueError("not yet")
        self.n = 1


class Falling(threading.local):
    def __init__(self):
        self.asked = []

    def __getattr__(self, name):
        self.asked.append(name)
        return name


class Watching(threading.local):
    def __setattr__(self, name, value):
        super().__setattr__(name, value + 1)

    def __getattribute__(self, name):
        return super().__getattribute__(name)

    def __delattr__(self, name):
        super().__delattr__(name.lower())


class WithProperty(threading.local):
    def __init__(self):
        self._n = 0

    @property
    def n(self):
        return self._n

    @n.setter
    def n(self, value):
        self._n = value


class Unlike(threading.local):
    def __init__(self):
        return 1


OF_MODULE = Counting(7)
OF_MODULE.name = "main"
PLAIN_OF_MODULE = threading.local()
PLAIN_OF_MODULE.names = ["main"]


def right_begins_in_each_thread():
    local = Counting()
    assert local.up() == 2

    def other():
        assert local.up() == 2 and local.up() == 4

    in_threads(other, other)
    assert local.n == 2


def right_keeps_arguments():
    given = []
    local = Counting(first=given)
    local.n.append(1)

    def other():
        assert local.n is given and given == [1]
        local.n = 2

    in_threads(other)
    assert local.n is given


def right_begins_by_another_class():
    local = Mixed("a", size=3)
    local.name = "b"

    def other():
        assert vars(local) == {"name": "a", "size": 3}

    in_threads(other)
    assert local.__dict__ == {"name": "b", "size": 3}


def right_finds_what_the_class_has():
    local = Plain()
    local.n += 1

    def other():
        local.n += 2
        assert local.n == 7
        del local.n
        assert local.n == 5

    in_threads(other)
    assert local.n == 6


def right_shares_what_is_in_slots():
    local = InSlots()
    local.shared = 1

    def other():
        assert local.shared == 1
        local.shared = 2

    in_threads(other)
    assert local.shared == 2
    del local.shared
    assert not hasattr(local, "shared")


def right_begins_again_after_a_failure():
    fails = []
    local = Failing(fails)
    fails.append(1)

    def other():
        with pytest.raises(ValueError, match="not yet"):
            local.n += 1
        assert local.n == 1

    in_threads(other)


def right_falls_back():
    local = Falling()
    assert local.one == "one"

    def other():
        assert local.two == "two" and local.asked == ["two"]

    in_threads(other)
    assert local.asked == ["one"]


def right_goes_by_methods_of_its_own():
    local = Watching()
    local.n = 1

    def other():
        assert not hasattr(local, "n")
        local.n = 5
        assert local.n == 6
        del local.N
        assert not hasattr(local, "n")

    in_threads(other)
    assert local.n == 2


def right_has_properties():
    local = WithProperty()
    local.n = 3

    def other():
        assert local.n == 0
        local.n += 1
        assert local._n == 1

    in_threads(other)
    assert local.n == 3


def right_says_what_is_not_there():
    def said(action):
        try:
            action()
        except (AttributeError, TypeError) as error:
            return str(error)

    local, plain = threading.local(), Plain()
    assert said(lambda: local.x) == "'_thread._local' object has no attribute 'x'"
    assert said(lambda: plain.x) == "'Plain' object has no attribute 'x'"
    assert said(lambda: delattr(plain, "n")) == "'Plain' object has no attribute 'n'"
    assert said(lambda: setattr(plain, "__dict__", {})) == "'Plain' object attribute '__dict__' is read-only"
    assert said(lambda: Plain(1)) == "Initialization arguments are not supported"
    assert said(lambda: threading.local(1)) == "Initialization arguments are not supported"


def right_has_a_dictionary():
    local = threading.local()
    local.x = 1
    mine = local.__dict__

    def other():
        assert vars(local) == {}
        local.__dict__.setdefault("y", [])
        local.y.append(2)
        local.__dict__.update(z=3)
        assert local.__dict__ == {"y": [2], "z": 3} and local.z == 3
        assert "y" in dir(local) and "x" not in dir(local)

    in_threads(other, other)
    mine["x"] += 1
    assert local.x == 2 and local.__dict__ is mine
    mine.clear()
    assert not hasattr(local, "x")


def right_was_there_before():
    assert OF_MODULE.name == "main" and OF_MODULE.n == 7
    assert PLAIN_OF_MODULE.names == ["main"]
    OF_MODULE.n = 1

    def other():
        assert OF_MODULE.n == 7 and not hasattr(OF_MODULE, "name")
        assert not hasattr(PLAIN_OF_MODULE, "names")
        PLAIN_OF_MODULE.names = ["other"]

    in_threads(other, other)
    assert OF_MODULE.n == 1
    OF_MODULE.n = 7
    assert PLAIN_OF_MODULE.names == ["main"]


def right_is_handed_on():
    """What a thread has made is one object for the others."""
    box = []

    def makes():
        box.append(Counting(3))
        box[0].n = 4

    def finds():
        assert isinstance(box[0], threading.local) and type(box[0]) is Counting
        assert box[0].n == 3

    in_threads(makes, finds)
    assert box[0].up() == 5


def right_it_raises():
    local = object.__getattribute__(threading, "local")()
    local.x = 1
    assert object.__getattribute__(Counting, "__init__") is Counting.__init__
    with pytest.raises(TypeError, match=r"__init__\(\) should return None, not 'int'"):
        Unlike()


class Numbered(threading.local):
    made = 0

    def __init__(self):
        self.number = Numbered.made = Numbered.made + 1


def bug_two_threads_begin_at_once():
    """An increment of one thread's `__init__` is lost."""
    local, numbers = Numbered(), []
    threads = [threading.Thread(target=lambda: numbers.append(local.number)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert numbers[0] != numbers[1]


def bug_arguments_are_shared():
    """Both threads find the list empty, and append to it."""
    local, other = Counting(first=[]), Counting(first=0)

    def adds():
        other.up()
        if not local.n:
            local.n.append(other.n)

    threads = [threading.Thread(target=adds) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert local.n == [2]
