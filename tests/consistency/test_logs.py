"""Logs written by hand: what may be left out, and what cannot be completed."""

from __future__ import annotations

import copy

import pytest

from mcr.consistency.check import Consistent, Inconsistent, verify_trace
from replay.errors import FormatError
from replay.traces.files import from_json, to_json

STORE_BUFFERING = {
    "schema": "mcr-trace/1",
    "model": "tso",
    "initial": {"x": 0, "y": 0},
    "events": [
        {"thread": "0", "kind": "store", "location": "x", "written": 1},
        {"thread": "0", "kind": "load", "location": "y", "read": 0},
        {"thread": "1", "kind": "store", "location": "y", "written": 1},
        {"thread": "1", "kind": "load", "location": "x", "read": 0},
    ],
}


def test_a_log_is_verified_under_any_model():
    trace = from_json(copy.deepcopy(STORE_BUFFERING))
    assert isinstance(verify_trace(trace), Consistent)
    refused = verify_trace(trace, "sc")
    assert isinstance(refused, Inconsistent)
    assert [edge.relation for edge in refused.cycle.edges] == ["po", "fr", "po", "fr"]


def test_what_is_left_out_is_filled_in():
    trace = from_json(copy.deepcopy(STORE_BUFFERING))
    assert list(trace.threads) == ["0", "1"]
    assert [(event.id, event.index, event.operation) for event in trace.events] == [
        (0, 0, "x = 1"),
        (1, 1, "load y"),
        (2, 0, "y = 1"),
        (3, 1, "load x"),
    ]
    assert from_json(to_json(trace)) == trace


def test_the_source_is_found_by_its_value():
    log = copy.deepcopy(STORE_BUFFERING)
    log["events"][1]["read"] = 1
    assert from_json(log).events[1].source == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda log: log["events"][1].update(read=7), "event 1 .* reads 7, which no event writes to y"),
        (lambda log: log["events"][2].update(written=0), "event 1 .* may come from the initial value, event 2"),
        (lambda log: log["events"][2].pop("kind"), "^events\\[2\\]: the field 'kind' is missing"),
        (lambda log: log["events"][2].update(adress=3), "^events\\[2\\]: there is no field 'adress'"),
        (lambda log: log["events"].insert(0, 5), "^events\\[0\\]: expected object, got int"),
        (lambda log: log.pop("model"), "^the field 'model' is missing"),
        (lambda log: log.pop("events"), "^the field 'events' is missing"),
    ],
)
def test_what_cannot_be_completed_is_refused(change, message):
    log = copy.deepcopy(STORE_BUFFERING)
    change(log)
    with pytest.raises(FormatError, match=message):
        from_json(log)


def written_in_order(first: int, second: int, model: str) -> object:
    """Thread 0 writes x and then y; the log says when each of them reached memory."""
    writes = [("x", first), ("y", second)]
    events = [
        {"thread": "0", "kind": "store", "location": name, "written": 1, "executed": number, "committed": committed}
        for number, (name, committed) in enumerate(writes)
    ]
    return verify_trace(from_json({"schema": "mcr-trace/1", "model": model, "initial": {}, "events": events}))


@pytest.mark.parametrize(("model", "allowed"), [("tso", False), ("pso", True)])
def test_the_recorded_order_is_that_of_writes_to_all_locations(model: str, allowed: bool) -> None:
    assert isinstance(written_in_order(2, 3, model), Consistent)
    answer = written_in_order(3, 2, model)
    if allowed:
        assert isinstance(answer, Consistent)
        assert [answer.witness.events[step.event].location for step in answer.witness.steps if step.commit] == [
            "y",
            "x",
        ]
    else:
        assert isinstance(answer, Inconsistent)
        assert answer.recorded
        assert [edge.relation for edge in answer.cycle.edges] == ["ppo", "commit"]
