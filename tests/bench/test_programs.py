"""`mcr bench` with programs of one's own: the table, how it goes on, what it compares, what it refuses."""

from __future__ import annotations

import csv
import json
import signal
import time
from pathlib import Path

import pytest

from mcr.bench import agreement
from mcr.bench.agreement import compared, disagreements, read_table
from mcr.bench.case import BenchCase
from mcr.bench.growth import figure
from mcr.bench.sweep import Sweep, combined, read_sweep
from mcr.bench.table import COUNTS, lines, unsteady
from tests.bench.rows import row
from tests.desk import Desk

COUNTER = """
    import mcr

    @mcr.program
    def counter(p, n=2):
        x = p.var("x", 0)
        for _ in range(n):
            p.thread(lambda: x.store(x.load() + 1))
"""


@pytest.fixture
def counter(desk: Desk) -> Desk:
    desk.write("counter.py", COUNTER)
    return desk


def test_a_row_for_each_program_size_model_objective_and_algorithm(counter: Desk) -> None:
    """The classes of n increments by load and store are known: 3 and 16 by reads-from."""
    answer = counter.mcr(
        "bench", "counter.py", "--algorithm", "cover,trust,mcr", "--objective", "rf", "--objective", "values",
        "--model", "sc,tso", "--sweep", "n=2..3", "--json", "--csv", "t.csv", "--markdown", "t.md", "--plot", "t.svg",
    )  # fmt: skip
    assert answer.status == 0, answer.err
    rows = answer.document["rows"]
    assert answer.document["disagreements"] == []
    assert len(rows) == 2 * 2 * 2 * 3
    found = {(r["parameters"], r["model"], r["objective"], r["algorithm"]): r for r in rows}
    for n, classes in ((2, 3), (3, 16)):
        for algorithm in ("cover", "trust"):
            line = found[f"n={n}", "tso", "rf", algorithm]
            assert (line["executions"], line["classes"], line["redundant"]) == (classes, classes, 0)
            assert line["seconds"] > 0 < line["peak_mb"]
    assert found["n=2", "sc", "rf", "cover"]["seeds_enforced"] == 2
    refused = found["n=2", "sc", "rf", "mcr"]
    assert refused["verdict"] == "not asked"
    assert refused["why"].startswith("algorithm mcr does not look for rf")
    assert found["n=3", "sc", "values", "mcr"]["verdict"] == "verified"
    with Path("t.csv").open() as file:
        table = [*csv.DictReader(file)]
    assert [line["executions"] for line in table] == [str(r["executions"] or "") for r in rows]
    assert "| counter | n=3 | tso | rf | trust |" in Path("t.md").read_text()
    assert "counter under TSO, rf" in Path("t.svg").read_text() or Path("t.svg").stat().st_size > 10_000


def test_it_goes_on_and_measures_again_what_has_changed(counter: Desk) -> None:
    asked = ("bench", "counter.py", "--model", "sc", "--algorithm", "cover", "--sweep", "n=2,3")
    assert counter.mcr(*asked).status == 0
    assert "2 rows, 0 of them to measure" in counter.mcr(*asked).err
    assert "3 rows, 1 of them to measure" in counter.mcr(*asked[:-1], "n=2,3,1").err
    counter.write("counter.py", COUNTER.replace("+ 1", "+ 2"))
    before = Path(".mcr/bench.jsonl").read_text()
    assert "to measure" not in counter.mcr(*asked).err
    assert len(Path(".mcr/bench.jsonl").read_text().splitlines()) == len(before.splitlines()) + 2


def test_interrupted_it_tells_what_is_there_and_goes_on(desk: Desk) -> None:
    desk.copy("reference.py")
    asked = (
        "bench",
        "reference.py::fib",
        "--model",
        "tso",
        "--algorithm",
        "cover",
        "--objective",
        "rf",
        "--sweep",
        "n=1..9",
    )
    process = desk.start(*asked)
    table = desk.folder / ".mcr/bench.jsonl"
    for _ in range(2400):
        if table.exists() and len(table.read_text().splitlines()) >= 2:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 3, err
    assert "interrupted; the same command goes on from here" in err
    assert "fib" in out
    there = len(table.read_text().splitlines())
    again = desk.mcr(*asked[:-1], f"n=1..{there}")
    assert f"{there} rows, 0 of them to measure" in again.err
    assert again.status == 0


