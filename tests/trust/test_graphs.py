"""Execution graphs against brute force: all of them, each once, and every one an execution of the machine."""

from __future__ import annotations

import operator
from collections import Counter
from itertools import chain, compress

import pytest
from hypothesis import HealthCheck, Phase, given, settings

import mcr
from examples import reference
from mcr.explorers.trust.explorer import Trust
from mcr.explorers.trust.graph import ExecutionGraph
from mcr.explorers.trust.reads_from import TrustReadsFrom
from mcr.explorers.trust.schedule import memory, schedule_of
from replay.machine.machine import Choice, Machine
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel
from replay.world.memory_models import MODELS
from tests.amount import amount, one_of
from tests.objectives.answers import LIMIT as ANSWERS_LIMIT
from tests.objectives.answers import Answer, cases, classes
from tests.objectives.brute_force import ExecutionClass, class_of, enumerate_classes
from tests.objectives.test_brute_force import REFERENCE, REGRESSIONS
from tests.random_programs import PROFILES, RandomProgram, programs
from tests.trust.visiting import graphs

LIMIT = 2_000
"""Prefixes of executions that brute force may look at, unless a test says otherwise."""

some_programs = settings(
    max_examples=amount(10, 60),
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)
"""How many random programs of a profile; each is tried under one of the models, or under all if there is time."""

each_model = pytest.mark.parametrize("model", MODELS)


def classes_by_graphs(program: mcr.Program, model: MemoryModel, algorithm: type[Trust] = Trust) -> list[ExecutionClass]:
    """The class of every graph, played on the machine."""
    own = program.apart()
    return own.known(lambda: _classes_by_graphs(own, model, algorithm))


def _classes_by_graphs(program: mcr.Program, model: MemoryModel, algorithm: type[Trust]) -> list[ExecutionClass]:
    unfolding = Unfolding(program)
    trust = algorithm(unfolding, model)
    found = []
    for graph in chain.from_iterable(map(trust.executions, graphs(trust))):
        choices = schedule_of(graph, model)
        check_end(graph, played(unfolding, model, choices))
        found.append(class_of(unfolding, model, choices))
    return found


def played(unfolding: Unfolding, model: MemoryModel, choices: list[Choice]) -> Machine:
    machine = Machine(unfolding, model)
    for choice in choices:
        assert machine.is_possible(choice), machine.why_not(choice.thread)
        machine.apply(choice)
    return machine


def check_end(graph: ExecutionGraph, machine: Machine) -> None:
    """The machine stands where the graph ends, with empty buffers and the same in memory."""
    assert machine.states[: len(graph.ends)] == graph.ends
    assert not any(machine.buffers)
    assert memory(graph).items() <= machine.memory.items()


def differences(program: mcr.Program, model: str, limit: int = LIMIT) -> str | None:
    """How graphs and brute force differ, "" if they agree; None if the program is too large."""
    expected = enumerate_classes(program, MODELS[model], limit)
    if not expected.decided:
        return None
    wanted = expected.complete | expected.blocked
    found = Counter(classes_by_graphs(program, MODELS[model]))
    lines = [
        *(f"no graph: {each}" for each in wanted - found.keys()),
        *(f"impossible: {each}" for each in found.keys() - wanted),
        *(f"{count} graphs: {each}" for each, count in found.items() if count > 1),
    ]
    return "\n".join(sorted(lines))


@pytest.mark.parametrize(
    ("program", "model", "expected"), [pytest.param(*rest, id=name) for name, *rest in cases("graphs")]
)
def test_examples(program: mcr.Program, model: str, expected: Answer) -> None:
    found = classes_by_graphs(program, MODELS[model])
    assert len(found) == len(set(found)), "two graphs of one class"
    is_complete = [each.is_complete for each in found]
    complete, blocked = compress(found, is_complete), compress(found, map(operator.not_, is_complete))
    if classes(complete, blocked) != expected["classes"]["traces"]:
        assert differences(program, model, ANSWERS_LIMIT) == "", "as brute force says now"
        pytest.fail("the table of answers is not that of brute force: tests.objectives.answers makes it anew")


@each_model
@pytest.mark.parametrize("program", REFERENCE, ids=lambda program: program.title)
def test_reference_programs(program: mcr.Program, model: str) -> None:
    assert differences(program, model, 4_000) == ""


FORMER_FAULTS = {
    "a spawn that was undone leaves no trace": RandomProgram(
        threads=((("store", "x", 1),), (("wait", ("y", 0)), ("spawn", ())), (("store", "y", 1),)),
    ),
    "a join waits for fences too, which have no moment": RandomProgram(
        threads=((("store", "x", 1),), (("spawn", (("spawn", (("store_fence",),)), ("join_child",))),)),
    ),
}


@each_model
@pytest.mark.parametrize("source", [*FORMER_FAULTS.values(), *REGRESSIONS.values()])
def test_regressions(source: RandomProgram, model: str) -> None:
    assert differences(source.build(), model) == ""


@pytest.mark.parametrize("profile", PROFILES)
def test_random_programs(profile: str) -> None:
    found: list[str | None] = []

    @some_programs
    @given(programs(profile))
    def agree(source: RandomProgram) -> None:
        for model in one_of(list(MODELS), str(source)):
            found.append(differences(source.build(), model))
            assert not found[-1], f"{model}: {found[-1]}"

    agree()
    assert found.count("") > 0.75 * len(found), "too many programs are too large for brute force"


@mcr.program
def stores_and_loads(p: mcr.Declarations, n: int = 5) -> None:
    x = p.var("x", 0)

    def store() -> None:
        for value in range(n):
            x.store(value)

    def load() -> None:
        for _ in range(n):
            x.load()

    p.thread(store)
    p.thread(load)


def test_few_graphs_wait() -> None:
    """One for each event that has several ways, not one for each way."""
    trust = Trust(Unfolding(stores_and_loads(n=5)), MODELS["sc"])
    stack, waiting = [trust.first()], []
    while stack:
        full = trust.advance(stack.pop())
        stack += trust.aside
        trust.aside.clear()
        if full is not None:
            waiting.append(len(stack))
    assert len(waiting) == 252  # ways to put five loads between five stores: 10 choose 5
    assert max(waiting) <= 5


def test_the_same_again() -> None:
    program = reference.peterson(check=False)
    first, second = (classes_by_graphs(program, MODELS["pso"]) for _ in range(2))
    assert first == second


@mcr.program
def two_parents(p: mcr.Declarations) -> None:
    """Each has a child, and either may be the first to have one."""
    x = p.var("x", 0)

    def parent(number: int) -> None:
        if x.load() != number:
            p.spawn(x.store, number)

    p.thread(parent, 1)
    p.thread(parent, 2)


@pytest.mark.parametrize("algorithm", [Trust, TrustReadsFrom])
def test_whoever_was_met_first(algorithm: type[Trust]) -> None:
    """Events are added in one order, whichever numbers the threads have."""

    def added(unfolding: Unfolding) -> list[list[str]]:
        full = graphs(algorithm(unfolding, MODELS["sc"]))
        return [[unfolding.thread_name(event.thread) for event in graph.events] for graph in full]

    renumbered = Unfolding(two_parents)
    machine = Machine(renumbered, MODELS["sc"])
    while choices := machine.choices():
        machine.apply(choices[-1])
    assert [info.name for info in renumbered.threads] == ["0", "1", "1.0", "0.0"]
    assert added(renumbered) == added(Unfolding(two_parents))
