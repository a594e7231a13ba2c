"""Algorithm 2, trust-rf: each reads-from class of maximal executions, once, and only those; against brute force."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, given, settings

import mcr
from examples import reference
from mcr.explorers.trust.coherence import CoherenceSearch, WritesBefore
from mcr.explorers.trust.explorer import Trust
from mcr.explorers.trust.reads_from import TrustReadsFrom
from replay.code.terminals import Ended
from replay.machine.unfolding import Unfolding
from replay.world.memory_models import MODELS
from tests.amount import amount, one_of
from tests.explorers.test_contract import FAMILIES
from tests.maximal.random_programs import random_program
from tests.objectives.brute_force import ExecutionClass, enumerate_classes
from tests.objectives.test_brute_force import REFERENCE, REGRESSIONS
from tests.random_programs import PROFILES, RandomProgram, programs
from tests.trust.test_graphs import FORMER_FAULTS, classes_by_graphs, each_model
from tests.trust.visiting import graphs

LIMIT = 800
"""Prefixes of executions that brute force may look at, unless a test says otherwise."""

EACH_FAMILY = amount(3, 15)
"""Random programs of each family; each is tried under three models."""

EACH_PROFILE = amount(2, 12)
"""The same of each profile."""


def differences(program: mcr.Program, model: str, limit: int = LIMIT) -> str | None:
    """How graphs and brute force differ, "" if they agree; None if the program is too large."""
    expected = enumerate_classes(program, MODELS[model], limit)
    if not expected.decided:
        return None
    wanted = set[ExecutionClass]().union(*expected.seen_by("rf"))
    found = Counter(each.seen_by("rf") for each in classes_by_graphs(program, MODELS[model], TrustReadsFrom))
    lines = [
        *(f"no graph: {each}" for each in wanted - found.keys()),
        *(f"impossible: {each}" for each in found.keys() - wanted),
        *(f"{count} graphs: {each}" for each, count in found.items() if count > 1),
    ]
    return "\n".join(sorted(lines))


@each_model
@pytest.mark.parametrize("program", REFERENCE, ids=lambda program: program.title)
def test_reference_programs(program: mcr.Program, model: str) -> None:
    assert differences(program, model, 4_000) == ""


@each_model
@pytest.mark.parametrize("source", [*FORMER_FAULTS.values(), *REGRESSIONS.values()])
def test_regressions(source: RandomProgram, model: str) -> None:
    assert differences(source.build(), model, 4_000) == ""


@pytest.mark.parametrize("family", FAMILIES)
def test_random_programs(family: str) -> None:
    """Accesses, locks, updates, waits, spawns."""
    found = [
        differences(random_program(seed, FAMILIES[family], length=3), model)
        for seed in range(EACH_FAMILY)
        for model in MODELS
    ]
    assert not any(found), found
    assert found.count("") > 0.75 * len(found), "too many programs are too large for brute force"


@pytest.mark.parametrize("profile", PROFILES)
def test_random_programs_with_everything_inside_everything(profile: str) -> None:
    found: list[str | None] = []

    @settings(
        max_examples=EACH_PROFILE,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(programs(profile))
    def agree(source: RandomProgram) -> None:
        for model in MODELS:
            found.append(differences(source.build(), model))
            assert not found[-1], f"{model}: {found[-1]}"

    agree()
    assert found.count("") > 0.5 * len(found), "too many programs are too large for brute force"


LARGER = [
    reference.lastzero(n=6),
    reference.fib(n=3, check=False),
    reference.exp_mem(n=5),
    reference.bakery(n=2, check=False),
    reference.ttas(n=3, b=1, check=False),
    reference.peterson(check=False),
]
"""Too large for brute force."""


@each_model
@pytest.mark.parametrize("program", LARGER, ids=lambda program: program.title)
def test_other_algorithms_count_the_same(program: mcr.Program, model: str) -> None:
    counts = {
        algorithm: mcr.check(program, model, objective="rf", algorithm=algorithm)
        for algorithm in ("trust-rf", *one_of(("trust", "cover"), f"{program.title} {model}"))
    }
    assert len({result.classes for result in counts.values()}) == 1
    found = counts["trust-rf"]
    assert found.statistics.executions == found.statistics.classes + found.statistics.blocked_classes
    assert dict(found.figures)["graphs of a class seen before"] == 0
    assert dict(found.figures)["checks decided by writes-before"] <= found.statistics.checks
    assert found.statistics.realizable <= found.statistics.checks


@mcr.program
def three_stores(p: mcr.Declarations) -> None:
    """The least program on which line 16 as printed visits a class twice: none of three operations is one."""
    x = p.var("x", 0)
    p.thread(x.store, 1)
    p.thread(x.load)
    p.thread(lambda: (x.store(2), x.store(3)))


def test_line_16_as_printed_repeats_itself() -> None:
    graphs = {
        algorithm: mcr.check(three_stores, "sc", objective="rf", algorithm=algorithm)
        for algorithm in ("trust-rf", "trust-rf:paper")
    }
    assert [result.statistics.graphs for result in graphs.values()] == [4, 5]
    assert [result.statistics.executions for result in graphs.values()] == [4, 4]
    assert dict(graphs["trust-rf:paper"].figures)["graphs of a class seen before"] == 1


@mcr.program
def beyond_wb(p: mcr.Declarations, fenced: bool = False) -> None:
    """Four threads that all get through only if the writes of x and those of y are in no order at all.

    wb orders neither: each way to order the one excludes both ways to order the other.
    """
    x, y = p.var("x", 0), p.var("y", 0)

    def thread(mine: mcr.Shared[int], stored: int, other: mcr.Shared[int], seen: int) -> None:
        mine.store(stored)
        if fenced:
            p.fence()
        p.assume(other.load() == seen)
        p.assume(mine.load() == stored)

    p.thread(thread, x, 1, y, 2)
    p.thread(thread, x, 2, y, 1)
    p.thread(thread, y, 1, x, 1)
    p.thread(thread, y, 2, x, 2)


@pytest.mark.parametrize("fenced", [False, True])
@each_model
def test_wb_alone_does_not_decide(model: str, fenced: bool) -> None:
    """Store buffers let all four get through, unless fences forbid it."""
    expected = int(model != "sc" and not fenced)
    for algorithm in ("trust-rf", "cover"):
        result = mcr.check(beyond_wb(fenced=fenced), model, objective="rf", algorithm=algorithm)
        assert result.classes[0].complete == expected


def test_what_wb_says_of_four_that_get_through() -> None:
    """The graph that TSO allows is a question for SC: wb has no cycle there, and yet there is no co."""
    unfolding = Unfolding(beyond_wb)
    (graph,) = (
        graph
        for graph in graphs(TrustReadsFrom(unfolding, MODELS["tso"]))
        if all(isinstance(end.terminal, Ended) for end in graph.ends)
    )
    everything = (1 << len(graph.events)) - 1
    wb = WritesBefore(graph, everything)
    assert wb.is_possible
    assert wb.co() is None
    assert CoherenceSearch(unfolding, MODELS["tso"]).of_graph(graph) is not None
    assert CoherenceSearch(unfolding, MODELS["sc"]).of_graph(graph) is None

    class Late(Exception):
        """A limit was reached."""

    def stop() -> None:
        raise Late

    unfolding.check = stop  # type: ignore[method-assign]
    with pytest.raises(Late):  # in the middle of a search, since that may take long
        CoherenceSearch(unfolding, MODELS["sc"]).of_graph(graph)


@each_model
def test_every_ending_for_the_final_function(model: str) -> None:
    """Two stores that nobody reads are one class, but the final function may see either."""

    @mcr.program
    def two_stores(p: mcr.Declarations) -> None:
        x, y = p.var("x", 0), p.var("y", 0)
        p.thread(lambda: (x.store(1), y.store(1)))
        p.thread(lambda: (y.store(2), x.store(2)))
        p.final(lambda: (x.load(), y.load()))

    assert mcr.check(two_stores, model, objective="rf", algorithm="trust-rf").classes[0].complete == 1
    outcomes = mcr.check(two_stores, model, objective="outcomes", algorithm="trust-rf").outcomes
    assert outcomes == mcr.check(two_stores, model, objective="outcomes", algorithm="exhaustive").outcomes
    assert len(outcomes) == (4 if model == "pso" else 3)


def test_fewer_graphs_than_with_co() -> None:
    """Writes that nobody reads: one graph, where Algorithm 1 visits one for each order."""
    program = RandomProgram(threads=((("store", "x", 1),),) * 4).build()
    count = {kind: len(list(graphs(kind(Unfolding(program), MODELS["sc"])))) for kind in (Trust, TrustReadsFrom)}
    assert count == {Trust: 24, TrustReadsFrom: 1}
