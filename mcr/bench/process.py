"""A measurement in a process of its own, with a limit that is enforced from outside."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from mcr.bench.case import BenchCase
from mcr.bench.environment import environment
from mcr.bench.memory import peak_megabytes
from mcr.bench.rows import Row

GRACE = 10.0
"""Seconds beyond its own limit after which a process is killed."""

_ROOT = Path(__file__).resolve().parents[2]

FIGURES = (
    "seeds_asked", "seeds_satisfiable", "seeds_enforced", "executions", "blocked", "redirected", "graphs", "redundant",
    "local_states", "global_states", "classes", "blocked_classes",
    "first_bug", "questions", "cyclic", "solving_s", "encoding_s", "replaying_s", "surveying_s", "wall_s", "cpu_s",
    "peak_mb",
)  # fmt: skip
"""What a process tells of its measurement, beside how it ended."""

_NOTHING = dict.fromkeys(FIGURES)
"""The figures of a process that did not live to tell them."""


def measured(case: BenchCase, timeout: float, grace: float = GRACE) -> Row:
    """The row of a case, whatever happens to the process; KeyboardInterrupt ends that too."""
    started, cpu = time.monotonic(), _children_cpu()
    figures = _figures(case, timeout, grace)
    return _row(case, timeout, figures, started, cpu)


def unmeasured(case: BenchCase, timeout: float, why: str, verdict: str = "error") -> Row:
    """The row of a case of which there are no figures, and why."""
    figures = {**_NOTHING, "verdict": verdict, "complete": False, "why": why, "wall_s": None, "cpu_s": None}
    return {**case.columns(), **figures, "limit_s": timeout, "process_s": None, **environment(), "details": {}}


def _row(case: BenchCase, timeout: float, figures: dict[str, Any], started: float, cpu: float) -> Row:
    if figures["cpu_s"] is None:
        figures |= {"wall_s": round(time.monotonic() - started, 4), "cpu_s": round(_children_cpu() - cpu, 4)}
    whole = {"limit_s": timeout, "process_s": round(time.monotonic() - started, 4)}
    details = figures.pop("details", {})
    return {**case.columns(), **figures, **whole, **environment(), "details": details}


def _figures(case: BenchCase, timeout: float, grace: float) -> dict[str, Any]:
    lifeline, ours = os.pipe()  # the child ends when our end is closed, so with us in any case
    try:
        process = _start(case, timeout, lifeline)
        try:
            out, err = process.communicate(timeout=timeout + grace)
        except subprocess.TimeoutExpired:
            return {**_NOTHING, "peak_mb": peak_megabytes(process.pid), **_killed(timeout)}
        finally:
            _kill(process)
    finally:
        os.close(lifeline)
        os.close(ours)
    if process.returncode:
        return {**_NOTHING, "verdict": "error", "complete": False, "why": _last_words(process.returncode, err)}
    figures: dict[str, Any] = json.loads(out.splitlines()[-1])
    return figures


def _start(case: BenchCase, timeout: float, lifeline: int) -> subprocess.Popen[str]:
    path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
    return subprocess.Popen(
        [sys.executable, "-m", "mcr.bench.worker", json.dumps(case.to_json()), str(timeout)],
        stdin=lifeline,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        start_new_session=True,  # Ctrl-C is for us
    )


def _kill(process: subprocess.Popen[str]) -> None:
    """End a process that has not ended, and all that it started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _killed(timeout: float) -> dict[str, Any]:
    why = f"killed: it did not end by itself at its limit of {timeout:g} s"
    return {"verdict": "incomplete", "complete": False, "why": why}


def _last_words(status: int, err: str) -> str:
    how = f"signal {signal.Signals(-status).name}" if status < 0 else f"status {status}"
    lines = err.strip().splitlines()
    return f"ended with {how}: {lines[-1] if lines else 'it said nothing'}"


def _children_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
