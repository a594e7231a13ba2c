"""Schedules: made of an order of events, rehearsed on what is known, and named so that they can travel.

An event is named by the local state that asks for it, the end of a thread by
its last state. It has one moment (docs/semantics.md 4): a load or barrier when it
executes, a store when it commits. What has no moment runs when the next event
of its thread does, and stores enter their buffer as late as that allows.

`NamedSchedule` is for those that travel: an unfolding numbers threads, locations and values in the order in which it
met them; in another process, or after another run, the same program may have
other numbers. Names are the same everywhere: those of threads and locations,
and how the values that a `choose` offers are shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from replay.code.terminals import Blocked
from replay.errors import ModelError, ScheduleError
from replay.machine.machine import Choice, Machine, make_choice
from replay.machine.state import NOTHING, State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import Access, MemoryModel
from replay.world.shown import shown

T = TypeVar("T")


def schedule(runs: Sequence[Sequence[Choice]], order: Iterable[State], model: MemoryModel) -> list[Choice]:
    """Choices that let each thread make its `runs`, events happening in the given order; the rest runs at the end."""
    return interleaved(runs, (_moment(state, model) for state in order))


def interleaved(lines: Sequence[Sequence[T]], moments: Iterable[tuple[int, int, T | None]]) -> list[T]:
    """The steps of all lines as one sequence.

    A moment (line, count, step) comes when so many steps of the line are done, and then makes a step of its own.
    """
    found: list[T] = []
    done = [0] * len(lines)
    for line, count, step in moments:
        if done[line] < count:
            found.extend(lines[line][done[line] : count])
            done[line] = count
        if step is not None:
            found.append(step)
    for steps, count in zip(lines, done, strict=True):
        found.extend(steps[count:])
    return found


def _moment(state: State, model: MemoryModel) -> tuple[int, int, Choice | None]:
    if state.operation is None:
        return state.thread, state.depth, None
    access = state.operation.access
    if access is Access.STORE_BARRIER or access is Access.LOCAL:
        return state.thread, 0, None
    commit = make_choice(state.thread, state.loc) if model.is_buffered(access) else None
    return state.thread, state.depth + 1, commit


class Rehearsal(NamedTuple):
    """How a schedule went.

    states  where the threads are when it is over, or stopped
    played  how many of its steps were played; the next one is impossible, or reads something new
    new     the local state that reads something new, if the rehearsal stopped for that reason
    """

    states: list[State]
    played: int
    new: State | None = None


def rehearse(unfolding: Unfolding, model: MemoryModel, choices: Sequence[Choice]) -> Rehearsal:
    """Play a schedule as far as it leads along known local states."""
    machine = Machine(unfolding, model)
    for number, choice in enumerate(choices):
        if not machine.is_possible(choice):
            return Rehearsal(machine.states, number)
        state = machine.states[choice.thread]
        read = machine.visible(choice.thread) if state.reads else choice.chosen
        if choice.commit == NOTHING and read not in state.edges:
            return Rehearsal(machine.states, number, state)
        machine.apply(choice)
    return Rehearsal(machine.states, len(choices))


def remaining(choices: Iterable[Choice], played: Iterable[Choice]) -> Iterator[Choice]:
    """Yields the rest of a schedule when another one has been played that does a part of the same."""
    done = Counter((choice.thread, choice.commit) for choice in played)
    for choice in choices:
        if done[choice.thread, choice.commit]:
            done[choice.thread, choice.commit] -= 1
        else:
            yield choice


class NamedChoice(NamedTuple):
    """One step of a schedule: a thread runs its next operation, or a store of it commits.

    commit  the location to commit; "" to run an operation
    chosen  the value that the operation takes (`shown`); "" if it takes none
    """

    thread: str
    commit: str = ""
    chosen: str = ""


@dataclass(frozen=True)
class NamedSchedule:
    """A schedule that means the same in every unfolding of its program."""

    steps: tuple[NamedChoice, ...] = ()

    @classmethod
    def of(cls, unfolding: Unfolding, choices: Iterable[Choice]) -> NamedSchedule:
        """The names of a schedule of an unfolding."""
        return cls(
            tuple(
                NamedChoice(
                    unfolding.thread_name(thread),
                    unfolding.locations[commit].name if commit != NOTHING else "",
                    shown(unfolding.values[chosen]) if chosen != NOTHING else "",
                )
                for thread, commit, chosen in choices
            )
        )

    def choices(self, unfolding: Unfolding, model: MemoryModel) -> list[Choice]:
        """The schedule in the numbers of an unfolding. Raises like `play`."""
        return self.play(unfolding, model)[0]

    def play(self, unfolding: Unfolding, model: MemoryModel) -> tuple[list[Choice], Machine]:
        """The schedule in the numbers of an unfolding, which grows by what it meets for the first time; and its end.

        An evaluation of a wait that failed, and a turn of a loop that only looks where this unfolding lets a thread
        wait after one, are left out if the schedule, which is another's, goes on.

        Raises ScheduleError for a step that the program cannot make, ModelError where several values to choose from
        are shown alike.
        """
        machine = Machine(unfolding, model)
        found: list[Choice] = []
        self.play_on(machine, found)
        return found, machine

    def play_on(self, machine: Machine, found: list[Choice]) -> None:
        """Plays the schedule on a machine that has played the choices `found`, and adds its own choices to them."""
        unfolding = machine.unfolding
        for number, step in enumerate(self.steps):
            choice = _choice(machine, step)
            info = unfolding.thread(step.thread)
            if choice is None and not step.commit and info is not None and strike_out(machine, info.index, found):
                choice = _choice(machine, step)
            if choice is None:
                raise ScheduleError(number, _described(step), "that the program cannot do it")
            machine.apply(choice)
            found.append(choice)


def _choice(machine: Machine, step: NamedChoice) -> Choice | None:
    """The choice that a step stands for; None if it is impossible."""
    unfolding, info = machine.unfolding, machine.unfolding.thread(step.thread)
    if info is None or info.index >= len(machine.states):
        return None
    if step.commit:
        commits = (loc for loc in machine.committable(info.index) if unfolding.locations[loc].name == step.commit)
        return next((make_choice(info.index, loc) for loc in commits), None)
    state = machine.states[info.index]
    values = unfolding.input_shown_as(state, step.chosen) or [NOTHING]
    if len(values) > 1:
        line = state.operation.source if state.operation else ""
        raise ModelError(
            f"several of the values to choose from are shown as {step.chosen}: give them texts that differ", str(line)
        )
    fits = bool(step.chosen) == bool(state.inputs) == (values[0] != NOTHING)
    return make_choice(info.index, NOTHING, values[0]) if fits and machine.can_run(info.index) else None


def strike_out(machine: Machine, thread: int, schedule: list[Choice]) -> bool:
    """Take back the evaluation, or the turn of a loop, after which a thread waits; returns whether it does.

    No other thread can have seen it, as it left memory unchanged at every moment.
    """
    terminal = machine.states[thread].terminal if thread < len(machine.states) else None
    if not isinstance(terminal, Blocked) or terminal.wait_from < 0:
        return False
    for _ in machine.evaluation(thread):
        runs = (place for place in range(len(schedule) - 1, -1, -1) if _runs(schedule[place], thread))
        del schedule[next(runs)]
    machine.rewind(thread)
    return True


def _runs(choice: Choice, thread: int) -> bool:
    return choice.thread == thread and choice.commit == NOTHING


def _described(step: NamedChoice) -> str:
    does = f"commit {step.commit}" if step.commit else f"choose {step.chosen}" if step.chosen else "run"
    return f"thread {step.thread} to {does}"
