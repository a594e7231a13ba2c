"""Taking one measurement, in this process."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

from mcr.api import open_session
from mcr.exploration.options import Options
from mcr.exploration.session import Session
from mcr.exploration.verdict import Result, Statistics
from replay.machine.unfolding import Unfolding
from replay.traces.trace import Trace
from replay.world.memory_models import memory_model
from results.bench.case import END, Case
from results.bench.costs import Costs
from results.bench.cover import ClassEnds
from results.bench.memory import peak_megabytes
from results.bench.sampling import Sampler
from solvers.registry import make_solver


class Watch:
    """Sees every execution and every failure of an exploration."""

    def __init__(self, case: Case) -> None:
        self.first_bug: int | None = None
        self.costs = Costs() if case.growth else None
        self.ends = ClassEnds()
        self.session: Session | None = None

    def on_failure(self, _: Trace) -> None:
        if self.first_bug is None and self.session is not None:
            self.first_bug = self.session.context.statistics.executions

    def on_progress(self, statistics: Statistics) -> None:
        if self.costs is not None:
            self.costs.note(statistics.executions)


def measure(case: Case, timeout: float) -> dict[str, Any]:
    """The columns that follow the key. Raises what the exploration raises."""
    make_solver(case.solver)  # so that its import is not measured
    watch, sampler = Watch(case), Sampler()
    session = watch.session = make_session(case, timeout, watch)
    wall, cpu = time.monotonic(), time.process_time()
    with sampler.running() if case.profile else contextlib.nullcontext():
        result = session.explore()
    wall, cpu = time.monotonic() - wall, time.process_time() - cpu
    details = dict(_details(case, session, result, watch))
    if case.profile:
        details["phases"] = {phase: round(seconds, 4) for phase, seconds in sampler.seconds.items()}
    return {
        **_figures(result, watch),
        "wall_s": round(wall, 4),
        "cpu_s": round(cpu, 4),
        **_end(result),
        "details": details,
    }


def make_session(case: Case, timeout: float, watch: Watch) -> Session:
    """The exploration of a case."""
    options = Options(
        solver=case.solver,
        timeout=timeout,
        merge=case.merge,
        keep_going=case.until == END,
        shorten=case.profile and case.until != END,  # a bug is found without that, but it is part of where time goes
        census=case.census,
    )
    return open_session(
        case.resolved(),
        memory_model(case.model),
        objective=case.objective,
        algorithm=case.algorithm,
        options=options,
        on_progress=watch.on_progress,
        on_failure=watch.on_failure,
        observers=[watch.ends.see] if case.cover else [],
    )


def _figures(result: Result, watch: Watch) -> dict[str, Any]:
    statistics = result.statistics
    return {
        "executions": statistics.executions,
        "blocked": statistics.blocked,
        "redirected": statistics.redirected,
        "graphs": statistics.graphs,
        "redundant": statistics.redundant,
        "local_states": statistics.local_states,
        "classes": statistics.classes,
        "blocked_classes": statistics.blocked_classes,
        "first_bug": watch.first_bug,
        "questions": statistics.proposals,
        "cyclic": statistics.cycles,
        "solving_s": round(statistics.solving, 4),
        "encoding_s": round(statistics.encoding, 4),
        "replaying_s": round(statistics.replaying, 4),
        "surveying_s": round(statistics.surveying, 4),
    }


def _end(result: Result) -> dict[str, Any]:
    return {
        "peak_mb": peak_megabytes(),
        "verdict": result.verdict.value,
        "complete": result.complete,
        "why": result.stop.reason if result.stop else "",
    }


def _details(case: Case, session: Session, result: Result, watch: Watch) -> Iterator[tuple[str, Any]]:
    """What only some suites ask for."""
    yield "least_executions", least_executions(session.context.unfolding)
    if result.classes:
        yield "classes", {count.equivalence: [count.complete, count.blocked] for count in result.classes}
    if "outcomes" in case.objective:
        yield "outcomes", len(result.outcomes)
    if case.cover and result.complete:
        yield "cover", watch.ends.figures(session.context.unfolding)
    if result.census:
        yield "census", dict(result.census)
    if result.figures:
        yield "figures", dict(result.figures)
    statistics = result.statistics
    if statistics.checks:
        seconds = round(statistics.checking, 4)
        yield "checks", {"asked": statistics.checks, "realizable": statistics.realizable, "seconds": seconds}
    if watch.costs is not None:
        yield "growth", watch.costs.figures(result.statistics.executions)


def least_executions(unfolding: Unfolding) -> int:
    """A number below which no explorer can go that shows every local state seen.

    One execution takes a thread to one leaf of its graph, so there are at least
    as many as the thread with most leaves has.
    """
    leaves = dict.fromkeys(range(len(unfolding.threads)), 0)
    for state in unfolding.states:
        leaves[state.thread] += not state.edges
    return max(leaves.values())
