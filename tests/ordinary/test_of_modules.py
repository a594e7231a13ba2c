"""Contents of a module are the same for all runs, or each run has its own."""

from __future__ import annotations

import gc
import importlib
import logging
import subprocess
import sys
import threading

import pytest

import mcr
from tests.ordinary.finding import finds
from tests.ordinary.of_modules import MISSING, Desk, Watched, _log_of_desks
from tests.ordinary.test_objects import outcomes


def test_a_local_of_threads_is_of_each_thread_of_each_run():
    @mcr.program
    def here(p):
        desk = p.share(Desk())
        one, two, none = p.thread(desk.mine, 1), p.thread(desk.mine, 2), p.thread(desk.nobody)
        p.final(lambda: (one.join(), two.join(), none.join()))

    assert outcomes(here) == outcomes(here, algorithm="exhaustive") == {"((1, -1), (2, -2), False)"}


def test_a_sentinel_is_one_value_and_a_logger_remembers_nothing():
    @mcr.program
    def filled(p):
        desk = p.share(Desk())
        p.thread(desk.fill, 1)
        p.thread(desk.fill, 2)
        p.final(lambda: desk.value)

    assert outcomes(filled) == outcomes(filled, algorithm="exhaustive") == {"1", "2"}


def test_a_sentinel_that_a_thread_changes_is_refused():
    @mcr.program
    def renamed(p):
        desk = p.share(Desk())
        p.thread(desk.rename)
        p.thread(desk.rename)

    with pytest.raises(mcr.ModelError, match="thread code changes the Python object"):
        mcr.check(renamed, "sc")


def test_a_lock_in_a_default_value_excludes_and_a_kept_method_is_that_of_the_shared_list():
    @mcr.program
    def ordered(p):
        desk = p.share(Desk())
        p.thread(desk.in_order)
        p.thread(desk.in_order)
        p.final(lambda: desk.lines)

    assert outcomes(ordered) == {"['begun', 'ended', 'begun', 'ended']"}


def test_an_object_has_one_number_before_it_is_shared_and_after():
    @mcr.program
    def numbered(p):
        desk, other = Desk(), Desk()
        known = {id(desk): "desk"}
        p.share(desk)
        p.share(other)
        found = p.thread(lambda: (known.get(id(desk)), id(other) == id(other), id(other) in known))
        p.thread(desk.fill, 1)
        p.final(found.join)

    assert outcomes(numbered) == {"('desk', True, False)"}


def test_what_a_module_has_by_a_name_has_one_number():
    @mcr.program
    def numbered(p):
        p.share([])
        one, two = p.thread(_numbers), p.thread(_numbers)
        p.final(lambda: (one.join() == two.join(), len(set(one.join()))))

    assert outcomes(numbered) == {"(True, 5)"}
    assert mcr.check(numbered, "sc").outcomes == mcr.check(numbered, "sc").outcomes


def _numbers():
    return id(_numbers), id(Desk), id(MISSING), id(Desk.fill), id(None)


def test_the_number_of_what_is_equal_to_others_is_refused():
    @mcr.program
    def numbered(p):
        p.share([])
        p.thread(lambda: id("".join(["a", "b"])))

    with pytest.raises(mcr.ModelError, match="uses id"):
        mcr.check(numbered, "sc")


def test_an_object_with_a_logger_and_a_lock_in_a_slot_of_an_object_of_a_module():
    @mcr.program
    def watched(p):
        it = p.share(Watched())
        p.thread(it.note, 1)
        p.thread(it.note, 2)
        p.final(lambda: (sorted(it.lines), it.is_in_one_process()))

    assert outcomes(watched) == outcomes(watched) == {"([1, 2], True)"}
    assert type(logging.root.manager.loggerDict) is dict
    assert type(_log_of_desks) is logging.Logger


_begun = threading.Event()


