"""Faults put into the explorer by hand, of kinds that hide failures: none of its certificates is confirmed then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import mcr
from mcr.encoding.communication import Communication
from mcr.encoding.formula import Formula
from mcr.explorers.cover import afterwards
from mcr.explorers.cover import certificate as certificate_of_cover
from mcr.explorers.cover.foresight import Foresight
from mcr.explorers.cover.redirections import Redirections
from mcr.explorers.cover.states import CoverStates
from mcr.explorers.stateful import certificate as certificate_of_states
from mcr.explorers.stateful import explorer, system
from mcr.explorers.stateful.buffers import StoreBuffers
from mcr.explorers.stateful.outcomes import Outcomes
from mcr.explorers.stateful.space import Space
from mcr.explorers.stateful.system import System
from replay.code.terminals import Ended
from replay.machine.local_graphs import LocalGraphs
from replay.machine.state import NOTHING
from replay.world.memory_model import MemoryModel
from replay.world.operation import Kind
from tests.certify.damage import certificate, why_rejected


@mcr.program
def message(p):
    data, flag = p.var("data", 0), p.var("flag", 0)

    def sender():
        data.store(1)
        flag.store(1)

    def receiver():
        return flag.load(), data.load()

    p.thread(sender)
    p.thread(receiver)


@mcr.program
def overwritten(p):
    """A load is served from the own buffer, or reads later what was written over it."""
    x = p.var("x", 0)

    def one():
        x.store(1)
        return x.load()

    p.thread(one)
    p.thread(x.store, 2)


@mcr.program
def counting(p):
    x = p.var("x", 0)
    for _ in range(2):
        p.thread(x.fetch_add, 1)

    @p.final
    def both():
        assert x.load() == 2


@mcr.program
def different(p):
    x = p.var("x", 0)
    p.thread(x.store, 1)
    p.thread(x.store, 2)


@mcr.program
def crossed(p):
    one, two = p.mutex("one"), p.mutex("two")

    def take(first, second):
        with first, second:
            pass

    p.thread(take, one, two)
    p.thread(take, two, one)


Patch = Callable[[pytest.MonkeyPatch], None]


def _replaces(owner: Any, name: str, make: Callable[[Any], Any]) -> Patch:
    """Puts what `make` makes of a function in its place."""
    return lambda monkeypatch: monkeypatch.setattr(owner, name, make(getattr(owner, name)))


def _commits_in_order(right):
    """Stores to different locations stay in order."""
    return lambda self, contents: [*right(self, contents)][:1]


def _loads_own_at_once(right):
    def is_unseen(self, state, contents):
        operation = state.operation
        own = operation is not None and operation.kind is Kind.LOAD and contents
        return bool(own) or right(self, state, contents)

    return is_unseen


def _run_forwarded(right):
    def constant(self, state):
        return self._graphs.values.intern(1) if state.reads else NOTHING

    return constant


def _forgets(right):
    """A step is taken for one that changes nothing."""

    def add(self, action, value):
        operation = action.process.state.operation
        return 0 if operation is not None and operation.kind is Kind.LOAD and value else right(self, action, value)

    return add


def _of_fewer_states(right: Any) -> Any:
    return lambda system, space, *more: right(system, _less(space), *more)


def _said_otherwise(change: Callable[[dict[str, Any]], object]) -> Patch:
    """Whoever writes certificates of states writes something else."""

    def make(right: Any) -> Any:
        def told(*given: Any) -> dict[str, Any]:
            said: dict[str, Any] = right(*given)
            change(said)
            return said

        return told

    return _replaces(certificate_of_states, "certificate", make)


def _empty_buffers(said: dict[str, Any]) -> None:
    """Processes that differ by what waits become one, the first of them; the states stay as they are."""
    for what, _, _, items in said["components"]:
        if what == "thread":
            items[:] = [[node, []] for node, _ in items]


def _join_last(said: dict[str, Any]) -> None:
    """The last step of the first thread leads to where the first one does."""
    first, *_, last = [edge for edge in said["edges"] if said["nodes"][edge[0]][0] == 0]
    last[3] = first[3]


FAULTS: dict[str, tuple[mcr.Program, str, Patch]] = {
    "a step is forgotten": (message, "sc", _replaces(System, "add", _forgets)),
    "a state is forgotten": (
        message,
        "tso",
        _replaces(certificate_of_states, "certificate", _of_fewer_states),
    ),
    "stores to different locations are kept in order": (
        message,
        "pso",
        _replaces(StoreBuffers, "commits", _commits_in_order),
    ),
    "a store waits for nothing, and for ever": (
        message,
        "tso",
        _replaces(StoreBuffers, "commits", lambda _: lambda *_: ()),
    ),
    "loads look past the own buffer": (
        overwritten,
        "tso",
        _replaces(StoreBuffers, "forwarded", lambda _: lambda *_: NOTHING),
    ),
    "a load from the own buffer is taken at once": (
        overwritten,
        "tso",
        lambda monkeypatch: [
            fault(monkeypatch)
            for fault in (
                _replaces(Outcomes, "_is_unseen", _loads_own_at_once),
                _replaces(Outcomes, "_constant", _run_forwarded),
            )
        ],
    ),
    "a location is taken for constant that is not": (
        message,
        "sc",
        _replaces(Outcomes, "_note_write", lambda _: lambda *_: None),
    ),
    "threads are taken for interchangeable that are not": (
        different,
        "sc",
        _replaces(system, "interchangeable", lambda _: lambda graphs, _: [[0, 1]]),
    ),
    "the final function does not begin": (counting, "sc", _replaces(System, "begin_final", lambda _: lambda *_: 0)),
    "no deadlock is one": (crossed, "sc", _replaces(explorer, "is_deadlock", lambda _: lambda *_: False)),
    "what waits in buffers is left out": (message, "tso", _said_otherwise(_empty_buffers)),
    "two local states are written as one": (message, "sc", _said_otherwise(_join_last)),
    "a buffer is written as too short": (message, "tso", _said_otherwise(lambda said: said.update(buffer=1))),
    "threads are written as alike": (
        different,
        "sc",
        _said_otherwise(lambda said: said["threads"][1].__setitem__(slice(1, 3), said["threads"][0][1:])),
    ),
    "a step is looked up for another value": (
        message,
        "sc",
        _replaces(System, "add", lambda right: lambda self, action, value: right(self, action, 0) if value else 0),
    ),
    "what a thread returned is something else": (
        counting,
        "sc",
        _replaces(
            LocalGraphs, "returned", lambda _: lambda self, state: self.values.intern(("returned", Ended.__name__))
        ),
    ),
}  # fmt: skip


def _less(space: Space) -> Space:
    space.before.popitem()
    return space


@mcr.program
def seen_by_all(p):
    """Both threads may read the first value, which under TSO is only so as stores wait."""
    x, y, both = p.var("x", 0), p.var("y", 0), p.var("both", 0)

    def thread(mine, other):
        mine.store(1)
        if other.load() == 0:
            both.fetch_add(1)

    p.thread(thread, x, y)
    p.thread(thread, y, x)
    p.thread(both.load)


@mcr.program
def three(p):
    """The last thread may read 0, 1 and 2, and what it then stores is read by the first."""
    x, y = p.var("x", 0), p.var("y", 0)
    p.thread(lambda: (x.store(1), x.store(2), x.load(), y.load()))
    p.thread(lambda: y.store(x.load()))


def _only_by_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is read off executions, and nothing foreseen: all questions are asked."""
    monkeypatch.setattr(Redirections, "of", lambda *_: ())
    monkeypatch.setattr(Foresight, "grow", lambda _: None)


