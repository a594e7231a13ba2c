"""Attributes of a class are memory, if some code changes them; and are what they were where no model runs."""

from __future__ import annotations

import pytest

import mcr
from tests.ordinary import of_classes
from tests.ordinary.finding import finds
from tests.ordinary.of_classes import (
    Account,
    Asked,
    Checked,
    Gate,
    Lazy,
    Loud,
    Made,
    New,
    Numbered,
    Plugin,
    Registry,
    Saving,
    Settings,
)
from tests.ordinary.test_objects import deposits_as_model, outcomes

MODELS = ("sc", "tso", "pso")
ALGORITHMS = ("cover", "trust", "trust-rf", "mcr", "rf-smc", "exhaustive")


@mcr.program
def deposits(p):
    account = p.share(Account())
    p.thread(account.deposit, 5)
    p.thread(account.deposit, 10)
    p.final(lambda: Account.total)


@pytest.mark.parametrize("model", MODELS)
def test_an_attribute_of_a_class_is_a_cell(model):
    assert outcomes(deposits, model) == outcomes(deposits_as_model, model) == {"10", "20", "30"}
    assert Account.total == 0


def test_its_cell_is_called_as_the_code_calls_it():
    @mcr.program
    def lost(p):
        account = p.share(Account())
        for _ in range(2):
            p.thread(account.deposit, 5)

        @p.final
        def both():
            assert Account.total == 20

    events = mcr.check(lost, "sc").failures[0].events
    assert any("Account.total" in event.operation for event in events)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_all_algorithms_find_two_instances(algorithm):
    @mcr.program
    def two(p):
        p.share(Lazy)
        threads = [p.thread(Lazy.instance) for _ in range(2)]

        @p.final
        def one():
            assert threads[0].join() is threads[1].join()

    assert mcr.check(two, "tso", algorithm=algorithm).verdict is mcr.Verdict.BUG


@mcr.program
def every_way(p):
    account = p.share(Saving(5))
    p.thread(account.deposit_locked, 1)
    p.thread(account.withdraw, 10)
    p.thread(account.save)
    p.final(lambda: (Account.total, Saving.total, Account.opened))


def test_who_asks_for_the_class_of_an_object_gets_the_users():
    """`type(self).total` of a subclass: the subclass has one of its own once it was assigned."""
    assert outcomes(every_way) == {f"(0, {total}, 1)" for total in (1, 2, -8, -9, -10)}


@pytest.mark.parametrize("kind", [Lazy.instance, New, Asked, Made], ids=["lazy", "new", "asked", "metaclass"])
def test_a_single_instance_is_made_twice(kind):
    @mcr.program
    def two(p):
        p.share([])
        threads = [p.thread(kind) for _ in range(2)]
        p.final(lambda: threads[0].join() is threads[1].join())

    assert outcomes(two) == {"True", "False"}
    assert Lazy._instance is New._instance is None and not hasattr(Asked, "_it") and not Made._instances


@pytest.mark.parametrize("model", MODELS)
def test_a_single_instance_behind_a_lock(model):
    @mcr.program
    def one(p):
        p.share(Checked)
        threads = [p.thread(Checked.instance) for _ in range(2)]
        p.final(lambda: threads[0].join() is threads[1].join())

    assert outcomes(one, model) == {"True"}


def test_a_constructor_runs_on_what_others_have_already():
    @mcr.program
    def reset(p):
        new = New()
        p.share(new)
        p.thread(new.up)
        p.thread(New)
        p.final(lambda: new.count)

    assert outcomes(reset) == {"0", "1"}


def test_registries():
    @mcr.program
    def entered(p):
        one, other = p.share(Registry("one")), p.share(Registry("one"))
        p.thread(one.enter)
        p.thread(other.enter)
        p.final(lambda: (tuple(Registry.names), tuple(Registry.everybody)))

    @mcr.program
    def grouped(p):
        p.share(Registry)
        threads = [p.thread(Registry.group, "k", name) for name in "ab"]
        p.final(lambda: (*[thread.join() for thread in threads], tuple(Registry.groups["k"])))

    @mcr.program
    def found_early(p):
        p.share(Registry)
        p.thread(Registry, "new")
        found = p.thread(Registry.find, "new")
        p.final(lambda: found.join())

    assert outcomes(entered) == {"(('one',), ('one',))", "(('one', 'one'), ('one',))"}
    expected = {"(1, 2, ('a', 'b'))", "(2, 1, ('b', 'a'))", "(2, 2, ('a', 'b'))", "(2, 2, ('b', 'a'))"}
    assert outcomes(grouped) == expected
    assert mcr.check(found_early, "sc").failures[0].failure.error == "AttributeError"
    assert not Registry.names and not Registry.groups and not Registry.everybody


