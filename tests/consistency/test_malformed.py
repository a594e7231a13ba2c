"""Malformed traces are refused, and the message names the event."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mcr.consistency.check import verify_trace
from replay.errors import CheckerError, FormatError
from replay.traces.files import MalformedTraceError, from_json

LOG = {
    "schema": "mcr-trace/1",
    "model": "tso",
    "initial": {"x": 0, "y": 0, "m": "None"},
    "events": [
        {"thread": "0", "kind": "store", "location": "x", "written": 1},
        {"thread": "0", "kind": "load", "location": "y", "read": 2, "source": 3},
        {"thread": "1", "kind": "load", "location": "x", "read": 0, "source": None},
        {"thread": "1", "kind": "store", "location": "y", "written": 2},
    ],
}


def changed(number, **fields):
    trace = from_json(LOG)
    events = list(trace.events)
    events[number] = replace(events[number], **fields)
    return replace(trace, events=tuple(events))


def test_the_log_itself_is_fine():
    verify_trace(from_json(LOG))


@pytest.mark.parametrize(
    ("number", "fields", "problem"),
    [
        (1, {"source": 9}, "reads from event 9, which is not there"),
        (1, {"source": 2}, "which does not write it"),
        (1, {"source": 0}, "which does not write it"),
        (1, {"source": 1}, "reads from itself"),
        (1, {"read": "7"}, "which writes 2"),
        (1, {"read": None}, "the value read is missing"),
        (1, {"index": 0}, "it has the place of event 0"),
        (1, {"index": 5}, "no event with index 4"),
        (1, {"id": 3}, "it stands at place 1"),
        (1, {"kind": "lode"}, "there is no kind of event 'lode'"),
        (1, {"thread": "7"}, "there is no thread '7'"),
        (1, {"location": ""}, "its location is missing"),
        (1, {"location": "z", "source": None}, "the initial value of z, which is missing"),
        (1, {"source": None}, "the initial value of y is 0"),
        (1, {"written": "3"}, "a load cannot write"),
        (3, {"written": None}, "the value written is missing"),
        (0, {"kind": "fence", "location": "", "written": None, "source": 3}, "it is no read"),
        (3, {"executed": 5, "committed": 4}, "before it is executed"),
        (1, {"kind": "join", "location": "y", "source": None}, "no thread whose end"),
        (2, {"kind": "start", "location": "start of thread 1"}, "no spawn started it"),
        (2, {"kind": "lock", "location": "m", "read": "0", "source": None}, "the initial value of m is None"),
    ],
)
def test_the_event_is_named(number, fields, problem):
    trace = changed(number, **fields)
    with pytest.raises(MalformedTraceError, match=r"event \d") as caught:
        verify_trace(trace)
    assert problem in str(caught.value)


def test_two_stores_that_commit_in_one_step():
    trace = changed(0, committed=4)
    events = (*trace.events[:3], replace(trace.events[3], committed=4))
    with pytest.raises(MalformedTraceError, match="the same step as event 0"):
        verify_trace(replace(trace, events=events))


def test_an_unknown_model():
    with pytest.raises(CheckerError, match="unknown memory model 'arm'"):
        verify_trace(from_json(LOG), "arm")
    with pytest.raises(FormatError, match="unknown memory model 'arm'"):
        from_json({**LOG, "model": "arm"})
