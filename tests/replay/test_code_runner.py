"""User code runs as often as it has to, and is held to what it did before."""

from __future__ import annotations

import itertools

import pytest

import mcr
from replay.errors import NondeterminismError
from replay.frontend.program import Program
from replay.machine.options import UnfoldingOptions
from replay.machine.state import State
from replay.machine.unfolding import Unfolding


def reader(begun: list[int], loads: int) -> Program:
    """A thread that loads; `begun` gains an element whenever its code begins."""

    @mcr.program
    def program(p):
        x = p.var("x", 0)

        def read():
            begun.append(1)
            return [x.load() for _ in range(loads)] and None

        p.thread(read)

    return program


def grown(unfolding: Unfolding, values: list[object], state: State) -> list[State]:
    """The states after a read, one for each value."""
    return [unfolding.step(state, unfolding.values.intern(value)).after for value in values]


def test_threads_are_copied_rather_than_run_again() -> None:
    begun: list[int] = []
    unfolding = Unfolding(reader(begun, loads=5), UnfoldingOptions(cuts_spins=False))
    states = [unfolding.threads[0].root]
    for _ in range(3):
        states = [after for state in states for after in grown(unfolding, [0, 1], state)]
    assert len(states) == 8
    assert len(begun) == 1


def test_threads_of_a_program_that_exec_made_are_copied_too() -> None:
    """As clients of `mcr linearizable` are: no module has their global variables."""
    begun: list[int] = []
    names: dict[str, object] = {"begun": begun, "__name__": "nowhere"}
    exec(
        "def program(p):\n    x = p.var('x', 0)\n    def read():\n        begun.append(1)\n"
        "        for _ in range(5): x.load()\n    p.thread(read)\n",
        names,
    )
    unfolding = Unfolding(mcr.program(names["program"]), UnfoldingOptions(cuts_spins=False))
    states = [unfolding.threads[0].root]
    for _ in range(3):
        states = [after for state in states for after in grown(unfolding, [0, 1], state)]
    assert len(states) == 8
    assert len(begun) == 1


def test_a_run_along_what_is_known_still_tells_where_it_asks_for_something_new() -> None:
    unfolding = Unfolding(reader([], loads=4))
    first = grown(unfolding, [0, 1, 2], unfolding.threads[0].root)
    second = [after for state in first for after in grown(unfolding, [0, 1, 2], state)]
    lines = {state.operation.source.line for state in first + second if state.operation and state.operation.source}
    assert lines == {unfolding.threads[0].root.operation.source.line}  # type: ignore[union-attr]
    assert all(state.operation and state.operation.source for state in first + second)


@pytest.mark.parametrize(("change_at", "word"), [(1, "'x = 1'"), (2, "'x = 2'"), (3, "its end")])
def test_a_second_run_that_does_something_else_is_told_with_its_line(change_at: int, word: str) -> None:
    runs = itertools.count()

    @mcr.program
    def fickle(p):
        x = p.var("x", 0)

        def thread():
            run = next(runs)
            for number in (1, 2):
                if run and change_at == number:
                    x.store(number)
                x.load()
            if run and change_at == 3:
                return
            x.load()
            x.load()

        p.thread(thread)

    unfolding = Unfolding(fickle, UnfoldingOptions(cuts_spins=False))
    path = [unfolding.threads[0].root]
    for _ in range(3):
        path += grown(unfolding, [0], path[-1])
    with pytest.raises(NondeterminismError, match="in a second run for") as caught:
        grown(unfolding, [1], path[2])
    assert word in str(caught.value)
    store = fickle.line + 8
    assert caught.value.where.endswith(f"test_code_runner.py:{store if change_at < 3 else store + 4}")
