"""Variables that functions share are memory, where a function is shared."""

from __future__ import annotations

import pytest

import mcr
from tests.ordinary import closures
from tests.ordinary.closures import WITHOUT_SOURCE, counter, locked_counter, memoized, once, shadowed
from tests.ordinary.finding import finds
from tests.ordinary.test_objects import outcomes


@mcr.program
def counted(p):
    up = p.share(counter(10))
    p.thread(up)
    p.thread(up)
    p.final(lambda: up.seen())


@mcr.program
def counted_as_model(p):
    count, history = p.var(0), p.var(())

    def up():
        count.store(count.load() + 10)
        now = count.load()
        history.update(lambda before: (*before, now))
        count.load()

    p.thread(up)
    p.thread(up)
    p.final(lambda: (count.load(), history.load()))


@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
def test_a_variable_is_a_cell(model):
    assert outcomes(counted, model) == outcomes(counted_as_model, model)
    assert "(20, (10, 20))" in outcomes(counted, model) and "(10, (10, 10))" in outcomes(counted, model)


@pytest.mark.parametrize("algorithm", ["cover", "trust", "trust-rf", "mcr", "rf-smc", "exhaustive"])
def test_all_algorithms_find_that_it_is_called_twice(algorithm):
    @mcr.program
    def twice(p):
        calls = p.share([])
        first = p.share(once(lambda: calls.append(1) or len(calls)))
        p.thread(first)
        p.thread(first)

        @p.final
        def one_call():
            assert len(calls) == 1

    result = mcr.check(twice, "tso", algorithm=algorithm)
    assert result.verdict is mcr.Verdict.BUG
    assert "first.was_called" in {event.location for event in result.failures[0].events}


def test_behind_a_lock_nothing_is_lost():
    @mcr.program
    def kept(p):
        up = p.share(locked_counter())
        for call in (up, up, up.down):
            p.thread(call)
        p.final(lambda: up.count())

    assert outcomes(kept) == {"1"}


def test_names_of_inner_functions_are_their_own():
    plain = shadowed()
    expected = [plain(), plain()]

    @mcr.program
    def alone(p):
        up = p.share(shadowed())
        thread = p.thread(lambda: (up(), up()))
        p.final(lambda: thread.join())

    assert outcomes(alone) == {repr(tuple(expected))}


def with_an_assertion():
    count = 0

    def up():
        nonlocal count
        assert count >= 0, "pytest has made another function of this one"
        count += 1
        return count

    return up


def test_functions_that_pytest_has_changed():
    @mcr.program
    def counted(p):
        up = p.share(with_an_assertion())
        threads = [p.thread(up) for _ in range(2)]
        p.final(lambda: tuple(sorted([thread.join() for thread in threads])))

    assert outcomes(counted) == {"(1, 1)", "(1, 2)", "(2, 2)"}


def test_attributes_of_functions():
    @mcr.program
    def squares(p):
        calls = p.share([])
        square = p.share(memoized(lambda number: calls.append(number) or number * number))
        threads = [p.thread(square, 3) for _ in range(2)]
        p.final(lambda: (*[thread.join() for thread in threads], len(calls), *square.results.items()))

    assert outcomes(squares) == {"(9, 9, 1, (3, 9))", "(9, 9, 2, (3, 9))"}


def test_classes_of_python_cannot_be_shared():
    @mcr.program
    def refused(p):
        p.share(dict)
        p.thread(dict)

    finds(refused, mcr.Verdict.VERIFIED)


REFUSED = {
    "two_of_a_name": "functions that outer leads to have two variables count: give one another name",
    "walrus": "up binds count otherwise than by an assignment, which cannot be shared: assign it",
    "without_value": "up is shared before its variable count has a value",
}


FOUND = {
    "two_of_a_name": {"(None, None)"},
    "walrus": {"(1, 1)", "(1, 2)", "(2, 1)"},
    "without_value": {"(None, None)"},
}


@pytest.mark.parametrize("make", REFUSED)
def test_what_cannot_be_shared_is_refused(make):
    @mcr.program
    def refused(p):
        it = p.share(getattr(closures, make)())
        one, other = p.thread(it), p.thread(it)
        p.final(lambda: (one.join(), other.join()))

    finds(refused, FOUND[make])


def test_functions_that_are_not_shared_do_not_use_the_variables():
    @mcr.program
    def apart(p):
        up, seen = closures.apart()
        p.share(up, "up")
        p.thread(up)
        p.thread(up)
        p.final(lambda: seen())

    @mcr.program
    def of_module(p):
        p.share(closures.of_module, "it")
        one, other = p.thread(closures.of_module), p.thread(closures.of_module)
        p.final(lambda: (one.join(), other.join()))

    @mcr.program
    def still_running(p):
        count = 0

        def up():
            nonlocal count
            count += 1

        p.share(up, "up")
        p.thread(up)
        p.thread(up)
        p.final(lambda: count)

    @mcr.program
    def without_source(p):
        names = {}
        exec(WITHOUT_SOURCE, names)
        up = p.share(names["make"]())
        p.thread(up)
        p.final(lambda: None)

    @mcr.program
    def in_an_object(p):
        it = p.share(closures.Holder())
        one, other = p.thread(lambda: it.up()), p.thread(lambda: it.up())
        p.final(lambda: (one.join(), other.join()))

    @mcr.program
    def decorated_in_an_object(p):
        it = p.share(closures.HolderOfDecorated())
        one, other = p.thread(lambda: it.up()), p.thread(lambda: it.up())
        p.final(lambda: (one.join()[1], other.join()[1]))

    of_two = {"(1, 1)", "(1, 2)", "(2, 1)", "(2, 2)"}
    for program, _, found in (
        (
            apart,
            "up shares its variable count with seen, which is not shared: make count an attribute of an object",
            {"1", "2"},
        ),
        (
            of_module,
            "wrapper was made when its module was loaded, and there is one for all runs: make it in the program",
            {"(1, 1)"},
        ),
        (
            still_running,
            "count is a variable of still_running, which still runs: make up in a function of its own",
            {"1", "2"},
        ),
        (without_source, "up shares count with other functions, and its source is not there", {"None"}),
        (in_an_object, "it.up is the function up, which assigns variables of the function around it (count)", of_two),
        (
            decorated_in_an_object,
            "it.up is the function _name, which assigns variables of the function around it (calls)",
            of_two,
        ),
    ):
        finds(program, found)
