"""State of shared objects that Python keeps outside of attributes: no code changes it, or looks past memory, unseen."""

from __future__ import annotations

import collections
import copy
import functools
import itertools
import operator
import os
import types

import pytest

import mcr
from tests.ordinary.test_objects import outcomes


class Wrong(Exception):
    def __new__(cls, what):
        made = super().__new__(cls, what)
        made.made = True
        return made


class Other:
    pass


class Slotted:
    __slots__ = ("__dict__", "n")

    def __init__(self):
        self.n = 0
        self.other = 1


class Hidden(Slotted):
    __slots__ = ("n",)


class Kept:
    def __init__(self):
        self.error = Wrong(1)
        self.failed = OSError(1, "a")
        self.function = _adding(1)
        self.slotted = Slotted()
        self.hidden = Hidden()
        self.kept = None

    @property
    def read_only(self):
        return 1


def _adding(number):
    def add(other=1):
        return number + other

    return add


def of_module():
    return 1


def given_dictionary(it):
    it.__dict__ = {}


def without_dictionary(it):
    del it.__dict__


def of_other_class(it):
    it.__class__ = Other


def set_class_past_its_own(it):
    object.__setattr__(it, "__class__", Other)


def dictionary_by_its_descriptor(it):
    vars(Slotted)["__dict__"].__set__(it.slotted, {})


def arguments(it):
    it.error.args = (2,)


def cause(it):
    it.error.__cause__ = KeyError(1)


def number_of_error(it):
    it.failed.errno = 2


def note(it):
    it.error.add_note("a")


def raised_from(it):
    raise it.error from KeyError


def asked_for_context(it):
    return it.error.__context__


def asked_for_traceback(it):
    return it.error.__traceback__


def defaults(it):
    it.function.__defaults__ = (2,)


def code(it):
    it.function.__code__ = of_module.__code__


def defaults_of_module(it):
    of_module.__defaults__ = (1,)


def name_of_class(it):
    Kept.__name__ = "Other"


def bases(it):
    Kept.__bases__ = (Other,)


def hidden_slot(it):
    Slotted.n.__set__(it.hidden, 1)


def number_of_value(it):
    return id("".join(["a", "b"]))


async def steps():
    yield 1


def asynchronous_generator(it):
    it.kept = steps()


def iterator_of_ours(it):
    it.kept = itertools.permutations([1, 2])


REFUSED = {
    given_dictionary: "it is shared: it cannot be given another __dict__; set its attributes one by one",
    without_dictionary: "it is shared: it cannot be given another __dict__; set its attributes one by one",
    of_other_class: "it is shared: it cannot become an object of another class; make a new one",
    set_class_past_its_own: "it is shared: it cannot become an object of another class; make a new one",
    dictionary_by_its_descriptor: "it.slotted is shared: it cannot be given another __dict__",
    arguments: "it.error is shared, and its args cannot be changed: make another exception",
    cause: "it.error is shared, and its __cause__ cannot be changed: make another exception",
    number_of_error: "it.failed is shared, and its errno cannot be changed: make another exception",
    note: "it.error is shared, and add_note changes it, or looks into it: make another exception",
    raised_from: "it.error is shared, and raised `from` another exception, which changes it: make another one",
    asked_for_context: "it.error is shared, and thread code asks for its __context__, which changes where any thread",
    asked_for_traceback: "it.error is shared, and thread code asks for its __traceback__, which changes where any",
    defaults: "it.function.__defaults__ is set, which function keeps where mcr cannot see it: make another one",
    code: "it.function.__code__ is set, which function keeps where mcr cannot see it: make another one",
    defaults_of_module: "of_module.__defaults__ is set, which function keeps where mcr cannot see it",
    name_of_class: "Kept.__name__ is set, which type keeps where mcr cannot see it: make another one",
    bases: "Kept.__bases__ is set, which type keeps where mcr cannot see it: make another one",
    hidden_slot: "'n' of it.hidden, which is shared, is looked for past its class, which has another one",
    number_of_value: "thread code uses id, which a model cannot have: the address of a value is another one in every",
    asynchronous_generator: "kept is a async_generator, which cannot be shared: nobody can see what it holds",
    iterator_of_ours: "kept is a permutations, which cannot be shared: nobody can see what it holds",
}


@pytest.mark.parametrize("change", REFUSED, ids=lambda change: change.__name__)
def test_it_is_refused(change):
    @mcr.program
    def refused(p):
        it = p.share(Kept())
        p.thread(change, it)
        p.thread(lambda: it.kept)

    with pytest.raises(mcr.ModelError) as raised:
        mcr.check(refused, "sc")
    assert REFUSED[change] in raised.value.message
    assert raised.value.where == f"{__file__}:{change.__code__.co_firstlineno + 1}"


def test_a_property_without_a_setter_stays_what_it_is():
    @mcr.program
    def sets(p):
        it = p.share(Kept())

        def change(act):
            try:
                act()
            except AttributeError as error:
                return str(error)

        threads = [
            p.thread(change, lambda: setattr(it, "read_only", 2)),
            p.thread(change, lambda: delattr(it, "read_only")),
        ]
        p.final(lambda: (it.read_only, *(thread.join() for thread in threads)))

    expected = []
    for act in (lambda: setattr(Kept(), "read_only", 2), lambda: delattr(Kept(), "read_only")):
        with pytest.raises(AttributeError) as raised:
            act()
        expected.append(str(raised.value))
    assert outcomes(sets) == {str((1, *expected))}


