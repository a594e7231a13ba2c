"""Taking one measurement, in this process."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping
from typing import Any

from mcr.api import open_session
from mcr.bench.case import END, BenchCase
from mcr.bench.memory import peak_megabytes
from mcr.bench.probe import Probe, probe_named
from mcr.exploration.options import Options
from mcr.exploration.session import Session
from mcr.exploration.verdict import Result, Statistics
from replay.machine.unfolding import Unfolding
from replay.traces.trace import Trace
from replay.world.memory_models import memory_model
from solvers.registry import make_solver


class _FirstBug:
    """Notes at which execution the first failure was found."""

    def __init__(self) -> None:
        self.at: int | None = None
        self.session: Session | None = None

    def on_failure(self, _: Trace) -> None:
        if self.at is None and self.session is not None:
            self.at = self.session.context.statistics.executions


def measure(case: BenchCase, timeout: float) -> dict[str, Any]:
    """The columns that follow the key. Raises what the exploration raises."""
    make_solver(case.solver)  # so that its import is not measured
    first, probe = _FirstBug(), probe_named(case.probe)
    session = first.session = _session(case, timeout, first, probe)
    wall, cpu = time.monotonic(), time.process_time()
    with probe:
        result = session.explore()
    wall, cpu = time.monotonic() - wall, time.process_time() - cpu
    return {
        **_figures(result),
        "first_bug": first.at,
        "wall_s": round(wall, 4),
        "cpu_s": round(cpu, 4),
        **_end(result),
        "details": {**dict(_details(case, session, result)), **probe.details(session, result)},
    }


def _session(case: BenchCase, timeout: float, first: _FirstBug, probe: Probe) -> Session:
    options = Options(
        solver=case.solver,
        timeout=timeout,
        memory=case.memory,
        merge=case.merge,
        turns=True,
        keep_going=case.until == END,
        shorten=case.shorten,
        census=case.census,
    )
    return open_session(
        case.resolved(),
        memory_model(case.model),
        objective=case.objective,
        algorithm=case.algorithm,
        options=options,
        on_progress=probe.note,
        on_failure=first.on_failure,
        observers=[probe.see] if case.probe else [],
    )


def _figures(result: Result) -> dict[str, Any]:
    statistics = result.statistics
    return {
        **_seeds(statistics, dict(result.figures)),
        "executions": statistics.executions,
        "blocked": statistics.blocked,
        "redirected": statistics.redirected,
        "graphs": statistics.graphs,
        "redundant": statistics.redundant,
        "local_states": statistics.local_states,
        "global_states": statistics.global_states,
        "classes": statistics.classes,
        "blocked_classes": statistics.blocked_classes,
        "questions": statistics.proposals,
        "cyclic": statistics.cycles,
        "solving_s": round(statistics.solving, 4),
        "encoding_s": round(statistics.encoding, 4),
        "replaying_s": round(statistics.replaying, 4),
        "surveying_s": round(statistics.surveying, 4),
    }


def _seeds(statistics: Statistics, figures: Mapping[str, int]) -> dict[str, int | None]:
    """Seeds by what became of them; None for algorithms that have none (docs/benchmarks.md)."""
    enforced = max(0, statistics.executions - 1)
    if "seeds tried" in figures:
        asked, satisfiable = figures["seeds tried"], figures["seeds satisfiable"]
    elif statistics.checks and not statistics.graphs:
        asked, satisfiable = statistics.checks, statistics.realizable
    elif statistics.proposals or statistics.redirected:
        asked, satisfiable = statistics.proposals + statistics.redirected, enforced
    else:
        return dict.fromkeys(("seeds_asked", "seeds_satisfiable", "seeds_enforced"))
    return {"seeds_asked": asked, "seeds_satisfiable": satisfiable, "seeds_enforced": enforced}


def _end(result: Result) -> dict[str, Any]:
    return {
        "peak_mb": peak_megabytes(),
        "verdict": result.verdict.value,
        "complete": result.complete,
        "why": result.stop.reason if result.stop else "",
    }


def _details(case: BenchCase, session: Session, result: Result) -> Iterator[tuple[str, Any]]:
    """Yields the figures of some algorithms and objectives only."""
    yield "least_executions", least_executions(session.context.unfolding)
    yield "merged", result.merged
    if result.classes:
        yield "classes", {count.equivalence: [count.complete, count.blocked] for count in result.classes}
    if "outcomes" in case.objective:
        yield "outcomes", len(result.outcomes)
        yield "outcomes_digest", hashlib.sha256("\n".join(result.outcomes).encode()).hexdigest()[:16]
    if result.census:
        yield "census", dict(result.census)
    if result.figures:
        yield "figures", dict(result.figures)
    statistics = result.statistics
    if statistics.checks:
        seconds = round(statistics.checking, 4)
        yield "checks", {"asked": statistics.checks, "realizable": statistics.realizable, "seconds": seconds}


def least_executions(unfolding: Unfolding) -> int:
    """A number below which no explorer can go that shows every local state seen.

    One execution takes a thread to one leaf of its graph, so there are at least
    as many as the thread with most leaves has.
    """
    leaves = dict.fromkeys(range(len(unfolding.threads)), 0)
    for state in unfolding.states:
        leaves[state.thread] += not state.edges
    return max(leaves.values())
