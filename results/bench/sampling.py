"""What time goes into, by phase of the engine.

A timer interrupts the process every few milliseconds of its own time, and the
time since the interruption before belongs to what is found running. A call
into a solver cannot be interrupted, but its time is counted when it returns.
Unlike a profiler that hooks calls this costs next to nothing, and it is not
confused by the greenlets in which thread code runs.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, Self

import mcr
import replay
import solvers
from mcr.bench.probe import Probe
from mcr.exploration.session import Session
from mcr.exploration.verdict import Result

PHASES_OF_TIME = f"{__file__}::Sampler"
"""The probe."""

_INTERVAL = 0.002
"""Seconds of processor time between two looks."""

_ROOT = Path(mcr.__file__).resolve().parent.parent
_PACKAGES = (
    *(str(Path(package.__path__[0]).resolve()) for package in (mcr, replay, solvers)),
    *(str(_ROOT / name) for name in ("examples", "results/bench")),
)

USER, REST = "user code", "rest"


class _Rule(NamedTuple):
    """Frames of a file, or of all below a folder; in functions of these names, if any are given."""

    where: str
    functions: tuple[str, ...]
    phase: str


_WHOLE = {"mcr/exploration/shorten.py": "shortening", "examples/": USER, "bench/fenced.py": USER}
"""Phases that own all that is called from these files."""

_RULES = (
    _Rule("solvers/", ("propose",), "solver"),
    _Rule("solvers/", ("sort",), "order check"),
    _Rule("solvers/", (), "encoding"),
    _Rule("mcr/encoding/seed.py", (), "seed"),
    _Rule("mcr/encoding/", (), "encoding"),
    _Rule("mcr/executions/causal_past.py", (), "redirections"),
    _Rule("mcr/explorers/cover/redirections.py", (), "redirections"),
    _Rule("mcr/explorers/trust/", (), "graphs"),
    _Rule("mcr/exploration/completion.py", (), "replay"),
    _Rule("replay/", (), "replay"),
)
"""The first that fits a frame names its phase."""

PHASES = ("encoding", "solver", "order check", "seed", "redirections", "graphs", "replay", USER, "shortening", REST)


class Sampler(Probe):
    """Adds up processor time by phase. Only in the main thread."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(PHASES, 0.0)
        self._last = 0.0

    def __enter__(self) -> Self:
        self._last = time.process_time()
        self._before = signal.signal(signal.SIGPROF, self._look)
        signal.setitimer(signal.ITIMER_PROF, _INTERVAL, _INTERVAL)
        return self

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, self._before)
        self.seconds[REST] += time.process_time() - self._last

    def details(self, session: Session, result: Result) -> dict[str, Any]:
        return {"phases": {phase: round(seconds, 4) for phase, seconds in self.seconds.items()}}

    def _look(self, _number: int, frame: FrameType | None) -> None:
        now = time.process_time()
        self.seconds[phase_of(_places(frame))] += max(now - self._last, 0.0)  # on some machines it steps back
        self._last = now


def _places(frame: FrameType | None) -> list[tuple[str, str]]:
    """(file below the root, function) of our own frames, innermost first."""
    places = []
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(_PACKAGES):
            places.append((str(Path(file).relative_to(_ROOT)), frame.f_code.co_name))
        frame = frame.f_back
    return places


def phase_of(places: Sequence[tuple[str, str]]) -> str:
    """The phase that a stack belongs to, innermost frame first.

    The innermost frame decides, except that whatever shortening and user code
    call is theirs, and that a solver's helpers belong to the question it was asked.
    """
    for whole, phase in _WHOLE.items():
        if any(file.startswith(whole) for file, _ in places):
            return phase
    inner = _solver_frames(places) or places[:1]
    for rule in _RULES:
        for file, function in inner:
            if file.startswith(rule.where) and (not rule.functions or function in rule.functions):
                return rule.phase
    return REST


def _solver_frames(places: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The innermost frames, as long as they are in a solver."""
    frames = []
    for file, function in places:
        if not file.startswith("solvers/"):
            break
        frames.append((file, function))
    return frames
