"""Class keys: what each equivalence tells apart, and that keys mean the same everywhere."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from mcr.consistency.check import Consistent, verify_trace
from mcr.executions.class_keys import EQUIVALENCES, Census, class_key, class_keys
from replay.traces.files import from_json
from replay.traces.loader import find_programs
from replay.world.memory_models import MODELS
from tests.consistency.executions import executed

ROOT = Path(__file__).parent.parent.parent

PRINT_KEYS = """
from replay.traces.loader import find_programs
from replay.world.memory_models import MODELS
from mcr.executions.class_keys import class_keys
from tests.consistency.executions import executed
for program in find_programs("examples/reference.py::peterson"):
    for trace in executed(program, MODELS["pso"]):
        print(class_keys(trace))
"""


def log(*events, **initial):
    """A trace from (thread, kind, location, value, source, committed) with `source` for reads."""
    listed = []
    for number, (thread, kind, location, value, *more) in enumerate(events):
        event = {"thread": thread, "kind": kind, "location": location, "executed": number}
        if kind == "load":
            event |= {"read": value, "source": more[0]}
        else:
            event |= {"written": value, "committed": more[0] if more else number}
        listed.append(event)
    return from_json({"schema": "mcr-trace/1", "model": "tso", "initial": initial, "events": listed})


def told_apart(one, two):
    """The equivalences for which the traces are in different classes."""
    return [name for name in EQUIVALENCES if class_key(one, name) != class_key(two, name)]


def test_the_order_of_unrelated_events_does_not_matter():
    one = log(("0", "store", "x", 1), ("1", "store", "y", 1))
    two = log(("1", "store", "y", 1), ("0", "store", "x", 1))
    assert told_apart(one, two) == []


def test_coherence_matters_to_traces_only():
    one = log(("0", "store", "x", 1), ("1", "store", "x", 1))
    two = log(("1", "store", "x", 1), ("0", "store", "x", 1))
    assert told_apart(one, two) == ["traces"]


def test_the_moment_of_a_commit_orders_coherence():
    one = log(("0", "store", "x", 1, 2), ("1", "store", "x", 1, 3))
    two = log(("0", "store", "x", 1, 3), ("1", "store", "x", 1, 2))
    assert told_apart(one, two) == ["traces"]


def test_a_source_with_the_same_value_matters_to_rf():
    stores = (("0", "store", "x", 1), ("1", "store", "x", 1))
    one = log(*stores, ("2", "load", "x", 1, 0), x=0)
    two = log(*stores, ("2", "load", "x", 1, 1), x=0)
    assert told_apart(one, two) == ["traces", "rf"]


def test_causality_between_reads_matters_to_rvf():
    """[agarwal-2021] section 3: same values, but in one trace the second read follows from the first."""
    stores = (("0", "store", "x", 1), ("1", "load", "x", 1, 0), ("1", "store", "y", 1), ("0", "store", "y", 1))
    one = log(*stores, ("2", "load", "y", 1, 2), x=0, y=0)
    two = log(*stores, ("2", "load", "y", 1, 3), x=0, y=0)
    assert told_apart(one, two) == ["traces", "rf", "rvf"]


def test_a_value_matters_to_all_but_outcomes():
    one = log(("0", "store", "x", 1), ("1", "load", "x", 1, 0), x=0)
    two = log(("0", "store", "x", 1), ("1", "load", "x", 0, None), x=0)
    assert told_apart(one, two) == ["traces", "rf", "rvf", "values"]


def test_an_unknown_equivalence():
    with pytest.raises(KeyError):
        class_key(log(("0", "store", "x", 1)), "bisimulation")


@pytest.mark.parametrize("name", ["peterson", "mp", "readers", "casrot", "ttas"])
def test_equivalences_refine_each_other_on_executions(name):
    (program,) = find_programs(str(ROOT / "examples" / f"reference.py::{name}"))
    for model in MODELS.values():
        keys = [class_keys(trace) for trace in executed(program, model, limit=40)]
        for finer, coarser in (*pairwise(["traces", "rf", "values"]), *pairwise(["traces", "rvf", "values"])):
            assert len({(key[finer], key[coarser]) for key in keys}) == len({key[finer] for key in keys})


def test_a_witness_is_in_the_class_of_its_reads():
    (program,) = find_programs(str(ROOT / "examples" / "reference.py::peterson"))
    for trace in executed(program, MODELS["pso"]):
        verdict = verify_trace(trace)
        assert isinstance(verdict, Consistent)
        assert told_apart(trace, replace(verdict.witness, ends=trace.ends)) in ([], ["traces"])


def test_keys_are_the_same_in_every_process():
    outputs = set()
    for seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run(
            [sys.executable, "-c", PRINT_KEYS], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1
    assert outputs.pop().strip()


def test_a_census_counts_classes_and_redundant_executions():
    census = Census()
    one = log(("0", "store", "x", 1), ("1", "store", "x", 1))
    two = log(("1", "store", "x", 1), ("0", "store", "x", 1))
    assert census.add(one) == frozenset(EQUIVALENCES)
    assert census.add(two) == {"traces"}
    assert census.add(one) == frozenset()
    assert census.classes() == {"traces": 2, "rf": 1, "rvf": 1, "values": 1, "outcomes": 1}
    assert census.redundant()["rf"] == 2
