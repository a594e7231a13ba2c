"""Work and news by names, so that they can travel: what one process numbers, another one numbers otherwise.

Whatever is packed consists of lists, dicts, texts and numbers, as JSON has them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn, Protocol, TypedDict, TypeVar

from mcr.executions.execution import Place
from mcr.exploration.contract import Explorer, Run, Work
from mcr.exploration.stage import Stage
from replay.errors import FormatError
from replay.machine.machine import Choice, Machine

_T = TypeVar("_T")

Steps = list[list[str]]
"""A packed schedule (`NamedSchedule.to_json`)."""

PackedPlace = tuple[str, int]
"""The name of a thread, and how many operations it had executed before."""


class Travelling(Explorer, Protocol):
    """An explorer whose work may be done elsewhere, by another one of its kind, for the same program and model."""

    def pack(self, work: Work) -> object:
        """The work by names."""

    def unpack(self, packed: object) -> Work:
        """What `pack` gave, here or elsewhere, as work of this explorer.

        Raises CheckerError if it is nothing that this program can do.
        """

    def see(self, run: Run) -> None:
        """Take note of an execution that another one ran, so that it is not shown again."""


def read_as(packed: object, kind: type[_T]) -> _T:
    """What was packed, in the shape that is expected. Raises FormatError if it has another one."""
    import msgspec  # late, as most work does not travel

    try:
        return msgspec.convert(packed, kind)
    except msgspec.ValidationError as error:
        raise FormatError(f"work that has travelled is damaged: {error}") from None


def refuse(why: str) -> NoReturn:
    """Raise FormatError for what has the right shape, and does not fit the program."""
    raise FormatError(f"work that has travelled is none of this program: {why}")


def pack_place(stage: Stage, place: Place) -> PackedPlace:
    """A place by names."""
    return stage.unfolding.thread_name(place[0]), place[1]


def unpack_place(stage: Stage, packed: PackedPlace) -> Place:
    """The place. Raises FormatError if there is no such thread."""
    info = stage.unfolding.thread(packed[0])
    if info is None:
        refuse(f"there is no thread {packed[0]}")
    return info.index, packed[1]


def pack_schedule(stage: Stage, choices: Iterable[Choice]) -> Steps:
    """A schedule by names."""
    from mcr.executions.names import NamedSchedule  # late, as most work does not travel

    return NamedSchedule.of(stage.unfolding, choices).to_json()


def unpack_schedule(stage: Stage, packed: object) -> list[Choice]:
    """The schedule; the unfolding grows by what it meets. Raises CheckerError if the program cannot do it."""
    return _played(stage, packed)[0]


def _played(stage: Stage, packed: object) -> tuple[list[Choice], Machine]:
    from mcr.executions.names import NamedSchedule

    steps = read_as(packed, Steps)
    if not all(1 <= len(step) <= 3 for step in steps):
        raise FormatError("work that has travelled is damaged: a step has one to three names")
    return NamedSchedule.from_json(steps).play(stage.unfolding, stage.model)


class _PackedRun(TypedDict):
    schedule: Steps
    deadlock: bool
    shows: str


def pack_run(stage: Stage, run: Run) -> object:
    """An execution by names."""
    schedule = pack_schedule(stage, run.choices)
    return _PackedRun(schedule=schedule, deadlock=run.deadlock, shows=run.shows)


def unpack_run(stage: Stage, packed: object) -> Run:
    """The execution, played. Raises CheckerError if it is none of the program."""
    read = read_as(packed, _PackedRun)
    choices, machine = _played(stage, read["schedule"])
    return Run(choices, machine, read["deadlock"], read["shows"])
