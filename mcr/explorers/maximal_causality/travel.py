"""Seeds and questions by names: a schedule, and which of its events they speak of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from mcr.exploration.stage import Stage
from mcr.exploration.travel import Steps, pack_schedule, read_as, refuse, unpack_schedule
from mcr.explorers.maximal_causality.enforce import Seed, promised_by
from mcr.explorers.maximal_causality.observation import Observed
from mcr.explorers.maximal_causality.questions import other_values
from mcr.explorers.maximal_causality.recording import Recording
from mcr.explorers.maximal_causality.seeds import Question
from replay.machine.state import NOTHING, State
from replay.machine.unfolding import Unfolding
from replay.world.shown import shown

Place = tuple[str, int, str]
"""An event: the name of its thread, its position there, and what it reads, as shown; "" if it reads nothing."""


class PackedSeed(TypedDict):
    """A seed: its schedule, and the events that it freezes, in order."""

    schedule: Steps
    events: list[Place]


class PackedQuestion(TypedDict):
    """A question: the schedule of its trace, the events that are frozen, in order, and what to read where."""

    trace: Steps
    frozen: list[Place]
    goal: Place


def pack_seed(stage: Stage, seed: Seed) -> PackedSeed:
    return PackedSeed(schedule=pack_schedule(stage, seed.choices), events=_places(stage, seed.events))


def pack_question(stage: Stage, question: Question) -> PackedQuestion:
    state, value = question.goal
    goal = (stage.unfolding.thread_name(state.thread), state.depth, shown(stage.unfolding.values[value]))
    return PackedQuestion(
        trace=pack_schedule(stage, question.choices), frozen=_places(stage, question.frozen), goal=goal
    )


def _places(stage: Stage, events: Iterable[Observed]) -> list[Place]:
    unfolding = stage.unfolding
    return [(unfolding.thread_name(event.thread), event.depth, _what_it_reads(unfolding, event)) for event in events]


def _what_it_reads(unfolding: Unfolding, event: Observed) -> str:
    return shown(unfolding.values[event.read]) if event.read != NOTHING else ""


def unpack_seed(stage: Stage, packed: object) -> Seed:
    """The seed. Raises CheckerError if it is none of the program."""
    read = read_as(packed, PackedSeed)
    played = _Played(stage, read["schedule"])
    choices = tuple(played.execution.choices)
    events = played.events(read["events"])
    return Seed(events, choices, promised_by(events))


def unpack_question(stage: Stage, packed: object) -> Question:
    """The question. Raises CheckerError if it is none of the program."""
    read = read_as(packed, PackedQuestion)
    played = _Played(stage, read["trace"])
    trace = played.execution.observation()
    thread, depth, text = read["goal"]
    state = played.state(thread, depth)
    values = [value for value in other_values(trace, state, ()) if shown(stage.unfolding.values[value]) == text]
    if len(values) != 1:
        refuse(f"{len(values)} values are shown as {text}")
    return Question(trace, tuple(played.execution.choices), played.events(read["frozen"]), (state, values[0]))


class _Played:
    """An execution that was played, and its events by name."""

    def __init__(self, stage: Stage, schedule: Steps) -> None:
        self._unfolding = stage.unfolding
        self.execution = Recording(stage.unfolding, stage.model)
        for choice in unpack_schedule(stage, schedule):
            self.execution.apply(choice)

    def events(self, places: Iterable[Place]) -> tuple[Observed, ...]:
        """The events at these places; those that a seed's schedule leaves out come when everything is run."""
        twin, wanted = self.execution, [*places]
        lines = twin.observation().threads
        if any(len(lines.get(self._thread(name), ())) <= depth for name, depth, _ in wanted):
            twin = Recording(self._unfolding, twin.machine.model)
            for choice in self.execution.choices:
                twin.apply(choice)
            twin.finish()
            lines = twin.observation().threads
        found = []
        for name, depth, text in wanted:
            line = lines.get(self._thread(name), [])
            if not 0 <= depth < len(line):
                refuse(f"thread {name} has no event {depth}")
            event = line[depth]
            if _what_it_reads(self._unfolding, event) != text:
                refuse(f"event {depth} of thread {name} does not read {text or 'nothing'}")
            found.append(event)
        return tuple(found)

    def state(self, name: str, depth: int) -> State:
        """Where a thread was before an event, or where it stands."""
        thread = self._thread(name)
        line = self.execution.observation().threads.get(thread, [])
        if 0 <= depth < len(line):
            return line[depth].before
        state = self.execution.machine.states[thread]
        if state.depth != depth or state.operation is None:
            refuse(f"thread {name} does not get to {depth}")
        return state

    def _thread(self, name: str) -> int:
        info = self._unfolding.thread(name)
        if info is None or info.index >= len(self.execution.machine.states):
            refuse(f"there is no thread {name}")
        return info.index
