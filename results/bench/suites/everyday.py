"""What people write first: the default beside the algorithms that it is made of, SPIN and the peers."""

from __future__ import annotations

from dataclasses import replace

from mcr.bench.case import BenchCase, parameters
from mcr.bench.figures import Figure, Panel
from mcr.bench.rows import Row, as_markdown
from mcr.bench.suite import Suite, SuiteSelection, full_table
from mcr.bench.text import number, seconds
from mcr.explorers.registry import AUTO
from results.bench import everyday, for_ever, source
from results.bench.peers import peers_of
from results.bench.spin import SIZES as IN_SPIN
from results.bench.spin import WAYS, measured

SIDES = ("stateful", "cover", "bmc")
"""What the default chooses from."""

STATEFUL = SIDES[0]

NOTES = """\
Seconds of processor time of the exploration, under TSO, start-up apart; "-": no verdict within the time limit. Programs
"for ever" do not end: a verdict is one for any number of rounds, which only `stateful` gives. GenMC and Nidhugg: the
faster way of each, with start-up, measured on another day (`bench/peers.json`). Where `stateful` has 1,000 states
or more, it explores in C; [states](states.md) has what the loop in Python takes for the same."""

SPIN_NOTES = """\
SPIN 6.5 knows no store buffers, so this is under SC; `python -m results.bench.spin` measures it with the models in
`bench/spin_models`: processor seconds of the verifier alone, compiled by gcc -O2, which takes 128 MB for its table at
once. "Plain" is as one writes it; in "joined", what a thread does for itself is joined by hand to a step that others
see. "-": not within 120 s and 6 GB."""

Sizes = tuple[dict[str, int], dict[str, int]]

ENDING: dict[str, Sizes] = {
    "counter": ({"n": 6, "rounds": 2}, {"n": 8, "rounds": 2}),
    "racy_counter": ({"n": 4, "rounds": 2}, {"n": 4, "rounds": 3}),
    "mutex_counter": ({"n": 5, "rounds": 3}, {"n": 8, "rounds": 3}),
    "producers": ({"n": 3, "items": 2}, {"n": 4, "items": 3}),
    "work_pool": ({"workers": 2, "jobs": 4}, {"workers": 4, "jobs": 6}),
    "bank": ({"accounts": 3}, {"accounts": 6}),
    "philosophers": ({"n": 3, "meals": 1}, {"n": 6, "meals": 1}),
    "rate_limiter": ({"clients": 3, "tokens": 2}, {"clients": 6, "tokens": 3}),
    "seqlock": ({"readers": 1, "rounds": 2}, {"readers": 3, "rounds": 2}),
    "readers_writers": ({"readers": 2, "writers": 1}, {"readers": 4, "writers": 2}),
    "spsc_ring": ({"capacity": 2, "items": 4}, {"capacity": 4, "items": 12}),
    "ring_of_several": ({"n": 2, "size": 8}, {"n": 3, "size": 8}),
    "work_stealing": ({"thieves": 1, "tasks": 3}, {"thieves": 3, "tasks": 4}),
    "tickets": ({"n": 2, "rounds": 2}, {"n": 4, "rounds": 2}),
    "lru_cache": ({"n": 2, "capacity": 2}, {"n": 4, "capacity": 3}),
    "hash_chain": ({"n": 2}, {"n": 3}),
    "treiber_stack": ({"n": 2, "rounds": 1}, {"n": 3, "rounds": 1}),
    "michael_scott_queue": ({"producers": 2, "consumers": 1}, {"producers": 2, "consumers": 2}),
    "barrier_rounds": ({"n": 2, "rounds": 2}, {"n": 4, "rounds": 3}),
    "pool": ({"n": 3, "places": 2}, {"n": 7, "places": 3}),
    "initialised_once": ({"n": 3}, {"n": 6}),
    "fork_join": ({"n": 3}, {"n": 7}),
    "pipeline": ({"stages": 2, "items": 2}, {"stages": 4, "items": 6}),
    "event_and_condition": ({"n": 2}, {"n": 4}),
}
"""Parameters of `everyday`, by program: small and large."""

ENDLESS: dict[str, Sizes] = {
    "peterson": ({"cells": 1}, {"cells": 3}),
    "dekker": ({"cells": 1}, {"cells": 3}),
    "bakery": ({"cells": 1}, {"cells": 3}),
    "clh": ({"n": 2}, {"n": 3}),
    "mcs": ({"n": 2}, {"n": 3}),
    "spin_lock": ({"n": 2}, {"n": 5}),
    "bounded_buffer": ({"size": 3}, {"size": 5}),
    "work_queue": ({"workers": 2}, {"workers": 4}),
    "token_ring": ({"n": 3}, {"n": 6}),
}
"""The same of `for_ever`."""

COUNTED: dict[str, Sizes] = {"readers": ({"n": 5}, {"n": 10}), "ttas": ({"n": 2, "b": 1}, {"n": 2, "b": 2})}
"""Of `examples.reference`, where the peers have figures."""

ORIGINS = ((everyday, ENDING), (for_ever, ENDLESS))


