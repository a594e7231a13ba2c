"""What a module holds is the same for all runs, or each run has its own."""

from __future__ import annotations

import pytest

import mcr
from tests.ordinary.of_modules import Desk
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
