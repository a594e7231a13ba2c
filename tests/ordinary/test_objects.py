"""Attributes of shared objects are cells: what their threads do is what models of the same would do."""

from __future__ import annotations

import collections
import contextvars

import pytest

import mcr
from tests.ordinary.classes import Account, Chain, Counter, Lazy, Slotted


def outcomes(program: mcr.Program, model: str = "sc", **options: object) -> set[str]:
    result = mcr.check(program, model, objective="outcomes", **options)
    assert result.verdict is mcr.Verdict.VERIFIED
    return set(result.outcomes)


@mcr.program
def deposits(p):
    account = p.share(Account())
    p.thread(account.deposit, 10)
    p.thread(account.deposit, 20)
    p.final(lambda: account.balance)


@mcr.program
def deposits_as_model(p):
    balance = p.var(0)

    def deposit(amount):
        balance.store(balance.load() + amount)

    p.thread(deposit, 10)
    p.thread(deposit, 20)
    p.final(lambda: balance.load())


@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
def test_an_augmented_assignment_is_a_load_and_a_store(model):
    assert outcomes(deposits, model) == outcomes(deposits_as_model, model) == {"10", "20", "30"}


@pytest.mark.parametrize("algorithm", ["cover", "trust", "trust-rf", "mcr", "rf-smc", "exhaustive"])
def test_all_algorithms_find_the_lost_update(algorithm):
    @mcr.program
    def lost(p):
        account = p.share(Account())
        p.thread(account.deposit, 10)
        p.thread(account.deposit, 20)

        @p.final
        def nothing_is_lost():
            assert account.balance == 30

    assert mcr.check(lost, "tso", algorithm=algorithm).verdict is mcr.Verdict.BUG


@mcr.program
def locked(p, threads=3):
    account = p.share(Account())
    for amount in range(1, threads + 1):
        p.thread(account.deposit_locked, amount)
    p.final(lambda: account.balance)


def test_a_lock_of_threading_excludes():
    assert outcomes(locked) == {"6"}


def test_local_states_merge_as_without_keys():
    merged, plain = mcr.check(locked, "sc"), mcr.check(locked, "sc", options=mcr.Options(merge=False))
    assert merged.verdict is plain.verdict is mcr.Verdict.VERIFIED
    assert merged.statistics.local_states < plain.statistics.local_states
    assert not merged.not_compared


def test_check_then_act():
    @mcr.program
    def overdrawn(p):
        account = p.share(Account(10))
        threads = [p.thread(account.withdraw, 10) for _ in range(2)]
        p.final(lambda: (account.balance, *[thread.join() for thread in threads]))

    assert outcomes(overdrawn) == {"(-10, True, True)", "(0, True, False)", "(0, False, True)"}


def test_slots_and_properties():
    @mcr.program
    def slotted(p):
        it = p.share(Slotted())

        def change():
            it.first = 7

        p.thread(change)
        p.thread(it.swap)
        p.final(lambda: (it.first, it._second))

    assert outcomes(slotted) == {"(None, 7)", "(7, 0)", "(None, 0)"}


def test_a_deleted_attribute_is_gone():
    @mcr.program
    def dropped(p):
        it = p.share(Slotted())
        p.thread(it.drop)
        p.thread(it.drop)

    result = mcr.check(dropped, "sc")
    assert result.verdict is mcr.Verdict.BUG
    assert str(result.failures[0].failure) == "AttributeError: 'Slotted' object has no attribute '_second'"


def test_an_attribute_of_the_class_until_it_is_set():
    @mcr.program
    def counted(p):
        counter = p.share(Counter())
        p.thread(counter.up)
        p.thread(counter.up_twice)
        p.thread(counter.up_twice)
        p.final(lambda: (counter.count, counter.secret))

    assert outcomes(counted) == {"(1, 4)"}


def test_objects_that_threads_make_are_shared_when_they_are_stored():
    @mcr.program
    def pushed(p):
        chain = p.share(Chain())
        p.thread(chain.push, 1)
        p.thread(chain.push, 2)
        p.final(lambda: tuple(chain.values()))

    @mcr.program
    def pushed_locked(p):
        chain = p.share(Chain())
        p.thread(chain.push_locked, 1)
        p.thread(chain.push_locked, 2)
        p.final(lambda: tuple(chain.values()))

    assert outcomes(pushed) == {"(1,)", "(2,)", "(1, 2)", "(2, 1)"}
    assert outcomes(pushed_locked) == {"(1, 2)", "(2, 1)"}


def test_two_threads_make_it():
    @mcr.program
    def made_twice(p):
        lazy = p.share(Lazy())
        threads = [p.thread(lazy.value) for _ in range(2)]

        @p.final
        def one_for_all():
            one, two = [thread.join() for thread in threads]
            return one is two, one is lazy._value, lazy.made

    assert outcomes(made_twice) == {
        "(True, True, 1)", "(True, True, 2)", "(False, True, 1)", "(False, True, 2)", "(False, False, 1)",
        "(False, False, 2)",
    }  # fmt: skip


def test_what_it_is_called():
    result = mcr.check(deposits_failing, "sc")
    assert {event.operation for event in result.failures[0].events} >= {"load account.balance", "account.balance = 10"}
    lines = [event.line for event in result.failures[0].events if event.line]
    assert all(line.file.endswith(("classes.py", "test_objects.py")) for line in lines)


@mcr.program
def deposits_failing(p):
    account = p.share(Account())
    p.thread(account.deposit, 10)
    p.thread(account.deposit, 20)

    @p.final
    def nothing_is_lost():
        assert account.balance == 30


def _appends(text: collections.UserString) -> None:
    text.data = f"{text.data}b"


@mcr.program
def hashable_and_not_immutable(p):
    account = Account()
    account.balance = collections.UserString("a")
    p.share(account)
    p.thread(lambda: _appends(account.balance))
    p.thread(lambda: _appends(account.balance))
    p.final(lambda: account.balance.data)


def test_a_hash_does_not_make_an_object_immutable():
    assert outcomes(hashable_and_not_immutable) == {"'ab'", "'abb'"}


@mcr.program
def of_a_context(p):
    account = Account()
    account.balance = contextvars.ContextVar("balance", default=0)
    p.share(account)

    def thread(number):
        before = account.balance.get()
        account.balance.set(number)
        return before, account.balance.get()

    one, other = p.thread(thread, 1), p.thread(thread, 2)
    p.final(lambda: (one.join(), other.join()))


def test_a_context_variable_is_of_each_thread():
    assert outcomes(of_a_context) == {"((0, 1), (0, 2))"}


@mcr.program
def of_an_unknown_class(p):
    account = Account()
    account.balance = contextvars.copy_context()
    p.share(account)
    p.thread(lambda: account.balance.get(1))


def test_an_object_of_a_library_that_nobody_knows():
    with pytest.raises(mcr.ModelError, match=r"balance: .* is a Context, which cannot be shared"):
        mcr.check(of_an_unknown_class, "sc")
