"""Certificates: made by `mcr check --certificate`, confirmed by a program that has nothing of mcr or solvers."""

from __future__ import annotations

import ast
import copy
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import mcr
from mcr.exploration.verdict import Verdict
from replay.traces.loader import find_programs
from tests.amount import amount, one_of
from tests.certify.damage import (
    OF_EXECUTIONS,
    OF_STATES,
    another_model,
    certificate,
    cycle_changed,
    program_changed,
    why_rejected,
)
from tests.desk import EXAMPLES, ROOT, Desk

CHECKER = ROOT / "replay" / "certify"

SEEN = ("peterson", "fork_join", "lost_wakeup", "barrier", "bounded_buffer", "hazard_pointer")
"""Examples with most kinds of operation; `tests.certify.forge` has others."""

TEXT = """
    import mcr

    @mcr.program
    def sb(p, n=1):
        x, y = p.var("x", 0), p.var("y", 0)
        p.thread(x.store, n)
        p.thread(y.load)
"""


@pytest.mark.parametrize("name", SEEN)
def test_what_is_verified_is_confirmed(name: str) -> None:
    for program in find_programs(str(EXAMPLES / f"{name}.py")):
        for model in ("sc", "tso", "pso"):
            for algorithm in one_of(("stateful", "cover", "closed"), f"{program.name} {model}"):
                said = certificate(program, model, algorithm)
                assert said is None or not why_rejected(said, program)


@pytest.mark.parametrize(
    ("algorithm", "damage"),
    [("stateful", each) for each in OF_STATES] + [("cover", each) for each in (*OF_EXECUTIONS, cycle_changed)],
)
def test_a_damaged_certificate_is_rejected(algorithm: str, damage: Callable[..., None]) -> None:
    program = next(find_programs(f"{EXAMPLES / 'peterson.py'}::peterson_x86"))
    said = certificate(program, "tso", algorithm)
    assert said is not None
    for seed in range(amount(3, 20)):
        damaged = copy.deepcopy(said)
        damage(damaged, random.Random(seed))
        if damage is another_model and certificate(program, damaged["model"], algorithm) is not None:
            continue  # a proof for one model may be one for a stronger
        assert why_rejected(damaged, program), f"{damage.__name__}, {seed}"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"cycles": [[]], "proof": []}, "are no cycle"),
        ({"cycles": [[0]], "proof": []}, "the certificate is damaged"),
        ({"cycles": [], "proof": []}, "does not come to its end"),
        ({"cycles": [], "proof": [[[], [1]]]}, "is not shown"),
    ],
)
def test_what_is_no_proof_is_rejected(changes: dict[str, object], why: str) -> None:
    program = next(find_programs(f"{EXAMPLES / 'peterson.py'}::peterson_x86"))
    said = certificate(program, "tso", "cover")
    assert said is not None
    assert why in why_rejected({**said, **changes}, program)


@mcr.program
def stops(p):
    """A thread always stops, so the final function never begins."""
    x = p.var("x", 0)
    p.thread(lambda: p.assume(x.load()))

    @p.final
    def in_the_end():
        assert x.load() > 0


@mcr.program
def child_stops(p):
    x = p.var("x", 0)
    p.thread(lambda: p.spawn(lambda: p.assume(x.load())))

    @p.final
    def in_the_end():
        assert x.load() > 0


@pytest.mark.parametrize("program", [stops, child_stops])
@pytest.mark.parametrize("algorithm", ["stateful", "cover"])
def test_a_final_function_that_never_begins(program: mcr.Program, algorithm: str) -> None:
    said = certificate(program, "tso", algorithm)
    assert said is not None
    assert not why_rejected(said, program)


def test_another_program_is_rejected(tmp_path: Path) -> None:
    program = next(find_programs(f"{EXAMPLES / 'peterson.py'}::peterson_x86"))
    said = certificate(program, "tso")
    assert said is not None
    assert "is not what it was" in why_rejected(said, program_changed(program, random.Random(0), tmp_path))


def test_the_checker_runs_by_itself(desk: Desk) -> None:
    """Nothing of mcr, nothing of solvers: a model's `import mcr` gets what models are written with."""
    file = desk.write("sb.py", TEXT)
    assert desk.mcr("check", file, "--model", "tso", "--set", "n=2", "--certificate", "proofs").status == 0
    watch = "import sys, runpy; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
    code = f"""
import sys
class Refuses:
    def find_spec(self, name, path=None, target=None):
        assert name.partition(".")[0] not in ("mcr", "solvers", "pysat", "z3"), name
sys.meta_path.insert(0, Refuses())
{watch}
"""
    command = [sys.executable, "-c", code, str(CHECKER / "certify.py"), "proofs/sb-n=2-tso.certificate", file]
    answer = subprocess.run(command, cwd=desk.folder, capture_output=True, text=True, check=False)
    assert "confirmed: sb(n=2) under TSO: nothing fails, and no threads wait for ever" in answer.stdout, answer.stderr
    assert answer.stdout.startswith("Trusted are Python, ")


