"""Faults put into the explorer by hand, of kinds that hide failures: none of its certificates is confirmed then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import mcr
from mcr.explorers.stateful import explorer, system
from mcr.explorers.stateful.buffers import StoreBuffers
from mcr.explorers.stateful.space import Space
from mcr.explorers.stateful.system import System
from replay.code.terminals import Ended
from replay.machine.local_graphs import LocalGraphs
from replay.machine.state import NOTHING
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
        return self.graphs.values.intern(1) if state.reads else NOTHING

    return constant


def _forgets(right):
    """A step is taken for one that changes nothing."""

    def add(self, action, value):
        operation = action.process.state.operation
        return 0 if operation is not None and operation.kind is Kind.LOAD and value else right(self, action, value)

    return add


FAULTS: dict[str, tuple[mcr.Program, str, Patch]] = {
    "a step is forgotten": (message, "sc", _replaces(System, "add", _forgets)),
    "a state is forgotten": (
        message,
        "tso",
        _replaces(explorer, "certificate", lambda right: lambda system, space, most: right(system, _less(space), most)),
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
                _replaces(System, "_is_unseen", _loads_own_at_once),
                _replaces(System, "_constant", _run_forwarded),
            )
        ],
    ),
    "a location is taken for constant that is not": (
        message,
        "sc",
        _replaces(System, "_note_write", lambda _: lambda *_: None),
    ),
    "threads are taken for interchangeable that are not": (
        different,
        "sc",
        _replaces(system, "interchangeable", lambda _: lambda graphs, _: [[0, 1]]),
    ),
    "the final function does not begin": (counting, "sc", _replaces(System, "begin_final", lambda _: lambda *_: 0)),
    "no deadlock is one": (crossed, "sc", _replaces(explorer, "is_deadlock", lambda _: lambda *_: False)),
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