def test_what_was_made_before_a_model_is_no_part_of_it_even_if_the_model_makes_locks():
    @mcr.program
    def begins(p):
        lock = threading.Lock()

        def begin():
            with lock:
                _begun.set()

        p.share([])
        p.thread(begin)

    finds(begins, mcr.Verdict.VERIFIED)
    assert not _begun.is_set()
    _begun.set()
    assert _begun.wait(0)
    _begun.clear()


def test_what_tidies_up_after_an_object_that_a_program_shares_by_a_name_does_not_run_at_the_end(tmp_path):
    (tmp_path / "tidied.py").write_text(TIDIED)
    done = subprocess.run([sys.executable, "tidied.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("verified\n", "")


TIDIED = """
import queue, weakref
import mcr

def close(waiting):
    waiting.get(block=False)

class Pool:
    def __init__(self):
        self.waiting = queue.LifoQueue()
        self.waiting.put(1)
        weakref.finalize(self, close, self.waiting)

@mcr.program
def tidied(p):
    pool = p.share(Pool())
    p.thread(pool.waiting.get)

print(mcr.check(tidied, "sc").verdict)
"""


OPTIONS = {"step": 1, "names": ["a"]}
OTHERS = [OPTIONS]


class Stepping:
    def __init__(self):
        self.options = OPTIONS
        self.chosen = None
        self.count = 0

    def step(self):
        self.count += self.options["step"]

    def choose(self):
        self.chosen = OTHERS

    def is_chosen(self):
        return self.chosen is None or self.chosen[0] is self.options

    def change(self):
        self.options["step"] = 2


def test_what_a_module_holds_stays_what_it_is_also_if_it_is_stored_in_shared_objects():
    @mcr.program
    def steps(p):
        it = p.share(Stepping())
        p.thread(it.step)
        p.thread(it.step)
        p.final(lambda: it.count)

    for _ in range(2):
        assert outcomes(steps) == outcomes(steps, algorithm="exhaustive") == {"1", "2"}
        assert type(OPTIONS) is dict and type(OPTIONS["names"]) is list and OPTIONS["names"] == ["a"]


def test_two_threads_that_store_one_object_of_a_module_store_one_object():
    @mcr.program
    def chosen(p):
        it = p.share(Stepping())
        p.thread(it.choose)
        p.thread(it.choose)
        seen = p.thread(it.is_chosen)
        p.final(lambda: (seen.join(), it.chosen[0] is it.options))

    assert outcomes(chosen) == {"(True, True)"}
    assert type(OTHERS) is list


def test_it_is_refused_to_change_what_thread_code_may_look_at_where_it_is_no_memory():
    @mcr.program
    def changes(p):
        it = p.share(Stepping())
        p.thread(it.change)
        seen = p.thread(lambda: OPTIONS["step"])
        p.final(lambda: (seen.join(), OPTIONS["step"]))

    finds(changes, {"(1, 2)", "(2, 2)"})
    assert OPTIONS["step"] == 1


def test_what_modules_have_is_known_in_a_process_that_was_forked_too():
    gc.collect()
    gc.freeze()  # as where processes fork
    try:
        test_a_sentinel_is_one_value_and_a_logger_remembers_nothing()
        test_what_a_module_holds_stays_what_it_is_also_if_it_is_stored_in_shared_objects()
    finally:
        gc.unfreeze()


def test_an_object_in_the_place_of_a_module_is_refused_where_threads_import_it(monkeypatch):
    """It was taken for an object that the run made: its attributes were gone in all runs."""
    monkeypatch.setitem(sys.modules, "no_module", Desk())

    class Importing:
        def by_statement(self):
            import no_module  # type: ignore[import-not-found]

            return no_module.value

        def by_name(self):
            return importlib.import_module("no_module").value

    for name in ("by_statement", "by_name"):

        @mcr.program
        def importing(p, name=name):
            imports = p.share(Importing())
            p.thread(getattr(imports, name))
            p.thread(getattr(imports, name))

        with pytest.raises(mcr.ModelError, match=r"imports a Desk, which stands in sys\.modules"):
            mcr.check(importing, "sc")
