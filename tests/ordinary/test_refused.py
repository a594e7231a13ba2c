"""What ordinary classes cannot do in a model is refused: with file and line, and what to do instead."""

from __future__ import annotations

import inspect
import random

import pytest

import mcr
from replay.code.switch import INTERPRETS_ORDINARY
from tests.ordinary import outside
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
    "address": "uses id, which a model cannot have: the address of what is not shared is another one",
    "all_threads": "uses threading.active_count, which a model cannot have: pass in what",
    "keep_generator": "is a generator, which cannot be shared: nobody can see what it holds",
    "keep_iterator": "is a list_iterator, which cannot be shared: nobody can see what it holds",
    "keep_bytes": "is a bytearray, which cannot be shared: nobody can see what it holds",
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


SEEN = {
    "set_past_class": "verified",
    "read_past_class": "verified",
    "delete_past_class": "bug",
    "add_past_class": "verified",
    "look_into": "verified",
}
"""What goes past the class of an object, by what comes of it: interpreted code cannot go past what is shared."""


@pytest.mark.parametrize("method", REFUSED)
def test_it_is_refused_where_it_stands(method):
    @mcr.program
    def refused(p):
        it = p.share(outside.Outside())
        p.thread(getattr(it, method))
        p.thread(getattr(it, method))

    if INTERPRETS_ORDINARY[0] and method in SEEN:
        assert mcr.check(refused, "sc").verdict.value == SEEN[method]
        return
    with pytest.raises(mcr.ModelError) as raised:
        mcr.check(refused, "sc")
    assert REFUSED[method] in raised.value.message
    if method not in ("set_unnoticed", "key_with_code"):  # noticed afterwards, and in the code of the key
        line = inspect.getsourcelines(getattr(outside.Outside, method))[1] + 1
        assert raised.value.where == f"{outside.__file__}:{line}"


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

    with pytest.raises(mcr.ModelError, match="a lock that was made before the program ran: make it in __init__"):
        mcr.check(refused, "sc")


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

    @mcr.program
    def changed_after(p):
        it = p.share([1])
        it.append(2)
        p.thread(print)

    @mcr.program
    def of_the_module(p):
        it = p.share(MADE_ONCE)
        p.thread(it.append, 1)

    for program, sentence in (
        (of_the_module, "was made before the program function was called"),
        (number, "share() takes an object of a class, a list, a dict, a set or a deque, not 3"),
        (twice, "it is shared already"),
        (in_a_thread, "share() declares; in a thread, what is stored into shared objects becomes shared with them"),
        (changed_after, "only threads may change it now"),
    ):
        with pytest.raises(mcr.ModelError, match=sentence.replace("(", r"\(").replace(")", r"\)")):
            mcr.check(program, "sc")


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


@pytest.mark.parametrize("way", ["again", "later", "noted"])
def test_an_exception_that_is_shared_is_a_value(way):
    @mcr.program
    def changed(p):
        p.thread(getattr(p.share(Failing()), way))

    with pytest.raises(
        mcr.ModelError, match="is shared, and thread code changes it: an exception is a value of memory"
    ):
        mcr.check(changed, "sc")


def test_what_an_exception_has_may_change():
    @mcr.program
    def changed(p):
        failing = p.share(Failing())
        threads = [p.thread(failing.raised) for _ in range(2)]
        p.final(lambda: {len(thread.join()) for thread in threads})

    assert outcomes(changed) == {"{2, 3}", "{3}"}
