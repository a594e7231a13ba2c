"""Contents of a module are memory where a program shares the module, and are what they were where no model runs."""

from __future__ import annotations

import sys

import pytest

import mcr
from tests.ordinary import of_registry, registry
from tests.ordinary.finding import finds
from tests.ordinary.test_objects import outcomes

mine = {"begun": 0}


@mcr.program
def registers(p):
    p.share(registry)
    p.thread(registry.register, "a", len)
    p.thread(registry.register, "a", max)
    p.final(lambda: registry.order)


def test_check_then_act_on_a_registry_is_found_and_a_lock_mends_it():
    @mcr.program
    def locked(p):
        p.share(registry)
        p.thread(registry.register_locked, "a", len)
        p.thread(registry.register_locked, "a", max)
        p.final(lambda: registry.order)

    for algorithm in ("auto", "exhaustive", "cover"):
        assert outcomes(registers, algorithm=algorithm) == {"['a']", "['a', 'a']"}
        assert outcomes(locked, algorithm=algorithm) == {"['a']"}
    assert registry.order == [] and registry.handlers == {}


def test_what_the_program_function_does_first_is_there_and_does_not_last():
    @mcr.program
    def prepared(p):
        p.share(registry)
        registry.register("first", len)
        p.thread(registry.register, "second", len)
        p.final(lambda: registry.order)

    assert outcomes(prepared) == outcomes(prepared) == {"['first', 'second']"}
    assert registry.order == []


@pytest.mark.parametrize("model", ["sc", "tso"])
def test_a_global_variable_is_a_cell(model):
    @mcr.program
    def counted(p):
        p.share(registry)
        one, two = p.thread(registry.count), p.thread(registry.count)
        p.final(lambda: (registry.calls, one.join(), two.join()))

    assert outcomes(counted, model) >= {"(2, 1, 2)", "(2, 2, 1)", "(1, 1, 1)"}
    assert registry.calls == 0


def test_functions_inside_functions_and_variables_of_the_same_name():
    @mcr.program
    def counted(p):
        p.share(registry)
        one = p.thread(registry.count_in_loop, 2)
        p.final(lambda: (registry.calls, one.join()))

    assert outcomes(counted) == {"(2, ([1, 2], 2))"}


def test_a_singleton_that_is_made_at_its_first_use():
    def program(current):
        @mcr.program
        def first_use(p):
            p.share(registry)
            one, two = p.thread(current), p.thread(current)
            p.final(lambda: one.join() is two.join())

        return first_use

    assert outcomes(program(registry.current)) == {"True", "False"}
    assert outcomes(program(registry.current_locked)) == {"True"}


def test_objects_of_a_module_with_their_locks():
    @mcr.program
    def one_each(p):
        p.share(registry)
        one, two = p.thread(registry.get, "x"), p.thread(registry.get, "x")
        p.final(lambda: one.join() is two.join())

    assert outcomes(one_each) == {"True"}


def test_counters_queues_and_tables_of_lists():
    @mcr.program
    def numbered(p):
        p.share(registry)
        one, two = p.thread(registry.next_number), p.thread(registry.next_number)
        p.final(lambda: sorted([one.join(), two.join()]))

    @mcr.program
    def handed_on(p):
        p.share(registry)
        p.thread(registry.put, 3)
        taken = p.thread(registry.take)
        p.final(lambda: taken.join())

    @mcr.program
    def noted(p):
        p.share(registry)
        for value in (1, 2):
            p.thread(registry.note, "key", value)
        p.final(lambda: registry._seen)

    assert outcomes(numbered) == {"[1, 2]"}
    assert outcomes(handed_on) == {"3"}
    assert len(outcomes(noted)) == 2


def test_what_nobody_changes_is_no_memory():
    @mcr.program
    def looks(p):
        p.share(registry)
        one = p.thread(registry.seconds, "minute")
        p.final(lambda: one.join())

    assert outcomes(looks) == {"60"}
    assert mcr.check(looks, "sc").statistics.local_states <= 4


