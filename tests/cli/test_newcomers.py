"""Mistakes of newcomers on their first day, and the sentence that each of them gets.

More of it, of what is written into thread code, is in test_bad_input.py and test_slips.py.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

import mcr
from tests.cli.test_bad_input import in_declaration, in_thread
from tests.desk import ROOT, Desk

MODELS = [
    (in_thread("x.stroe(1)"), "wrong.py:7: x is a shared cell, not the value in it: it has no attribute 'stroe' "
     "(did you mean x.store?)"),
    (in_thread("x.read()"), "(did you mean x.load?)"),
    (in_thread("x.write(1)"), "(did you mean x.store?)"),
    (in_thread("x.compare_and_swap(0, 1)"), "(did you mean x.compare_exchange?)"),
    (in_thread("x.cas(0, 1)"), "(did you mean x.compare_exchange?)"),
    (in_thread("x.swap(1)"), "(did you mean x.exchange?)"),
    (in_thread("x.fetchadd(1)"), "(did you mean x.fetch_add?)"),
    (in_thread("p.fnece()"), "wrong.py:7: p has no 'fnece'; did you mean 'fence'?"),
    (in_thread("p.wait(x)"), "wrong.py:7: p has no 'wait'"),
    (in_declaration("p.vra('x', 0)"), "wrong.py:5: p has no 'vra'; did you mean 'var'?"),
    (in_declaration("p.variable('x', 0)"), "p has no 'variable'; did you mean 'var'?"),
    (in_declaration("p.lock()"), "p has no 'lock'; did you mean 'mutex'?"),
    (in_declaration("p.Thread(p.fence)"), "p has no 'Thread'; did you mean 'thread'?"),
    (in_declaration("m = p.mutex('m')", "def f(): m.lokc()", "p.thread(f)"), "(did you mean m.lock?)"),
    (in_thread("x.store(valu)"), "wrong.py:7: NameError: name 'valu' is not defined, whatever the schedule"),
    (in_thread("total = x.load()", "x.store(totl)"), "is not defined, whatever the schedule; did you mean 'total'?"),
    (in_thread("x.load()", "x.store()"), "wrong.py:8: TypeError: Variable.store() missing 1 required positional "
     "argument: 'value', whatever the schedule"),
    (in_thread("x.load()", "x.load(0)"), "TypeError: Variable.load() takes 1 positional argument but 2 were given"),
    (in_thread("x.store(len(3))"), "wrong.py:7: TypeError: object of type 'int' has no len(), whatever the schedule"),
    (in_thread("x.store(n)", "n = 1"), "UnboundLocalError: cannot access local variable 'n'"),
    (in_thread("x.store([].apend(1))"), "AttributeError: 'list' object has no attribute 'apend', whatever the "
     "schedule; did you mean 'append'?"),
    (in_thread("import maths"), "ModuleNotFoundError: No module named 'maths', whatever the schedule"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), MODELS, ids=[said[-40:] for _, said in MODELS])
def test_a_model_that_is_misspelt_is_broken_and_no_bug(desk: Desk, text: str, said: str) -> None:
    desk.write("wrong.py", text)
    answer = desk.mcr("check", "wrong.py")
    assert answer.status == 2
    assert said in answer.err
    assert answer.err.count("\n") == 1
    assert not desk.files()


COMMANDS = [
    ("chekc good.py", "invalid choice: 'chekc'", "did you mean 'check'?"),
    ("check good.py --modle tso", "unrecognized arguments: --modle tso; did you mean '--model'?", ""),
    ("check good.py --timout=3", "unrecognized arguments: --timout=3; did you mean '--timeout'?", ""),
    ("check good.py --model x86", "there are sc, tso, pso, or all; did you mean 'tso'?", ""),
    ("check good.py --algorithm sateful", "unknown algorithm 'sateful'", "did you mean 'stateful'?"),
    ("check good.py --objective outcome", "unknown objective 'outcome'", "did you mean 'outcomes'?"),
    ("check good.py --solver minisat2", "there is no solver 'minisat2'", "did you mean 'minisat22'?"),
    ("check good.py::godo", "there is no program or function 'godo'; there are good; did you mean 'good'?", ""),
    ("check goood.py", "goood.py: there is no such file", ""),
    ("check good.py --set n", "'n' is not of the form name=value", ""),
    ("check good.py --set n=3", "program good has no parameter 'n'", ""),
    ("check good.py --timeout 0", "is not a number of seconds above 0", ""),
    ("check good.py --timeout soon", "'soon' is not a number of seconds above 0", ""),
    ("check", "the following arguments are required: TARGET", ""),
    ("replay nowhere.json", "nowhere.json: No such file or directory", ""),
    ("replay good.py", "good.py:1: not JSON", ""),
    ("replay good.json --htlm x.html", "did you mean '--html'?", ""),
    ("replay good.json --html x.txt", "'x.txt' would be a page; give it a name that ends in .html", ""),
    ("repair good.py::godo", "there is no program or function 'godo'; there are good; did you mean 'good'?", ""),
    ("explore good.py -o x.txt", "'x.txt' would be a page; give it a name that ends in .html", ""),
    ("linearizable good.py --threads two", "'two' is not a whole number above 0", ""),
    ("explain .mcr/good-sc.json --row 9 --value 0", "no load in row 9; there are --row 1: thread 0, load x -> 0", ""),
    ("explain .mcr/good-sc.json --line 3 --value 0", "no load in line 3", ""),
]


@pytest.mark.parametrize(("line", "said", "hint"), COMMANDS, ids=[line for line, _, _ in COMMANDS])
def test_a_command_that_is_misspelt_is_told_what_was_meant(desk: Desk, line: str, said: str, hint: str) -> None:
    desk.write("good.py", GOOD)
    if line.startswith("explain"):
        desk.mcr("check", "good.py", "--model", "sc")
    answer = desk.mcr(*line.split())
    assert answer.status == 2
    assert said in answer.err
    assert hint in answer.err


GOOD = """
import mcr

