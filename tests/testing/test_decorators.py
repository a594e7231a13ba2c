"""`@mcr.test` and `@mcr.fails`: what they make, and what they refuse. Most of it needs no pytest."""

from __future__ import annotations

import subprocess
import sys

import pytest

import mcr
from mcr.testing.decorators import Claims, ProgramTest
from replay.frontend.program import Program
from tests.desk import ROOT, Desk

SB = """
    import mcr

    @mcr.fails(models=["tso", "pso"])
    @mcr.test(models=("sc", "tso", "pso"), timeout=60)
    def sb(p):
        x, y = p.var("x", 0), p.var("y", 0)

        def thread(mine, other):
            mine.store(1)
            return other.load()

        threads = [p.thread(thread, x, y), p.thread(thread, y, x)]

        @p.final
        def somebody_saw():
            assert any(thread.join() for thread in threads)
"""


def one(p: mcr.Program, n: int = 1) -> None:
    """A program."""


def claims(program: Program) -> Claims:
    assert isinstance(program, ProgramTest)
    return program.claims


@pytest.mark.parametrize("target", [one, mcr.program(one)], ids=["function", "program"])
def test_makes_a_program(target: Program) -> None:
    for made in (mcr.test(target), mcr.test(models="tso")(target), mcr.fails(models="pso")(target)):
        assert isinstance(made, mcr.Program)
        assert (made.name, made.function, made.__doc__) == ("one", one, "A program.")


def test_options() -> None:
    made = mcr.test(models=("pso", "SC"), timeout=3, solver="glucose4", settings={"n": 2})(one)
    assert claims(made).asked == {"models": ("sc", "pso"), "timeout": 3, "solver": "glucose4"}
    assert made.title == "one(n=2)"


def test_either_order_says_the_same() -> None:
    test, fails = mcr.test(models=("tso", "pso")), mcr.fails(models=["pso"])
    assert claims(test(fails(one))) == claims(fails(test(one)))
    assert claims(test(fails(mcr.program(one)))).failing == ("pso",)


def test_marks_of_pytest_stay() -> None:
    def other(p: object) -> None: ...

    a, b, c = pytest.mark.skipif(False, reason=""), pytest.mark.filterwarnings("error"), pytest.mark.xfail
    made = c(mcr.test(settings={})(b(mcr.program(a(other)))))
    assert made.pytestmark == [a.mark, b.mark, c.mark]
    assert mcr.fails(models="pso")(made).pytestmark == made.pytestmark


MISUSES = {
    "unknown model": ('@mcr.test(models="arm")', "models: unknown memory model 'arm'; there are sc, tso, pso"),
    "no model": ("@mcr.test(models=())", "models: [] is not a list of memory models"),
    "number": ("@mcr.test(models=3)", "models: 3 is not a list of memory models"),
    "unknown option": ("@mcr.test(timeuot=3)", "timeuot: there is no such key; there are models, objective"),
    "timeout": ("@mcr.test(timeout=-1)", "timeout: -1 is not a number of seconds above 0"),
    "truth as a number": ("@mcr.test(timeout=True)", "timeout: True is not a number of seconds above 0"),
    "memory": ("@mcr.test(memory=0)", "memory: 0 is not a whole number above 0"),
    "executions": ("@mcr.test(max_executions=1.5)", "max_executions: 1.5 is not a whole number above 0"),
    "operations": ("@mcr.test(max_operations=0)", "max_operations: 0 is not a whole number above 0"),
    "solver": ('@mcr.test(solver="z4")', "solver: there is no solver 'z4'; there are minisat22"),
    "objective": ('@mcr.test(objective="bugs")', "objective: unknown objective 'bugs'; there are failures"),
    "objectives": ('@mcr.test(objective="states,rf")', "states and rf do not go together"),
    "allow": ("@mcr.test(allow_incomplete=1)", "allow_incomplete: 1 is neither true nor false"),
    "settings": ("@mcr.test(settings=3)", "settings: 3 does not give parameters values"),
    "parameter": ('@mcr.test(settings={"m": 3})', "program sb has no parameter 'm'; it has n"),
    "twice": ("@mcr.test\n@mcr.test", "the program is a test already"),
    "fails twice": ('@mcr.fails(models="pso")\n@mcr.fails(models="tso")', "it is there twice"),
    "unknown failing": ('@mcr.fails(models=["x86"])', "models: unknown memory model 'x86'"),
    "elsewhere": (
        '@mcr.fails(models="pso")\n@mcr.test(models="tso")',
        "a failure under PSO, but the test is about TSO",
    ),
    "elsewhere, turned": ('@mcr.test(models="sc")\n@mcr.fails(models="pso")', "but the test is about SC"),
    "impossible": (
        '@mcr.fails(models="sc")\n@mcr.test(models=("sc", "tso"))',
        "what fails under SC fails under TSO too",
    ),
}


@pytest.mark.parametrize(("decorators", "sentence"), MISUSES.values(), ids=MISUSES)
def test_misuse_is_a_sentence_with_file_and_line(desk: Desk, decorators: str, sentence: str) -> None:
    desk.write("model.py", f"import mcr\n\n{decorators}\ndef sb(p, n=1):\n    p.thread(p.fence)\n")
    answer = desk.mcr("check", "model.py")
    assert answer.status == 2
    assert answer.err.startswith("error: model.py:3: ")
    assert sentence in answer.err
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize("target", [3, print, int, pytest.mark.xfail])
def test_what_is_no_function_is_refused(target: object) -> None:
    with pytest.raises(mcr.ModelError, match=r"test_decorators.py:\d+: @mcr.test is for a function that declares"):
        mcr.test(target)  # type: ignore[call-overload]


# -- on the command line -----------------------------------------------------------


def test_check_and_replay_know_a_test_as_a_program(desk: Desk) -> None:
    desk.write("model.py", SB)
    answer = desk.mcr("check", "model.py::sb", "--model", "tso")
    assert answer.status == 1
    assert desk.mcr("replay", ".mcr/sb-tso.json").out.endswith("The failure occurs again.\n")


def test_check_uses_the_settings_of_the_test(desk: Desk) -> None:
    desk.write("model.py", "import mcr\n@mcr.test(settings={'n': 2})\ndef one(p, n):\n    p.thread(p.fence)\n")
    assert "one(n=2)" in desk.mcr("check", "model.py").out
    assert "one(n=5)" in desk.mcr("check", "model.py", "--set", "n=5").out


@pytest.mark.parametrize("head", ["import mcr\n@mcr.test", "from mcr import fails, test\n@test"])
def test_check_finds_tests_below_a_folder(desk: Desk, head: str) -> None:
    desk.write("below/model.py", f"{head}\ndef one(p):\n    p.thread(p.fence)\n")
    assert desk.mcr("check", ".", "--model", "sc").status == 0


def test_no_pytest_is_needed(desk: Desk) -> None:
    """Neither to define tests nor to check them."""
    desk.write("model.py", SB)
    desk.write("go.py", "import sys\nsys.modules['pytest'] = None\nfrom mcr.cli import main\nsys.exit(main())\n")
    process = desk.start("check", "model.py", "--model", "sc", script="go.py")
    out, err = process.communicate()
    assert (process.returncode, err) == (0, ""), out


def test_the_decorators_bring_neither_pytest_nor_a_solver() -> None:
    heavy = ("pytest", "_pytest", "pysat", "z3", "mcr.exploration.session")
    code = (
        f"import mcr, sys; mcr.test(timeout=3, models='sc'); print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