def test_other_modules_have_the_same_objects_by_names_of_their_own():
    @mcr.program
    def of_two_modules(p):
        p.share(registry)
        p.thread(of_registry.add, "a")
        seen = p.thread(of_registry.names)
        p.final(lambda: (seen.join(), of_registry.names()))

    assert outcomes(of_two_modules) == {"([], ['a'])", "(['a'], ['a'])"}


def test_a_program_shares_its_own_module():
    @mcr.program
    def own(p):
        p.share(sys.modules[__name__])
        for _ in range(2):
            p.thread(begin)
        p.final(lambda: mine["begun"])

    assert outcomes(own) == {"1", "2"}
    assert mine == {"begun": 0}


def begin():
    mine["begun"] += 1


def test_reports_name_variables_as_the_code_does():
    @mcr.program
    def lost(p):
        p.share(registry)
        for _ in range(2):
            p.thread(registry.count)

        @p.final
        def both():
            assert registry.calls == 2

    failure = mcr.check(lost, "sc").failures[0]
    assert next(event.location for event in failure.events if event.thread == "0") == "registry.calls"
    assert mcr.replay(lost, failure).failure == failure.failure


def test_local_states_merge_as_without_keys():
    merged, plain = mcr.check(registers, "sc"), mcr.check(registers, "sc", options=mcr.Options(merge=False))
    assert merged.verdict is plain.verdict is mcr.Verdict.VERIFIED
    assert not merged.not_compared


def test_a_program_that_does_not_share_it_is_still_refused():
    @mcr.program
    def shares_nothing_of_it(p):
        p.share([])
        p.thread(registry.count)
        p.thread(registry.count)

    outcomes(registers)
    finds(shares_nothing_of_it, mcr.Verdict.VERIFIED)
    assert registry.calls == 0
    registry.calls = 0


@pytest.mark.parametrize(
    ("function", "sentence", "found"),
    [
        (registry.forget, "a variable of a module cannot be deleted", {"(None, False, False)"}),
        (lambda: registry.look_up("calls"), "name the variables", {"(0, True, False)", "(1, True, False)"}),
        (lambda: vars(registry)["calls"], "name the variables", {"(0, True, False)", "(1, True, False)"}),
        (lambda: setattr(registry, "ca" + "lled", 3), "was not seen to set it", {"(None, True, True)"}),
    ],
)
def test_what_cannot_be_seen_is_refused(function, sentence, found):
    @mcr.program
    def refused(p):
        p.share(registry)
        one = p.thread(function)
        p.thread(registry.count)
        p.final(lambda: (one.join(), hasattr(registry, "_current"), hasattr(registry, "called")))

    finds(refused, found)
    assert registry._current is None and not hasattr(registry, "called")


@pytest.mark.parametrize(
    ("function", "name", "found"),
    [
        (
            registry.names_in_order,
            "registry.order, or what it holds, .* as a default value of names_in_order",
            {"[]", "['a']"},
        ),
        (
            registry.tables,
            "registry.*, or what it holds, .* as TABLES",
            {"['a']"},
        ),
        (lambda: kept[0], "registry.order, or what it holds, .* as kept", {"['a']"}),
    ],
)
def test_what_has_other_names_is_refused_if_a_thread_changes_it(function, name, found):
    @mcr.program
    def refused(p):
        p.share(registry)
        one = p.thread(function)
        p.thread(registry.register, "a", len)
        p.final(lambda: list(one.join()))

    @mcr.program
    def nobody_changes_it(p):
        p.share(registry)
        p.thread(function)
        p.thread(registry.count)

    assert mcr.check(nobody_changes_it, "sc").verdict is mcr.Verdict.VERIFIED

    finds(refused, found)


kept = [registry.order]


def test_modules_of_python_cannot_be_shared():
    @mcr.program
    def refused(p):
        p.share(sys)
        p.thread(registry.count)

    finds(refused, mcr.Verdict.VERIFIED)
