"""Is this installation in order? What is installed, which solvers answer rightly, and a self-test.

Nothing here trusts what it examines: whatever fails to import, answers wrongly
or raises becomes a fault that the report names, never a traceback.
"""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from pathlib import Path

from mcr.api import check
from mcr.exploration.verdict import Verdict
from mcr.explorers.registry import why_not_in_c
from mcr.litmus.parser import parse
from mcr.litmus.run import run
from replay.local_state.layouts import why_unreadable
from replay.traces.loader import find_programs
from replay.world.memory_model import Access, MemoryModel
from replay.world.memory_models import MODELS
from solvers.interface import OrderSolver
from solvers.registry import DEFAULT_SOLVER, NAMES, make_solver

NEEDED = ("lark", "msgspec", "python-sat", "z3-solver", "tqdm")
_OPTIONAL = {
    "matplotlib": "plots of mcr check",
    "pytest": "programs as tests",
}


@dataclass(frozen=True)
class Package:
    """A package and its version, "" if it is not installed; `remedy` says how to install it."""

    name: str
    version: str
    purpose: str = ""
    remedy: str = ""
    optional: bool = False

    @property
    def fault(self) -> str:
        """A sentence if it is missing and nothing works without it, else ""."""
        return "" if self.version or self.optional else f"{self.name} is missing; run `{self.remedy}`"


@dataclass(frozen=True)
class SolverHealth:
    """One solver: "works", "missing" (not part of this installation) or "wrong", with the reason for the last two."""

    name: str
    state: str
    reason: str = ""

    @property
    def fault(self) -> str:
        """A sentence if it answers wrongly, or is the default one and missing, else ""."""
        if self.state == "wrong" or (self.state == "missing" and self.name == DEFAULT_SOLVER):
            return f"solver {self.name}: {self.reason}"
        return ""


@dataclass(frozen=True)
class SelfTest:
    """An outcome under one model: expected, and found? `found` is None if the test broke down, see `reason`."""

    name: str
    model: str
    expected: bool
    found: bool | None
    reason: str = ""

    @property
    def fault(self) -> str:
        """A sentence if it went wrong, else ""."""
        if self.found is None:
            return f"self-test {self.name} under {self.model.upper()}: {self.reason}"
        if self.found is self.expected:
            return ""
        allowed = "allowed" if self.found else "forbidden"
        return f"self-test {self.name} under {self.model.upper()}: the outcome is {allowed}, and should not be"


@dataclass(frozen=True)
class Folder:
    """A folder of kept failures, and the number of traces in it."""

    path: str
    exists: bool
    traces: int
    writable: bool

    @property
    def fault(self) -> str:
        """A sentence if failures could not be written, else ""."""
        return "" if self.writable else f"{self.path} cannot be written: give --save another folder"


@dataclass(frozen=True)
class Health:
    """Everything that was examined.

    unmerged  why histories with one future are not recognised on this Python, "" if they are; slower, but no fault
    uncompiled  why global states are explored in Python and not in C, "" if they are in C; slower, but no fault
    """

    packages: tuple[Package, ...]
    solvers: tuple[SolverHealth, ...]
    tests: tuple[SelfTest, ...]
    folder: Folder
    unmerged: str = ""
    uncompiled: str = ""

    @property
    def faults(self) -> list[str]:
        """Lists what is wrong, a sentence each; empty if all is right."""
        parts: tuple[Package | SolverHealth | SelfTest | Folder, ...] = (
            *self.packages,
            *self.solvers,
            *self.tests,
            self.folder,
        )
        return [part.fault for part in parts if part.fault]


def examine(folder: Path) -> Health:
    """Look at everything; `folder` is where failures are kept. Takes about a second, most of it imports."""
    return Health(
        packages=tuple(_packages()),
        solvers=tuple(solver_health(name) for name in NAMES),
        tests=tuple(self_tests()),
        folder=_folder(folder),
        unmerged=why_unreadable(),
        uncompiled=why_not_in_c(),
    )


# -- packages --------------------------------------------------------------------


def _packages() -> Iterator[Package]:
    yield Package("python", platform.python_version())
    yield Package("mcr-checker", _version("mcr-checker") or "run from its source, not installed")
    for name in NEEDED:
        yield Package(name, _version(name), remedy=f"pip install {name}")
    for name, purpose in _OPTIONAL.items():
        yield Package(name, _version(name), purpose, f"pip install {name}", optional=True)


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


# -- solvers ---------------------------------------------------------------------


def solver_health(name: str, make: Callable[[str], OrderSolver] = make_solver) -> SolverHealth:
    """Ask the solver two questions about orders whose answers are known."""
    try:
        solver = make(name)
    except Exception as error:  # SolverError says it well; a broken library may raise anything
        return SolverHealth(name, "missing", str(error).rstrip("."))
    try:
        reason = _trivial_questions(solver)
    except Exception as error:
        reason = f"it fails on a trivial question: {type(error).__name__}: {error}"
    return SolverHealth(name, "wrong" if reason else "works", reason)


