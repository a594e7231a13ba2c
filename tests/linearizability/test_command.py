"""`mcr linearizable`: what it prints and writes, and that what it writes can be run."""

from __future__ import annotations

import pytest

import mcr
from mcr.exploration.limits import Stopped
from mcr.linearizability.search import Linearizability
from mcr.linearizability.specification import Orders, Specification
from mcr.linearizability.subject import Clients, Subject
from tests.desk import Desk
from tests.linearizability.test_levels import Counter

COUNTER = """
class Counter:
    def __init__(self):
        self.count = 0

    def add(self):
        self.count += 1
        return self.count
"""


DRAWN = """\
  thread 0    ├─ counter.add() returns 2 ─┤
  thread 1  ├─── counter.add() returns 2 ───┤
"""


def test_a_history_is_drawn_and_can_be_replayed(desk: Desk) -> None:
    desk.write("counter.py", COUNTER)
    answer = desk.mcr("linearizable", "counter.py::Counter", "--calls", "2")
    assert answer.status == 1
    assert answer.out.startswith("Counter under SC: not linearizable\n")
    assert DRAWN in answer.out
    _, weaker = answer.out.split("\n  mcr replay .mcr/counter-sc.json\n")
    assert weaker.startswith("\n  weaker levels: not sequentially consistent, not quiescently consistent\n")
    assert "\n  mcr replay .mcr/counter-sc.json\n" in answer.out
    replayed = desk.mcr("replay", ".mcr/counter-sc.json")
    assert replayed.status == 1
    assert "counter.add() returns 2, but no order of the calls explains it" in " ".join(replayed.out.split())
    checked = desk.mcr("check", ".mcr/counter-sc.py", "--model", "sc")
    assert checked.status == 1, checked


def test_only_explicit_states_follow_histories(desk: Desk) -> None:
    desk.write("counter.py", COUNTER)
    desk.mcr("linearizable", "counter.py::Counter", "--calls", "1")
    answer = desk.mcr("check", ".mcr/counter-sc.py", "--algorithm", "mcr")
    assert answer.status == 2
    assert "only --algorithm stateful follows a history of calls" in answer.err


def test_a_document_for_machines(desk: Desk) -> None:
    desk.write("counter.py", COUNTER)
    answer = desk.mcr("linearizable", "counter.py::Counter", "--operation", "add()", "--calls", "1", "--json")
    (found,) = answer.document["classes"]
    assert (found["verdict"], found["level"], found["model"], found["clients"]) == ("bug", "", "sc", 1)
    assert [call["result"] for call in found["counterexample"]["history"]] == ["returns 2", "returns 2"]


def test_clients_that_are_not_run_are_counted(desk: Desk) -> None:
    desk.write("counter.py", COUNTER + "\n    def get(self):\n        return self.count\n")
    asked = "linearizable", "counter.py::Counter", "--calls", "1"
    assert "  3 clients (1 of them not run: no call writes anything), " in desk.mcr(*asked).out
    (found,) = desk.mcr(*asked, "--json").document["classes"]
    assert (found["clients"], found["clients_not_run"]) == (3, 1)
    assert "  3 clients, " in desk.mcr(*asked, "--no-reduction").out


def test_what_is_wrong_is_told(desk: Desk) -> None:
    desk.write("counter.py", COUNTER)
    for target, says in {
        "counter.py::Count": "error: counter.py::Count: there is no 'Count' in counter.py; did you mean 'Counter'?\n",
        "counter.py": ("error: counter.py: say which class, as FILE::NAME or package.module:NAME; there are Counter\n"),
        "no_such_module:Count": "error: no_such_module:Count: No module named 'no_such_module'\n",
    }.items():
        answer = desk.mcr("linearizable", target)
        assert (answer.status, answer.err) == (2, says)
    answer = desk.mcr("linearizable", "counter.py::Counter", "--operation", "add(")
    assert answer.status == 2
    assert "'add(' is not a call with literals" in answer.err


def test_a_module_of_the_current_folder_is_found_by_its_name(desk: Desk) -> None:
    desk.write("parts/__init__.py", "")
    desk.write("parts/counter.py", COUNTER)
    answer = desk.mcr("linearizable", "parts.counter:Counter", "--calls", "1", "--level", "linearizable")
    assert answer.status == 1
    assert "weaker levels" not in answer.out


def test_a_stop_is_a_sentence_and_the_history_stays(desk: Desk) -> None:
    desk.write("counter.py", COUNTER)
    answer = desk.mcr("linearizable", "counter.py::Counter", "--timeout", "0.001")
    assert answer.status == 3
    assert "  not decided: linearizable: the time limit of 0.001 s was reached; raise --timeout" in answer.out


def test_orders_of_calls_keep_limits() -> None:
    looks = iter(range(20))

    def check() -> None:
        if next(looks, None) is None:
            raise Stopped("time is up", "wait longer")

    specification = Specification(Subject(Counter, ["add", "get"]), check)
    with pytest.raises(Stopped):
        Orders(specification, Clients((((0, 1),) * 3,) * 2))


def test_a_history_is_told_before_weaker_levels_are_decided() -> None:
    told: list[Linearizability] = []
    found = mcr.linearizable(Counter, calls=1, on_counterexample=told.append)
    (early,) = told
    assert (early.looked, early.verdict) == (("linearizable",), mcr.Verdict.BUG)
    assert early.counterexample is found.counterexample
    assert found.looked == ("linearizable", "sequentially consistent", "quiescently consistent")


def test_operations_are_a_list() -> None:
    with pytest.raises(mcr.CheckerError, match=r"operations is a list, such as \['add'\], not 'add'"):
        mcr.linearizable(Counter, "add")
