"""The execution graph: its nodes and edges are those of the trace, and nothing lies on top of anything."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import combinations

import pytest

import mcr
from mcr.diagnosis.reordering import find_reordering
from mcr.report.graph.layout import GraphLayout
from mcr.report.graph.structure import DrawnEdge, structure
from mcr.report.graph.svg import graph
from replay.traces.loader import find_programs
from replay.traces.trace import Trace
from tests.desk import EXAMPLES
from tests.report.playing import play, store_buffering
from tests.report.test_timeline import nasty

FAILING = [
    ("litmus.py::store_buffering", "tso"),
    ("litmus.py::two_plus_two_writes", "pso"),
    ("peterson.py::peterson", "tso"),
    ("chase_lev_deque.py::chase_lev_deque", "tso"),
    ("queue_locks.py::mcs_lock", "pso"),
    ("fork_join.py::fork_flags", "pso"),
    ("airline.py::airline", "sc"),
]


def failing(target: str, model: str) -> Trace:
    (program,) = find_programs(f"{EXAMPLES}/{target}")
    return mcr.check(program, model).failures[0]


@mcr.program
def increments(p):
    counter = p.var("counter", 0)

    def thread():
        counter.fetch_add(1)
        p.fence()
        counter.compare_exchange(7, 8)

    p.thread(thread)


def test_store_buffering_is_what_the_textbook_draws() -> None:
    trace = play(store_buffering, "tso", "0 0 1 1 ~0:x ~1:y")
    found = structure(trace, find_reordering(trace))
    assert [node.text for node in found.nodes] == ["Wy=0", "Wx=0", "a: Wx=1", "b: Ry=0", "c: Wy=1", "d: Rx=0"]
    assert set(found.edges) == {
        DrawnEdge("po", "a", "b", forbidden=True),
        DrawnEdge("po", "c", "d", forbidden=True),
        DrawnEdge("fr", "b", "c", forbidden=True),
        DrawnEdge("fr", "d", "a", forbidden=True),
        DrawnEdge("rf", "init y", "b"),
        DrawnEdge("rf", "init x", "d"),
    }


def test_stores_that_stay_in_their_buffer_count_as_committed_last() -> None:
    trace = play(store_buffering, "tso", "0 0 1 1")
    assert DrawnEdge("fr", "d", "a", forbidden=True) in structure(trace, find_reordering(trace)).edges


def test_nothing_is_forbidden_in_what_is_sequentially_consistent() -> None:
    trace = play(store_buffering, "tso", "0 ~0:x 0 1 ~1:y 1")
    assert not any(edge.forbidden for edge in structure(trace, find_reordering(trace)).edges)
    assert "forbids" not in graph(trace)


def test_updates_and_fences() -> None:
    nodes = structure(play(increments, "tso", "0 0 0"), None).nodes
    assert [node.text for node in nodes] == ["W counter=0", "a: RMW counter: 0→1", "b: fence", "c: RMW counter: 1"]


@pytest.mark.parametrize(("target", "model"), FAILING)
def test_a_cycle_is_highlighted_if_a_stronger_model_forbids_it(target: str, model: str) -> None:
    trace = failing(target, model)
    forbidden = [edge for edge in structure(trace, find_reordering(trace)).edges if edge.forbidden]
    if model == "sc":
        assert not forbidden
        return
    assert sorted(edge.source for edge in forbidden) == sorted(edge.target for edge in forbidden)
    assert ("forbids" in graph(trace)) == bool(forbidden)
    assert {edge.relation for edge in forbidden} & {"po"}


@pytest.mark.parametrize(("target", "model"), FAILING)
def test_nodes_do_not_overlap_and_names_stay_off_nodes(target: str, model: str) -> None:
    trace = failing(target, model)
    layout = GraphLayout(structure(trace, find_reordering(trace)))
    boxes = list(layout.boxes.values())
    assert not any(one.overlaps(two) for one, two in combinations(boxes, 2))
    labels = [curve.label for curve in layout.curves]
    assert not any(label.overlaps(box) for label in labels for box in boxes)
    assert all(layout.left <= label.x <= layout.right for label in labels)


@pytest.mark.parametrize(("target", "model"), FAILING)
def test_is_well_formed_and_needs_nothing_else(target: str, model: str) -> None:
    trace = failing(target, model)
    text = graph(trace)
    root = ET.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    drawn = [element.get("data-edge") for element in root.iter() if element.get("data-edge")]
    assert len(drawn) == len(structure(trace, find_reordering(trace)).edges)
    assert text == graph(trace)


def test_text_of_the_program_stays_text() -> None:
    root = ET.fromstring(graph(play(nasty, "tso", "0 0")))
    assert not [element for element in root.iter() if element.tag.endswith("script")]
