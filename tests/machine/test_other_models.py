"""Memory models that are not shipped: whatever reads a page agrees with brute force on them as well.

Four pages, none of which a published algorithm covers. Each is known to everything while a test runs, and nothing else.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import mcr
from mcr.cli import main
from mcr.consistency.check import check_trace
from replay.errors import CheckerError
from replay.traces.trace import Trace
from replay.world.memory_model import Access, Buffers, Loads, MemoryModel, one_per_location, one_per_thread
from replay.world.memory_models import MODELS, memory_model, register
from replay.world.memory_models.pso import PSO
from replay.world.memory_models.sc import SC
from replay.world.memory_models.tso import TSO
from tests.amount import amount, one_of
from tests.behaviours import enumerate_behaviours
from tests.consistency.agreement import disagreements
from tests.consistency.executions import executed
from tests.consistency.instances import random_instance
from tests.differential.search import Portion, search
from tests.machine.test_semantics import Litmus, program_of
from tests.maximal.families import FAMILIES
from tests.maximal.random_programs import random_program
from tests.maximal.test_classes import check
from tests.models import registered
from tests.objectives.exploring import asked, differences
from tests.random_programs import PROFILES
from tests.rf_smc.agreement import against_brute_force
from tests.support import engine_outcomes

IBM370 = MemoryModel("ibm370", "System/370: no forwarding", Buffers(one_per_thread, Loads.AFTER_OWN))
STARK = MemoryModel("stark", "PSO without forwarding", Buffers(one_per_location, Loads.AFTER_OWN))
PATIENT = MemoryModel("patient", "stores pass each other, loads wait", Buffers(one_per_location, Loads.AFTER_ALL))
BANKED = MemoryModel("banked", "x and y share a buffer", Buffers(lambda name: "xy" if name in "xy01" else name))
OTHERS = (IBM370, STARK, PATIENT, BANKED)

each_model = pytest.mark.parametrize("model", OTHERS, ids=str)


@pytest.fixture(autouse=True)
def _known(request: pytest.FixtureRequest) -> Iterator[None]:
    """Where a test is about one model, that is the only one there is."""
    model = request.node.callspec.params.get("model") if hasattr(request.node, "callspec") else None
    with registered(model) if isinstance(model, MemoryModel) else registered(*MODELS.values()):
        yield


TESTS: list[tuple[Litmus, dict[str, str]]] = [
    (Litmus("SB", "x=1; a=y || y=1; b=x", "ab", "01 10 11"), {"ibm370": "00", "stark": "00", "banked": "00"}),
    (Litmus("SB+rfi", "x=1; a=x; b=y || y=1; c=y; d=x", "abcd", "1011 1110 1111"), {"banked": "1010"}),
    (Litmus("MP", "x=1; y=1 || a=y; b=x", "ab", "00 01 11"), {"stark": "10", "patient": "10"}),
    (Litmus("MP+banks", "x=1; z=1 || a=z; b=x", "ab", "00 01 11"), {"stark": "10", "patient": "10", "banked": "10"}),
    (Litmus("MP+stbar", "x=1; stbar; z=1 || a=z; b=x", "ab", "00 01 11"), {}),
    (Litmus("MP+own load", "x=1; c=x; z=1 || a=z; b=x", "ab", "00 01 11"), {"banked": "10"}),
    (Litmus("MP+other load", "x=1; c=y; z=1 || a=z; b=x", "ab", "00 01 11"), {"stark": "10", "banked": "10"}),
    (Litmus("2+2W", "x=1; z=2 || z=1; x=2", "xz", "12 21 22"), {"stark": "11", "patient": "11", "banked": "11"}),
    (Litmus("LB", "a=x; y=1 || b=y; x=1", "ab", "00 01 10"), {}),
    (Litmus("CoWR", "x=1; a=x || x=2", "ax", "11 12 22"), {}),
]
"""Tests with what SC allows, and by model what that allows besides."""


@each_model
@pytest.mark.parametrize(("litmus", "weaker"), TESTS, ids=[litmus.name for litmus, _ in TESTS])
def test_litmus(litmus: Litmus, weaker: dict[str, str], model: MemoryModel) -> None:
    expected = {repr(outcome) for outcome in (*litmus.sc.split(), *weaker.get(model.name, "").split())}
    program = program_of(litmus)
    assert enumerate_behaviours(program, model).outcomes == expected
    for algorithm in one_of(("cover", "trust", "trust-rf"), f"{litmus.name} {model.name}"):
        assert engine_outcomes(program, model, algorithm) == expected


@mcr.program
def looks_on_one_path(p: mcr.Declarations) -> None:
    """On one path a load comes between two accesses, which it orders where loads wait for stores; on the other none."""
    x, y, z = p.var("x", 0), p.var("y", 0), p.var("z", 0)

    def store_and_look() -> tuple[int, int]:
        x.store(1)
        looked = (x if p.choose(False, True) else z).load()
        return looked, y.load()

    def send() -> None:
        z.store(1)
        if p.choose(False, True):
            z.load()
        else:
            p.choose(None)
        y.store(1)

    def look() -> tuple[int, int]:
        y.store(2)
        p.fence()
        return x.load(), z.load()

    threads = [p.thread(code) for code in (store_and_look, send, look)]

    @p.final
    def seen() -> tuple[object, ...]:
        return tuple(thread.join() for thread in threads)


@each_model
def test_what_is_not_executed_orders_nothing(model: MemoryModel) -> None:
    """Where loads wait for stores, a load on another path must not order what is around it."""
    expected = enumerate_behaviours(looks_on_one_path(), model).outcomes
    for algorithm in ("cover", "trust", "trust-rf"):
        assert engine_outcomes(looks_on_one_path(), model, algorithm) == expected


@each_model
@pytest.mark.parametrize("profile", PROFILES)
def test_engine_and_graphs_agree_with_the_machine(profile: str, model: MemoryModel) -> None:
    for algorithm in one_of(("cover", "trust", "trust-rf"), f"{profile} {model.name}"):
        objectives = tuple(one_of(("states", "outcomes", "deadlocks"), f"{profile} {algorithm} {model.name}"))
        found = search(Portion(profile, amount(2, 50), 20261122, objectives, algorithm=algorithm))
        assert not found.disagreement, found.disagreement
        assert found.decided > 0


@pytest.mark.parametrize(
    ("litmus", "model"),
    [pytest.param(each, model, id=f"{each.name}-{model}") for each, _ in TESTS for model in OTHERS][:: amount(3, 1)],
)
def test_classes_of_executions_are_those_of_the_machine(litmus: Litmus, model: MemoryModel) -> None:
    assert differences(program_of(litmus), model.name, 4_000, asked(f"{litmus.name} {model.name}")) == ""


@each_model
@pytest.mark.parametrize("number", range(12))
def test_maximal_causality_agrees_with_the_machine(number: int, model: MemoryModel) -> None:
    check(random_program(number, ("load", "load", "store", "store", "copy", "rmw", "store_fence")), model)


@each_model
@pytest.mark.parametrize("family", ["fences", "updates", "all"])
def test_mutations_agree_with_the_machine(family: str, model: MemoryModel) -> None:
    """RF-SMC asks these checks, too."""
    for number in range(6):
        program = random_program(number, FAMILIES[family], length=2, locations=3)
        assert not against_brute_force(program, model.name, limit=1_000)


@each_model
def test_consistency_checks_agree_with_brute_force(model: MemoryModel) -> None:
    answers = {True: 0, False: 0}
    for number in range(200):
        expected, wrong = disagreements(random_instance(random.Random(f"other {number}"), model), model, ("minisat22",))
        assert not wrong, (number, wrong)
        answers[expected] += 1
    assert min(answers.values()) > 20


@each_model
def test_what_was_executed_passes_its_own_checks(model: MemoryModel) -> None:
    """`--paranoid`: every execution has a witness, obeys the axioms, and is a run of the machine."""
    for litmus, _ in TESTS:
        traces: list[Trace] = executed(program_of(litmus), model)
        assert traces
        for trace in traces:
            check_trace(trace)


# -- the registry, and what reports say ------------------------------------------


def test_models_that_allow_less_come_first() -> None:
    for model in OTHERS:
        register(model)
    known = list(MODELS.values())
    assert [model.name for model in known if model in (SC, TSO, PSO)] == ["sc", "tso", "pso"]
    for place, model in enumerate(known):
        assert not any(earlier.allows(model) for earlier in known[:place])
    assert memory_model("IBM370") is IBM370
    with pytest.raises(CheckerError, match="already"):
        register(IBM370)


def test_models_that_are_not_comparable_do_not_allow_each_other() -> None:
    assert TSO.allows(IBM370)
    assert PSO.allows(STARK)
    assert PSO.allows(BANKED)
    assert BANKED.allows(TSO)
    assert not any(one.allows(two) for one in (PATIENT, TSO) for two in (PATIENT, TSO) if one is not two)


@each_model
def test_stores_to_one_location_stay_in_order(model: MemoryModel) -> None:
    assert all(model.keeps(Access.STORE, Access.STORE, name, name) for name in ("x", "y", "z"))


def _log(folder: Path) -> str:
    """SB with loads of the own stores first: not without forwarding."""
    line = [
        ("store", "x", 1),
        ("load", "x", 1),
        ("load", "y", 0),
        ("store", "y", 1),
        ("load", "y", 1),
        ("load", "x", 0),
    ]
    events = [
        {"thread": str(place // 3), "kind": kind, "location": location, "written" if kind == "store" else "read": value}
        for place, (kind, location, value) in enumerate(line)
    ]
    document = {"schema": "mcr-trace/1", "model": "ibm370", "initial": {"x": 0, "y": 0}, "events": events}
    (folder / "log.json").write_text(json.dumps(document))
    return str(folder / "log.json")


def test_verify_names_the_axiom(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    register(IBM370)
    assert main(["verify", _log(tmp_path)]) == 1
    assert "IBM370: no cycle in ppo + rfe + co + fr" in capsys.readouterr().out
    assert main(["verify", _log(tmp_path), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["cycles"][0]["axiom"] == "IBM370"
    assert main(["verify", _log(tmp_path), "--model", "tso"]) == 0


SB = """
import mcr

@mcr.program
def sb(p):
    x, y = p.var("x", 0), p.var("y", 0)
    threads = [p.thread(lambda mine=mine, other=other: (mine.store(1), other.load())[1])
               for mine, other in ((x, y), (y, x))]
    @p.final
    def somebody_saw():
        assert any(thread.join() for thread in threads)
"""


def test_reports_say_under_which_models(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    register(IBM370)
    register(PATIENT)
    (tmp_path / "sb.py").write_text(SB)
    assert main(["check", str(tmp_path / "sb.py"), "--save", str(tmp_path / "kept")]) == 1
    printed = capsys.readouterr().out
    assert "Possible under IBM370, TSO and PSO, impossible under SC and PATIENT" in " ".join(printed.split())
