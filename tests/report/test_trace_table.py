"""The interleaving as a table: where the failure stands, what is folded, and that it keeps to every width."""

from __future__ import annotations

import pytest

import mcr
from mcr.report.layout import Style, display_width
from mcr.report.trace_table import render_trace
from replay.traces.loader import find_programs
from replay.traces.trace import Trace
from tests.desk import EXAMPLES
from tests.report.playing import play
from tests.report.test_timeline import fails_early


@mcr.program
def wide_names(p):
    cells = p.array("名前", ["漢字", "仮名"])

    def thread(me):
        for round in range(4):
            cells[me].store(f"値{round}")
        cells[1 - me].load()

    p.thread(thread, 0, name="最初")
    p.thread(thread, 1, name="次")


def lines(trace: Trace, width: int = 100) -> list[str]:
    return list(render_trace(trace, width, Style()))


def test_the_failure_stands_where_it_happens() -> None:
    found = lines(play(fails_early, "sc", "0 1 1"))
    assert ["ValueError" in line for line in found[-4:]] == [False, True, False, False]


def test_long_buffers_are_shown_when_they_change() -> None:
    found = lines(play(wide_names, "tso", "0 0 0 0 0 1 ~0:名前[0]"), 200)
    assert [line.endswith("as before") for line in found[-7:]] == [False, False, True] + [False] * 4


@pytest.mark.parametrize("width", [60, 80, 120, 200])
@pytest.mark.parametrize(
    ("example", "model"), [("szymanski.py::szymanski", "tso"), ("fork_join.py::fork_flags", "pso")]
)
def test_keeps_to_the_width(example: str, model: str, width: int) -> None:
    (program,) = find_programs(f"{EXAMPLES}/{example}")
    (trace, *_) = mcr.check(program, model).failures
    assert max(map(display_width, lines(trace, width))) <= width


@pytest.mark.parametrize("width", [60, 80, 120])
def test_wide_characters_keep_to_the_width_and_the_bars_in_line(width: int) -> None:
    found = lines(play(wide_names, "tso", "0 0 0 0 0 1 1 ~0:名前[0]"), width)
    assert max(map(display_width, found)) <= width
    barred = [line for line in found if "│" in line]
    assert len({display_width(line.partition("│")[0]) for line in barred}) == 1


@mcr.program
def polling(p, times=20):
    x, y = p.var("x", 0), p.var("y", 0)

    def poll():
        for _ in range(times):
            x.load()
            y.load()
        for _ in range(3):
            x.load()

    def store():
        x.store(1)

    p.thread(poll)
    p.thread(store)


def test_rounds_that_change_nothing_are_folded() -> None:
    found = [line.rstrip() for line in lines(play(polling, "sc", " ".join(["0"] * 20 + ["1"] + ["0"] * 23)))]
    texts = [line.split("│")[1].strip() if "│" in line else line.strip() for line in found[4:]]
    assert texts == [
        "load x -> 0",
        "load y -> 0",
        "the same 2 steps 9 times more",
        "",
        "load x -> 1",
        "load y -> 0",
        "the same 2 steps 9 times more",
        "load x -> 1",
        "the same step 2 times more",
    ]
    assert [line.split()[0] for line in found[4:] if "│" in line] == ["1", "2", "21", "22", "23", "42"]


def test_two_rounds_are_shown() -> None:
    assert not any("more" in line for line in lines(play(polling, "sc", "0 0 0 0")))


@mcr.program
def _long(p: mcr.Declarations) -> None:
    cells = [p.var(f"a_cell_with_a_long_name_{n}", 0) for n in range(4)]

    def thread(cell: mcr.Variable) -> None:
        for n in range(25):
            cell.store(n)

    threads = [p.thread(thread, cell) for cell in cells]

    @p.final
    def wrong() -> None:
        for each in threads:
            each.join()
        raise AssertionError("wrong")


def test_numbers_of_rows_are_not_broken_where_columns_are_narrow() -> None:
    trace = mcr.check(_long, "sc").failures[0]
    found = lines(trace, 88)
    numbers = [int(line[:3]) for line in found if line[:3].strip().isdigit()]
    assert numbers == list(range(1, numbers[-1] + 1))
    assert numbers[-1] >= 100
