"""Limits and Ctrl-C: what was found so far is told and saved, and nothing that was cut passes for verified."""

from __future__ import annotations

import signal
import subprocess
import time
from typing import Any

import pytest

from replay.frontend.program import Program
from solvers import OrderSolver
from tests.desk import EXAMPLES, Answer, Desk
from tests.solvers.pigeons import pigeons

LONG = ("check", str(EXAMPLES / "reference.py") + "::fastmutex", "--set", "n=5", "--set", "b=2", "--set", "check=False")


def test_timeout(desk: Desk) -> None:
    started = time.monotonic()
    answer = desk.mcr(*LONG, "--model", "tso", "--timeout", "0.2")
    assert time.monotonic() - started < 60
    assert answer.status == 3
    assert "incomplete" in answer.out
    assert "    the time limit of 0.2 s was reached; raise --timeout, or check a smaller program\n" in answer.out


def test_memory(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcr.exploration.memory.resident", lambda: 301 << 20)
    answer = desk.mcr(*LONG, "--model", "tso", "--memory", "300M")
    assert answer.status == 3
    assert "    the memory limit of 300 MB was reached; raise --memory, or check a smaller program\n" in answer.out
    document = desk.mcr(*LONG, "--model", "tso", "--memory", "300M", "--json").document
    assert document["results"][0]["stop"]["reason"] == "the memory limit of 300 MB was reached"


@pytest.mark.parametrize("given", ["0", "12", "300", "2X", "-1G", "much", "infG", "nanM"])
def test_what_is_no_size(desk: Desk, given: str) -> None:
    answer = desk.mcr("check", "x.py", f"--memory={given}")
    assert answer.status == 2
    assert "is not a size of 1M or more, such as 300M or 2G" in answer.err


def test_memory_of_a_system_that_does_not_tell(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcr.exploration.options.resident", lambda: None)
    desk.copy("litmus.py")
    answer = desk.mcr("check", "litmus.py::iriw", "--memory", "300M")
    assert answer.status == 2
    assert "this system does not tell how much a process holds; leave the limit out" in answer.err
    monkeypatch.setattr("mcr.exploration.memory.resident", lambda: None)
    assert desk.mcr("check", "litmus.py::iriw").status == 0


def test_max_executions(desk: Desk) -> None:
    answer = desk.mcr(*LONG, "--model", "sc", "--max-executions", "5")
    assert answer.status == 3
    assert "the limit of 5 executions was reached; raise --max-executions" in answer.out


def test_as_many_executions_as_are_needed_are_enough(desk: Desk) -> None:
    readers = str(EXAMPLES / "reference.py") + "::readers"
    by = ("--model", "sc", "--algorithm", "cover")
    needed = desk.mcr("check", readers, *by, "--json").document["results"][0]["statistics"]["executions"]
    assert desk.mcr("check", readers, *by, "--max-executions", str(needed)).status == 0
    assert desk.mcr("check", readers, *by, "--max-executions", str(needed - 1)).status == 3


def test_max_operations(desk: Desk) -> None:
    desk.write(
        "spin.py",
        """
        import mcr

        @mcr.program
        def spin(p):
            x = p.var("x", 0)

            def thread():
                turns = 0
                while x.load() == 0:
                    turns += 1

            p.thread(thread)

        @mcr.program
        def busy(p):
            x = p.var("x", 0)

            def thread():
                while True:
                    x.fetch_add(1)

            p.thread(thread)
        """,
    )
    spins = desk.mcr("check", "spin.py::spin", "--model", "sc")
    assert spins.status == 3
    assert "thread 0 spins at line 9 of spin.py: it would go round without end; write p.wait_until(lambda:" in spins.out
    answer = desk.mcr("check", "spin.py::busy", "--model", "sc", "--max-operations", "50")
    assert answer.status == 3
    assert "thread 0 was cut after 50 operations at line 20 of spin.py; it changed memory all the way" in answer.out


def test_a_bug_outranks_a_limit(desk: Desk) -> None:
    desk.copy("peterson.py")
    limits = ("--max-executions", "3", "--timeout", "60")
    answer = desk.mcr("check", "peterson.py::peterson", "--keep-going", "--algorithm", "cover", *limits)
    assert "the limit of 3 executions was reached" in answer.out
    assert "incomplete" in answer.out
    assert answer.status == 1


def _hard(solver: OrderSolver) -> OrderSolver:
    """The solver after it was told something that keeps it at work for ever."""
    solver.require(pigeons(solver, 12))
    return solver


@pytest.mark.parametrize("name", ["minisat22", "cadical153", "z3"])
def test_timeout_in_the_middle_of_a_question_to_the_solver(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    from solvers.registry import make_solver

    monkeypatch.setattr("mcr.exploration.context.make_solver", lambda *asked: _hard(make_solver(*asked)))
    desk.copy("litmus.py")
    started = time.monotonic()
    answer = desk.mcr(
        "check", "litmus.py::iriw", "--model", "sc", "--algorithm", "cover", "--timeout", "0.5", "--solver", name
    )
    assert time.monotonic() - started < 60
    assert answer.status == 3
    assert "the time limit of 0.5 s was reached" in answer.out


# -- Ctrl-C ----------------------------------------------------------------------

BUG_THEN_LONG = """
    import sys

    import mcr

    @mcr.program
    def bug(p):
        x = p.var("x", 0)

        def thread():
            assert x.load()

        p.thread(thread)

    @mcr.program
    def long(p):
        x = p.var("x", 0)

        def thread():
            print("running", flush=True, file=sys.__stdout__)
            while True:
                pass

        p.thread(thread)
"""


def _interrupt(process: subprocess.Popen[str], after: str, delay: float = 0.2) -> Answer:
    """Press Ctrl-C some time after a command has written a line that contains `after`."""
    assert process.stdout is not None
    seen = ""
    while after not in seen:
        line = process.stdout.readline()
        assert line, "the command ended before it could be interrupted"
        seen += line
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    return Answer(process.returncode, seen + out, err)


def test_interrupted_in_user_code(desk: Desk) -> None:
    desk.write("both.py", BUG_THEN_LONG)
    answer = _interrupt(desk.start("check", "both.py::long", "--model", "sc"), after="running")
    assert answer.status == 3
    assert not answer.err
    assert "Interrupted: 1 check not made." in answer.out


def test_what_was_found_before_is_told_and_saved(desk: Desk) -> None:
    desk.write("both.py", BUG_THEN_LONG)
    answer = _interrupt(desk.start("check", "both.py"), after="running")
    assert answer.status == 1
    assert not answer.err
    assert "bug fails under SC: assert x.load()" in answer.out
    assert "Interrupted: 3 checks not made." in answer.out
    assert desk.files() == [".mcr/bug-pso.json", ".mcr/bug-sc.json", ".mcr/bug-tso.json"]


def test_interrupted_between_executions(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if Ctrl-C was pressed during the 20th execution."""

    class Impatient:
        def __init__(self, count: int) -> None:
            self.count = count

        def __enter__(self) -> Impatient:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def update(self, title: str, statistics: Any) -> None:
            if statistics.executions == 20:
                raise KeyboardInterrupt

    monkeypatch.setattr("mcr.cli.checking.Progress", Impatient)
    answer = desk.mcr(*LONG, "--jobs", "1")
    assert answer.status == 3
    assert answer.out.count("incomplete") == 1
    assert "    interrupted; a new run starts over" in answer.out
    assert "Interrupted: 2 checks not made." in answer.out


@pytest.mark.parametrize("solver", ["minisat22", "cadical153", "z3"])
def test_interrupted_in_the_solver(desk: Desk, solver: str) -> None:
    desk.write(
        "run.py",
        """
        import sys

        import mcr.exploration.context
        from mcr.cli import main
        from solvers.registry import make_solver
        from tests.cli.test_limits import _hard

        def hard(*asked):
            print("solving", flush=True)
            return _hard(make_solver(*asked))

        mcr.exploration.context.make_solver = hard
        sys.exit(main(sys.argv[1:]))
        """,
    )
    desk.copy("litmus.py")
    process = desk.start(
        "check", "litmus.py::iriw", "--model", "sc", "--algorithm", "cover", "--solver", solver, script="run.py"
    )
    answer = _interrupt(process, after="solving", delay=0.5)
    assert answer.status == 3
    assert not answer.err
    assert "    interrupted; a new run starts over" in answer.out


@pytest.mark.parametrize(
    ("algorithm", "shortens"),
    [("auto", "mcr.explorers.stateful.explorer.shortest"), ("cover", "mcr.exploration.shorten.shorten")],
)
def test_a_bug_that_was_being_shortened(
    algorithm: str, shortens: str, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C while the first bug is made readable does not lose the bug."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(shortens, interrupted)
    desk.copy("litmus.py")
    answer = desk.mcr("check", "litmus.py::store_buffering", "--model", "tso", "--algorithm", algorithm)
    assert answer.status == 1
    assert "store_buffering fails under TSO" in answer.out
    assert "not decided under SC (not explored)" in answer.out
    assert desk.files() == [".mcr/store_buffering-tso.json"]
    assert desk.mcr("replay", ".mcr/store_buffering-tso.json").status == 1


def test_the_document_is_whole_after_an_interruption(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: Program) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("replay.frontend.program.Program.instance", interrupted)
    desk.copy("litmus.py")
    answer = desk.mcr("check", "litmus.py::iriw", "--json")
    assert answer.status == answer.document["status"] == 3
    assert answer.document["not_begun"] == 3


@pytest.mark.parametrize("module", ["argparse", "mcr.cli.commands.check", "mcr.exploration.session"])
def test_interrupted_while_it_starts(desk: Desk, module: str) -> None:
    """As if Ctrl-C was pressed while that module was imported."""
    desk.copy("litmus.py")
    desk.write(
        "run.py",
        f"""
        import sys

        class Impatient:
            def find_spec(self, name, *_):
                if name == "{module}":
                    raise KeyboardInterrupt

        sys.meta_path.insert(0, Impatient())
        from mcr.cli import main
        sys.exit(main(sys.argv[1:]))
        """,
    )
    process = desk.start("check", "litmus.py::iriw", script="run.py")
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out, err) == (3, "", "interrupted\n")


def test_the_first_incomplete_check_says_what_would_help_most(desk: Desk) -> None:
    answer = desk.mcr(*LONG, "--model", "sc,tso", "--timeout", "0.01")
    said = " ".join(answer.out.split())
    assert said.count("what would help most: --set n=4, as ") == 1
    assert "; or --sample 10000, as " in said
    assert "what would help" not in desk.mcr(*LONG, "--model", "sc", "--max-executions", "1", "--algorithm", "mcr").out
