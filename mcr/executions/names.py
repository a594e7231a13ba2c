"""Schedules by name, so that they can travel.

An unfolding numbers threads, locations and values in the order in which it
met them; in another process, or after another run, the same program may have
other numbers. What has a name is the same everywhere: threads, locations, and
the values that a `choose` offers.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import NamedTuple

from replay.errors import CheckerError, ScheduleError
from replay.machine.machine import Choice, Machine, make_choice
from replay.machine.state import NOTHING, State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel
from replay.world.shown import shown


class NamedChoice(NamedTuple):
    """One step of a schedule: a thread runs its next operation, or a store of it commits.

    commit  the location to commit; "" to run an operation
    chosen  the value that the operation takes (`value_name`); "" if it takes none
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
        """The names of a schedule of an unfolding. Raises CheckerError for a chosen value that has none."""
        return cls(
            tuple(
                NamedChoice(
                    unfolding.thread_name(thread),
                    unfolding.locations[commit].name if commit != NOTHING else "",
                    value_name(unfolding.values[chosen]) if chosen != NOTHING else "",
                )
                for thread, commit, chosen in choices
            )
        )

    def choices(self, unfolding: Unfolding, model: MemoryModel) -> list[Choice]:
        """The schedule in the numbers of an unfolding, which grows by what it meets for the first time.

        Raises ScheduleError for a step that the program cannot make.
        """
        machine = Machine(unfolding, model)
        found: list[Choice] = []
        for number, step in enumerate(self.steps):
            choice = _choice(machine, step)
            if choice is None:
                raise ScheduleError(number, _described(step), "that the program cannot do it")
            machine.apply(choice)
            found.append(choice)
        return found

    def to_json(self) -> list[list[str]]:
        """Lists of texts: [thread], [thread, what it commits] or [thread, "", what it chooses]."""
        return [list(step[: 3 if step.chosen else 1 + bool(step.commit)]) for step in self.steps]

    @classmethod
    def from_json(cls, data: Sequence[Sequence[str]]) -> NamedSchedule:
        """What `to_json` gave."""
        return cls(tuple(NamedChoice(*step) for step in data))


def _choice(machine: Machine, step: NamedChoice) -> Choice | None:
    """The choice that a step stands for; None if it is impossible."""
    unfolding, info = machine.unfolding, machine.unfolding.thread(step.thread)
    if info is None or info.index >= len(machine.states):
        return None
    if step.commit:
        commits = (loc for loc in machine.committable(info.index) if unfolding.locations[loc].name == step.commit)
        return next((make_choice(info.index, loc) for loc in commits), None)
    state = machine.states[info.index]
    chosen = _input(unfolding, state, step.chosen)
    fits = bool(step.chosen) == bool(state.inputs) == (chosen != NOTHING)
    return make_choice(info.index, NOTHING, chosen) if fits and machine.can_run(info.index) else None


def _input(unfolding: Unfolding, state: State, name: str) -> int:
    """The value of that name among those that a state chooses from, else NOTHING."""
    named = (value for value in state.inputs if value_name(unfolding.values[value]) == name)
    return next(named, NOTHING)


def _described(step: NamedChoice) -> str:
    does = f"commit {step.commit}" if step.commit else f"choose {step.chosen}" if step.chosen else "run"
    return f"thread {step.thread} to {does}"


def value_name(value: object) -> str:
    """A text that is equal for equal values in every process, and for no others (`replay.world.values`).

    Raises CheckerError for a value that has none: one whose type says neither what is in it nor how it is called.
    """
    kind = type(value)
    if kind is int:
        return shown(value)  # there are integers that Python does not print
    if value is None or kind in (bool, str, bytes, float):
        return repr(value)
    if isinstance(value, enum.Enum):
        return f"{kind.__qualname__}.{value.name}"
    if isinstance(value, tuple):
        return f"{_title(kind, tuple)}({', '.join(map(value_name, value))})"
    if isinstance(value, frozenset):
        return f"{_title(kind, frozenset)}{{{', '.join(sorted(map(value_name, value)))}}}"
    if is_dataclass(value) and not isinstance(value, type):
        parts = (f"{field.name}={value_name(getattr(value, field.name))}" for field in fields(value) if field.compare)
        return f"{kind.__qualname__}({', '.join(parts)})"
    raise CheckerError(
        f"a value of type {kind.__qualname__!r} has no name that another process knows: choose among numbers, texts, "
        "tuples, frozensets, enumerations or dataclasses"
    )


def _title(kind: type, plain: type) -> str:
    """What tells a type of the model's own from the built-in one."""
    return "" if kind is plain else kind.__qualname__
