"""`mcr check --plot`: samples that stay few and true, and a picture that shows every exploration."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import mcr
from mcr.bench.drawing import paint
from mcr.exploration.growth import MOST_SAMPLES, GrowthSamples, time_shares
from mcr.exploration.verdict import Statistics
from mcr.explorers.registry import names
from mcr.report import growth as picture
from mcr.report.growth import draw
from replay.frontend.program import Program
from replay.traces.loader import find_programs
from tests.desk import EXAMPLES, Desk

pytest.importorskip("matplotlib")

_SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def iriw() -> Program:
    return next(find_programs(f"{EXAMPLES / 'litmus.py'}::iriw"))


def _texts(file: Path) -> set[str]:
    return {element.text or "" for element in ElementTree.parse(file).iter(f"{_SVG}text")}


def test_few_samples_however_long_it_takes() -> None:
    growth = GrowthSamples()
    statistics = Statistics()
    for number in range(1, 100_001):
        growth.sample(replace(statistics, executions=number, local_states=3 * number, seconds=number / 1000))
        assert len(growth.samples) < MOST_SAMPLES
    assert len(growth.samples) > MOST_SAMPLES // 4
    steps = {
        late.executions - early.executions for early, late in zip(growth.samples, growth.samples[1:], strict=False)
    }
    assert len(steps) == 1
    assert all(sample.local_states == 3 * sample.executions for sample in growth.samples)


def test_samples_are_what_the_exploration_counted(iriw: Program) -> None:
    growth, seen = GrowthSamples(), []

    def on_progress(statistics: Statistics) -> None:
        growth.sample(statistics)
        seen.append((statistics.executions, statistics.local_states))

    result = mcr.check(iriw, "tso", on_progress=on_progress)
    growth.end(result)
    assert [sample[1:3] for sample in growth.samples[:-1]] == seen
    assert growth.samples[-1][1:3] == (result.statistics.executions, result.statistics.local_states)
    times = [sample.seconds for sample in growth.samples]
    assert times == sorted(times)


def test_the_shares_are_all_of_the_time(iriw: Program) -> None:
    statistics = mcr.check(iriw, "pso").statistics
    shares = time_shares(statistics)
    assert list(shares) == ["solver", "encoding", "graphs", "consistency", "replay", "shortening", "exploring"]
    assert sum(shares.values()) == pytest.approx(statistics.seconds)


def test_a_panel_for_each_program_and_model(desk: Desk) -> None:
    desk.copy("litmus.py")
    answer = desk.mcr("check", "litmus.py::iriw", "litmus.py::store_buffering", "--plot", "below/growth.svg")
    assert answer.status == 1
    texts = _texts(Path("below/growth.svg"))
    assert {f"{name} under {model}" for name in ("iriw", "store_buffering") for model in ("SC", "TSO", "PSO")} <= texts
    assert {"local states", "executions", "solver", "encoding", "replay", "shortening", "exploring"} <= texts
    assert any(text.startswith("bug: ") for text in texts)
    assert answer.out.endswith("\nThe plot is in below/growth.svg.\n")
    assert "dc:date" not in Path("below/growth.svg").read_text()


def test_png(desk: Desk) -> None:
    desk.copy("litmus.py")
    assert desk.mcr("check", "litmus.py::iriw", "--model", "tso", "--plot", "growth.PNG").status == 0
    assert Path("growth.PNG").read_bytes().startswith(b"\x89PNG")


def test_published_mcr_is_drawn_too(desk: Desk) -> None:
    desk.copy("litmus.py")
    arguments = ("check", "litmus.py::iriw", "--model", "tso", "--algorithm", "mcr", "--plot", "growth.svg")
    assert desk.mcr(*arguments).status == 0
    assert "iriw under TSO" in _texts(Path("growth.svg"))


def test_what_was_cut_is_drawn(desk: Desk) -> None:
    desk.copy("litmus.py")
    arguments = ("check", "litmus.py::iriw", "--model", "sc", "--algorithm", "mcr", "--max-executions", "5")
    assert desk.mcr(*arguments, "--plot", "growth.svg").status == 3
    assert any(text.startswith("incomplete: 5 executions") for text in _texts(Path("growth.svg")))


def _refused(desk: Desk, file: str) -> str:
    """The message of a plot that is refused, before anything is explored."""
    desk.copy("litmus.py")
    answer = desk.mcr("check", "litmus.py::store_buffering", "--model", "tso", "--plot", file)
    assert answer.status == 2
    assert not answer.out
    assert not desk.files()
    return answer.err


@pytest.mark.parametrize("file", ["growth.pdf", "growth", "svg"])
def test_other_formats_are_refused(desk: Desk, file: str) -> None:
    assert _refused(desk, file) == f"error: --plot writes .svg or .png files, not {file}\n"


def test_without_matplotlib(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    known = importlib.util.find_spec
    monkeypatch.setattr(picture, "find_spec", lambda name: None if name == "matplotlib" else known(name))
    assert _refused(desk, "growth.svg") == "error: --plot needs matplotlib; run `pip install matplotlib`\n"


def test_a_place_that_cannot_be_written(desk: Desk) -> None:
    Path("folder.svg").mkdir()
    assert "is a folder" in _refused(desk, "folder.svg")
    Path("file").touch()
    assert "file/growth.svg: the plot cannot be written" in _refused(desk, "file/growth.svg")


def test_many_panels_fit_a_png(iriw: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is too tall for the format is drawn smaller."""
    growth = GrowthSamples()
    growth.end(mcr.check(iriw))
    monkeypatch.setattr(picture, "_MOST_DOTS", 400)
    draw([growth] * 9, tmp_path / "growth.png")
    header = (tmp_path / "growth.png").read_bytes()[16:24]
    assert max(int.from_bytes(header[:4]), int.from_bytes(header[4:])) in range(390, 401)


def test_nothing_explored_nothing_drawn(desk: Desk) -> None:
    desk.write("broken.py", "import mcr\n\n@mcr.program\ndef broken(p):\n    p.thread(None)\n")
    assert desk.mcr("check", "broken.py", "--plot", "growth.svg").status == 2
    assert not Path("growth.svg").exists()


def test_the_report_is_the_same(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def document(*more: str) -> Any:
        results = desk.mcr("check", "litmus.py::iriw", "--json", *more).document["results"]
        return [{name: value for name, value in result.items() if name != "times"} for result in results]

    desk.copy("litmus.py")
    assert document() == document("--plot", "growth.svg")


def test_an_svg_has_a_dark_version(desk: Desk) -> None:
    desk.copy("peterson.py")
    desk.mcr("check", "peterson.py::peterson", "--model", "sc", "--plot", "growth.svg")
    assert "@media (prefers-color-scheme: dark)" in (desk.folder / "growth.svg").read_text()


def test_each_algorithm_looks_different() -> None:
    """As bars, and as lines of `mcr bench`."""
    looks = [tuple(paint(number).values()) for number in range(len(names()))]
    assert len(set(looks)) == len(looks) > 10


def test_titles_are_no_wider_than_their_panels() -> None:
    """A line of 58 characters was cut at the right edge of the figure."""
    (program,) = find_programs(f"{EXAMPLES}/peterson.py::peterson")
    result = mcr.check(program, "sc")
    result.statistics.executions, result.statistics.global_states = 100_000, 1_000_000
    assert max(map(len, picture._title(result).split("\n"))) <= 52
