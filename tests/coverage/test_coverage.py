"""`mcr check --coverage`: what no execution reaches, as the oracle has it, and in the formats that editors read."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

import mcr
from replay.traces.loader import programs_in
from replay.world.memory_models import MODELS
from tests.coverage.agreement import disagreement
from tests.desk import EXAMPLES, Desk

SMALL = ("litmus", "hazard_pointer", "rcu", "lost_wakeup")

DEAD = """
import mcr


@mcr.program
def dead(p):
    x, y = p.var("x", 0), p.var("y", 0)

    def never():
        x.store(9)

    def reader():
        if y.load() and not x.load():
            x.load()
        for again in range(2):
            if x.load() == 7:
                never()
                return 1
        return 0

    def writer():
        x.store(1)
        y.store(1)

    p.thread(reader)
    p.thread(writer)
"""


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("stem", SMALL)
def test_examples_agree_with_the_oracle(stem: str, model: str) -> None:
    answers = [disagreement(program, MODELS[model]) for program in programs_in(EXAMPLES / f"{stem}.py")]
    assert "" in answers
    assert not any(answers), answers


def test_unreachable_lines_are_told_with_proof(desk: Desk) -> None:
    desk.write("dead.py", DEAD)
    answer = desk.mcr("check", "dead.py", "--model", "tso", "--coverage")
    assert "no execution reaches the others, which is proved" in " ".join(answer.out.split())
    assert [line.split()[0] for line in answer.out.splitlines() if "never reached" in line] == [
        "dead.py:9", "dead.py:13", "dead.py:16", "dead.py:17",
    ]  # fmt: skip
    assert "dead.py:12  if y.load() and not x.load():  never goes into its body" in answer.out


UNDECIDED = """
import mcr


@mcr.program(deadlocks=False)
def undecided(p):
    x = p.var("x", 0)

    def waits_for_good():
        if p.wait_until(lambda: x.load() == 1):
            x.load()
        x.load()

    def raises():
        try:
            if 1 // x.load():
                x.load()
            x.load()
        except ZeroDivisionError:
            pass

    def decides():
        while True:
            x.load()
            break
        if any(x.load() for _ in range(2)):
            x.load()
        for each in Once():
            x.load()

    for code in (waits_for_good, raises, decides):
        p.thread(code)


class Once:
    left = 1

    def __iter__(self):
        return self

    def __next__(self):
        if not self.left:
            raise StopIteration
        self.left = 0
"""


def test_what_waits_or_raises_while_it_decides_has_taken_no_branch(desk: Desk) -> None:
    """Nor has it because a lambda came to its end in the same line; what an iterator raises ends its loop, though."""
    desk.write("undecided.py", UNDECIDED)
    answer = desk.mcr("check", "undecided.py", "--model", "sc", "--coverage")
    assert [line.strip() for line in answer.out.splitlines() if "  never goes " in line] == [
        "undecided.py:9  if p.wait_until(lambda: x.load() == 1):  never goes into its body",
        "undecided.py:9  if p.wait_until(lambda: x.load() == 1):  never goes past its body",
        "undecided.py:15  if 1 // x.load():  never goes into its body",
        "undecided.py:15  if 1 // x.load():  never goes past its body",
        "undecided.py:25  if any(x.load() for _ in range(2)):  never goes into its body",
    ]


def test_a_generator_decides_when_it_goes_on(desk: Desk) -> None:
    """Not when it yields the operation of its condition."""
    text = DEAD.replace("if y.load() and not x.load():", "if (yield y.op.load()) and not (yield x.op.load()):")
    desk.write("dead.py", text.replace("x.load()\n        for", "yield x.op.load()\n        for"))
    answer = desk.mcr("check", "dead.py", "--model", "tso", "--coverage")
    assert [line.split()[0] for line in answer.out.splitlines() if "never reached" in line] == [
        "dead.py:9", "dead.py:13", "dead.py:16", "dead.py:17",
    ]  # fmt: skip
    assert [line.split()[0] for line in answer.out.splitlines() if "never goes" in line] == ["dead.py:12", "dead.py:15"]
    desk.write("dead.py", text.replace("not (yield", "(yield"))
    assert [
        line.split()[0] for line in desk.mcr("check", "dead.py", "--coverage").out.splitlines() if "goes" in line
    ] == ["dead.py:15"]


def test_a_weaker_model_reaches_more(desk: Desk) -> None:
    desk.write("dead.py", DEAD)
    document = desk.mcr("check", "dead.py", "--coverage", "--json").document
    (found,) = document["coverage"]
    assert (found["model"], found["proved"]) == ("pso", True)
    assert [line["line"] for line in found["unreached"]] == [9, 16, 17]


def test_limits_leave_it_open(desk: Desk) -> None:
    desk.write("dead.py", DEAD)
    answer = desk.mcr(
        "check", "dead.py", "--coverage", "--max-executions", "1", "--model", "tso", "--algorithm", "cover"
    )
    assert answer.status == 3
    assert "others may be reached: the limit of 1 execution was reached" in " ".join(answer.out.split())


def test_files_for_editors(desk: Desk) -> None:
    desk.write("dead.py", DEAD)
    assert desk.mcr("check", "dead.py", "--model", "tso", "--coverage-file", "c.json").status == 0
    document = json.loads((desk.folder / "c.json").read_text())
    assert document["files"]["dead.py"]["missing_lines"] == [9, 13, 16, 17]
    assert document["files"]["dead.py"]["missing_branches"] == [[12, 13], [15, 16]]
    desk.mcr("check", "dead.py", "--model", "tso", "--coverage-file", "c.lcov")
    lcov = (desk.folder / "c.lcov").read_text()
    assert "SF:dead.py\n" in lcov
    assert "DA:13,0\n" in lcov
    assert "BRDA:12,0,0,0\n" in lcov


def test_code_that_runs_while_a_program_is_set_up_is_none_of_threads(desk: Desk) -> None:
    desk.copy("peterson.py")
    (found, *_) = desk.mcr("check", "peterson.py", "--model", "sc", "--coverage", "--json").document["coverage"]
    assert (found["lines"], found["unreached"]) == (13, [])
    assert mcr.check(programs_in(EXAMPLES / "peterson.py")[0]).verdict is mcr.Verdict.VERIFIED


def test_states_are_drawn_beside_the_code(desk: Desk) -> None:
    desk.write("dead.py", DEAD)
    assert desk.mcr("check", "dead.py", "--model", "tso", "--states", "states.svg").status == 0
    picture = (desk.folder / "states.svg").read_text()
    root = ElementTree.fromstring(picture)
    assert root.tag.endswith("svg")
    assert picture.count('class="asks"') == 8
    assert picture.count('class="ended"') == 3
    assert picture.count('class="code never"') == 4
    assert ">0, 1</text>" in picture, "two values that lead to one state share an arrow"


def test_one_program_is_drawn(desk: Desk) -> None:
    desk.copy("peterson.py")
    answer = desk.mcr("check", "peterson.py", "--states", "states.svg")
    assert answer.status == 2
    assert "--states draws one program, not 3: use FILE::NAME" in answer.err
