"""The timeline's page: its data against the replay machine, its text safe, the same in every run."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

import mcr
from mcr.report.timeline.moments import moments, states
from mcr.report.timeline.page import timeline
from mcr.report.timeline.table import cells
from replay.machine.machine import Choice, Machine
from replay.machine.state import NOTHING
from replay.machine.unfolding import Unfolding
from replay.traces.loader import find_programs
from replay.traces.trace import Trace
from replay.world.memory_models import memory_model
from tests.desk import EXAMPLES, Desk
from tests.report.playing import play

FAILING = [
    ("peterson.py::peterson", "tso"),
    ("szymanski.py::szymanski", "tso"),
    ("object_publication.py::object_publication", "pso"),
    ("ring_buffer.py::ring_buffer", "pso"),
    ("fork_join.py::fork_flags", "pso"),
    ("bounded_buffer.py::bounded_buffer_if", "sc"),
]


def failing(target: str, model: str) -> tuple[mcr.Program, Trace]:
    (program,) = find_programs(f"{EXAMPLES}/{target}")
    return program, mcr.check(program, model).failures[0]


class Elements(HTMLParser):
    """The elements of a page, with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def data_of(page: str) -> Any:
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, flags=re.DOTALL)
    return json.loads(text)


@pytest.mark.parametrize(("target", "model"), FAILING)
def test_states_are_those_of_the_machine(target: str, model: str) -> None:
    program, trace = failing(target, model)
    unfolding = Unfolding(program)
    machine = Machine(unfolding, memory_model(model))
    for number, state in enumerate(states(trace)):
        names = {location.name: place for place, location in enumerate(unfolding.locations)}
        for name, value in state.memory.items():
            if name in names and not name.startswith(("start of", "end of")):
                loc = names[name]
                held = machine.memory.get(loc, unfolding.initial[loc])
                assert repr(unfolding.values[held]) == value
        for info in unfolding.threads[: len(machine.buffers)]:
            stores = [trace.events[id] for id in state.buffers.get(info.name, ())]
            assert [(names[store.location], store.written) for store in stores] == [
                (store.location, repr(unfolding.values[store.value])) for store in machine.buffers[info.index]
            ]
        if number < len(trace.steps):
            step = trace.steps[number]
            thread = unfolding.thread(step.thread)
            assert thread is not None
            location = trace.events[step.event].location
            machine.apply(Choice(thread.index, names[location] if step.commit else NOTHING))


@mcr.program
def delayed(p):
    x, y = p.var("x", 0), p.var("y", 0)

    def thread():
        x.store(1)
        y.store(2)
        x.load()

    p.thread(thread)


def test_buffers_fill_and_drain() -> None:
    data = data_of(timeline(play(delayed, "tso", "0 0 0 ~0:x ~0:y"), []))
    assert [moment["buffers"] for moment in data["moments"]] == [
        [["thread 0", []]],
        [["thread 0", ["x = 1"]]],
        [["thread 0", ["x = 1", "y = 2"]]],
        [["thread 0", ["x = 1", "y = 2"]]],
        [["thread 0", ["y = 2"]]],
        [["thread 0", []]],
    ]
    assert [dict(moment["memory"]) for moment in data["moments"]][3:] == [
        {"x": "0", "y": "0"},
        {"x": "1", "y": "0"},
        {"x": "1", "y": "2"},
    ]
    assert data["delays"] == [["0", 1, 4, 0], ["0", 2, 5, 1]]
    assert ["rf", 1, 3] in data["arrows"]
    assert data["moments"][3]["details"] == [
        "It reads what thread 0 wrote at step 1 through its own store buffer.",
    ]


def test_one_buffer_for_each_location_under_pso() -> None:
    data = data_of(timeline(play(delayed, "pso", "0 0 0 ~0:y"), []))
    assert [moment["buffers"] for moment in data["moments"]][1:] == [
        [["thread 0, x", ["1"]]],
        [["thread 0, x", ["1"]], ["thread 0, y", ["2"]]],
        [["thread 0, x", ["1"]], ["thread 0, y", ["2"]]],
        [["thread 0, x", ["1"]]],
    ]
    assert data["delays"] == [["0", 1, None, 0], ["0", 2, 4, 1]]


