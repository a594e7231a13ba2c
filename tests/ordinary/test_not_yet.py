"""To read what another thread has not assigned yet is a bug of some schedules, and no mistake in all of them."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

import pytest

import mcr


class Shared:
    empty = None
    text = "a"

    def lacks(self):
        return self.late

    def gives(self):
        self.late = 1

    def adds(self):
        return self.empty + 1

    def fills(self):
        self.empty = 1

    def joins(self):
        return self.text + 1

    def counts(self):
        self.text = 1

    def calls(self):
        return self.called()

    def called(self, *, needed):
        return needed

    def replaces(self):
        self.called = int


def reads():
    return not_yet


def writes():
    global not_yet
    not_yet = 1


METHODS = {
    ("lacks", "gives"): ("AttributeError", "'Shared' object has no attribute 'late'"),
    ("adds", "fills"): ("TypeError", "unsupported operand type(s) for +: 'NoneType' and 'int'"),
    ("joins", "counts"): ("TypeError", 'can only concatenate str (not "int") to str'),
    ("calls", "replaces"): (
        "TypeError",
        "Shared.called() missing 1 required keyword-only argument: 'needed'",
    ),
}


def together(first: Callable[[], object], second: Callable[[], object]) -> mcr.Program:
    @mcr.program
    def both(p):
        p.share([])  # so that it is a program of ordinary objects
        p.thread(first)
        p.thread(second)

    return both


@pytest.mark.parametrize("names", METHODS, ids="-".join)
def test_attributes(names):
    shared = Shared()
    program = together(*(getattr(shared, name) for name in names))
    (found,) = mcr.check(program, "sc").failures
    assert (found.failure.error, found.failure.message) == METHODS[names]
    assert mcr.replay(program, found).failure == found.failure


def test_global_variables():
    (found,) = mcr.check(together(reads, writes), "sc").failures
    assert (found.failure.error, found.failure.message) == ("NameError", "name 'not_yet' is not defined")


def test_variables_of_closures():
    def started_too_early():
        def work():
            return result

        thread = Thread(target=work)
        thread.start()
        result = 5
        thread.join()

    (found,) = mcr.check(started_too_early).failures
    assert (found.failure.error, found.failure.message) == (
        "NameError",
        "cannot access free variable 'result' where it is not associated with a value in enclosing scope",
    )


def test_variables_that_functions_inside_use():
    def deleted_too_early():
        def work():
            nonlocal result
            del result

        result = 5
        thread = Thread(target=work)
        thread.start()
        return result

    (found,) = mcr.check(deleted_too_early).failures
    assert (found.failure.error, found.failure.message) == (
        "UnboundLocalError",
        "cannot access local variable 'result' where it is not associated with a value",
    )
