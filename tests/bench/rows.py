"""Rows as a measurement would make them, without one."""

from __future__ import annotations

from typing import Any

from mcr.bench.case import BenchCase
from mcr.bench.environment import environment

PLAIN = {
    "seeds_asked": 4, "seeds_satisfiable": 3, "seeds_enforced": 3, "global_states": 0,
    "executions": 4, "blocked": 1, "redirected": 1, "graphs": 0, "redundant": 0, "local_states": 16, "classes": 4,
    "blocked_classes": 0, "first_bug": None, "questions": 4, "cyclic": 0, "solving_s": 0.001, "encoding_s": 0.001,
    "replaying_s": 0.001, "surveying_s": 0.0, "wall_s": 0.004, "cpu_s": 0.004, "peak_mb": 30.0, "verdict": "verified",
    "complete": True, "why": "", "limit_s": 60.0, "process_s": 0.3,
}  # fmt: skip
LARGEST_CENSUS = {"traces": 4, "rf": 4, "rvf": 4, "values": 4, "outcomes": 4}


def row(case: BenchCase, **figures: Any) -> dict[str, Any]:
    """What a case gives, with some figures replaced; `details` are added to what every suite asks for."""
    details = {
        "least_executions": 3,
        "outcomes": 4,
        "census": LARGEST_CENSUS,
        "cover": {"minimum": 3, "blocked_only": 1},
        "figures": {"seeds tried": 5, "seeds satisfiable": 3, "seeds skipped": 0, "data races": 2},
        "growth": {"costs_ms": [[1, 1.0], [2, 1.5], [4, 1.25]], "exponent": 0.1, "kilobytes": 2.0},
        "phases": {"encoding": 0.001, "solver": 0.001, "order check": 0.0, "seed": 0.0, "redirections": 0.0,
                   "graphs": 0.0, "replay": 0.002, "user code": 0.0, "shortening": 0.0, "rest": 0.0},
        **figures.pop("details", {}),
    }  # fmt: skip
    return {**case.columns(), **PLAIN, **figures, **environment(), "details": details}
