"""CPython with its global lock: threads switch at calls and ends of loops only."""

from __future__ import annotations

import json
from collections import Counter, OrderedDict, defaultdict, deque

import pytest

import mcr
from mcr.diagnosis.possibility import Inquiry
from replay.errors import CheckerError
from tests.ordinary import twins
from tests.ordinary.generator import written
from tests.ordinary.real import runner_of
from tests.ordinary.twins import compare_with_global_lock

GIL = mcr.Options(python="gil")


class Wallet:
    def __init__(self):
        self.balance = 0
        self.items = [1, 2]
        self.log = ()

    def add(self, amount):
        self.balance += amount

    def add_whole(self, amount):
        self.balance += int(amount)

    def add_of_class(self, amount):
        self.balance += Amount(amount)

    def add_in_turns(self, amount):
        for _ in range(amount):
            self.balance += 1

    def add_from_loop(self, amount):
        before = self.balance
        for _ in range(amount):
            before += 1
        self.balance = before

    def add_if_small(self, amount):
        if self.balance < 10:
            self.balance = self.balance + amount

    def look_at_balance(self):
        return self.balance

    def look(self, _):
        self.log += (3 in self.items,)

    def take(self, _):
        if self.items:
            self.balance += 1
            self.items.pop()

    def take_counted(self, _):
        if len(self.items):
            self.balance += 1
            self.items.pop()

    def swap(self, _):
        self.items[0], self.items[1] = 3, 4
        self.items[0] = self.items[1] = 0


class Amount:
    def __init__(self, number):
        self.number = number

    def __radd__(self, other):
        return other + self.number


@mcr.program
def added(p, how="add"):
    wallet = p.share(Wallet())
    p.thread(getattr(wallet, how), 1)
    p.thread(getattr(wallet, how), 2)
    p.final(lambda: wallet.balance)


def outcomes(how: str, **options: object) -> set[str]:
    result = mcr.check(added(how=how), objective="outcomes", options=mcr.Options(**options))
    assert result.verdict is mcr.Verdict.VERIFIED
    return set(result.outcomes)


@pytest.mark.parametrize("how", ["add", "add_in_turns", "add_if_small"])
def test_what_calls_nothing_is_one_step(how):
    assert outcomes(how, python="gil") == {"3"}
    assert outcomes(how) == {"1", "2", "3"}


@pytest.mark.parametrize("how", ["add_whole", "add_of_class", "add_from_loop"])
def test_a_call_and_the_end_of_a_loop_let_others_run(how):
    assert outcomes(how, python="gil") == {"1", "2", "3"}


@pytest.mark.parametrize("reduce", [True, False])
@pytest.mark.parametrize("merge", [True, False])
def test_however_states_are_explored(reduce, merge):
    assert outcomes("add", python="gil", reduce=reduce, merge=merge) == {"3"}
    assert outcomes("add_whole", python="gil", reduce=reduce, merge=merge) == {"1", "2", "3"}


class Holder:
    def __init__(self, held):
        self.held = held
        self.seen = 0

    def add(self):
        self.held[0] += 1

    def add_if_in(self):
        if 0 in self.held:
            self.seen += 1

    def add_if_equal(self):
        if self.held == self.held:
            self.seen += 1


MADE = {
    list: lambda: [0], deque: lambda: deque([0]), dict: lambda: {0: 0}, OrderedDict: lambda: OrderedDict({0: 0}),
    defaultdict: lambda: defaultdict(int, {0: 0}), Counter: lambda: Counter({0: 0}), set: lambda: {0},
}  # fmt: skip


LOOKS = [
    (kind, how)
    for kind in MADE
    for how in ("add", "add_if_in", "add_if_equal")
    if (kind, how) not in ((set, "add"), (Counter, "add_if_equal"))
]
"""Sets have no items, and Counter compares by a method in Python."""


@pytest.mark.parametrize(("kind", "how"), LOOKS)
def test_operators_of_containers_are_no_calls(kind, how):
    @mcr.program
    def looked(p):
        holder = p.share(Holder(MADE[kind]()))
        p.thread(getattr(holder, how))
        p.thread(getattr(holder, how))
        p.final(lambda: holder.held[0] if how == "add" else holder.seen)

    result = mcr.check(looked, objective="outcomes", options=GIL)
    assert result.verdict is mcr.Verdict.VERIFIED
    assert set(result.outcomes) == {"2"}


def test_a_search_of_a_list_is_one_step():
    @mcr.program
    def searched(p):
        wallet = p.share(Wallet())
        p.thread(wallet.look, 1)
        p.thread(wallet.swap, 1)
        p.final(lambda: wallet.log)

    def logs(options: mcr.Options) -> set[str]:
        return set(mcr.check(searched, objective="outcomes", options=options).outcomes)

    assert logs(GIL) == {"(False,)"}
    assert logs(mcr.Options()) == {"(False,)", "(True,)"}


@pytest.mark.parametrize(("how", "verdict"), [("take", "verified"), ("take_counted", "bug")])
def test_a_method_of_a_container_is_called_before_others_run(how, verdict):
    @mcr.program
    def taken(p):
        wallet = p.share(Wallet())
        for _ in range(3):
            p.thread(getattr(wallet, how), 1)

    assert mcr.check(taken, options=GIL).verdict == verdict
    assert mcr.check(taken).verdict == "bug"