def test_runs_are_repeated(counter: Desk) -> None:
    answer = counter.mcr("bench", "counter.py", "--model", "sc", "--algorithm", "cover", "--repeat", "3", "--json")
    (line,) = answer.document["rows"]
    assert line["runs"] == 3
    assert line["fastest"] <= line["seconds"] <= line["slowest"]
    stored = [json.loads(text) for text in Path(".mcr/bench.jsonl").read_text().splitlines()]
    assert [each["run"] for each in stored] == [1, 2, 3]


@pytest.mark.parametrize("name", ["t.csv", "t.json", "t.jsonl"])
def test_a_changed_number_is_found(counter: Desk, name: str) -> None:
    asked = ("bench", "counter.py", "--model", "sc", "--algorithm", "cover,trust", "--objective", "rf")
    counter.mcr(*asked, "--csv", "t.csv", "--table", "t.jsonl")
    Path("t.json").write_text(counter.mcr(*asked, "--table", "t.jsonl", "--json").out)
    answer = counter.mcr(*asked, "--table", "other.jsonl", "--check", name)
    assert answer.status == 0
    assert "2 equal, 0 different" in answer.out
    text = Path(name).read_text()
    one = {"t.csv": ",3,0,0,3,0,", "t.json": '"classes": 3', "t.jsonl": '"classes": 3'}[name]
    assert one in text
    Path(name).write_text(text.replace(one, one.replace("3,0,0,3", "3,0,0,4").replace(": 3", ": 4"), 1))
    answer = counter.mcr(*asked, "--table", "other.jsonl", "--check", name)
    assert answer.status == 1
    assert "1 equal, 1 different" in answer.out
    assert "counter under SC, rf by cover: classes 3, was 4" in answer.out


def test_two_programs_of_one_name(counter: Desk) -> None:
    counter.write("other.py", COUNTER.replace("+ 1", "+ 0"))
    answer = counter.mcr("bench", ".", "--model", "sc", "--objective", "values", "--json")
    assert {r["program"]: r["classes"] for r in answer.document["rows"]} == {
        "counter.py::counter": 3,
        "other.py::counter": 1,
    }


CASE = BenchCase("counter.py", "counter", (), "sc", "cover", "rf")


def told(algorithm: str, **figures: object) -> dict[str, object]:
    return row(BenchCase("counter.py", "counter", (), "sc", algorithm, "rf"), **figures)


def test_algorithms_that_disagree() -> None:
    same, other = told("cover"), told("trust", classes=5)
    assert disagreements([same, told("trust")]) == []
    assert disagreements([same, other]) == ["counter under SC, rf by trust: classes of rf 5 + 0, but 4 + 0 by cover"]
    assert disagreements([same, told("trust", classes=5, verdict="incomplete", why="late")]) == []
    bug = told("trust", verdict="bug", classes=2, why="late", complete=False)
    assert disagreements([same, bug]) == ["counter under SC, rf by cover: verified, but trust found a bug"]
    assert disagreements([told("cover", complete=False), bug]) == []