def _trivial_questions(solver: OrderSolver) -> str:
    """Says what is wrong with its answers, "" if nothing: a before b before c has one order, and c before a is a
    cycle."""
    a, b, c = (solver.event() for _ in range(3))
    solver.precedes(a, b)
    solver.require((solver.order(b, c),))
    if _order(solver, (c, b, a)) != [a, b, c]:
        return "it cannot put three events in order"
    solver.require((solver.order(c, a),))
    return "" if _order(solver, (a, b, c)) is None else "it finds an order for a cycle"


def _order(solver: OrderSolver, events: Iterable[int]) -> list[int] | None:
    """The events in an order that meets all requirements; None if there is none."""
    events = list(events)
    while solver.propose():
        order = solver.sort(events)
        if order is not None:
            return order
    return None


# -- self-test -------------------------------------------------------------------


def _passes(later: Access) -> Callable[[MemoryModel], bool]:
    """Asks of a model whether such an access to another location may overtake a store."""
    return lambda model: not model.keeps(Access.STORE, later, "x", "y")


def _never(_: MemoryModel) -> bool:
    return False


_SELF_TESTS: tuple[tuple[str, Callable[[MemoryModel], bool], str], ...] = (
    ("SB", _passes(Access.LOAD), "MOV [x],$1 | MOV [y],$1; MOV EAX,[y] | MOV EAX,[x]; (0:EAX=0 /\\ 1:EAX=0)"),
    (
        "SB+mfences",
        _never,
        "MOV [x],$1 | MOV [y],$1; MFENCE | MFENCE; MOV EAX,[y] | MOV EAX,[x]; (0:EAX=0 /\\ 1:EAX=0)",
    ),
    (
        "SB+rfis",
        lambda model: model.forwards,
        "MOV [x],$1 | MOV [y],$1; MOV EAX,[x] | MOV EAX,[y]; MOV EBX,[y] | MOV EBX,[x];"
        " (0:EAX=1 /\\ 0:EBX=0 /\\ 1:EAX=1 /\\ 1:EBX=0)",
    ),
    ("MP", _passes(Access.STORE), "MOV [x],$1 | MOV EAX,[y]; MOV [y],$1 | MOV EBX,[x]; (1:EAX=1 /\\ 1:EBX=0)"),
    ("LB", _never, "MOV EAX,[x] | MOV EAX,[y]; MOV [y],$1 | MOV [x],$1; (0:EAX=1 /\\ 1:EAX=1)"),
)
"""Name, which models allow the outcome, and the test: rows of two threads, then the outcome."""


_SHARED_OBJECT = """
import threading

import mcr


class Counter:
    def __init__(self):
        self.lock = threading.Lock()
        self.count = 0

    def add(self):
        {statement}
            self.count += 1


@mcr.program
def counting(p):
    counter = p.share(Counter())
    p.thread(counter.add)
    p.thread(counter.add)

    @p.final
    def added():
        assert counter.count == 2
"""

_SHARED = (("p.share", "if True:", True), ("p.share+lock", "with self.lock:", False))
"""Name, the statement around the update of a shared object, and whether the update can be lost."""


def self_tests() -> Iterator[SelfTest]:
    """Five litmus tests through parser, engine, solver and machine, and a shared object; under every model."""
    for name, allowed, body in _SELF_TESTS:
        for model in MODELS.values():
            yield _self_test(name, model.name, allowed(model), partial(_is_seen, name, body, model.name))
    for name, statement, is_lost in _SHARED:
        for model in MODELS.values():
            yield _self_test(name, model.name, is_lost, partial(_is_lost, statement, model.name))


def _is_seen(name: str, body: str, model: str) -> bool:
    return run(parse(_litmus(name, body), name), model).positive > 0


def _is_lost(statement: str, model: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "counting.py"
        file.write_text(_SHARED_OBJECT.format(statement=statement))
        (program,) = find_programs(str(file))
        return check(program, model).verdict is Verdict.BUG


def _litmus(name: str, body: str) -> str:
    """The test in herd's format."""
    *rows, outcome = body.split(";")
    return "\n".join([f"X86 {name}", "{ }", "P0 | P1 ;", *(f"{row} ;" for row in rows), f"exists {outcome}"])


def _self_test(name: str, model: str, expected: bool, find: Callable[[], bool]) -> SelfTest:
    try:
        return SelfTest(name, model, expected, find())
    except Exception as error:  # whatever is broken, the report must come
        return SelfTest(name, model, expected, None, f"{type(error).__name__}: {error}")


# -- the folder of failures ------------------------------------------------------


def _folder(path: Path) -> Folder:
    nearest = next(each for each in (path.absolute(), *path.absolute().parents) if each.exists())
    writable = nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)
    return Folder(str(path), path.is_dir(), len(list(path.rglob("*.json"))), writable)