@pytest.mark.parametrize(
    ("how", "sentence"), [("add", "cannot fail like this"), ("add_whole", "can fail like this, too")]
)
def test_a_failure_says_on_which_python_it_can_happen(how, sentence):
    @mcr.program
    def lost(p):
        wallet = p.share(Wallet())
        p.thread(getattr(wallet, how), 1)
        p.thread(getattr(wallet, how), 2)

        @p.final
        def nothing_is_lost():
            assert wallet.balance == 3

    inquiry = Inquiry(lost, mcr.check(lost).failures)
    inquiry.explore_briefly("failures", mcr.Options())
    assert sentence in inquiry.answer()["sc"].reason


def test_configurations_of_the_machine_agree():
    for how in ("add", "add_whole", "add_from_loop"):
        found = mcr.check(added(how=how), objective="outcomes", algorithm="exhaustive", options=GIL)
        assert set(found.outcomes) == outcomes(how, python="gil")


def test_it_says_what_it_assumed():
    assert any("global lock" in each for each in mcr.check(added, options=GIL).assumed)
    assert not mcr.check(added).assumed


@pytest.mark.parametrize("seed", range(8))
def test_nothing_that_cpython_does_is_excluded(seed):
    assert compare_with_global_lock(seed, runs=20).differences == []


class Lists:
    def __init__(self):
        self.items = [1, 2]
        self.pair = [[1], [2]]

    def alias(self):
        for _ in list(self.items):
            self.pair[0] = self.pair[1]

    def take(self):
        self.items.pop(0)

    def never_called(self):
        self.items = []


@mcr.program
def added_twice(p):
    wallet = p.share(Wallet())
    p.thread(wallet.add_whole, 1)
    p.thread(wallet.add_whole, 2)

    @p.final
    def nothing_is_lost():
        assert wallet.balance == 3


def test_a_trace_says_for_which_python_it_is_and_is_played_so(tmp_path):
    (trace,) = mcr.check(added_twice, options=GIL).failures
    assert trace.global_lock
    mcr.save_trace(trace, tmp_path / "gil.json")
    assert json.loads((tmp_path / "gil.json").read_text())["python"] == "gil"
    assert mcr.replay(added_twice, tmp_path / "gil.json").global_lock
    (free,) = mcr.check(added_twice).failures
    assert not free.global_lock
    with pytest.raises(CheckerError, match="about ordinary classes"):
        mcr.replay(of_cells, trace)


def test_a_class_is_linearizable_where_no_call_is_made():
    operations = ["look_at_balance", ("add", 1)]
    assert mcr.linearizable(Wallet, operations, calls=2, python="gil").verdict == "verified"
    found = mcr.linearizable(Wallet, operations, calls=2)
    assert found.verdict == "bug"
    assert found.under == "SC"


def test_a_kind_of_python_that_there_is_not():
    with pytest.raises(CheckerError, match="'nogil'"):
        mcr.Options(python="nogil")


@mcr.program
def of_cells(p):
    cell = p.var(0)
    p.thread(cell.store, 1)


@pytest.mark.parametrize(
    ("program", "model", "algorithm", "why"),
    [
        (added, "tso", "auto", "sequentially consistent"),
        (added, "sc", "cover", "knows nothing of CPython's global lock"),
        (of_cells, "sc", "auto", "about ordinary classes"),
    ],
)
def test_where_it_says_nothing_it_is_refused(program, model, algorithm, why):
    with pytest.raises(CheckerError, match=why):
        mcr.check(program, model, algorithm=algorithm, options=GIL)


class Twice:
    def __init__(self):
        self.first = self.second = 0

    def put(self):
        self.first = 1
        self.second = 1


def test_a_short_schedule_takes_threads_to_where_they_give_up_the_lock():
    @mcr.program
    def looks(p):
        it = p.share(Twice())
        p.thread(it.put)

        def look():
            assert it.first == 0

        p.thread(look)

    bug = mcr.check(looks, "sc", algorithm="exhaustive", options=mcr.Options(python="gil"))
    assert bug.verdict == "bug"
    assert [event.location for event in bug.failures[0].events][-2:] == ["it.second", "it.first"]


@pytest.mark.parametrize(
    ("statement", "seen"),
    [("self.x += {e}", {2}), ("self.x += abs({e})", {1, 2}), ("with self.lock: self.x += abs({e})", {2})],
)
def test_two_preemptions_of_cpython_show_what_the_lock_allows(statement, seen, monkeypatch):
    line = (0, statement.format(e=1), "pass")
    program = written([[line], [line]], {"items": "[]", "table": "{}", "ring": "[]", "tags": "set()"})
    monkeypatch.setattr(twins, "generated", lambda seed: program)
    compared = twins.compare_with_preemptions(0)
    assert compared.whole
    assert (compared.outcomes, compared.differences) == (len(seen), [])
    real = runner_of(program.ordinary, keeps_lock=True).preempted(2, 1000)
    assert real.outcomes == {f"(0, 0, {x}, 0)" for x in seen}


def test_a_preemption_where_code_of_keys_begins():
    """`dict.update` compares two keys by code: meanwhile another thread clears the dict."""
    runner = runner_of(twins.generated(1_205_033).ordinary, keeps_lock=True)
    assert "(0, 0, 0, 0, -1, ((7, 3),), (1,))" in runner.preempted(1, 1000).outcomes