def test_slots_and_dictionaries_by_their_descriptors_are_attributes():
    @mcr.program
    def counts(p):
        it = p.share(Slotted())

        def count():
            Slotted.n.__set__(it, Slotted.n.__get__(it) + 1)
            vars(Slotted)["__dict__"].__get__(it)["other"] += 1

        p.thread(count)
        p.thread(count)
        p.final(lambda: (it.n, it.other))

    assert outcomes(counts) == {"(1, 2)", "(1, 3)", "(2, 2)", "(2, 3)"}


def test_what_a_variable_holds_that_a_function_closes_over():
    @mcr.program
    def asks(p):
        total = 0
        it = p.share(Kept())

        def add():
            nonlocal total
            total += 1

        p.thread(add)
        found = p.thread(lambda: add.__closure__[0].cell_contents)
        other = p.thread(lambda: it.function.__closure__[0].cell_contents)
        p.final(lambda: (found.join(), other.join()))

    assert outcomes(asks) == {"(0, 1)", "(1, 1)"}


def test_functions_of_frozen_modules_find_their_variables():
    @mcr.program
    def encodes(p):
        it = p.share(Kept())

        def encode():
            it.kept = os.environ.encodekey("a")

        p.thread(encode)
        p.final(lambda: it.kept)

    assert outcomes(encodes) == {"b'a'"}


def test_groups_of_exceptions_and_exceptions_with_a_constructor():
    @mcr.program
    def keeps(p):
        it = p.share(Kept())

        def keep():
            it.kept = ExceptionGroup("a", [Wrong(1), KeyError(2)])

        def look():
            group = it.kept
            if group is not None:
                wrong = group.exceptions[0]
                return (
                    group.message,
                    wrong.args,
                    wrong.made,
                    len(group.exceptions),
                    group.args[1] == [*group.exceptions],
                )

        p.thread(keep)
        found = p.thread(look)
        p.final(lambda: found.join())

    assert outcomes(keeps) == {"None", "('a', (1,), True, 2, True)"}


def merged(it):
    it.__dict__ |= {"kept": 7}


VIEWS = {
    merged: {"(None, 5)", "(None, 7)"},
    lambda it: copy.copy(vars(it.slotted)): {"({'other': 1}, 5)"},
    lambda it: {"a": 2} | vars(it.slotted) | {"b": 3}: {"({'a': 2, 'other': 1, 'b': 3}, 5)"},
    lambda it: (vars(it.slotted) | {"b": 3})["b"]: {"(3, 5)"},
    lambda it: dict.get(vars(it), "kept"): {"(None, 5)", "(5, 5)"},
    lambda it: dict.__setitem__(vars(it), "kept", 3): {"(None, 3)", "(None, 5)"},
}


@pytest.mark.parametrize("use", VIEWS)
def test_what_vars_gives_does_what_a_dictionary_does(use):
    @mcr.program
    def uses(p):
        it = p.share(Kept())
        p.thread(lambda: setattr(it, "kept", 5))
        found = p.thread(use, it)
        p.final(lambda: (found.join(), it.kept))

    assert outcomes(uses) == VIEWS[use]


class Without:
    """Shared objects that have no `__dict__`, and one that has."""

    def __init__(self):
        self.held = [1], {1}, collections.deque(), Slots(), Variable()

    def ask(self):
        return [(self.set(each), hasattr(each, "__dict__"), self.variables(each)) for each in self.held]

    def set(self, thing):
        try:
            thing.other = 1
        except AttributeError as error:
            return str(error)

    def variables(self, thing):
        try:
            return vars(thing).setdefault("size", 1)
        except TypeError as error:
            return str(error)


class Slots:
    __slots__ = ("size",)


class Variable:
    name = ""

    def size(self):
        return len(self.name)

    def __repr__(self):
        return f"<{self.name}>"


def test_what_has_no_variables_of_its_own_has_none_when_it_is_shared():
    @mcr.program
    def asks(p):
        without = p.share(Without())
        ask = p.thread(without.ask)
        p.final(lambda: ask.join())

    found = mcr.check(asks, "sc", objective="outcomes")
    assert set(found.outcomes) == {repr(Without().ask())}


class Holding:
    """Objects of C that show a shared one, which they hold."""

    def __init__(self):
        self.part = Variable()
        self.held = [functools.partial(len, self.part, k=self.part), functools.partial(self.part.size)]

    def ask(self):
        self.part.name = "part"
        made = [types.MappingProxyType({1: self.part}), operator.itemgetter(self.part), staticmethod(self.part)]
        made += [self.part.size, operator.methodcaller("of", self.part), slice(self.part)]
        return [str(each) for each in (*self.held, *made)]


def test_what_shows_its_parts_shows_shared_ones_as_they_are():
    @mcr.program
    def asks(p):
        holding = p.share(Holding())
        ask = p.thread(holding.ask)
        p.final(lambda: ask.join())

    assert set(mcr.check(asks, "sc", objective="outcomes").outcomes) == {repr(Holding().ask())}


class Key:
    def __init__(self, number):
        self.number = number

    def __hash__(self):
        return self.number

    def __eq__(self, other):
        return self.number == other.number


class Ordered:
    def __init__(self):
        self.held = collections.OrderedDict([(Key(1), 1), (Key(2), 2)])

    def ask(self):
        copied = self.held.copy()
        return type(copied).__name__, len(copied)


def test_an_ordered_dict_is_copied_whose_keys_are_shared():
    @mcr.program
    def asks(p):
        ordered = p.share(Ordered())
        ask = p.thread(ordered.ask)
        p.final(lambda: ask.join())

    assert set(mcr.check(asks, "sc", objective="outcomes").outcomes) == {repr(Ordered().ask())}