def test_the_program_function_sets_what_the_class_holds_at_first():
    @mcr.program
    def begun(p):
        Account.total = 50
        Account(1), Account(2)
        account = p.share(Account(3))
        forget = p.thread(account.forget)
        p.thread(Account.audit)
        p.thread(Account.audit)
        p.final(lambda: (Account.opened, forget.join(), Account._Account__audits, hasattr(Account, "total")))

    assert outcomes(begun) == {"(3, False, 1, False)", "(3, False, 2, False)"}
    assert (Account.total, Account.opened) == (0, 0)


def test_abstract_classes_and_objects_in_classes():
    @mcr.program
    def registered(p):
        p.share(Loud())
        p.thread(Plugin.register, "a")
        p.thread(Loud.register, "b")
        p.final(lambda: (Plugin.known, Loud.known) == (["a"], ["a", "b"]))

    @mcr.program
    def painted(p):
        settings = p.share(Settings())
        p.thread(settings.paint, "green")
        p.thread(settings.paint, "blue")
        p.final(lambda: Settings.default.colour)

    assert outcomes(registered) == {"True", "False"}
    assert outcomes(painted) == {"'green'", "'blue'"}
    assert Settings.default.colour == "red" and Loud.known is Plugin.known


def test_numbers():
    @mcr.program
    def numbered(p):
        first = p.share(Numbered())
        threads = [p.thread(Numbered.of_one_more) for _ in range(2)]
        p.final(lambda: (first.number, *[thread.join() for thread in threads]))

    assert outcomes(numbered) == {"(1, 2, 3)", "(1, 3, 2)"}
    assert Numbered().number == 1


def test_who_waits_for_a_class_to_change_goes_round_once():
    @mcr.program
    def waited(p):
        gate = p.share(Gate())
        waiting = p.thread(Gate.wait)
        p.thread(gate.open)
        p.final(lambda: waiting.join())

    assert outcomes(waited) == {"1"}


def test_what_nobody_changes_costs_nothing():
    @mcr.program
    def constant(p):
        account = p.share(Account())
        p.thread(lambda: (account.limit, Account.limit, Account.rates["normal"], account.rates.get("normal")))

    assert mcr.check(constant, "sc").statistics.local_states <= 2


@pytest.mark.parametrize("call", ["turn_on", "turn_by_name"])
def test_an_assignment_by_another_name_is_seen(call):
    @mcr.program
    def unseen(p):
        settings = p.share(Settings())
        p.thread(getattr(settings, call), *(["debug"] if call == "turn_by_name" else []))
        p.final(lambda: Settings.debug)

    finds(unseen, {"True"})
    assert Settings.debug is False


def test_outside_of_models_they_are_classes_as_before():
    mcr.check(deposits, "sc")
    Account.total += 5
    Saving.total = 7
    try:
        assert (Account.total, Saving.total, Account().total) == (5, 7, 5)
    finally:
        Account.total, Account.opened = 0, 0
        del Saving.total
    assert Saving.total == 0


def test_what_vars_says_of_a_class():
    @mcr.program
    def asked(p):
        p.share(Asked)
        asking = p.thread(lambda: ("_it" in vars(Asked), "__new__" in Asked.__dict__, vars(Account)["total"]))
        p.thread(Asked)
        p.final(lambda: asking.join())

    assert outcomes(asked) == {"(False, True, 0)", "(True, True, 0)"}
    assert "_it" not in vars(Asked) and vars(Account)["total"] == 0


def test_what_a_class_holds_is_refused_where_it_has_another_name():
    @mcr.program
    def tabled(p):
        it = p.share(of_classes.Tabled())
        p.thread(it.put)
        seen = p.thread(lambda: of_classes.TABLE.get("x"))
        p.final(lambda: (seen.join(), of_classes.TABLE == {"x": 1}))

    finds(tabled, {"(None, True)", "(1, True)"})


def test_a_sentinel_of_a_class_that_is_a_default_value_is_itself():
    @mcr.program
    def asked(p):
        it = p.share(of_classes.Choosing())
        one = p.thread(it.chosen)
        p.final(lambda: one.join())

    assert outcomes(asked) == {"True"}
