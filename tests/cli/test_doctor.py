"""`mcr doctor`: what is in order, and each thing that may not be."""

from __future__ import annotations

import functools
import platform
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from mcr.diagnosis import doctor
from mcr.diagnosis.doctor import NEEDED, SelfTest, examine, solver_health
from replay.world.memory_model import MemoryModel
from replay.world.memory_models import MODELS
from solvers import OrderSolver, available_solvers, make_solver
from solvers.interface import SolverError
from tests.desk import ROOT, Desk

SELF_TESTS = ("SB", "SB+mfences", "SB+rfis", "MP", "LB", "p.share", "p.share+lock")


@functools.cache
def self_tests_of_before() -> tuple[SelfTest, ...]:
    return tuple(doctor.self_tests())


@pytest.fixture
def tested_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """The self-tests are not run again, for those who ask about something else."""
    found = self_tests_of_before()
    monkeypatch.setattr(doctor, "self_tests", lambda: found)


def test_all_is_right(desk: Desk) -> None:
    answer = desk.mcr("doctor")
    assert answer.status == 0
    assert answer.out.endswith("\nAll is right.\n")
    for text in ("python ", "z3-solver", "minisat22 (default)", "SB+mfences   no   no   no    as expected"):
        assert text in answer.out
    assert max(map(len, answer.out.splitlines())) <= 100


@pytest.mark.usefixtures("tested_before")
def test_document(desk: Desk) -> None:
    answer = desk.mcr("doctor", "--json")
    assert answer.document["schema"] == "mcr-doctor/1"
    assert answer.document["status"] == answer.status == 0
    assert {test["name"] for test in answer.document["tests"]} == set(SELF_TESTS)
    assert len(answer.document["tests"]) == len(SELF_TESTS) * len(MODELS)
    assert all(test["found"] == test["expected"] for test in answer.document["tests"])
    assert [each["name"] for each in answer.document["solvers"] if each["state"] == "works"] == available_solvers()
    assert answer.document["unmerged"] is None
    assert answer.document["terminal"] == {"columns": 100, "color": False, "line_drawing": True}


@pytest.mark.usefixtures("untested_python")
def test_a_python_that_was_never_tested(desk: Desk) -> None:
    answer = desk.mcr("doctor")
    assert answer.status == 0
    assert f"local states are told apart by what threads read, since CPython {platform.python_version()}" in answer.out
    assert "was never tested" in desk.mcr("doctor", "--json").document["unmerged"]


def _without(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    known = metadata.version

    def version(asked: str) -> str:
        if asked == name:
            raise metadata.PackageNotFoundError(name)
        return known(asked)

    monkeypatch.setattr(metadata, "version", version)


def test_all_that_an_installation_needs_is_looked_for() -> None:
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert {each.partition(">=")[0] for each in needed} == set(NEEDED)


@pytest.mark.usefixtures("tested_before")
def test_an_optional_package_is_missing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    _without(monkeypatch, "matplotlib")
    answer = desk.mcr("doctor")
    assert answer.status == 0
    assert "matplotlib   not installed (only for plots of mcr check): pip install matplotlib" in answer.out


@pytest.mark.usefixtures("tested_before")
def test_a_needed_package_is_missing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    _without(monkeypatch, "msgspec")
    answer = desk.mcr("doctor")
    assert answer.status == 2
    assert "fault: msgspec is missing; run `pip install msgspec`" in answer.out


def test_a_solver_that_overlooks_cycles() -> None:
    class Careless:
        def __init__(self, solver: OrderSolver) -> None:
            self._solver = solver

        def __getattr__(self, name: str) -> Any:
            return getattr(self._solver, name)

        def sort(self, events: list[int]) -> list[int]:
            return sorted(events)

    health = solver_health("careless", lambda _: Careless(make_solver()))  # type: ignore[arg-type, return-value]
    assert health.state == "wrong"
    assert health.fault == "solver careless: it finds an order for a cycle"


@pytest.mark.parametrize(("name", "is_fault"), [("minisat22", True), ("z3", False)])
def test_a_solver_that_is_not_there(name: str, is_fault: bool) -> None:
    def make(name: str) -> OrderSolver:
        raise SolverError("The package is missing; run `pip install it`.")

    health = solver_health(name, make)
    assert (health.state, health.reason) == ("missing", "The package is missing; run `pip install it`")
    assert bool(health.fault) is is_fault


def test_a_memory_model_that_forbids_too_much(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The self-test is a real one: with the ppo of SC, what buffers allow is not found."""
    monkeypatch.setattr(MemoryModel, "keeps", lambda *_: True)
    answer = desk.mcr("doctor")
    assert answer.status == 2
    assert "fault: self-test SB+rfis under PSO: the outcome is forbidden, and should not be" in answer.out
    assert "WRONG" in answer.out


def test_shared_objects_that_are_taken_for_constant(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replay.frontend.ownership.heap.Heap.is_constant", lambda *_: True)
    answer = desk.mcr("doctor")
    assert answer.status == 2
    assert "fault: self-test p.share+lock under SC" in answer.out


def test_an_engine_that_breaks_down(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ValueError("no such luck")

    monkeypatch.setattr("mcr.explorers.stateful.space.Space.explore", broken)
    answer = desk.mcr("doctor")
    assert answer.status == 2
    assert "fault: self-test MP under PSO: ValueError: no such luck" in answer.out


@pytest.mark.usefixtures("tested_before")
@pytest.mark.parametrize(("why", "line"), [
    ("", "global states are explored in C"),
    ("it was not compiled: do so", "global states are explored in Python, as it was not compiled: do so."),
])  # fmt: skip
def test_the_library_in_c(desk: Desk, monkeypatch: pytest.MonkeyPatch, why: str, line: str) -> None:
    monkeypatch.setattr("mcr.diagnosis.doctor.why_not_in_c", lambda: why)
    answer = desk.mcr("doctor")
    assert answer.status == 0
    assert line in answer.out
    assert desk.mcr("doctor", "--json").document["uncompiled"] == (why or None)


@pytest.mark.usefixtures("tested_before")
def test_failures_and_where_they_are_kept(desk: Desk) -> None:
    desk.copy("litmus.py")
    assert desk.mcr("check", "litmus.py::store_buffering", "--model", "tso").status == 1
    assert "are kept in .mcr, where there is 1 trace" in desk.mcr("doctor").out
    desk.write("pyproject.toml", "[tool.mcr]\nfolder = 'kept'\n")
    assert "are kept in kept, which the first one makes" in desk.mcr("doctor").out


@pytest.mark.usefixtures("tested_before")
def test_a_folder_that_cannot_be_written(desk: Desk) -> None:
    desk.write(".mcr", "a file is in the way")
    health = examine(Path(".mcr"))
    assert health.faults == [".mcr cannot be written: give --save another folder"]
