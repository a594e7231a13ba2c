"""Answers of bmc about a program, and those of brute force."""

from __future__ import annotations

import mcr
from mcr.exploration.options import Options
from replay.world.memory_models import MODELS
from tests.behaviours import Failure, enumerate_behaviours


def failures(result: mcr.Result) -> set[Failure]:
    """What a check has shown, as brute force tells it."""
    return {
        Failure(trace.failure.error, trace.failure.message, str(trace.failure.line or ""))
        for trace in result.failures
        if trace.failure is not None
    }


def differences(program: mcr.Program, model: str, limit: int, solver: str = "minisat22") -> str | None:
    """How failures and outcomes differ, "" if they are the same; None if the program is too large for brute force."""
    twin = program.returning_results()
    expected = enumerate_behaviours(twin, MODELS[model], max_machine_states=limit)
    if not expected.complete:
        return None
    options = Options(solver=solver, keep_going=True, shorten=False, deadlocks=False)
    result = mcr.check(program, model, objective="outcomes", algorithm="bmc", options=options)
    found = failures(result)
    lines = [f"missed: {each}" for each in sorted(expected.failures - found, key=str)]
    lines += [f"impossible: {each}" for each in sorted(found - expected.failures, key=str)]
    lines += [f"missed outcome: {each}" for each in sorted(expected.outcomes - set(result.outcomes))]
    lines += [f"impossible outcome: {each}" for each in sorted(set(result.outcomes) - expected.outcomes)]
    verdict = "bug" if expected.failures else "verified"
    if result.verdict.value != verdict:
        lines.append(f"{result.verdict.value} for {verdict}: {result.stop}")
    first = mcr.check(program, model, algorithm="bmc", options=Options(solver=solver, deadlocks=False))
    if first.verdict.value != verdict:
        lines.append(f"without outcomes {first.verdict.value} for {verdict}: {first.stop}")
    return "\n".join(lines)
