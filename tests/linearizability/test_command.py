"""`mcr linearizable`: what it prints and writes, and that what it writes can be run."""

from __future__ import annotations

from tests.desk import Desk

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
    assert answer.out.startswith("Counter under SC: not linearizable, not sequentially consistent, not quiescently ")
    assert DRAWN in answer.out
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
    asked = "linearizable", "counter.py::Counter", "--calls", "2"
    assert "  10 clients (1 of them not run: no call writes anything), " in desk.mcr(*asked).out
    (found,) = desk.mcr(*asked, "--json").document["classes"]
    assert (found["clients"], found["clients_not_run"]) == (10, 1)
    assert "  10 clients, " in desk.mcr(*asked, "--no-reduction").out


def test_what_is_wrong_is_told(desk: Desk) -> None:
    desk.write("counter.py", COUNTER)
    for target, says in {
        "counter.py::Count": "error: counter.py::Count: there is no 'Count' in counter.py\n",
        "no_such_module:Count": "error: no_such_module:Count: No module named 'no_such_module'\n",
    }.items():
        answer = desk.mcr("linearizable", target)
        assert (answer.status, answer.err) == (2, says)
    answer = desk.mcr("linearizable", "counter.py::Counter", "--operation", "add(")
    assert answer.status == 2
    assert "'add(' is not a call with literals" in answer.err
