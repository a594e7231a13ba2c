"""The page of `mcr explore`: its states, and in a real browser from the beginning to a bug, saved and played."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

import mcr
from examples import bakery, reference
from mcr.cli import main
from mcr.diagnosis.walks import UNKNOWN, walks
from mcr.report.explorer import page as explorer
from mcr.report.explorer.page import Data
from replay.frontend.program import Program
from replay.world.memory_models import MODELS
from tests.desk import Desk
from tests.report.browser import launched
from tests.report.test_timeline_browser import Reader


@pytest.mark.parametrize("model", list(MODELS))
@pytest.mark.parametrize("program", [reference.dekker(), reference.peterson()], ids=lambda program: program.name)
def test_it_ends_as_executions_do(program: Program, model: str) -> None:
    """What the states lead to is what the default finds; and every place leads to some end."""
    found = walks(program, MODELS[model])
    assert found.open == 0
    fails = {str(place.failure) for place in found.places if place.failure}
    expected = mcr.check(program, model, options=mcr.Options(keep_going=True, shorten=False))
    assert fails == {str(trace.failure) for trace in expected.failures}
    assert all(place.leads for place in found.places)


@mcr.program
def waiting(p: mcr.Declarations) -> None:
    flag, other = p.var("flag", 0), p.var("other", 0)

    def waiter() -> None:
        p.wait_until(lambda: other.load() == 0 and flag.load() == 1)
        while flag.load() != 2:
            pass

    @p.thread
    def setter() -> None:
        flag.store(1)
        flag.store(2)
        flag.store(1)

    p.thread(waiter)


def test_waits_are_tried_again_and_deadlocks_are_ends() -> None:
    found = walks(waiting, MODELS["tso"])
    outcomes = {place.outcome for place in found.places} - {""}
    assert "it ends" in outcomes
    assert any(outcome.startswith("Deadlock: ") for outcome in outcomes)
    assert any(move.undone == 2 for place in found.places for move, _ in place.moves or ())


@mcr.program
def sometimes(p: mcr.Declarations) -> None:
    x = p.var("x", 0)

    @p.thread
    def spawner() -> None:
        if x.load():
            p.spawn(lambda: None)

    p.thread(x.store, 1)


def test_a_thread_that_is_spawned_on_some_ways_only_is_there_everywhere() -> None:
    """Also in states that were met before anybody knew of it."""
    found = walks(sometimes, MODELS["sc"])
    assert found.outcomes == ["it ends"]
    document = Data(found).document()
    assert len(document["begin"]) == len(document["threads"]) == 3


def test_what_is_too_much_is_open_and_goes_on_elsewhere(desk: Desk) -> None:
    found = walks(reference.dekker(), MODELS["tso"], most=10)
    assert found.open > 0
    assert UNKNOWN in found.outcomes
    trace = mcr.check(reference.dekker(), "tso").failures[0]
    near = walks(reference.dekker(), MODELS["tso"], most=len(trace.steps) + 2, after=trace)
    assert trace.failure is not None
    assert str(trace.failure) in near.outcomes


def test_wrong_use_is_a_sentence(desk: Desk) -> None:
    desk.copy("peterson.py")
    assert "explore shows one program, not 3: use FILE::NAME" in desk.mcr("explore", "peterson.py").err
    assert "one memory model is enough here" in desk.mcr("explore", "peterson.py", "--model", "all").err
    answer = desk.mcr("explore", "peterson.py::peterson", "-o", "there/page.html")
    assert answer.status == 0
    assert answer.out.endswith(" states. The page is in there/page.html.\n")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    yield from launched()


@pytest.mark.parametrize("width", [1400, 420])
def test_a_person_goes_to_a_bug_and_saves_it(browser: Any, desk: Desk, width: int) -> None:
    desk.copy("litmus.py")
    main(["explore", "litmus.py::store_buffering", "--model", "tso", "-o", "page.html"])
    reader = Reader(browser, desk.folder / "page.html", color_scheme="dark", accept_downloads=True)
    page = reader.page
    page.set_viewport_size({"width": width, "height": 900})
    assert page.inner_text("#verdict") == "From here it can still fail."
    assert page.locator("#path li").count() == 1
    page.click("#moves li:nth-child(1) button")
    reader.press("2")
    assert page.locator("#path li").count() == 3
    assert "buffer: " in page.inner_text("#threads")
    page.click("#back")
    page.click("#fail")
    assert page.locator("#verdict.failure").count() == 1
    assert page.is_disabled("#fail")
    with page.expect_download() as download:
        page.click("#save")
    file = desk.folder / "saved.json"
    download.value.save_as(file)
    answer = desk.mcr("replay", "saved.json")
    assert answer.status == 1
    assert "The failure occurs again." in answer.out
    assert json.loads(file.read_text())["model"] == "tso"
    page.click("#restart")
    assert page.locator("#path li").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert not reader.noise
    reader.close()


def test_many_states_are_compressed(browser: Any, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page is the same, and so is the file of two runs."""
    desk.copy("litmus.py")
    asked = ["explore", "litmus.py::store_buffering", "--model", "tso", "-o"]
    main([*asked, "plain.html"])
    monkeypatch.setattr(explorer, "COMPRESSED_FROM", 0)
    for name in ("page.html", "again.html"):
        main([*asked, name])
    assert (desk.folder / "page.html").read_bytes() == (desk.folder / "again.html").read_bytes()
    seen = []
    for name in ("plain.html", "page.html"):
        reader = Reader(browser, desk.folder / name)
        reader.page.wait_for_selector("#moves button")
        reader.page.click("#fail")
        seen.append([reader.page.inner_text(part) for part in ("#path", "#threads", "#verdict")])
        assert not reader.noise
        reader.close()
    assert seen[0] == seen[1]


def test_a_wait_that_is_tried_again_never_happened(browser: Any, desk: Desk) -> None:
    """What was struck out of the steps is not in the file, which plays."""
    import inspect

    desk.write("waits.py", f"import mcr\n\n{inspect.getsource(waiting.function)}")
    main(["explore", "waits.py", "--model", "sc", "-o", "page.html"])
    reader = Reader(browser, desk.folder / "page.html", accept_downloads=True)
    page = reader.page

    def choose(text: str) -> None:
        page.locator("#moves button", has_text=text).first.click()

    for step in ("load other", "load flag", "flag = 1", "its wait is tried again"):
        choose(step)
    assert page.locator("#path li").count() == 2
    page.click("#fail")
    with page.expect_download() as download:
        page.click("#save")
    download.value.save_as(desk.folder / "saved.json")
    answer = desk.mcr("replay", "saved.json")
    assert "The failure occurs again." in answer.out
    assert "Deadlock" in answer.out
    reader.close()


def test_states_are_small() -> None:
    """They are rows of numbers, with tables of steps for all; as machines of their own each took 5 kilobytes."""

    def held(most: int) -> tuple[int, int]:
        tracemalloc.start()
        found = walks(bakery.bakery(n=4), MODELS["sc"], most=most)
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return len(found), held

    (few, at_first), (many, in_the_end) = held(200), held(1_000)
    assert (in_the_end - at_first) / (many - few) < 2_500


def test_where_states_are_left_out_a_failure_that_check_finds_can_be_reached() -> None:
    found = walks(reference.dekker(), MODELS["tso"], most=5)
    assert found.open
    assert [place.outcome for place in found.places if place.failure]
    assert all(place.outcome == UNKNOWN or place.leads for place in found.places)
    failing = {number for number, name in enumerate(found.outcomes) if name != UNKNOWN}
    assert failing & found.place(0).leads
