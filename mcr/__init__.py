"""Check racy concurrent programs, modelled in Python, under the memory models SC, TSO (x86) and PSO (SPARC).

    import mcr

    @mcr.program
    def store_buffering(p: mcr.Declarations) -> None:
        x, y = p.var("x", 0), p.var("y", 0)

        def thread(mine, other):
            mine.store(1)
            return other.load()

        threads = [p.thread(thread, x, y), p.thread(thread, y, x)]

        @p.final
        def somebody_saw():
            assert any(thread.join() for thread in threads), "both threads read 0"

    result = mcr.check(store_buffering, model="tso")
    result.verdict              # mcr.Verdict.VERIFIED, BUG or INCOMPLETE
    result.failures[0]          # the failing trace; mcr.replay plays it again

Writing programs    program makes a Program; Declarations is its `p`, which makes Variable, Array, Record, Mutex,
                    Condition and Thread; a Reference to a Variable is a value; UNWRITTEN leaves a cell alone in an
                    update; Operation is what generator threads yield; Local is state of each thread for itself;
                    pure vouches for a function of native code that mcr does not know
Waiting             Semaphore, BoundedSemaphore, Event, Barrier, Queue, Future, Once, ReentrantLock, ReadersWriterLock
Checking them       check, check_all; Options; Result, Verdict, Statistics, Stop
Checking classes    linearizable: whether what threads call at once is what calls in some order give; levels: how safe
                    methods are together
As pytest tests     test, fails; assert_linearizable
Failing runs        Trace, Failure; save_trace, load_trace, replay
Errors              CheckerError, the base of ModelError, NondeterminismError, ScheduleError and FormatError

Seconds are floats; memory models are called "sc", "tso" and "pso". From a shell: `mcr check FILE`,
`mcr replay TRACE.json`, `mcr doctor`, `mcr --help`. The documentation is in docs/, beginning with docs/tutorial.md.
"""

from __future__ import annotations

from importlib import import_module

from replay.announced import DISPLAYS, LOADERS

TYPE_CHECKING = False  # type checkers believe otherwise; the one in `typing` takes longer to import than all else here
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    # isort: off
    from mcr.api import check as check, check_all as check_all, replay as replay
    from mcr.exploration.options import Options as Options
    from mcr.exploration.verdict import Result as Result, Statistics as Statistics, Stop as Stop, Verdict as Verdict
    from mcr.linearizability.levels import levels as levels
    from mcr.linearizability.search import linearizable as linearizable
    from mcr.testing.classes import assert_linearizable as assert_linearizable
    from mcr.testing.decorators import fails as fails, test as test
    from replay.errors import (
        CheckerError as CheckerError,
        FormatError as FormatError,
        ModelError as ModelError,
        NondeterminismError as NondeterminismError,
        ScheduleError as ScheduleError,
    )
    from replay.frontend.declarations import Declarations as Declarations
    from replay.frontend.locks import Condition as Condition, Mutex as Mutex, ReentrantLock as ReentrantLock
    from replay.frontend.program import Program as Program, program as program
    from replay.frontend.shared import Array as Array, Record as Record, Reference as Reference, Variable as Variable
    from replay.frontend.sync.counting import (
        Barrier as Barrier,
        BoundedSemaphore as BoundedSemaphore,
        Event as Event,
        ReadersWriterLock as ReadersWriterLock,
        Semaphore as Semaphore,
    )
    from replay.frontend.sync.passing import Future as Future, Once as Once, Queue as Queue
    from replay.frontend.threads import Local as Local, Thread as Thread
    from replay.frontend.vouching import pure as pure
    from replay.traces.files import load_trace as load_trace, save_trace as save_trace
    from replay.traces.trace import Failure as Failure, Trace as Trace
    from replay.world.operation import UNWRITTEN as UNWRITTEN, Operation as Operation

_HOMES = {
    "mcr.api": ("check", "check_all", "replay"),
    "mcr.exploration.options": ("Options",),
    "mcr.linearizability.levels": ("levels",),
    "mcr.linearizability.search": ("linearizable",),
    "mcr.testing.classes": ("assert_linearizable",),
    "mcr.testing.decorators": ("fails", "test"),
    "mcr.exploration.verdict": ("Result", "Statistics", "Stop", "Verdict"),
    "replay.frontend.declarations": ("Declarations",),
    "replay.errors": ("CheckerError", "FormatError", "ModelError", "NondeterminismError", "ScheduleError"),
    "replay.traces.files": ("load_trace", "save_trace"),
    "replay.frontend.locks": ("Condition", "Mutex", "ReentrantLock"),
    "replay.world.operation": ("UNWRITTEN", "Operation"),
    "replay.frontend.program": ("Program", "program"),
    "replay.frontend.shared": ("Array", "Record", "Reference", "Variable"),
    "replay.frontend.sync.counting": ("Barrier", "BoundedSemaphore", "Event", "ReadersWriterLock", "Semaphore"),
    "replay.frontend.sync.passing": ("Future", "Once", "Queue"),
    "replay.frontend.threads": ("Local", "Thread"),
    "replay.frontend.vouching": ("pure",),
    "replay.traces.trace": ("Failure", "Trace"),
}
"""Where each public name lives, as type checkers read above. It is fetched when it is first used, so that a command or
a model imports what it needs and nothing else (PEP 562)."""

__all__ = sorted(name for names in _HOMES.values() for name in names)


def _programs_in_litmus(path: Path) -> list[Program]:
    from mcr.litmus.program import programs_of

    return programs_of(path)


LOADERS[".litmus"] = _programs_in_litmus


def _drawn(name: str) -> Callable[[Any], str]:
    """The function of that name that draws for notebooks, loaded when something is to be drawn."""

    def draw(shown: Any) -> str:
        drawn: str = getattr(import_module("mcr.report.notebook"), name)(shown)
        return drawn

    return draw


DISPLAYS.update(
    Result=_drawn("result_html"), Results=_drawn("results_html"), Trace=_drawn("trace_html"),
    Linearizability=_drawn("linearizability_html"),
)  # fmt: skip

if not TYPE_CHECKING:

    def __getattr__(name):
        home = next((module for module, names in _HOMES.items() if name in names), None)
        if name == "__version__":
            return import_module("importlib.metadata").version("mcr-checker")
        if home is None:
            near = "" if name.startswith("_") else import_module("replay.sentences").did_you_mean(name, __all__)
            raise AttributeError(f"module 'mcr' has no attribute {name!r}{near}")
        value = globals()[name] = getattr(import_module(home), name)
        return value

    def __dir__():
        return sorted({*globals(), *__all__})