def test_the_checker_is_small_and_imports_nothing_of_those_that_find_proofs() -> None:
    """Of each kind of certificates: what the other kinds need is not run.

    Counted apart are the table of fields, the comparison of runs that join, the second opinion of CPython, the judge of
    calls, and what is asked of runs without end beside the states.
    """
    lines: dict[str, int] = {}
    for path in CHECKER.glob("*.py"):
        tree = ast.parse(path.read_text())
        texts = [node for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
        said = {line for text in texts for line in range(text.lineno, (text.end_lineno or 0) + 1)}
        code = enumerate(path.read_text().splitlines(), 1)
        lines[path.stem] = sum(bool(line.strip()) and number not in said for number, line in code)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                assert str(node.module).partition(".")[0] not in ("mcr", "solvers")
                assert not str(node.module).startswith(("replay.machine", "replay.local_state"))
    assert lines.pop("form") <= 100
    assert lines.pop("cpython") <= 100
    assert lines.pop("calls") <= 225
    assert lines.pop("likeness") + lines.pop("ordinary_likeness") <= 250
    assert lines.pop("runs") <= 100
    executions = lines["executions"] + lines["proofs"]
    assert sum(lines.values()) - executions - lines["closed"] <= 655
    assert sum(lines.values()) - lines["states"] - lines["closed"] <= 655
    assert sum(lines.values()) - lines["states"] - executions <= 490


def test_the_command_line(desk: Desk) -> None:
    file = desk.write("sb.py", TEXT)
    told = desk.mcr("check", file, "--model", "pso", "--certificate", "proofs").out
    assert "certificate: proofs/sb-pso.certificate" in told
    assert "confirmed: sb under PSO" in desk.mcr("certify", "proofs/sb-pso.certificate").out
    desk.write("sb.py", TEXT.replace('"x", 0', '"x", 1'))
    answer = desk.mcr("certify", "proofs/sb-pso.certificate")
    assert answer.status == 1
    assert "rejected: " in answer.out
    assert "sb.py is not what it was when the certificate was made" in answer.out
    desk.write("broken", "no certificate")
    assert "rejected: the file cannot be read" in desk.mcr("certify", "broken").out
    assert desk.mcr("check", file, "--certificate", "proofs", "--json", "--model", "sc").document["results"][0][
        "certificate"
    ] == "proofs/sb-sc.certificate"  # fmt: skip


def test_the_proof_as_files_of_its_own(desk: Desk) -> None:
    file = desk.write("sb.py", TEXT)
    desk.mcr("check", file, "--model", "pso", "--algorithm", "cover", "--certificate", ".")
    assert "steps of a proof" in desk.mcr("certify", "sb-pso.certificate", "--proof").out
    cnf = [line.split() for line in (desk.folder / "sb-pso.certificate.cnf").read_text().splitlines()]
    lrat = [line.split() for line in (desk.folder / "sb-pso.certificate.lrat").read_text().splitlines()]
    assert cnf[0][:2] == ["p", "cnf"]
    assert int(cnf[0][3]) == len(cnf) - 1 == int(lrat[0][0]) - 1
    assert lrat[-1][1] == "0"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("--algorithm trust", "algorithm trust gives no certificates; these do: auto, cover, stateful"),
        ("--objective outcomes", "a certificate shows that nothing fails, and not outcomes"),
        ("--no-merge", "a certificate is about local states"),
        ("--resume kept", "leave out --resume and --cluster"),
    ],
)
def test_what_gives_no_certificate_is_refused(desk: Desk, said: str, why: str) -> None:
    answer = desk.mcr("check", desk.write("sb.py", TEXT), "--certificate", "proofs", *said.split())
    assert answer.status == 2
    assert why in answer.err


def test_the_same_certificate_each_time(desk: Desk) -> None:
    file = desk.write("sb.py", TEXT)
    for folder in ("one", "two"):
        desk.mcr("check", file, "--model", "tso", "--certificate", folder)
    first, second = (desk.folder / folder / "sb-tso.certificate" for folder in ("one", "two"))
    assert first.read_bytes() == second.read_bytes()


ALIVE = """
    import threading
    import mcr

    class Box:
        def work(self):
            pass

        def main(self):
            thread = threading.Thread(target=self.work)
            thread.start()
            assert thread.is_alive(), "it has ended"

    @mcr.program
    def alive(p):
        p.thread(p.share(Box()).main)
"""


@pytest.mark.parametrize("algorithm", ["auto", "stateful", "cover", "exhaustive", "mcr"])
def test_a_thread_may_have_ended_when_it_is_looked_at(desk: Desk, algorithm: str) -> None:
    answer = desk.mcr("check", desk.write("alive.py", ALIVE), "--model", "sc", "--algorithm", algorithm, "--json")
    assert answer.document["results"][0]["verdict"] == Verdict.BUG.value


@pytest.mark.parametrize("algorithm", ["trust", "trust-rf", "rf-smc", "rvf-smc", "bmc"])
def test_others_refuse_to_tell_whether_a_thread_has_ended(desk: Desk, algorithm: str) -> None:
    answer = desk.mcr("check", desk.write("alive.py", ALIVE), "--model", "sc", "--algorithm", algorithm)
    assert answer.status == 2
    assert "look whether a thread has ended" in answer.err


@pytest.mark.parametrize("objective", ["values", "rf", "traces", "outcomes", "states"])
def test_classes_tell_whether_a_thread_had_ended(desk: Desk, objective: str) -> None:
    """The formula knew of ends of threads only where somebody joined them."""
    text = ALIVE.replace('assert thread.is_alive(), "it has ended"', "return thread.is_alive()")
    file = desk.write("alive.py", text)
    answer = desk.mcr("check", file, "--model", "sc", "--algorithm", "cover", "--objective", objective, "--json")
    assert answer.document["results"][0]["statistics"]["executions"] == 2


def test_too_many_states_have_no_certificate(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcr.exploration.certificates.MOST_STATES", 1)
    desk.write("sb.py", TEXT)
    answer = desk.mcr("check", "sb.py", "--certificate", "proofs", "--algorithm", "stateful", "--model", "tso")
    assert answer.status == 0
    assert "no certificate: it would have 2 global states, and more than 1 take" in answer.out.replace("\n    ", " ")
    assert not list(Path("proofs").glob("*"))