def test_arrows_go_with_time_but_for_program_order() -> None:
    for target, model in FAILING:
        _, trace = failing(target, model)
        arrows = data_of(timeline(trace, []))["arrows"]
        last = len(moments(trace)) - 1
        staying = {event.operation for event in trace.events if event.written and event.committed is None}
        for relation, source, target_place in arrows:
            assert 0 <= source <= last
            assert 0 <= target_place <= last
            if relation in ("rf", "co") or (relation in ("fr", "ppo") and not staying):
                assert source < target_place


@mcr.program
def fails_early(p):
    x = p.var("x", 0)

    def failing_thread():
        if not x.load():
            raise ValueError("seen 0")

    def other():
        x.store(1)
        x.store(2)

    p.thread(failing_thread)
    p.thread(other)


def test_the_failure_stands_where_it_happens() -> None:
    trace = play(fails_early, "sc", "0 1 1")
    kinds = [(moment.fails, "".join(moment.cells.values())) for moment in moments(trace)]
    assert kinds == [
        (False, ""),
        (False, "load x → 0"),
        (True, "ValueError: seen 0"),
        (False, "x = 1"),
        (False, "x = 2"),
    ]


NASTY = "</script><script>alert('x')</script><!--<b>&amp;\u2028\"' 漢字"


@mcr.program
def nasty(p, text=NASTY):
    x = p.var(f"<i>{NASTY}", NASTY)

    def thread(text):
        x.store(text + "!")
        assert not x.load(), text

    p.thread(thread, text, name=NASTY)


def test_nothing_of_the_program_becomes_markup() -> None:
    trace = play(nasty, "tso", "0 0")
    page = timeline(trace, [NASTY])
    elements = Elements(page)
    assert len(elements.of("script")) == 2
    assert not elements.of("b")
    assert not elements.of("i")
    shown = NASTY.replace("\u2028", r"\u2028")
    assert shown in elements.text
    data = data_of(page)
    assert shown in data["moments"][-1]["title"]


def test_needs_nothing_from_anywhere() -> None:
    _, trace = failing("peterson.py::peterson", "tso")
    page = timeline(trace, [])
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", page)
    elements = Elements(page)
    assert not [attributes for _, attributes in elements.found if attributes.get("src")]
    assert [attributes["href"] for attributes in elements.of("link")] == ["data:,"]
    assert "default-src 'none'" in page


def test_every_control_has_a_name() -> None:
    _, trace = failing("peterson.py::peterson", "tso")
    elements = Elements(timeline(trace, []))
    assert all(button.get("aria-label") for button in elements.of("button"))
    assert all(box.get("aria-label") or box.get("type") == "checkbox" for box in elements.of("input"))
    assert {box["name"] for box in elements.of("input") if box.get("type") == "checkbox"} == {
        "rf",
        "co",
        "fr",
        "ppo",
        "cycle",
        "delay",
    }


def test_source_lines_are_there_and_marked() -> None:
    _, trace = failing("peterson.py::peterson", "tso")
    page = timeline(trace, [])
    lines = {attributes["data-line"] for attributes in Elements(page).of("li") if "data-line" in attributes}
    assert {moment["line"] for moment in data_of(page)["moments"] if moment["line"]} <= lines
    assert "flag[me].store(True)" in page


def test_the_same_page_whatever_the_hash_seed(desk: Desk) -> None:
    desk.copy("peterson.py")
    desk.mcr("check", "peterson.py::peterson", "--model", "tso")
    pages = []
    for seed in ("1", "2"):
        process = desk.start(
            "replay", ".mcr/peterson-tso.json", "--html", f"{seed}.html", "--graph", f"{seed}.svg", PYTHONHASHSEED=seed
        )
        process.communicate(timeout=120)
        assert process.returncode == 1
        pages.append([(desk.folder / f"{seed}.{suffix}").read_text() for suffix in ("html", "svg")])
    assert pages[0] == pages[1]


def test_each_cell_has_a_history() -> None:
    _, trace = failing("litmus.py::message_passing", "pso")
    text = cells(trace, moments(trace))
    letter = text[text.index("<th>message</th>") :]
    rows = re.findall(r"<tr><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td></tr>", letter)
    assert [row[1:] for row in rows[:4]] == [
        ("at first", "", "None"),
        ("thread 0 writes", "&#x27;hello&#x27;", ""),
        ("thread 1 reads None", "", ""),
        ("thread 0&#x27;s store reaches memory", "", "&#x27;hello&#x27;"),
    ]
