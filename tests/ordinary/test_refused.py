"""What ordinary classes cannot do in a model is refused: with file and line, and what to do instead."""

from __future__ import annotations

import asyncio
import gc
import inspect
import random
from collections import Counter, OrderedDict
from functools import lru_cache

import pytest

import mcr
from tests.ordinary import outside
from tests.ordinary.finding import finds
from tests.ordinary.test_objects import outcomes

MADE_ONCE: list[int] = []

REFUSED = {
    "clock_of_processor": "uses time.process_time, which a model cannot have: pass in a clock",
    "luck": "uses random.random, which a model cannot have: pass in the number",
    "secret": "uses secrets.token_hex (by way of os.urandom), which a model cannot have: pass in the number",
    "unique": "uses uuid.uuid4 (by way of os.urandom), which a model cannot have: pass in the number",
    "entropy": "uses os.urandom, which a model cannot have: pass in the number",
    "read_file": "uses a file, which a model cannot have: pass in what it holds",
    "ask": "uses what is outside (builtins.input), which a model cannot have: p.choose() explores every answer",
    "remove_file": "uses what is outside (os.remove), which a model cannot have: pass in what it holds",
    "connect": "uses what is outside (socket.getaddrinfo), which a model cannot have: pass in an object",
    "fetch": "uses what is outside (urllib.Request), which a model cannot have: pass in an object",
    "run_process": "uses what is outside (subprocess.Popen), which a model cannot have: pass in a function",
    "fork": "uses what is outside (os.fork), which a model cannot have: pass in a function of the model that",
    "shell": "uses what is outside (os.system), which a model cannot have: pass in a function of the model that",
    "process": "uses os.getppid, which a model cannot have: pass in a function of the model that",
    "processes": "uses multiprocessing.process.BaseProcess.__init__ (by way of os.getpid), which a model cannot have",
    "signals": "uses signal.signal (by way of signal.signal), which a model cannot have: pass in a function",
    "coroutines": "uses what is outside (socket.__new__), which a model cannot have: pass in an object",
    "address": "uses id, which a model cannot have: the address of a value is another one in every run",
    "all_threads": "uses threading.active_count, which a model cannot have: pass in what",
    "keep_generator": "is a generator, which cannot be shared: nobody can see what it holds",
    "keep_iterator": "is a list_iterator, which cannot be shared: nobody can see what it holds",
    "keep_bytes": "is a memoryview, which cannot be shared: nobody can see what it holds",
    "keep_array": "is a array, which cannot be shared: nobody can see what it holds",
    "keep_nan": "NaN cannot be stored: it is not equal to itself",
    "keep_weakly": "is a WeakValueDictionary, which loses what nobody else has",
    "keep_local_class": "define the class in the file, outside of functions",
    "keep_whimsical": "cannot be shared: the class has a __getattribute__ of its own",
    "key_with_code": "the __eq__ or __hash__ of a key of a shared dict or set looks at something that threads change",
    "set_by_computed_name": "it.name is set by code that was not seen to set it: assign it as `self.name = ...`",
    "set_method": "it.ask is a method of class Outside: an object cannot have another one",
    "set_behind_the_back": "it.x is set behind the back of its class (object.__setattr__?), where nobody sees it",
    "give_dictionary": "it is shared: it cannot be given another __dict__",
    "set_unnoticed": "it.x is set behind the back of its class (object.__setattr__?), where nobody sees it",
    "set_past_class": "uses object.__setattr__, which goes past the class of an object that is shared: write super()",
    "read_past_class": "uses object.__getattribute__, which goes past the class of an object that is shared",
    "delete_past_class": "uses object.__delattr__, which goes past the class of an object that is shared",
    "list_attributes": "it.__dict__ goes through all attributes: name the attributes, as in it.x",
    "copy_whole": "it is shared, and cannot be copied or pickled as a whole: copy what it holds",
    "pickle_whole": "it is shared, and cannot be copied or pickled as a whole: copy what it holds",
    "add_past_class": "uses set.symmetric_difference_update, which goes past the class of an object",
    "look_into": "it.items is shared, and a function written in C has looked into it past its methods",
    "count_for_class": "Outside.count is set by code that was not seen to set it: assign it as `Outside.count = ...`",
}


_OF_PROCESS = (
    "which a model cannot have: pass in a function of the model that stands for what the process or signal does"
)
_AS_A_WHOLE = "it is shared, and cannot be copied or pickled as a whole: copy what it holds"

