"""`mcr check`: verdicts, statuses, options and files."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from mcr.explorers.registry import ALGORITHMS
from tests.desk import EXAMPLES, Desk

PETERSON = str(EXAMPLES / "peterson.py") + "::peterson"

TWO_BUGS = """
    import mcr

    @mcr.program
    def two_bugs(p):
        x, y = p.var("x", 0), p.var("y", 0)

        def first():
            x.store(1)
            assert y.load() == 1, "first"

        def second():
            y.store(1)
            assert x.load() == 1, "second"

        p.thread(first)
        p.thread(second)
"""


@pytest.mark.parametrize(
    ("program", "model", "status"),
    [
        ("store_buffering", "sc", 0),
        ("store_buffering", "tso", 1),
        ("store_buffering", "all", 1),
        ("message_passing", "tso", 0),
        ("message_passing", "pso", 1),
        ("iriw", "all", 0),
    ],
)
def test_status_is_the_verdict(desk: Desk, program: str, model: str, status: int) -> None:
    desk.copy("litmus.py")
    answer = desk.mcr("check", f"litmus.py::{program}", "--model", model)
    assert answer.status == status
    assert not answer.err


def test_one_line_for_each_model(desk: Desk) -> None:
    desk.copy("litmus.py")
    lines = desk.mcr("check", "litmus.py::iriw").out.splitlines()
    names = ["program", "model", "verdict", "global states", "executions", "local states", "time"]
    assert re.split("  +", lines[0]) == names
    assert [line.split()[:3] for line in lines[1:]] == [["iriw", model, "verified"] for model in ("SC", "TSO", "PSO")]
    assert len(set(map(len, lines))) == 1


def test_a_folder_and_its_summary(desk: Desk) -> None:
    desk.copy("peterson.py")
    desk.write("below/more.py", TWO_BUGS)
    desk.write("below/helper.py", "raise RuntimeError('this file has nothing to do with it')")
    desk.write(".hidden/program.py", "raise RuntimeError")
    answer = desk.mcr("check", ".", "--model", "tso")
    assert answer.status == 1
    assert answer.out.endswith("4 checks: 2 bugs, 2 verified.\n")


def test_parameters(desk: Desk) -> None:
    desk.copy("bakery.py")
    answer = desk.mcr("check", "bakery.py::bakery_fenced", "--set", "n=1", "--model", "sc")
    assert answer.status == 0
    assert "bakery_fenced(n=1)  SC     verified" in answer.out


def test_failures_are_saved_under_names_that_say_what_they_are(desk: Desk) -> None:
    desk.copy("bakery.py", "litmus.py")
    desk.mcr("check", "bakery.py::bakery", "--set", "n=2", "--model", "tso")
    desk.mcr("check", "litmus.py::store_buffering")
    names = ["bakery-n=2-tso.json", "store_buffering-pso.json", "store_buffering-tso.json"]
    assert desk.files() == [f".mcr/{name}" for name in names]
    trace = json.loads((desk.folder / ".mcr/bakery-n=2-tso.json").read_text())
    assert trace["program"]["file"] == "bakery.py"
    assert trace["program"]["arguments"] == {"n": "2"}
    assert all(event["line"] is None or event["line"].startswith("bakery.py:") for event in trace["events"])


def test_programs_of_one_name_do_not_share_a_file(desk: Desk) -> None:
    desk.copy("peterson.py", "reference.py")
    desk.mcr("check", "peterson.py::peterson", "reference.py::peterson", "--model", "tso")
    assert desk.files() == [".mcr/peterson-tso.json", ".mcr/reference-peterson-tso.json"]


def test_names_of_files_do_not_depend_on_how_a_program_was_given(desk: Desk) -> None:
    desk.copy("peterson.py")
    desk.mcr("check", "peterson.py", f"{desk.folder}/peterson.py::peterson", ".", "--model", "tso")
    assert desk.files() == [".mcr/peterson-tso.json"]


def test_two_files_of_one_name_do_not_share_a_file(desk: Desk) -> None:
    for folder in ("one", "other"):
        desk.write(f"{folder}/two_bugs.py", TWO_BUGS)
    desk.mcr("check", ".", "--model", "sc")
    assert desk.files() == [".mcr/one-two_bugs-two_bugs-sc.json", ".mcr/other-two_bugs-two_bugs-sc.json"]


def test_save_elsewhere(desk: Desk) -> None:
    desk.copy("litmus.py")
    answer = desk.mcr("check", "litmus.py::store_buffering", "--model", "tso", "--save", "found/here")
    assert "    mcr replay found/here/store_buffering-tso.json\n" in answer.out
    assert (desk.folder / "found/here/store_buffering-tso.json").is_file()


def test_stops_at_the_first_bug_unless_told_to_keep_going(desk: Desk) -> None:
    desk.write("two_bugs.py", TWO_BUGS)
    assert desk.mcr("check", "two_bugs.py", "--model", "sc").out.count("fails under") == 1
    answer = desk.mcr("check", "two_bugs.py", "--model", "sc", "--keep-going")
    assert answer.out.count("two_bugs fails under SC: AssertionError: ") == 2
    assert desk.files() == [".mcr/two_bugs-sc-2.json", ".mcr/two_bugs-sc.json"]


def test_a_failure_is_told_once_and_with_all_its_files(desk: Desk) -> None:
    desk.copy("litmus.py")
    answer = desk.mcr("check", "litmus.py::store_buffering")
    assert answer.out.count("fails under") == 1
    assert "Possible under TSO and PSO, impossible under SC." in answer.out
    assert "    mcr replay .mcr/store_buffering-tso.json\n    mcr replay .mcr/store_buffering-pso.json\n" in answer.out


@pytest.mark.parametrize(
    ("program", "model", "sentence"),
    [
        ("store_buffering", "tso", "Possible under TSO and PSO, impossible under SC."),
        ("message_passing", "pso", "Possible under PSO, impossible under SC and TSO."),
        ("message_passing_lost", "pso", "Possible under every model: SC, TSO and PSO."),
    ],
)
def test_one_model_is_enough_to_know_about_the_others(desk: Desk, program: str, model: str, sentence: str) -> None:
    desk.copy("litmus.py")
    desk.write(
        "lost.py",
        """
        import mcr

        @mcr.program
        def message_passing_lost(p):
            x = p.var("x", 0)
            p.thread(x.store, 1)

            @p.final
            def check():
                assert x.load() == 0
        """,
    )
    file = "lost.py" if program.endswith("lost") else "litmus.py"
    assert sentence in desk.mcr("check", f"{file}::{program}", "--model", model).out


def test_undecided_models_say_why(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcr.diagnosis.possibility.PATIENCE", 1e-9)
    desk.copy("litmus.py")
    answer = desk.mcr("check", "litmus.py::store_buffering", "--model", "tso")
    assert "Possible under TSO and PSO, not decided under SC (the time limit of 1e-09 s was reached)." in answer.out


def test_other_models_are_searched_with_counted_effort(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is the same on a busy machine: no clock is asked."""
    monkeypatch.setattr("mcr.diagnosis.possibility.EFFORT", 1)
    desk.copy("litmus.py")
    answer = desk.mcr("check", "litmus.py::store_buffering", "--model", "tso")
    assert "not decided under SC (the limit of 1 step of work was reached)." in answer.out