def _of_cover(owner: Any, name: str, make: Callable[[Any], Any]) -> Patch:
    def put(monkeypatch: pytest.MonkeyPatch) -> None:
        _only_by_solver(monkeypatch)
        _replaces(owner, name, make)(monkeypatch)

    return put


def _never(right):
    """What is conditional is forbidden."""

    def forbid(self, reader, source, reads_from, *rest):
        self._solver.require((-reads_from,))

    return forbid


def _never_first(right):
    def forbid(self, reader, reads_initial, writer):
        if writer is not reader:
            self._solver.require((-reads_initial,))

    return forbid


def _no_goal_later(right):
    return lambda self, state, slot, executed: None if state.depth else right(self, state, slot, executed)


def _no_own_source(right):
    return lambda self, writer, reader, writers: (
        None if writer.thread == reader.thread else right(self, writer, reader, writers)
    )


def _no_other_source(right):
    return lambda self, writer, reader, writers: (
        None if writer.thread != reader.thread else right(self, writer, reader, writers)
    )


def _less_edges(right):
    def told(unfolding, after):
        said = right(unfolding, after)
        said["edges"].pop()
        return said

    return told


def _no_final(right):
    def told(unfolding, after):
        said = right(unfolding, after)
        final = [name for name, *_ in said["threads"]].index("final")
        said["edges"] = [edge for edge in said["edges"] if said["nodes"][edge[0]][0] != final]
        return said

    return told