ON_FRAMES = {
    "clock_of_processor": "uses what is outside (time.process_time), which a model cannot have: leave it out",
    "luck": "uses random.random, which draws numbers for all runs: pass in the number",
    "secret": "uses secrets._sysrand, which draws numbers for all runs: pass in the number",
    "unique": "uses what is outside (os.urandom), which a model cannot have: pass in the number",
    "entropy": "uses what is outside (os.urandom), which a model cannot have: pass in the number",
    "process": f"uses what is outside (os.getppid), {_OF_PROCESS}",
    "processes": "thread code uses multiprocessing, which a model cannot have: pass in a function",
    "signals": f"uses what is outside (signal.signal), {_OF_PROCESS}",
    "coroutines": "uses what is outside (asyncio.",
    "keep_generator": {"'generator'"},
    "keep_weakly": {"'WeakValueDictionary'"},
    "keep_local_class": {"'Local'"},
    "keep_whimsical": {"'Whimsical'"},
    "key_with_code": {"[(1, 1)]"},
    "set_by_computed_name": {"1"},
    "set_method": {"1"},
    "set_behind_the_back": {"1"},
    "set_unnoticed": {"1"},
    "set_past_class": {"1"},
    "read_past_class": {"None"},
    "delete_past_class": {"AttributeError"},
    "list_attributes": {"None"},
    "add_past_class": {"[1]"},
    "look_into": {"(0, [0])", "(1, [0])"},
    "count_for_class": {"(1, 1)"},
}
"""What comes of those that interpreted code may do, or the sentence where it is another one."""

LOOKS = {
    "keep_local_class": lambda it: type(it.x).__name__,
    "keep_weakly": lambda it: type(it.x).__name__,
    "keep_whimsical": lambda it: type(it.x).__name__,
    "keep_generator": lambda it: type(it.x).__name__,
    "key_with_code": lambda it: [(key.number, value) for key, value in it.table.items()],
    "set_by_computed_name": lambda it: it.name,
    "set_method": lambda it: it.ask,
    "add_past_class": lambda it: sorted(it.members),
    "look_into": lambda it: (it.x, it.items),
    "count_for_class": lambda it: (outside.Outside.count, it.count),
}
"""What the final function looks at; `x` of the others."""


@pytest.fixture(autouse=True)
def _no_event_loop():
    """The main thread has none: asyncio keeps it in a threading.local, which is shared with all that it holds."""
    asyncio.set_event_loop_policy(None)


@pytest.fixture(autouse=True, scope="module")
def _collected():
    """Event loops end before other tests run: their `__del__` may not be called while CPython builds a syntax tree."""
    yield
    gc.collect()


@pytest.mark.parametrize("method", REFUSED)
def test_it_is_refused_where_it_stands(method):
    @mcr.program
    def refused(p):
        it = p.share(outside.Outside())
        p.thread(getattr(it, method))
        p.thread(getattr(it, method))
        p.final(lambda: LOOKS.get(method, lambda it: it.x)(it))

    expected = ON_FRAMES.get(method, REFUSED[method])
    if isinstance(expected, set):
        assert _found(refused) == expected
        return
    with pytest.raises(mcr.ModelError) as raised:
        mcr.check(refused, "sc")
    assert expected in raised.value.message
    if method not in ("set_unnoticed", "key_with_code"):  # noticed afterwards, and in the code of the key
        line = inspect.getsourcelines(getattr(outside.Outside, method))[1] + 1
        assert raised.value.where == f"{outside.__file__}:{line}"


def _found(program):
    """What comes of a program: outcomes, or the names of errors."""
    result = mcr.check(program, "sc", objective="outcomes")
    if result.verdict is mcr.Verdict.VERIFIED:
        return set(result.outcomes)
    return {each.failure.error for each in result.failures}


def test_a_plain_model_hears_the_same_after_an_ordinary_class_as_before():
    @mcr.program
    def shared(p):
        p.share(outside.Outside())  # from here on, Python's functions do something else in threads
        p.thread(p.fence)

    @mcr.program
    def plain(p):
        x = p.var("x", 0)
        p.thread(lambda: x.store(random.random()))

    mcr.check(shared, "sc")
    with pytest.raises(mcr.ModelError, match=r"random.random of Python's random.* p\.choose\(\) explores"):
        mcr.check(plain, "sc")


def test_a_lock_that_a_module_has_somewhere():
    @mcr.program
    def refused(p):
        it = p.share(outside.OfModule())
        p.thread(it.lock_of_module)
        p.thread(it.lock_of_module)

    finds(refused, mcr.Verdict.BUG)


def test_it_is_the_call_of_the_program_that_is_refused():
    """And no clock that the library looks at, once it has what it makes at the first call."""
    asyncio.new_event_loop().close()
    test_it_is_refused_where_it_stands("coroutines")