@mcr.program
def good(p):
    x = p.var("x", 0)
    def thread():
        assert x.load()
    p.thread(thread)
"""


@mcr.program
def good(p):
    p.thread(p.var("x", 0).load)


def other(p):
    p.thread(p.var("x", 0).load)


CALLS = [
    (lambda: mcr.check(good, "x86"), "unknown memory model 'x86'; there are sc, tso, pso; did you mean 'tso'?"),
    (lambda: mcr.check(good, ["tso"]), "one memory model by name, not ['tso']; there are sc, tso, pso"),
    (lambda: mcr.check(good, None), "one memory model by name, not None"),
    (lambda: mcr.check(other, "sc"), "other needs a value for p: --set, a default, or @mcr.program above it"),
    (lambda: mcr.check_all(3), "3 is no program"),
    (lambda: mcr.check_all(good, models=["tsoo"]), "models: unknown memory model 'tsoo'"),
    (lambda: mcr.check(good, options={"timeout": 3}), "options are made by mcr.Options(timeout=60, ...), not {"),
    (lambda: mcr.Options(timeout="3"), "timeout must be a number above 0, not '3'"),
    (lambda: mcr.check(good, objective="failure"), "did you mean 'failures'?"),
    (lambda: mcr.test(good, model="tso"), "model: there is no such key; there are models, "),
    (lambda: mcr.load_trace("nowhere.json"), "nowhere.json: No such file or directory"),
    (lambda: mcr.save_trace(mcr.check(good), "x.json"), "what is saved is a trace, as in result.failures, not <Result"),
    (lambda: good(n=3), "program good has no parameter 'n'"),
    (lambda: mcr.Variable("x").load(), "shared state is used"),
    (lambda: mcr.linearizable(3), "3 is no class"),
    (lambda: mcr.linearizable(list, ["apend"]), "list has no method 'apend'; did you mean 'append'?"),
]


@pytest.mark.parametrize(("call", "said"), CALLS, ids=[said[:50] for _, said in CALLS])
def test_a_call_that_makes_no_sense_is_one_sentence(call, said: str) -> None:
    with pytest.raises(mcr.CheckerError) as error:
        call()
    assert said in str(error.value)


def test_a_name_that_mcr_does_not_have() -> None:
    with pytest.raises(AttributeError, match="no attribute 'chek'; did you mean 'check'"):
        _ = mcr.chek
    assert mcr.__version__


def test_a_bug_that_depends_on_what_is_read_stays_a_bug(desk: Desk) -> None:
    """None where a number should be, an attribute of nothing: that is what is looked for."""
    desk.write("late.py", in_thread("y = x.load()", "assert y.real == 0", "(None if y == 0 else [1])[0]"))
    answer = desk.mcr("check", "late.py", "--model", "sc")
    assert answer.status == 1
    assert "late.py" in answer.out
    assert "TypeError: 'NoneType' object is not subscriptable" in answer.out


class Racy:
    def __init__(self) -> None:
        self.count = 0

    def add(self) -> int:
        self.count += 1
        return self.count


@pytest.mark.parametrize("kind", [str, Path])
def test_paths_are_texts_or_paths(tmp_path: Path, kind: type) -> None:
    counterexample = mcr.linearizable(Racy, ["add"], calls=1, folder=kind(tmp_path)).counterexample
    assert counterexample is not None
    assert counterexample.path is not None
    assert counterexample.path.exists()
    failing = mcr.check(mcr.program(lambda p: p.thread(_fails)), "sc").failures[0]
    file = kind(tmp_path / "deeper" / "trace.json")
    mcr.save_trace(failing, file)
    assert mcr.load_trace(file) == failing


def _fails() -> None:
    raise ValueError("always")


def test_results_and_traces_fit_a_screen() -> None:
    result = mcr.check(mcr.program(lambda p: p.thread(_fails)), "sc")
    assert repr(result) == (
        "<Result of <lambda> under SC: bug; 1 global state, 1 execution, 1 local state; "
        "1 failure, first ValueError: always>"
    )
    assert repr(result.failures) == "(<Trace of <lambda> under SC: 0 steps, ValueError: always>,)"


PRINTS = in_thread("print('hello')", "x.store(1)", "print('bye')", "assert x.load() == 2")


def test_what_threads_print_appears_once_for_the_run_that_is_shown(desk: Desk) -> None:
    desk.write("prints.py", PRINTS)
    answer = desk.mcr("check", "prints.py", "--model", "sc")
    assert (answer.out + answer.err).count("hello") == 1
    assert answer.err == "hello\nbye\n"
    answer = desk.mcr("replay", ".mcr/wrong-sc.json")
    assert answer.err == "runs prints.py, which the trace names\nhello\nbye\n"


FAILING = """
from lib import ONE
import mcr

