"""Configurations of a running program: where its threads stand, its memory, and its store buffers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from tests.pythonic.live_thread import Ask, End

MODELS = ("sc", "tso", "pso")

FENCE = ("", "")
"""In a buffer: what is behind it waits for what is before it."""


class Point:
    """A thread after what it has read: `request` is what it wants next. Equal for all models.

    read   what the step that led here read or chose, None if nothing; of a start the number of the parent's point
    wrote  what that step, an update, wrote
    """

    __slots__ = ("after", "before", "depth", "number", "read", "request", "thread", "wrote")

    def __init__(
        self, number: int, thread: str, request: Ask | End, before: Point | None, read: str | None, wrote: object
    ) -> None:
        self.number = number
        self.thread = thread
        self.request = request
        self.before = before
        self.read = read
        self.wrote = wrote
        self.depth: int = before.depth + 1 if before else 0
        self.after: dict[str | None, Point] = {}


Buffer = tuple[tuple[str, str], ...]
"""(place, value) of the stores on their way to memory, oldest first."""


Step = tuple[str, str | None]
"""A thread, and what it read or chose."""


@dataclass
class Configuration:
    """Where the threads stand, what was ever written, what is in the buffers; and the step that led here.

    Values are kept as text (`Executor.values` has the objects).
    """

    points: dict[str, Point]
    memory: dict[str, str]
    buffers: dict[str, Buffer]
    before: Configuration | None = None
    step: Step | None = None

    def key(self) -> object:
        points = tuple(sorted(point.number for point in self.points.values()))
        return points, tuple(sorted(self.memory.items())), tuple(sorted(self.buffers.items()))

    def steps(self) -> list[Step]:
        """The operations that were taken."""
        found = []
        configuration: Configuration | None = self
        while configuration is not None:
            if configuration.step is not None:
                found.append(configuration.step)
            configuration = configuration.before
        return found[::-1]


class Move(NamedTuple):
    """A thread takes its next operation, choosing `chosen`, or its oldest store to `commit` reaches memory."""

    thread: str
    commit: str | None = None
    chosen: object = None


LocalState = tuple[str, tuple[tuple[str, Any], ...]]
"""A thread, and each operation that it took with what it read."""


def wanted(request: Ask | End) -> str:
    if isinstance(request, Ask):
        stored = f" {request.value!r}" if request.kind == "store" else ""
        return "start" if request.kind == "start" else f"{request.kind} {request.place}".strip() + stored
    if request.how == "failed":
        return f"failed with {request.error}: {request.message}"
    return f"returned {request.value!r}" if request.how == "returned" else request.how


def is_over(now: Configuration, name: str) -> bool:
    end = now.points[name].request
    return isinstance(end, End) and end.how == "returned" and not now.buffers[name]


def committable(buffer: Buffer, model: str) -> list[str]:
    """The locations whose oldest store may reach memory now."""
    if model != "pso":
        return [buffer[0][0]] if buffer else []
    before_fence = buffer[: buffer.index(FENCE)] if FENCE in buffer else buffer
    return list(dict.fromkeys(place for place, _ in before_fence))


def in_order(buffer: Buffer) -> Buffer:
    """An equivalent buffer: what order stores to different locations were made in does not matter between fences."""
    start = len(buffer) - buffer[::-1].index(FENCE) if FENCE in buffer else 0
    return buffer[:start] + tuple(sorted(buffer[start:], key=lambda entry: entry[0]))


def without(buffer: Buffer, entry: tuple[str, str]) -> Buffer:
    """The buffer without the first such entry, and without fences that have nothing before them."""
    position = buffer.index(entry)
    left = buffer[:position] + buffer[position + 1 :]
    while left and left[0] == FENCE:
        left = left[1:]
    return left


def rewound(last: Configuration, begin: Point) -> Configuration:
    """The configuration, had one thread not gone beyond `begin`; what it did since were loads.

    It is reached by the same steps without these.
    """
    total = sum(step[0] == begin.thread for step in last.steps())
    begun = total - (last.points[begin.thread].depth - begin.depth)
    steps, taken = [], 0
    for step in last.steps():
        taken += step[0] == begin.thread
        if step[0] != begin.thread or taken <= begun:
            steps.append(step)
    chain: Configuration | None = None
    points = {**last.points, begin.thread: begin}
    for step in steps:
        chain = Configuration(points, last.memory, last.buffers, chain, step)
    return Configuration(points, last.memory, last.buffers, chain)