def test_verbose_names_the_algorithm_that_did_it(desk: Desk) -> None:
    desk.copy("litmus.py")
    asked = ("check", "litmus.py::iriw", "--model", "sc")
    assert desk.mcr(*asked, "--verbose").out.splitlines()[2] == "    by stateful"
    line = desk.mcr(*asked, "--verbose", "--algorithm", "cover").out.splitlines()[2]
    assert re.fullmatch(r"    by cover: [1-9]\d* questions? to the solver", line)
    assert len(desk.mcr(*asked).out.splitlines()) == 2


def test_quiet_tells_only_what_is_not_verified(desk: Desk) -> None:
    desk.copy("litmus.py")
    assert not desk.mcr("check", "litmus.py::iriw", "--quiet").out
    lines = desk.mcr("check", "litmus.py::store_buffering", "--quiet").out.splitlines()
    assert [line.split()[1] for line in lines if line.startswith("store_buffering  ")] == ["TSO", "PSO"]


def test_where_much_fails_the_summary_names_the_short_report(desk: Desk) -> None:
    desk.copy("litmus.py", "mcr_paper.py")
    assert desk.mcr("check", "mcr_paper.py").out.endswith(" Shorter: --short has a line for each failure.\n")
    assert "--short" not in desk.mcr("check", "litmus.py::store_buffering").out