def _asks_twice_at_most(right):
    def remaining(self):
        self.asked = getattr(self, "asked", 0) + 1
        return right(self) if self.asked <= 1 else None

    return remaining


COVERED: dict[str, tuple[mcr.Program, str, Patch]] = {
    "no question is asked": (three, "sc", _of_cover(CoverStates, "remaining", lambda _: lambda _: None)),
    "questions end too early": (three, "sc", _of_cover(CoverStates, "remaining", _asks_twice_at_most)),
    "what later operations read is forgotten": (three, "sc", _of_cover(Formula, "_add_goal", _no_goal_later)),
    "ppo keeps all": (seen_by_all, "tso", _of_cover(MemoryModel, "keeps", lambda _: lambda *_: True)),
    "from-reads forbids": (three, "sc", _of_cover(Communication, "_from_read", _never)),
    "the first value is never read": (message, "sc", _of_cover(Communication, "_initial_before", _never_first)),
    "nobody reads what he wrote": (three, "tso", _of_cover(Communication, "_connect", _no_own_source)),
    "nobody reads what others wrote": (three, "tso", _of_cover(Communication, "_connect", _no_other_source)),
    "a step is left out": (message, "sc", _replaces(certificate_of_cover, "local_graphs", _less_edges)),
    "the final function is left out": (counting, "tso", _replaces(certificate_of_cover, "local_graphs", _no_final)),
    "no deadlock is possible": (crossed, "sc", _replaces(afterwards, "may_stand_still", lambda _: lambda _: False)),
    "nothing is read": (message, "pso", _of_cover(Formula, "_may_go_on_otherwise", lambda _: lambda *_: False)),
}


def _pretended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no proof, one is made up: whoever makes certificates would give none."""
    right = certificate_of_cover.refute
    monkeypatch.setattr(certificate_of_cover, "refute", lambda *given: right(*given) or ([], [([], [1])]))


@pytest.mark.parametrize("fault", COVERED)
def test_a_fault_of_the_cover_is_seen(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program, model, put = COVERED[fault]
    with monkeypatch.context() as patched:
        put(patched)
        assert certificate(program, model, "cover") is None
        _pretended(patched)
        said = certificate(program, model, "cover")
    assert said is not None, "the fault hides nothing, or shows"
    assert why_rejected(said, program)


@pytest.mark.parametrize(
    ("program", "model"),
    {
        (program.name, model): (program, model) for program, model, _ in COVERED.values() if program is not crossed
    }.values(),
)
def test_without_a_fault_of_the_cover_they_are_confirmed(
    program: mcr.Program, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _only_by_solver(monkeypatch)
    said = certificate(program, model, "cover")
    assert said is not None
    assert not why_rejected(said, program)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_explorer_is_seen(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program, model, put = FAULTS[fault]
    with monkeypatch.context() as patched:
        put(patched)
        said = certificate(program, model, "stateful")
    assert said is not None, "the fault hides nothing, or shows"
    assert why_rejected(said, program)


@pytest.mark.parametrize(
    ("program", "model"), {(program.name, model): (program, model) for program, model, _ in FAULTS.values()}.values()
)
def test_without_a_fault_they_are_confirmed(program: mcr.Program, model: str) -> None:
    said = certificate(program, model, "stateful")
    assert said is None or not why_rejected(said, program)
