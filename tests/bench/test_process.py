"""One measurement, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from mcr.bench import process
from mcr.bench.case import FIRST_BUG, BenchCase, key_of, parameters
from mcr.bench.process import measured
from results.bench import source
from results.bench.costs import GROWTH
from results.bench.cover import FEWEST
from results.bench.sampling import PHASES, PHASES_OF_TIME
from results.bench.sizes import reference_case

TIMES = {"wall_s", "cpu_s", "solving_s", "encoding_s", "replaying_s", "surveying_s", "process_s", "peak_mb"}
FIELDS = {
    "program", "parameters", "model", "algorithm", "objective", "solver", "until", "seeds_asked", "seeds_satisfiable",
    "seeds_enforced", "executions", "blocked", "redirected", "graphs", "redundant", "local_states", "global_states",
    "classes", "blocked_classes", "first_bug", "questions",
    "cyclic", "verdict", "complete", "why", "limit_s", "machine", "python", "mcr_version", "python_sat", "z3",
    "commit", "details",
    *TIMES,
}  # fmt: skip


def test_a_case_survives_its_journey():
    case = replace(reference_case("fastmutex", n=2, b=1), until=FIRST_BUG, probe=GROWTH)
    assert BenchCase.from_json(json.loads(json.dumps(case.to_json()))) == case


def test_a_row_has_everything():
    case = replace(reference_case("peterson"), model="tso", algorithm="cover")
    row = measured(case, 60)
    assert set(row) == FIELDS
    assert key_of(row) == case.key
    assert (row["local_states"], row["verdict"], row["complete"], row["why"]) == (26, "verified", True, "")
    assert row["executions"] >= row["details"]["least_executions"] > 1
    assert 0 < row["wall_s"] < row["process_s"]
    assert row["peak_mb"] > 5


def test_all_but_times_is_the_same_again():
    case = replace(reference_case("bakery", n=2), model="pso", objective="rf", census=True)
    first, second = ({k: v for k, v in measured(case, 60).items() if k not in TIMES} for _ in range(2))
    assert first == second
    assert first["details"]["classes"]["rf"] == [first["classes"], first["blocked_classes"]]
    assert first["details"]["census"]["rf"] == first["classes"] + first["blocked_classes"]


@pytest.mark.parametrize("algorithm", ["cover", "mcr"])
def test_the_first_bug(algorithm):
    objective = "states" if algorithm == "cover" else "values"
    case = BenchCase(
        source("examples/reference.py"), "sb", parameters(n=2), "tso", algorithm, objective, until=FIRST_BUG
    )
    row = measured(case, 60)
    assert row["verdict"] == "bug"
    assert row["first_bug"] == row["executions"] > 1


def test_permutable_seeds():
    case = BenchCase(source("examples/mcr_paper.py"), "figure_3a", (), "tso", "mcr:permutable", "values")
    row = measured(case, 60)
    assert (row["executions"], row["redundant"], row["details"]["figures"]["data races"]) == (5, 1, 2)
    assert row["first_bug"] is not None


def test_growth():
    row = measured(replace(reference_case("bakery", n=3), algorithm="cover", probe=GROWTH), 60)
    assert [count for count, _ in row["details"]["growth"]["costs_ms"]][-1] == row["executions"]


def test_a_profile():
    row = measured(replace(reference_case("bakery", n=3), algorithm="cover", probe=PHASES_OF_TIME), 60)
    phases = row["details"]["phases"]
    assert set(phases) == set(PHASES)
    assert sum(phases.values()) == pytest.approx(row["cpu_s"], abs=0.05)
    assert sum(seconds > 0 for seconds in phases.values()) >= 3


@pytest.mark.parametrize(("program", "sizes", "minimum", "blocked_only"), [
    ("sb", {"n": 4}, 2, 0), ("readers", {"n": 5}, 2, 0), ("mp", {}, 3, 0), ("fastmutex", {"n": 2, "b": 1}, 6, 14),
])  # fmt: skip
def test_the_fewest_executions(program, sizes, minimum, blocked_only):
    """In fastmutex 14 of 50 local states lead to a failed assumption whatever the other thread does."""
    row = measured(replace(reference_case(program, **sizes), objective="values", probe=FEWEST), 60)
    assert row["details"]["cover"] == {"minimum": minimum, "blocked_only": blocked_only}
    assert row["details"]["least_executions"] <= minimum


def test_a_limit_is_kept_and_said():
    row = measured(reference_case("fib", n=8), 1.5)
    assert (row["verdict"], row["complete"], row["limit_s"]) == ("incomplete", False, 1.5)
    assert "1.5 s" in row["why"]
    assert row["executions"] > 0


def test_what_does_not_end_is_killed():
    row = measured(reference_case("bakery", n=8), 60, grace=-59.5)
    assert row["why"] == "killed: it did not end by itself at its limit of 60 s"
    assert set(row) == FIELDS
    assert row["executions"] is None
    assert row["process_s"] < 30


def test_what_breaks_is_a_row_with_its_last_words():
    row = measured(BenchCase(source("examples/reference.py"), "sb", parameters(nonsense=1), "sc"), 60)
    assert row["verdict"] == "error"
    assert row["why"].startswith("ended with status 1: ")
    assert "no parameter 'nonsense'" in row["why"]


def test_the_process_ends_with_the_one_that_started_it(tmp_path):
    """Killed, our process can tell nobody; the end of the pipe does."""
    case = reference_case("fib", n=5)
    script = (
        "import sys; from mcr.bench.case import BenchCase; import mcr.bench.process as process; import json\n"
        "start = process._start\n"
        "def noted(*a):\n    p = start(*a); print(p.pid, flush=True); return p\n"
        "process._start = noted\n"
        "process.measured(BenchCase.from_json(json.loads(sys.argv[1])), 60)\n"
    )
    root = str(process._ROOT)
    parent = subprocess.Popen(
        [sys.executable, "-c", script, json.dumps(case.to_json())],
        stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": root},
    )  # fmt: skip
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.communicate()
    assert _is_gone(child)


def _is_gone(process: int) -> bool:
    for _ in range(1200):
        try:
            with open(f"/proc/{process}/stat") as file:
                if file.read().rsplit(")")[-1].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.05)
    return False