def test_what_cannot_be_shared_at_all():
    @mcr.program
    def number(p):
        p.thread(print)
        it = p.share(3)  # noqa: F841

    @mcr.program
    def twice(p):
        it = p.share([])
        p.thread(print)
        other = p.share(it)  # noqa: F841

    @mcr.program
    def in_a_thread(p):
        def thread():
            it = p.share([])  # noqa: F841

        p.thread(thread)
        first = p.share([])  # noqa: F841

    for program, sentence in (
        (number, "share() takes an object of a class, a list, a dict, a set or a deque, not 3"),
        (twice, "it is shared already"),
        (in_a_thread, "share() declares; in a thread, what is stored into shared objects becomes shared with them"),
    ):
        with pytest.raises(mcr.ModelError, match=sentence.replace("(", r"\(").replace(")", r"\)")):
            mcr.check(program, "sc")


def test_what_the_program_function_changes_after_sharing_it():
    @mcr.program
    def changed_after(p):
        it = p.share([1])
        it.append(2)
        p.thread(it.append, 3)
        p.final(lambda: it)

    finds(changed_after, {"[1, 2, 3]"})


def test_a_list_of_the_module_is_shared_under_another_name():
    @mcr.program
    def of_the_module(p):
        it = p.share(MADE_ONCE)
        p.thread(it.append, 1)
        p.thread(it.append, 2)
        p.final(lambda: (it is MADE_ONCE, MADE_ONCE))

    finds(of_the_module, {"(True, [1, 2])", "(True, [2, 1])"})
    assert MADE_ONCE == []


class Wrong(Exception):
    def __init__(self, what):
        super().__init__(what)
        self.what = what


class Failing:
    def __init__(self):
        self.error = Wrong([1])

    def again(self):
        self.error.__init__([2])

    def later(self):
        self.error.when = 1

    def noted(self):
        error = self.error = Wrong([3])
        error.args = ([4],)

    def raised(self):
        try:
            raise self.error
        except Wrong as error:
            error.what.append(2)
            return list(error.what)


_IS_A_VALUE = "is shared, and thread code changes it: an exception is a value of memory"


@pytest.mark.parametrize(
    ("way", "sentence"),
    [
        ("again", "Failing.error is shared, and __init__ changes it, or looks into it: make another exception"),
        ("noted", "is shared, and its args cannot be changed: make another exception"),
    ],
)
def test_what_python_keeps_of_a_shared_exception_stays(way, sentence):
    @mcr.program
    def changed(p):
        p.thread(getattr(p.share(Failing()), way))

    with pytest.raises(mcr.ModelError, match=sentence):
        mcr.check(changed, "sc")


def test_a_shared_exception_is_given_an_attribute():
    @mcr.program
    def changed(p):
        failing = p.share(Failing())
        p.thread(failing.later)
        found = p.thread(lambda: getattr(failing.error, "when", 0))
        p.final(lambda: found.join())

    finds(changed, {"0", "1"})


def test_what_an_exception_has_may_change():
    @mcr.program
    def changed(p):
        failing = p.share(Failing())
        threads = [p.thread(failing.raised) for _ in range(2)]
        p.final(lambda: {len(thread.join()) for thread in threads})

    assert outcomes(changed) == {"{2, 3}", "{3}"}


class Numbered:
    def __init__(self, number):
        self.number = number

    def __hash__(self):
        return hash(self.number)

    def __eq__(self, other):
        return self.number == other.number


def _ordered(key):
    own = OrderedDict()
    own[key] = 1
    return own


NATIVE_LOOKS = {
    "OrderedDict.copy": lambda key: _ordered(key).copy(),
    "OrderedDict.fromkeys": lambda key: OrderedDict.fromkeys([key]),
    "OrderedDict |": lambda key: _ordered(key) | _ordered(key),
    "keys &": lambda key: _ordered(key).keys() & {key},
    "frozenset": lambda key: frozenset([key]),
    "symmetric_difference": lambda key: {5}.symmetric_difference([key]),
    "Counter": lambda key: Counter([key]),
    "lru_cache": lambda key: lru_cache(str)(key),
    "dict ==": lambda key: {key: 1} == {Numbered(1): 1},
    "set &": lambda key: {key} & {Numbered(1)},
}


@pytest.mark.parametrize("way", NATIVE_LOOKS)
def test_a_shared_key_that_native_code_asks_for_its_hash_is_refused(way):
    key = Numbered(1)

    @mcr.program
    def looks(p):
        shared = p.share(key, "key")
        p.thread(lambda: NATIVE_LOOKS[way](shared) and None)

    with pytest.raises(mcr.ModelError, match=r"calls Numbered.__(hash|eq)__ \(line \d+\)"):
        mcr.check(looks)
