"""Coverage by the oracle: the lines of thread code that run while every configuration is visited."""

from __future__ import annotations

from mcr.api import open_session
from mcr.coverage.survey import Coverage, counted, cover, trace
from mcr.exploration.options import Options
from replay.frontend.program import Program
from replay.world.memory_model import MemoryModel

WHOLE = Options(keep_going=True, shorten=False, max_executions=3000, timeout=60)


def by_oracle(program: Program, model: MemoryModel) -> Coverage | None:
    """What the exhaustive search reaches; None if it is too large."""
    session = open_session(program, model, algorithm="exhaustive", options=WHOLE)
    result = session.explore()
    if result.stop is not None:
        return None
    return counted(program, model.name, trace(session.context.unfolding), None)


def disagreement(program: Program, model: MemoryModel) -> str | None:
    """What the oracle reaches and the checker does not, or the other way round; None if it is too large."""
    expected = by_oracle(program, model)
    if expected is None:
        return None
    found = cover(program, model, Options())
    if found.stop is not None or found.lines.keys() != expected.lines.keys():
        return f"other statements: {found.stop}"
    lines = [line for line, count in expected.lines.items() if bool(count) != bool(found.lines[line])]
    branches = [way for way, count in expected.branches.items() if bool(count) != bool(found.branches[way])]
    return f"{lines} {branches}" if lines or branches else ""
