"""Schedules travel by name: what one process numbers, another one plays."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from mcr.executions.schedule import NamedChoice, NamedSchedule
from replay.errors import ModelError, ScheduleError
from replay.machine.unfolding import Unfolding
from replay.traces.files import to_json
from replay.traces.loader import find_programs
from replay.traces.player import record
from replay.world.memory_models import MODELS
from replay.world.shown import shown
from tests.executions.running import random_run

MODEL = """
    import mcr

    @mcr.program
    def family(p):
        x, y = p.var("x", 0), p.var("y", 0)

        def child(who):
            node = p.record("node", value=who)
            node.value.store((who, frozenset({1, 2})))
            y.store(node.value.load())

        def parent():
            size = p.choose(1, "two", (3, 4.0), frozenset({None, True}))
            x.store(size)
            children = [p.spawn(child, number) for number in range(2)]
            y.load()
            for one in children:
                one.join()

        def other():
            y.store(5)
            x.store(p.choose(7, 8))
            x.load()

        p.thread(parent)
        p.thread(other)
"""

PLAY = """
    import json, sys
    from mcr.executions.schedule import NamedChoice, NamedSchedule
    from replay.machine.unfolding import Unfolding
    from replay.traces.files import to_json
    from replay.traces.loader import find_programs
    from replay.traces.player import record
    from replay.world.memory_models import MODELS

    model, schedules = json.load(sys.stdin)
    (program,) = find_programs(sys.argv[1])
    unfolding = Unfolding(program)
    traces = []
    for data in reversed(schedules):
        choices = NamedSchedule(tuple(NamedChoice(*step) for step in data)).choices(unfolding, MODELS[model])
        traces.append(to_json(record(unfolding, MODELS[model], choices)))
    json.dump(traces[::-1], sys.stdout)
"""


@pytest.mark.parametrize("model", MODELS)
def test_a_schedule_means_the_same_in_another_process(model: str, tmp_path: Path) -> None:
    file = tmp_path / "family.py"
    file.write_text(dedent(MODEL))
    (program,) = find_programs(str(file))
    unfolding = Unfolding(program)
    runs = [random_run(unfolding, MODELS[model], seed) for seed in range(20)]
    sent = json.dumps([model, [NamedSchedule.of(unfolding, choices).steps for choices in runs]])
    command = [sys.executable, "-c", dedent(PLAY), str(file)]
    answer = subprocess.run(command, input=sent, capture_output=True, text=True, check=True)
    assert json.loads(answer.stdout) == [to_json(record(unfolding, MODELS[model], choices)) for choices in runs]


TWINS = """
    import mcr

    class Thing:
        pass

    @mcr.program
    def twins(p):
        one, other = Thing(), Thing()
        p.thread(lambda: p.choose(one, other))
"""


def test_values_that_are_shown_alike_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "twins.py"
    file.write_text(dedent(TWINS))
    (program,) = find_programs(str(file))
    unfolding = Unfolding(program)
    schedule = NamedSchedule.of(unfolding, random_run(unfolding, MODELS["sc"], 0))
    with pytest.raises(ModelError, match=r"twins.py:10: several of the values to choose from are shown as Thing"):
        schedule.choices(unfolding, MODELS["sc"])


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (NamedChoice("7"), "thread 7 to run"),
        (NamedChoice("1", "x"), "thread 1 to commit x"),
        (NamedChoice("0", chosen="5"), "thread 0 to choose 5"),
        (NamedChoice("0"), "thread 0 to run"),
        (NamedChoice("1", chosen="5"), "thread 1 to choose 5"),
    ],
)
def test_a_schedule_of_another_program_is_refused(step: NamedChoice, expected: str, tmp_path: Path) -> None:
    file = tmp_path / "family.py"
    file.write_text(dedent(MODEL))
    (program,) = find_programs(str(file))
    with pytest.raises(ScheduleError, match=f"step 1 of the schedule: expected {expected}, found that the program"):
        NamedSchedule((step,)).choices(Unfolding(program), MODELS["tso"])


def test_an_integer_that_python_does_not_print_has_a_name() -> None:
    assert shown(10**5000) != shown(10**5000 + 1)