def test_color_is_for_terminals_and_for_who_asks(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.copy("litmus.py")
    assert "\x1b[" not in desk.mcr("check", "litmus.py::iriw").out
    assert "\x1b[32mverified\x1b[0m" in desk.mcr("check", "litmus.py::iriw", "--color", "always").out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert "\x1b[" in desk.mcr("check", "litmus.py::iriw").out
    assert "\x1b[" not in desk.mcr("check", "litmus.py::iriw", "--color", "never").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in desk.mcr("check", "litmus.py::iriw").out


def test_document_for_machines(desk: Desk) -> None:
    desk.copy("litmus.py")
    desk.write("broken.py", "import mcr\n\n@mcr.program\ndef x(p):\n    print('noise')\n")
    answer = desk.mcr("check", "litmus.py::store_buffering", "broken.py", "--json")
    document = answer.document
    assert document["schema"] == "mcr-check/1"
    assert document["status"] == answer.status == 2
    assert [result["verdict"] for result in document["results"]] == ["verified", "bug", "bug"]
    assert [result["complete"] for result in document["results"]] == [True, False, False]
    assert document["results"][0]["statistics"]["local_states"] == 8
    [failure] = document["failures"]
    assert failure["traces"] == [".mcr/store_buffering-tso.json", ".mcr/store_buffering-pso.json"]
    assert {name: model["possible"] for name, model in failure["models"].items()} == {
        "sc": False,
        "tso": True,
        "pso": True,
    }
    [error] = document["errors"]
    assert error["message"] == "program x declares no threads"
    assert error["where"] == "broken.py:3"


def test_every_solver_comes_to_the_same_verdict(desk: Desk) -> None:
    desk.copy("litmus.py")
    for solver in ("glucose4", "cadical153", "z3"):
        assert desk.mcr("check", "litmus.py::store_forwarding", "--solver", solver, "--model", "tso").status == 1
        assert desk.mcr("check", "litmus.py::store_forwarding_fenced", "--solver", solver).status == 0


@pytest.mark.parametrize("algorithm", ["auto", "cover", "trust"])
def test_every_algorithm_comes_to_the_same_verdict(desk: Desk, algorithm: str) -> None:
    answer = desk.mcr("check", PETERSON, "--algorithm", algorithm, "--json")
    assert [result["verdict"] for result in answer.document["results"]] == ["verified", "bug", "bug"]
    graphs = [result["statistics"]["graphs"] for result in answer.document["results"]]
    assert graphs == ([10, 30, 42] if algorithm == "trust" else [0] * 3)
    [compared] = desk.mcr("compare", PETERSON, "--algorithm", algorithm, "--json").document["comparisons"]
    assert [model["values"] for model in compared["models"]] == [[4, 0], [9, 5], [9, 5]]
    assert [model["rf"] for model in compared["models"]] == [[4, 0], [13, 5], [17, 5]]


def test_an_algorithm_is_asked_for_what_it_can_do(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = desk.mcr("check", PETERSON, "--algorithm", "mcr", "--objective", "rf")
    assert (answer.status, answer.err) == (
        2,
        "error: algorithm mcr does not look for rf, only for failures, states, values, deadlocks; these do: auto, "
        "cover, trust, trust-rf, rf-smc\n",
    )
    monkeypatch.setitem(ALGORITHMS, "trust", replace(ALGORITHMS["trust"], only_models=("sc",)))
    for command in ("check", "litmus"):
        answer = desk.mcr(command, PETERSON, "--algorithm", "trust", "--model", "tso")
        assert (answer.status, answer.err) == (
            2,
            "error: algorithm trust does not explore under tso, only under sc; these do: auto, cover, trust-rf, mcr, "
            "rf-smc, rvf-smc, bmc, stateful, exhaustive\n",
        )
    answer = desk.mcr("compare", PETERSON, "--algorithm", "exhaustive")
    assert answer.status == 2
    assert "algorithm exhaustive does not look for rf" in answer.err


def test_histories_are_told_apart_where_that_is_asked_for(desk: Desk) -> None:
    """The command line, and the project; both figures are those of brute force."""
    desk.copy("reference.py")
    asked = ("check", "reference.py::lastzero", "--set", "n=5", "--model", "tso", "--algorithm", "cover", "--json")
    [merged] = desk.mcr(*asked).document["results"]
    [apart] = desk.mcr(*asked, "--no-merge").document["results"]
    assert (merged["merged"], apart["merged"]) == (True, False)
    assert (merged["statistics"]["local_states"], apart["statistics"]["local_states"]) == (37, 125)
    assert merged["not_compared"] == apart["not_compared"] == {}
    desk.write("pyproject.toml", "[tool.mcr]\nmerge = false\n")
    [said] = desk.mcr(*asked).document["results"]
    assert said["statistics"] == apart["statistics"]


def test_what_could_not_be_compared_is_told(desk: Desk) -> None:
    desk.write(
        "largest.py",
        """
        import mcr

        @mcr.program
        def largest(p):
            a = p.array("a", [0, 0])

            def thread():
                with memoryview(b"a"):
                    return a[0].load() + a[1].load()

            p.thread(thread)
            p.thread(a[0].store, 1)
        """,
    )
    asked = ("check", "largest.py", "--model", "sc")
    [result] = desk.mcr(*asked, "--json").document["results"]
    assert list(result["not_compared"]) == ["an object of type memoryview"]
    assert "could not be compared with others (an object of type memoryview: " in desk.mcr(*asked, "--verbose").out


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "peterson.py", "--objective", "rf"),
        ("check", "peterson.py", "--algorithm", "mcr"),
        ("compare", "peterson.py", "--algorithm", "exhaustive"),
        ("litmus", "peterson.py", "--algorithm", "exhaustive"),
    ],
)
def test_histories_that_are_told_apart_anyway(desk: Desk, arguments: Sequence[str]) -> None:
    desk.copy("peterson.py")
    answer = desk.mcr(*arguments, "--no-merge")
    assert answer.status == 2
    assert answer.err.endswith("merges local states: leave out --no-merge (merge=False)\n")


