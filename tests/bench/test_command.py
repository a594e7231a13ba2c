"""`mcr bench` with a suite: what it writes, how it goes on, what it refuses."""

from __future__ import annotations

import json
import signal
import time

import pytest

from mcr.bench import drawing
from replay.errors import CheckerError
from tests.desk import suite_file

SMALL = ("reference", "--program", "mp", "--out", "out")


def lines(desk, suite="reference"):
    return [json.loads(line) for line in (desk.folder / "out" / f"{suite}.jsonl").read_text().splitlines()]


def test_it_writes_tables_and_plots_and_goes_on(desk):
    answer = desk.bench(*SMALL)
    assert answer.status == 0
    assert "6 rows, 6 to measure" in answer.out
    files = {path.name for path in (desk.folder / "out").iterdir()}
    assert files == {
        "reference.jsonl", "reference.csv", "reference.md", "headline.md", "peers.json",
        *(f"reference-{name}.{kind}" for name in ("seeds", "executions", "time") for kind in ("svg", "png")),
    }  # fmt: skip
    before = lines(desk)
    assert "6 rows, 0 to measure" in desk.bench(*SMALL, "--no-plots").out
    assert lines(desk) == before
    assert "2 rows, 2 to measure" in desk.bench(*SMALL, "--model", "sc", "--fresh", "--no-plots").out
    assert len(lines(desk)) == 6, "what was not asked for is kept"


def test_bounded_model_checking_is_measured(desk):
    answer = desk.bench("paper-bmc", "--program", "exp_mem", "--model", "sc", "--solver", "minisat22", "--timeout", "5",
                        "--no-plots", "--out", "out")  # fmt: skip
    assert answer.status == 0
    assert all(row["verdict"] in ("verified", "incomplete") for row in lines(desk, "paper-bmc"))


def test_rows_cut_by_a_shorter_limit_are_measured_again(desk):
    desk.bench(*SMALL, "--no-plots", "--model", "sc")
    rows = lines(desk)
    rows[0] |= {"verdict": "incomplete", "why": "cut", "complete": False, "limit_s": 5.0}
    (desk.folder / "out" / "reference.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    again = ("--no-plots", "--model", "sc", "--timeout")
    assert "2 rows, 0 to measure" in desk.bench(*SMALL, *again, "5").out
    assert "2 rows, 1 to measure" in desk.bench(*SMALL, *again, "50").out
    assert lines(desk)[0]["verdict"] == "verified"


def test_rows_of_an_earlier_version_are_measured_again(desk):
    """It knew fewer columns: the tables are made without its rows."""
    desk.bench(*SMALL, "--no-plots", "--model", "sc")
    rows = lines(desk)
    del rows[0]["graphs"]
    (desk.folder / "out" / "reference.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "2 rows, 1 to measure" in desk.bench(*SMALL, "--no-plots", "--model", "sc").out
    assert all("graphs" in row for row in lines(desk))


def two_rows_of_scaling(desk):
    """Wait until there are two rows in the file of the suite, which a command is writing; returns the file."""
    file = desk.folder / "out" / "scaling.jsonl"
    for _ in range(2400):
        if file.exists() and len(file.read_text().splitlines()) >= 2:
            break
        time.sleep(0.05)
    return file


def test_killed_it_loses_nothing(desk):
    """The second row takes long; when the first is there, the process is killed."""
    arguments = ("bench", suite_file("scaling"), "--program", "fib", "--model", "sc", "--no-plots", "--out", "out")
    process = desk.start(*arguments)
    file = two_rows_of_scaling(desk)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    there = len(file.read_text().splitlines())
    assert 2 <= there < 5
    process = desk.start(*arguments, "--timeout", "0.1")
    out, _ = process.communicate(timeout=120)
    assert f"5 rows, {5 - there} to measure" in out
    rows = lines(desk, "scaling")
    assert [row["parameters"][:3] for row in rows] == [f"n={n}" for n in range(1, 6)]
    assert rows[-1]["verdict"] == "incomplete"


def test_interrupted_it_writes_the_tables_of_what_is_there(desk):
    process = desk.start(
        "bench", suite_file("scaling"), "--program", "fib", "--model", "sc", "--no-plots", "--out", "out"
    )
    two_rows_of_scaling(desk)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 3
    assert "interrupted" in err
    assert "| fib | 1 | sc |" in (desk.folder / "out" / "scaling.md").read_text()


def test_a_profile(desk):
    answer = desk.bench("profile", "--program", "dekker", "--model", "tso", "--out", "out")
    assert answer.status == 0
    table = (desk.folder / "out" / "profile.md").read_text()
    assert "| dekker | tso |" in table
    assert "| dekker to the first bug | tso |" in table
    assert (desk.folder / "out" / "profile.png").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("reference", "--program", "nonsense"), "the suite reference has none of these programs; it has mp, "),
        (("reference", "--sweep", "n=2..4"), "--sweep is for programs; a suite says itself what is measured"),
        (("reference", "--json"), "--json is for programs"),
        (("profile", "examples/peterson.py"), "suites and programs are measured by separate commands"),
        (("solvers", "--solver", "z3"), "--solver means nothing to the suite solvers"),
        (("reference", "--solver", "nonsense"), "there is no solver 'nonsense'"),
        (("reference", "--timeout", "-1"), "is not a number of seconds above 0"),
        (("reference", "--out", "file/below"), "file/below/reference.jsonl: cannot be written: Not a directory"),
    ],
)
def test_it_refuses(desk, arguments, message):
    desk.write("file", "")
    answer = desk.bench(*arguments)
    assert answer.status == 2
    assert message in answer.err


def test_plots_are_refused_before_anything_is_measured_if_they_cannot_be_drawn(desk, monkeypatch):
    def missing():
        raise CheckerError("The plots need matplotlib")

    monkeypatch.setattr("mcr.bench.suites.check_can_draw", missing)
    answer = desk.bench(*SMALL)
    assert (answer.status, answer.out) == (2, "")
    assert "The plots need matplotlib" in answer.err
    assert desk.bench(*SMALL, "--no-plots", "--model", "sc").status == 0


def test_the_sentence_on_how_to_install_matplotlib(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(CheckerError, match=r"pip install 'mcr-checker\[plots\]'"):
        drawing.check_can_draw()
