"""The default looks at a program on terms, too, by turns with others."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import mcr
import mcr.explorers.auto
import mcr.explorers.bmc.explorer
import mcr.explorers.stateful.space
from examples import reference
from mcr.exploration.options import Options
from mcr.explorers.auto import Auto
from replay.world.memory_models import MODELS
from solvers.registry import make_solver
from tests.amount import one_of
from tests.behaviours import Failure, enumerate_behaviours
from tests.bmc.agreement import failures
from tests.bmc.random_programs import random_program
from tests.maximal.families import FAMILIES
from tests.maximal.random_programs import random_program as accessing


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Terms have their first turn after the first global states and the first execution, and short ones."""
    for name in ("FIRST", "SOON", "LATER", "TURN"):
        monkeypatch.setattr(mcr.explorers.auto, name, 1)
    monkeypatch.setattr(mcr.explorers.stateful.space, "SLICE", 10)
    monkeypatch.setattr(mcr.explorers.bmc.explorer, "STEP", 10)


def differences(program: mcr.Program, model: str, solver: str = "minisat22") -> tuple[str, set[Failure], set[Failure]]:
    """Who ended it; what was missed; what is impossible."""
    expected = enumerate_behaviours(program, MODELS[model], max_machine_states=1_000)
    result = mcr.check(program, model, options=Options(keep_going=True, shorten=False, solver=solver, deadlocks=False))
    found = failures(result)
    if not expected.complete:
        return "", set(), set()
    return result.algorithm, expected.failures - found, found - expected.failures


@pytest.mark.usefixtures("at_once")
def test_random_programs() -> None:
    ended = []
    for seed in range(12):
        for model in one_of(list(MODELS), f"{seed} by turns"):
            algorithm, missed, impossible = differences(random_program(seed), model)
            assert (missed, impossible) == (set(), set()), (seed, model)
            ended.append(algorithm)
    assert "bmc" in ended


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("family", FAMILIES)
def test_random_programs_of_every_kind(family: str) -> None:
    for seed in range(3):
        _, missed, impossible = differences(accessing(seed, FAMILIES[family], length=2), "tso")
        assert (missed, impossible) == (set(), set()), seed


@pytest.mark.usefixtures("at_once")
def test_z3_asks_by_turns() -> None:
    for seed in range(2):
        assert differences(random_program(seed), "pso", "z3")[1:] == (set(), set())


def test_values_that_multiply_are_a_matter_for_terms() -> None:
    """The states of fib(7) are many thousands; one question proves that nothing fails."""
    result = mcr.check(reference.fib(n=7), "tso")
    assert (result.verdict, result.algorithm) == (mcr.Verdict.VERIFIED, "bmc")
    states = mcr.check(reference.fib(n=4), "tso", objective="states")
    assert states.algorithm != "bmc"
    assert states.statistics.local_states == 272


class Sums:
    def __init__(self) -> None:
        self.i = self.j = 1

    def first(self) -> None:
        for _ in range(3):
            self.i += self.j

    def second(self) -> None:
        for _ in range(3):
            self.j += self.i


@mcr.program
def sums_of_objects(p: mcr.Declarations) -> None:
    sums = p.share(Sums())
    p.thread(sums.first)
    p.thread(sums.second)


def test_terms_have_little_of_the_effort_where_objects_are_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """They say nothing of lists, dicts and locks, and had most of it for tests that others prove."""
    made: list[Auto] = []
    begin = Auto.begin
    monkeypatch.setattr(Auto, "begin", lambda auto: (made.append(auto), begin(auto))[1])
    for name in ("FIRST", "SOON", "LATER", "TURN"):
        monkeypatch.setattr(mcr.explorers.auto, name, 10_000)
    assert mcr.check(sums_of_objects, "sc").verdict is mcr.Verdict.VERIFIED
    terms, cover, states = made[-1]._terms, made[-1]._cover, made[-1]._stateful
    assert terms is not None and cover is not None and states is not None
    assert 0 < terms.cost < cover.cost + states.cost


def test_an_input_of_very_many_numbers_is_a_matter_for_terms() -> None:
    @mcr.program
    def doubled(p: mcr.Declarations) -> None:
        x = p.var("x", 0)

        def ask() -> None:
            assert x.load() * 2 != 1_999_998

        p.thread(lambda: x.store(p.integer(0, 10**6)))
        p.thread(ask)

    result = mcr.check(doubled)
    assert (result.verdict, result.algorithm) == (mcr.Verdict.BUG, "bmc")
    with pytest.raises(mcr.ModelError, match="--algorithm bmc takes them all"):
        mcr.check(doubled, objective="states")


@dataclass(frozen=True)
class _Holder:
    held: int


def test_what_terms_cannot_do_is_left_to_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FIRST", "SOON", "LATER"):
        monkeypatch.setattr(mcr.explorers.auto, name, 1)

    @mcr.program
    def holds(p: mcr.Declarations) -> None:
        x, y = p.var("x", 0), p.var("y", None)

        def keep() -> None:
            y.store(_Holder(x.load()))
            assert y.load().held < 2

        p.thread(x.store, 1)
        p.thread(keep)

    result = mcr.check(holds)
    assert (result.verdict, result.algorithm != "bmc") == (mcr.Verdict.VERIFIED, True)


class _Enough(Exception):
    pass


@pytest.mark.parametrize("solver", ["minisat22", "cadical153"])
def test_a_question_that_was_interrupted_goes_on(solver: str) -> None:
    """Eight pigeons do not fit into seven holes; nobody starts over when asked again."""
    most = 0

    def check() -> None:
        if asked.effort > most:
            raise _Enough

    asked = make_solver(solver, check)
    in_hole = [[asked.statement() for _ in range(7)] for _ in range(8)]
    for pigeon in in_hole:
        asked.require(pigeon)
    for hole in range(7):
        for one in range(8):
            for other in range(one):
                asked.require((-in_hole[one][hole], -in_hole[other][hole]))
    efforts = []
    while True:
        most = asked.effort + 20_000
        try:
            assert not asked.propose()
            break
        except _Enough:
            efforts.append(asked.effort)
    assert len(efforts) > 2
    alone = make_solver(solver)
    for clause in asked._requirements:  # type: ignore[attr-defined]
        for literal in clause:
            while abs(literal) > alone._statements:  # type: ignore[attr-defined]
                alone.statement()
        alone.require(clause)
    assert not alone.propose()
    assert asked.effort < 2 * alone.effort
