"""The constraint groups as they are printed, and unsatisfiable cores ([huang-2016] figures 4 and 7)."""

import json
from pathlib import Path

import pytest

from examples import mcr_paper
from mcr.cli import main
from mcr.explorers.maximal_causality.explanation import explain, group_lines
from mcr.explorers.maximal_causality.phi import (
    PAPER,
    Absent,
    Before,
    Conjunction,
    Disjunction,
    Happens,
    ProgramOrder,
    phi_mem,
    show,
)
from mcr.explorers.maximal_causality.recording import Recording
from replay.machine.unfolding import Unfolding
from replay.traces.files import save_trace
from replay.traces.player import record
from replay.world.memory_models import MODELS
from replay.world.memory_models.sc import SC


def sequential(program):
    """The execution in which the threads run one after the other."""
    execution = Recording(Unfolding(program), SC)
    execution.run()
    return execution


def test_constraints_print_as_they_are_written():
    choice = Disjunction((Before(3, 1), Before(7, 3)))
    assert show(Conjunction((Happens(1), Before(1, 7), choice))) == "e1 and O1 < O7 and (O3 < O1 or O7 < O3)"
    assert show(Disjunction((Absent(2), Conjunction(())))) == "not e2 or true"


@pytest.mark.parametrize(
    ("model", "expected"),
    [("sc", {(0, 1), (2, 3)}), ("tso", set()), ("pso", set())],
)
def test_figure_4(model, expected):
    """Must-happen-before of store buffering, without the final function's own events."""
    trace = sequential(mcr_paper.figure_3a).observation()
    mem = phi_mem(trace, ProgramOrder(MODELS[model])).parts
    assert {(part.first, part.second) for part in mem if part.second < 4} == expected


def test_the_papers_encoding_keeps_a_store_and_a_load_of_one_location():
    trace = sequential(mcr_paper.peterson).observation()
    store, load = (e.id for e in trace.threads[0] if e.thread == 0 and e.before.loc == trace.threads[0][3].before.loc)
    assert trace.events[store].is_store
    assert Before(store, load) not in phi_mem(trace, ProgramOrder(MODELS["tso"])).parts
    assert Before(store, load) in phi_mem(trace, ProgramOrder(MODELS["tso"], PAPER)).parts


def explained(model):
    """Figure 7: can the load of x (event 7) read 0, from the store before the last?"""
    execution = sequential(mcr_paper.figure_6(check=False))
    trace = execution.observation()
    value = execution.machine.unfolding.values.intern(0)
    goal = (trace.events[7].before, value)
    return explain(trace, goal, ProgramOrder(MODELS[model]), "minisat22")


@pytest.mark.parametrize("model", ["sc", "tso"])
def test_figure_7_has_no_solution_where_stores_keep_their_order(model):
    found = explained(model)
    assert found.seed is None
    assert list(found.conflict) == ["Phi_mem", "Phi_validity", "Phi_state"]


def test_a_conflict_names_only_the_constraints_that_it_needs():
    assert group_lines(explained("tso").conflict) == [
        "Phi_mem      O1 < O2 < O3 < O4 < O5",
        "             O6 < O7",
        "Phi_validity not e6 or (e5 and O5 < O6 and (O0 < O5 or O6 < O0))",
        "Phi_state    e7",
        "             e1 and O1 < O7 and (O3 < O1 or O7 < O3)",
    ]


def test_figure_7_under_pso():
    found = explained("pso")
    assert [event.id for event in found.seed.events] == [0, 1, 5, 6, 7]
    lines = group_lines(found.groups)
    assert "Phi_state    e7" in lines
    assert any("e1 and O1 < O7 and (O3 < O1 or O7 < O3)" in line for line in lines)


@pytest.fixture
def saved(tmp_path):
    execution = sequential(mcr_paper.figure_6(check=False))
    file = tmp_path / "trace.json"
    save_trace(record(execution.machine.unfolding, SC, execution.choices), file)
    return str(file)


def test_command(saved, capsys):
    assert main(["explain", saved, "--load", "7", "--value", "0", "--model", "pso"]) == 0
    told = capsys.readouterr().out
    assert "Yes. Seed: e0-e1-e5-e6-e7" in told
    assert "  e7    thread 1: load x reads 0" in told
    assert "e7    thread 1: load x reads 2   <- to read 0" in told
    assert "e8    thread 1: load y reads 3   (left out: comes after the load)" in told
    assert main(["explain", saved, "--load", "7", "--value", "0"]) == 1
    assert "No. Phi_mem, Phi_validity, Phi_state cannot hold together:" in capsys.readouterr().out


def test_command_asks_an_algorithm_of_the_registry(saved, capsys):
    asked = ["explain", saved, "--load", "7", "--value", "0", "--model", "pso"]
    assert main([*asked, "--algorithm", "mcr:paper"]) == 0
    assert "Replayed: it does." in capsys.readouterr().out
    assert main([*asked, "--algorithm", "cover"]) == 2
    assert "algorithm cover explains no loads; these do: mcr" in capsys.readouterr().err


def test_command_says_what_could_be_read(saved, capsys):
    assert main(["explain", saved, "--load", "7", "--value", "9"]) == 2
    assert "no store writes 9" in capsys.readouterr().err
    assert main(["explain", saved, "--load", "0", "--value", "9"]) == 2
    capsys.readouterr()
    event = json.loads(Path(saved).read_text())["events"][7]
    assert main(["explain", saved, "--load", "7", "--value", event["read"]]) == 2
    assert f"\nerror: e7 reads {event['read']} in this execution; " in capsys.readouterr().err


def test_check_by_maximal_causality(capsys, tmp_path):
    target = f"{mcr_paper.__file__}::figure_6"
    assert main(["check", target, "--algorithm", "mcr", "--model", "tso", "--save", str(tmp_path)]) == 0
    assert main(["check", target, "--algorithm", "mcr", "--model", "pso", "--save", str(tmp_path)]) == 1
    assert main(["check", target, "--encoding", "paper", "--save", str(tmp_path)]) == 2
