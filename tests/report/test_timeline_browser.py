"""The timeline in a real browser: stepping, arrows, colours, and silence on console and network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mcr
from mcr.report.graph.svg import graph
from mcr.report.timeline.page import timeline
from replay.traces.trace import Trace
from tests.report.browser import launched
from tests.report.playing import play
from tests.report.test_timeline import failing, nasty


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    yield from launched()


class Reader:
    """Somebody who has opened a page; `noise` is what the page did that it should not."""

    def __init__(self, browser: Any, file: Path, **options: Any) -> None:
        self.noise: list[str] = []
        self._context = browser.new_context(viewport={"width": 1200, "height": 700}, **options)
        self.page = self._context.new_page()
        self.page.on("console", lambda message: self.noise.append(message.text))
        self.page.on("pageerror", lambda error: self.noise.append(str(error)))
        self.page.on("request", lambda request: self._note(request.url, file))
        self.page.on("dialog", lambda dialog: self.noise.append(dialog.message))
        self.page.goto(file.as_uri())

    def _note(self, url: str, file: Path) -> None:
        if url != file.as_uri() and not url.startswith("data:"):
            self.noise.append(url)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def place(self) -> int:
        return int(self.page.locator("tr.now").get_attribute("data-place"))

    def visible(self, relation: str) -> int:
        """How many arrows of a relation can be seen."""
        return int(
            self.page.evaluate(
                "name => [...document.querySelectorAll(`.arrows path.${name}[data-from]`)]"
                ".filter(path => getComputedStyle(path).display !== 'none').length",
                relation,
            )
        )

    def color(self, selector: str, what: str) -> str:
        script = "([selector, what]) => getComputedStyle(document.querySelector(selector))[what]"
        return str(self.page.evaluate(script, [selector, what]))

    def close(self) -> None:
        self._context.close()


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """Opens the timeline of a trace; afterwards nobody may have made noise."""
    readers: list[Reader] = []

    def opened(trace: Trace, **options: Any) -> Reader:
        file = tmp_path / f"{len(readers)}.html"
        file.write_text(timeline(trace, ["A sentence."]))
        readers.append(Reader(browser, file, **options))
        return readers[-1]

    yield opened
    noise = [line for reader in readers for line in reader.noise]
    for reader in readers:
        reader.close()
    assert not noise


@pytest.fixture
def peterson() -> Trace:
    return failing("peterson.py::peterson", "tso")[1]


def test_keys_step(open_page: Any, peterson: Trace) -> None:
    reader = open_page(peterson)
    last = int(reader.page.get_attribute("#slider", "max"))
    assert reader.place == last
    reader.press("Home")
    assert reader.place == 0
    reader.press("ArrowLeft")
    assert reader.place == 0
    reader.press("ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft")
    assert reader.place == 2
    assert reader.page.inner_text("#count") == f"2 of {last}"
    reader.press("End", "ArrowRight")
    assert reader.place == last


def test_space_plays_and_pauses(open_page: Any, peterson: Trace) -> None:
    reader = open_page(peterson)
    reader.page.clock.install(time=0)
    reader.page.clock.pause_at(3600)  # from here on time passes only in `run_for`, however slow the machine
    reader.press("Space")
    assert reader.place == 0
    assert reader.page.get_attribute("#play", "aria-label") == "Pause"
    reader.page.clock.run_for(2000)
    assert reader.place == 2
    reader.press("Space")
    reader.page.clock.run_for(5000)
    assert reader.place == 2
    reader.press("Space")
    reader.page.clock.run_for(60_000)
    assert reader.place == int(reader.page.get_attribute("#slider", "max"))
    assert reader.page.get_attribute("#play", "aria-label") == "Play"


def test_slider_buttons_and_rows(open_page: Any, peterson: Trace) -> None:
    reader = open_page(peterson)
    reader.page.fill("#slider", "4")
    assert reader.place == 4
    reader.page.focus("#slider")
    reader.press("ArrowRight")
    assert reader.place == 5
    reader.page.click("#back")
    assert reader.place == 4
    reader.page.click("#first")
    assert reader.place == 0
    assert reader.page.is_disabled("#back")
    reader.page.click("#next")
    assert reader.place == 1
    reader.page.click("tr[data-place='7'] td.memory")
    assert reader.place == 7
    reader.page.click("#last")
    assert reader.page.is_disabled("#next")


def test_state_source_and_words_follow(open_page: Any, peterson: Trace) -> None:
    reader = open_page(peterson)
    reader.press("Home", "ArrowRight", "ArrowRight", "ArrowRight")
    page = reader.page
    step = peterson.events[2]
    assert page.inner_text("#what").startswith(f"Step 3: thread {step.thread}: load {step.location} → {step.read}")
    assert page.locator(".listing .now").get_attribute("data-line") == str(step.line)
    assert "initial value" in page.inner_text("#details")
    queue = page.locator("#queues dd").nth(int(step.thread)).locator("span").all_inner_texts()
    assert queue == [event.operation for event in peterson.events[:2]]
    memory = dict(row.locator("td").all_inner_texts() for row in page.locator("#memory tr").all())
    assert memory == {name: value for name, value in peterson.initial.items() if name in memory}
    reader.press("End")
    assert "increment was lost" in page.inner_text("#what")
    assert page.locator("tr.now.fails").count() == 1


@pytest.mark.parametrize("relation", ["rf", "co", "fr", "ppo", "cycle", "delay"])
def test_boxes_show_and_hide_arrows(open_page: Any, peterson: Trace, relation: str) -> None:
    reader = open_page(peterson)
    box = f"input[name={relation}]"
    reader.page.check(box)
    assert reader.visible(relation) > 0
    reader.page.uncheck(box)
    assert reader.visible(relation) == 0


def test_arrows_begin_and_end_at_their_rows(open_page: Any, peterson: Trace) -> None:
    """The ends of each arrow are within the height of the rows that it connects."""
    reader = open_page(peterson)
    wrong = reader.page.evaluate("""() => {
        const rows = [...document.querySelectorAll('.wrap tbody tr')];
        const within = (y, row) => y >= row.offsetTop - 2 && y <= row.offsetTop + row.offsetHeight + 2;
        return [...document.querySelectorAll('.arrows path[data-from]')].filter(path => {
            const end = path.getPointAtLength(path.getTotalLength());
            const start = path.getPointAtLength(0);
            return !within(start.y, rows[path.dataset.from]) || !within(end.y, rows[path.dataset.to]);
        }).length;
    }""")
    assert wrong == 0


def test_dark_and_light(open_page: Any, peterson: Trace) -> None:
    light, dark = open_page(peterson, color_scheme="light"), open_page(peterson, color_scheme="dark")
    colors = [reader.color("body", "backgroundColor") for reader in (light, dark)]
    assert colors[0] == "rgb(255, 255, 255)"
    assert colors[1] != colors[0]
    for reader, other in ((light, colors[1]), (dark, colors[0])):
        before = reader.color("body", "backgroundColor")
        reader.page.click("#theme")
        assert reader.color("body", "backgroundColor") == other
        reader.page.click("#theme")
        assert reader.color("body", "backgroundColor") == before


def test_printing_lays_everything_out(open_page: Any, peterson: Trace) -> None:
    reader = open_page(peterson, color_scheme="dark")
    reader.press("Home")
    reader.page.emulate_media(media="print")
    assert not reader.page.is_visible(".controls")
    assert not reader.page.is_visible("aside")
    assert reader.color("body", "backgroundColor") == "rgb(255, 255, 255)"
    assert reader.color(".board", "overflowY") == "visible"
    assert reader.page.is_visible(".fails")


@mcr.program
def long(p, rounds=80):
    x, y = p.var("x", 0), p.var("y", 0)

    def thread(mine):
        for i in range(rounds):
            mine.store(i)

    p.thread(thread, x)
    p.thread(thread, y)


def test_the_current_step_stays_in_sight(open_page: Any) -> None:
    reader = open_page(play(long, "tso", " ".join(["0"] * 80 + ["1"] * 80 + ["~0:x"] * 80)))
    board = reader.page.locator(".board").bounding_box()
    for keys in (["Home"], ["ArrowRight"] * 25, ["End"], ["ArrowLeft"] * 25):
        reader.press(*keys)
        row = reader.page.locator("tr.now").bounding_box()
        head = reader.page.locator("thead th").first.bounding_box()
        assert head["y"] == pytest.approx(board["y"], abs=2)
        assert row["y"] >= head["y"] + head["height"] - 1
        assert row["y"] + row["height"] <= board["y"] + board["height"] + 1


def test_controls_fit_a_narrow_window(open_page: Any, peterson: Trace) -> None:
    page = open_page(peterson).page
    page.set_viewport_size({"width": 400, "height": 700})
    box = page.locator("#count").bounding_box()
    assert box["x"] + box["width"] <= 400


def test_names_and_values_are_text(open_page: Any) -> None:
    reader = open_page(play(nasty, "tso", "0 0"))
    reader.press("Home", "ArrowRight", "ArrowRight", "ArrowRight")
    assert "<script>" in reader.page.inner_text("#what")
    assert reader.page.locator("#memory script, #memory b, .wrap i").count() == 0


def test_can_be_read_without_scripts(browser: Any, tmp_path: Path, peterson: Trace) -> None:
    file = tmp_path / "page.html"
    file.write_text(timeline(peterson, ["A sentence."]))
    reader = Reader(browser, file, java_script_enabled=False)
    assert reader.page.is_visible(".fails")
    assert not reader.page.is_visible(".controls")
    reader.close()


def test_graph_is_drawn(browser: Any, tmp_path: Path, peterson: Trace) -> None:
    """Every node lies within the drawing and is as wide as its text; paper and ink change with the scheme."""
    file = tmp_path / "graph.svg"
    file.write_text(graph(peterson))
    papers = []
    for scheme in ("light", "dark"):
        reader = Reader(browser, file, color_scheme=scheme)
        narrow = reader.page.evaluate("""() => [...document.querySelectorAll('.node')].filter(node =>
            node.querySelector('text').getBBox().width > node.querySelector('rect').getBBox().width).length""")
        assert narrow == 0
        papers.append(reader.color("svg > rect", "fill"))
        assert not reader.noise
        reader.close()
    assert len(set(papers)) == 2
