"""An objective of one file that counts no classes: does a load read what a cell held at first?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import pytest

import mcr
from mcr.api import replay
from mcr.exploration.goals import AFTERWARDS, Question, register
from mcr.explorers.cover.afterwards import Afterwards
from mcr.report.remarks import objective_lines
from replay.frontend.declarations import Declarations
from replay.machine.machine import Choice
from replay.traces.trace import SOUGHT_FOR, Failure, Trace
from replay.world.memory_models import MODELS


class ThenEarly(Afterwards):
    """A run in which a load comes before every store, if the program has a load."""

    objective: ClassVar[str] = "early"

    def _ask(self) -> Iterator[list[Choice]]:
        if any(state.reads for state in self.unfolding.states):
            yield self._context.run([]).choices


def find_early(trace: Trace) -> Failure | None:
    event = next((each for each in trace.events if each.read == "0"), None)
    return event and Failure(event.thread, "Early", f"read {event.location} before anything was written")


@pytest.fixture(autouse=True)
def _early() -> Iterator[None]:
    register(Question("early", "Early", "every load reads what a thread wrote", ThenEarly, find_early))
    yield
    del AFTERWARDS["early"], SOUGHT_FOR["Early"]


@mcr.program
def reader(p: Declarations) -> None:
    x = p.var("x", 0)
    p.thread(x.load)
    p.thread(x.store, 1)


@mcr.program
def writer(p: Declarations) -> None:
    p.thread(p.var("x", 0).store, 1)


@pytest.mark.parametrize("algorithm", ["auto", "cover", "trust"])
@pytest.mark.parametrize("model", MODELS)
def test_it_is_asked_once_everything_was_explored(model: str, algorithm: str) -> None:
    found = mcr.check(reader(), model, objective="early", algorithm=algorithm)
    assert [str(trace.failure) for trace in found.failures] == ["Early: read x before anything was written"]
    assert replay(reader(), found.failures[0]).failure == found.failures[0].failure
    held = mcr.check(writer(), model, objective="early", algorithm=algorithm)
    assert held.verdict is mcr.Verdict.VERIFIED
    assert "every load reads what a thread wrote" in list(objective_lines(held, ()))


def test_it_is_refused_where_an_algorithm_lists_what_it_looks_for() -> None:
    with pytest.raises(mcr.CheckerError, match="early"):
        mcr.check(reader(), "sc", objective="early", algorithm="rvf-smc")