{programs}
"""

ONE_OF_THEM = """
@mcr.program
def wrong_{number}(p):
    x = p.var("x", 0)

    def thread():
        x.store(ONE)
        assert x.load() == {number} + 2

    p.thread(thread)
"""


def test_ten_replay_commands_pasted_from_three_folders(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the reports print them, where they are printed: names with spaces, and what pytest finds in the project."""
    desk.write("my project/pyproject.toml", '[tool.pytest.ini_options]\npythonpath = ["src"]\n')
    desk.write("my project/src/lib.py", "ONE = 1\n")
    programs = "\n".join(ONE_OF_THEM.format(number=number) for number in range(4))
    desk.write("my project/my checks/it.py", FAILING.format(programs=programs))
    pasted = 0
    for folder, file in ((".", "my project/my checks"), ("my project", "my checks"), ("my project/my checks", ".")):
        monkeypatch.chdir(desk.folder / folder)
        answer = desk.mcr("check", f"{file}/it.py", "--model", "sc", "--save", "my traces")
        for line in [line for line in answer.out.splitlines() if line.startswith("    mcr replay ")]:
            again = desk.mcr(*shlex.split(line)[1:])
            assert again.status == 1, line
            assert "The failure occurs again." in again.out
            pasted += 1
    assert pasted == 12


def test_sixty_usages_have_their_sentence() -> None:
    """`python -m results.newcomers` writes a table of them: results/newcomers.md."""
    assert len(MODELS) + len(COMMANDS) + len(CALLS) >= 60
    page = (ROOT / "results" / "newcomers.md").read_text(encoding="utf-8")
    assert all(f"`mcr {line}`" in page for line, _, _ in COMMANDS)


def test_the_command_of_a_report_works_in_another_folder(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the name has spaces, and where pytest finds what is imported in folders of the project."""
    desk.write("my project/pyproject.toml", '[tool.pytest.ini_options]\npythonpath = ["src"]\n')
    desk.write("my project/src/lib/__init__.py", "ONE = 1\n")
    desk.write("my project/checks/__init__.py", "")
    desk.write("my project/checks/helper.py", "TWO = 2\n")
    text = in_thread("x.store(ONE)", "assert x.load() == TWO")
    desk.write("my project/checks/test_it.py", f"from lib import ONE\nfrom .helper import TWO\n{text}")
    answer = desk.mcr("check", "my project/checks/test_it.py", "--model", "sc", "--save", "my traces")
    assert "    mcr replay 'my traces/wrong-sc.json'\n" in answer.out
    for folder in (".", "my project", "my project/src"):
        monkeypatch.chdir(desk.folder / folder)
        answer = desk.mcr("replay", str(desk.folder / "my traces" / "wrong-sc.json"))
        assert "The failure occurs again." in answer.out
