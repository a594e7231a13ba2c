"""Waiting is an update with a guard: locks of any sort are library code on top, and no kind of their own."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import mcr
from replay.code.running_thread import current_run, line_of_request
from replay.world.memory_models import MODELS
from replay.world.operation import Guard, Kind, Location, Operation
from tests.amount import one_of
from tests.objectives.exploring import differences
from tests.support import OBJECTIVES, compare


@dataclass(frozen=True)
class Semaphore:
    """Lends out what it holds; who asks for more than there is waits."""

    location: Location

    def acquire(self, count: int = 1) -> None:
        current_run().perform(
            Operation(
                Kind.UPDATE,
                self.location,
                update=lambda free: free - count,  # type: ignore[operator]
                ready=Guard(lambda free, count: free >= count, count),
                label="acquire",
                source=line_of_request(),
            )
        )

    def release(self, count: int = 1) -> None:
        current_run().perform(
            Operation(
                Kind.UPDATE,
                self.location,
                update=lambda free: free + count,  # type: ignore[operator]
                label=f"release({count})",
                source=line_of_request(),
            )
        )


@mcr.program
def two_of_three(p: mcr.Declarations) -> None:
    """No more than two are inside."""
    seats, inside = Semaphore(Location("seats", 2)), p.var("inside", 0)

    def guest() -> None:
        seats.acquire()
        assert inside.fetch_add(1) < 2
        inside.fetch_add(-1)
        seats.release()

    for _ in range(3):
        p.thread(guest)


@mcr.program
def one_waits_for_two(p: mcr.Declarations) -> None:
    """How many it takes depends on what it read: two guards at one place of one thread."""
    seats, wants = Semaphore(Location("seats", 0)), p.var("wants", 1)

    def taker() -> int:
        count = wants.load()
        seats.acquire(count)
        return count

    def giver() -> None:
        seats.release()
        wants.store(2)

    p.thread(taker)
    p.thread(giver)


@pytest.mark.parametrize("algorithm", ["cover", "trust", "auto"])
@pytest.mark.parametrize("program", [two_of_three, one_waits_for_two], ids=lambda program: program.title)
def test_a_semaphore_is_library_code(program: mcr.Program, algorithm: str) -> None:
    for model in one_of(list(MODELS), f"{program.title} {algorithm}"):
        objectives = ("states", *one_of(OBJECTIVES[1:], f"{program.title} {model} {algorithm}"))
        found = compare(program, MODELS[model], objectives, max_machine_states=20_000, algorithm=algorithm)
        assert found.decided
        assert not found.differences, found.differences


@pytest.mark.parametrize("model", MODELS)
def test_guards_at_one_place_are_told_apart(model: str) -> None:
    assert differences(one_waits_for_two, model, 4_000) == ""


def test_maximal_causality_knows_nothing_of_it_either() -> None:
    for model in MODELS:
        result = mcr.check(one_waits_for_two, model, objective="values", algorithm="mcr")
        by_cover = mcr.check(one_waits_for_two, model, objective="values", algorithm="cover")
        assert result.verdict is by_cover.verdict is mcr.Verdict.VERIFIED
        assert result.classes[0].complete == by_cover.classes[0].complete


def test_reports_call_it_by_its_label() -> None:
    result = mcr.check(one_waits_for_two, "sc", objective="deadlocks", algorithm="auto")
    (trace,) = result.failures
    assert {event.kind for event in trace.events if event.location == "seats"} <= {"rmw"}
    assert trace.failure is not None
    assert "thread 0 waits in seats.acquire" in trace.failure.message