def test_a_reader_that_has_seen_enough(desk: Desk) -> None:
    desk.copy("litmus.py")
    process = desk.start("check", "litmus.py")
    assert process.stdout is not None
    process.stdout.close()
    process.wait(timeout=120)
    assert process.stderr is not None
    assert not process.stderr.read()


UNICODE = """
    import mcr

    @mcr.program
    def größe(p, wert="é"):
        x = p.var("größe→", wert)

        def thread():
            x.store("日本")
            assert x.load() == wert, "≠"

        p.thread(thread)
"""


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_a_terminal_of_another_encoding(desk: Desk, encoding: str) -> None:
    """What the encoding lacks is escaped; documents mean the same in all of them."""
    desk.write("unicode.py", UNICODE)
    process = desk.start("check", "unicode.py", "--model", "sc", PYTHONIOENCODING=encoding)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (1, "")
    assert "fails under SC: AssertionError: " + ("≠" if encoding == "utf-8" else "\\u2260") in out
    process = desk.start("check", "unicode.py", "--model", "sc", "--json", PYTHONIOENCODING=encoding)
    [failure] = json.loads(process.communicate(timeout=120)[0])["failures"]
    assert failure["message"] == "≠"
    assert failure["program"]["name"] == "größe"


def test_a_file_name_that_is_no_text(desk: Desk) -> None:
    """A name in Latin 1 on a system that has UTF-8: checked, told, saved and played again."""
    name = os.fsdecode("größe.py".encode("latin-1"))
    desk.write(name, UNICODE)
    assert desk.start("check", name, "--model", "sc").wait(timeout=120) == 1
    assert desk.start("replay", ".mcr/größe-sc.json").wait(timeout=120) == 1


def test_a_locale_that_lacks_the_name_of_the_file(desk: Desk) -> None:
    desk.write("unicode.py", UNICODE)
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    process = desk.start("check", "unicode.py", "--model", "sc", **locale)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert err.endswith("-sc.json: the trace cannot be written: ascii lacks this name\n")


STUCK = """
import mcr

@mcr.program
def locks_twice(p):
    mutex = p.mutex("m")

    def thread():
        with mutex:
            mutex.lock()

    p.thread(thread)

    @p.final
    def final():
        assert False

@mcr.program
def serves(p):
    x = p.var("x", 0)

    def serve():
        while True:
            p.wait_until(lambda: x.load() == 1)
            x.store(0)

    p.thread(serve, daemon=True)
    p.thread(lambda: x.store(1))

    @p.final
    def final():
        assert False

@mcr.program
def ends(p):
    x = p.var("x", 0)
    p.thread(lambda: p.assume(x.load() == 1))
    p.thread(lambda: x.store(1))
"""


def test_verified_tells_what_never_runs(desk: Desk) -> None:
    desk.write("stuck.py", STUCK)
    answer = desk.mcr("check", "stuck.py", "--model", "sc", "--quiet", "--allow-deadlock")
    assert answer.status == 0
    assert "but no execution brings thread 0 and the final function to an end" in " ".join(answer.out.split())
    results = json.loads(desk.mcr("check", "stuck.py", "--model", "sc", "--json", "--allow-deadlock").out)["results"]
    assert {each["program"]["name"]: each["unreached"] for each in results} == {
        "locks_twice": ["0", "final"],
        "serves": ["final"],
        "ends": [],
    }