def cases(choice: SuiteSelection) -> list[BenchCase]:
    sized = [
        BenchCase(
            str(module.__file__), program, parameters(**sizes), "tso", objective="failures", solver=choice.the_solver
        )
        for module, programs in ORIGINS
        for program, both in programs.items()
        for sizes in both
    ]
    sized += [
        BenchCase(
            source("examples/reference.py"),
            program,
            parameters(**sizes),
            "tso",
            objective="failures",
            solver=choice.the_solver,
        )
        for program, both in COUNTED.items()
        for sizes in both
    ]
    return choice.of([*_sides(sized), *_beside_spin(sized)])


def _sides(sized: list[BenchCase]) -> list[BenchCase]:
    return [replace(case, algorithm=each) for case in sized for each in (AUTO, *SIDES)]


def _beside_spin(sized: list[BenchCase]) -> list[BenchCase]:
    return [
        replace(case, model="sc", algorithm=each)
        for case in sized
        if case.program in IN_SPIN and dict(case.parameters) in IN_SPIN[case.program]
        for each in (AUTO, STATEFUL)
    ]


def sections(rows: list[Row]) -> list[str]:
    return [
        NOTES, _table(rows), "## Beside SPIN", SPIN_NOTES, _spin_table(rows), "## All figures", full_table(rows),
    ]  # fmt: skip


def _by_program(rows: list[Row], model: str) -> dict[tuple[str, str], dict[str, Row]]:
    """By program and parameters, then by algorithm, the rows of a model."""
    found: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows:
        if row["model"] == model:
            found.setdefault((row["program"], row["parameters"]), {})[row["algorithm"]] = row
    return found


def _table(rows: list[Row]) -> str:
    columns = ("program", "global states", AUTO, *SIDES, "default / best", "GenMC", "Nidhugg")
    return as_markdown(columns, (_line(*key, found) for key, found in _by_program(rows, "tso").items()))


def _line(program: str, sizes: str, found: dict[str, Row]) -> list[str]:
    best = min(filter(None, (_taken(found.get(each)) for each in SIDES)), default=None)
    taken = _taken(found.get(AUTO))
    over = "-" if taken is None or best is None else f"{taken / best:.1f}"
    title = f"{program}({sizes}){' for ever' if program in ENDLESS else ''}"
    states = number(_states(found.get(STATEFUL)))
    shown = (seconds(_taken(found.get(each))) for each in (AUTO, *SIDES))
    return [title, states, *shown, over, *(_peer(program, sizes, tool) for tool in ("genmc", "nidhugg"))]


def _taken(row: Row | None) -> float | None:
    """Seconds until the verdict; None if there is none."""
    return None if row is None or not row["complete"] else row["cpu_s"]


def _states(row: Row | None) -> int | None:
    figures = {} if row is None else row["details"].get("figures", {})
    return figures.get("global states")


def _peer(program: str, sizes: str, tool: str) -> str:
    if program not in COUNTED:
        return ""
    given = tuple((name, int(value)) for name, _, value in (part.partition("=") for part in sizes.split(", ")))
    found = [each for checked in (True, False) for each in peers_of(program, given, checked, "tso")]
    return seconds(min((each.seconds for each in found if each.tool == tool), default=None))


def _spin_table(rows: list[Row]) -> str:
    columns = ("program", "SPIN, plain", "states", "SPIN, joined", "states", AUTO, STATEFUL, "states", "/ joined")
    return as_markdown(columns, (_spin_line(*key, found) for key, found in _by_program(rows, "sc").items()))


def _spin_line(program: str, sizes: str, found: dict[str, Row]) -> list[str]:
    spin = [measured().get((program, sizes, way)) for way in WAYS]
    theirs = [
        text for each in spin for text in (("-", "-") if each is None else (seconds(each.seconds), number(each.states)))
    ]
    ours, joined = _taken(found.get(STATEFUL)), spin[1]
    over = "-" if ours is None or joined is None or joined.seconds is None else f"{ours / joined.seconds:.1f}"
    return [
        f"{program}({sizes})", *theirs, seconds(_taken(found.get(AUTO))), seconds(ours),
        number(_states(found.get(STATEFUL))), over,
    ]  # fmt: skip


def figures(rows: list[Row]) -> list[Figure]:
    """Seconds by algorithm, the larger size of each program."""
    found = [*_by_program(rows, "tso").items()][1::2]
    bars = {each: [_taken(algorithms.get(each)) for _, algorithms in found] for each in (AUTO, *SIDES)}
    labels = tuple(program for (program, _), _ in found)
    panel = Panel("TSO", y="seconds", labels=labels, bars=bars, log_y=True)
    return [Figure("everyday", "What people write first", (panel,), (16, 6), columns=1)]


def contradicted(rows: list[Row]) -> list[str]:
    """Nothing of this fails, but what is put into a buffer for ever without a fence under PSO, which is not asked."""
    return [
        f"{row['program']}({row['parameters']}) under {row['model'].upper()} by {row['algorithm']}: a bug"
        for row in rows
        if row["verdict"] == "bug" and row["program"] not in COUNTED
    ]


SUITE = Suite(
    name="everyday",
    title="What people write first",
    summary="counters, locks, queues and caches: the default beside stateful, cover and bmc, SPIN, GenMC and Nidhugg",
    cases=cases,
    sections=sections,
    figures=figures,
    contradicted=contradicted,
)
