"""The races that the checker finds, as brute force names them."""

from __future__ import annotations

import mcr
from mcr.exploration.options import Options
from mcr.exploration.unraised import last_two
from replay.frontend.program import Program
from replay.traces.trace import DATA_RACE, Trace
from replay.world.memory_model import MemoryModel
from replay.world.operation import KINDS
from tests.races.brute_force import Race, enumerate_races

WHOLE = Options(keep_going=True, shorten=False)


def disagreement(program: Program, model: MemoryModel, limit: int, algorithm: str = "auto") -> str | None:
    """How the checker differs from brute force, "" if it does not; None if there is too much to enumerate."""
    expected = enumerate_races(program, model, limit)
    if expected is None:
        return None
    result = mcr.check(program, model.name, objective="races", algorithm=algorithm, options=WHOLE)
    traces = [trace for trace in result.failures if trace.failure and trace.failure.error == DATA_RACE]
    found = {_race(trace) for trace in traces}
    if found != expected:
        return f"missed {sorted(expected - found)}, invented {sorted(found - expected)}"
    for trace in traces:
        if mcr.replay(program, trace).failure != trace.failure:
            return f"a race that does not play again: {trace.failure}"
    if result.verdict is mcr.Verdict.INCOMPLETE:
        return f"incomplete: {result.stop}"
    return ""


def _race(trace: Trace) -> Race:
    two = last_two(trace)
    accesses = sorted((KINDS[event.kind].access.value, str(event.line)) for event in two)
    return two[0].location, tuple(accesses)