def test_algorithms_that_disagree_are_an_error(counter: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcr.cli.commands.bench.disagreements", lambda rows: ["one says so"])
    answer = counter.mcr("bench", "counter.py", "--model", "sc")
    assert answer.status == 1
    assert "1 disagreement, which is an error." in answer.out
    assert "one says so" in answer.out


def test_runs_that_count_differently_are_an_error() -> None:
    assert unsteady([told("cover"), told("cover")]) == []
    assert unsteady([told("cover"), told("cover", executions=5)]) == [
        "counter under SC, rf by cover: two runs differ in executions"
    ]


def test_what_was_cut_is_not_compared() -> None:
    table = lines([told("cover", verdict="incomplete", why="late")])
    assert compared(table, lines([told("cover", executions=9)])) == (0, 1, 0, [])
    assert compared(table, []) == (0, 0, 1, [])


def test_every_count_is_compared() -> None:
    for count in COUNTS:
        before = told("cover", **{"global_states": 1, **dict.fromkeys([count], 77)})
        (sentence,) = compared(lines([told("cover", global_states=1)]), lines([before])).different
        assert sentence.endswith("was 77")
    assert agreement.COUNTS is COUNTS


def test_the_plot_has_a_line_for_each_series() -> None:
    rows = [
        row(BenchCase("a.py", "a", (("n", n),), "sc", algorithm), executions=n * n)
        for n in (2, 3)
        for algorithm in ("cover", "trust")
    ]
    drawn = figure(lines(rows), "n", {"n=2": 2, "n=3": 3})
    assert drawn is not None
    assert drawn.panels[0].lines == {"cover": [(2, 4), (3, 9)], "trust": [(2, 4), (3, 9)]}
    assert drawn.panels[0].log_y
    bars = figure(lines(rows), "", {})
    assert bars is not None
    assert bars.panels[0].bars == {"cover": [4, 9], "trust": [4, 9]}
    assert figure(lines([{**rows[0], "why": "late"}]), "n", {"n=2": 2}) is None


def test_sweeps() -> None:
    assert read_sweep("n=2..6") == Sweep("n", (2, 3, 4, 5, 6))
    assert read_sweep("n=2..10..4") == Sweep("n", (2, 6, 10))
    assert read_sweep("kind='a','b'") == Sweep("kind", ("a", "b"))
    assert [*combined([Sweep("n", (1, 2)), Sweep("b", (0, 1))])] == [
        (("n", 1), ("b", 0)), (("n", 1), ("b", 1)), (("n", 2), ("b", 0)), (("n", 2), ("b", 1)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--sweep", "n"), "'n' is not of the form name=2..6 or name=2,4,8"),
        (("--sweep", "n=6..2"), "has no values: 6 is larger than 2"),
        (("--sweep", "n=two"), "'two' is neither 2..6 nor Python literals"),
        (("--sweep", "n=1..99999"), "10000 are enough"),
        (("--sweep", "n=2..3", "--set", "n=4"), "the parameter n is given twice"),
        (("--sweep", "m=2..3"), "no parameter 'm'"),
        (("--algorithm", "covers"), "unknown algorithm 'covers'"),
        (("--objective", "colours"), "unknown objective 'colours'"),
        (("--check", "counter.py"), "counter.py:1: not JSON"),
        (("--check", "list.json"), "list.json: not a table of mcr bench"),
        (("--program", "counter"), "--program is for suites, and this is a program"),
        (("--plot", "a.txt"), "--plot writes .svg or .png files"),
        (("--table", "counter.py"), "not a row of this table"),
    ],
)
def test_it_refuses(counter: Desk, arguments: tuple[str, ...], message: str) -> None:
    counter.write("list.json", "[1]")
    answer = counter.mcr("bench", "counter.py", *arguments)
    assert answer.status == 2
    assert message in answer.err


def test_what_is_published() -> None:
    from mcr.bench.asked import algorithms_named

    assert algorithms_named("published,mcr:paper") == [
        "trust", "trust-rf", "mcr", "rf-smc", "rvf-smc", "bmc", "mcr:paper",
    ]  # fmt: skip
    assert {"auto", "exhaustive", "cover"} < {*algorithms_named("all")}


def test_csv_is_read_again(tmp_path: Path) -> None:
    from mcr.bench.table import csv as as_csv

    file = tmp_path / "t.csv"
    file.write_text(as_csv(lines([told("cover")])))
    assert compared(lines([told("cover")]), read_table(file)).equal == 1
