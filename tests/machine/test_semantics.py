"""Outcomes that the memory models allow, worked out by hand: the oracle and the engine must agree with the table.

A litmus test is written as text: threads are separated by `||`, statements by
`;`. `x y z` are locations, 0 at first, `m n` mutexes, anything else is a
register of its thread.

    x=1  x=a  a=x                store a number, store a register, load
    a=xchg(x,1)  a=add(x,1)      exchange, fetch-and-add
    a=cas(x,0,1)                 compare-and-swap; a is 1 if it succeeded, else 0
    fence  stbar                 full fence, store fence
    lock(m)  unlock(m)
    wait(x,1)  assume(a,1)       wait until x is 1; go on only if a is 1
    a=choose(0,1)

An outcome is the digits of the observed registers and, in the end, locations.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import pytest

import mcr
from replay.frontend.declarations import Declarations
from replay.frontend.program import Program
from replay.machine.machine import Choice, Machine
from replay.machine.options import UnfoldingOptions
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel
from replay.world.memory_models import MODELS
from tests.behaviours import enumerate_behaviours
from tests.support import engine_outcomes


class Litmus(NamedTuple):
    """A test and its outcomes: `tso` lists those that TSO adds to `sc`, `pso` those that PSO adds to TSO."""

    name: str
    text: str
    observed: str
    sc: str
    tso: str = ""
    pso: str = ""

    def allowed(self, model: str) -> set[str]:
        weaker = {"sc": "", "tso": self.tso, "pso": f"{self.tso} {self.pso}"}[model]
        return set(self.sc.split()) | set(weaker.split())


def all_but(count: int, *forbidden: str) -> str:
    """All outcomes of `count` bits but these."""
    return " ".join(sorted({"".join(bits) for bits in itertools.product("01", repeat=count)} - set(forbidden)))


TESTS = [
    # Store to load: relaxed under TSO and PSO, whatever stands between them but a full fence or an rmw.
    Litmus("SB", "x=1; a=y || y=1; b=x", "ab", "01 10 11", tso="00"),
    Litmus("SB+fences", "x=1; fence; a=y || y=1; fence; b=x", "ab", "01 10 11"),
    Litmus("SB+fence+po", "x=1; fence; a=y || y=1; b=x", "ab", "01 10 11", tso="00"),
    Litmus("SB+stbars", "x=1; stbar; a=y || y=1; stbar; b=x", "ab", "01 10 11", tso="00"),
    Litmus("SB+xchgs", "c=xchg(x,1); a=y || d=xchg(y,1); b=x", "ab", "01 10 11"),
    Litmus("SB+xchg+po", "c=xchg(x,1); a=y || y=1; b=x", "ab", "01 10 11", tso="00"),
    Litmus("SB+add elsewhere", "x=1; c=add(z,1); a=y || y=1; d=add(z,1); b=x", "ab", "01 10 11"),
    Litmus("SB+failing cas", "x=1; c=cas(z,7,1); a=y || y=1; d=cas(z,7,1); b=x", "ab", "01 10 11"),
    Litmus("SB+locks", "x=1; lock(m); unlock(m); a=y || y=1; lock(n); unlock(n); b=x", "ab", "01 10 11"),
    Litmus("SB+load between", "x=1; c=z; a=y || y=1; d=z; b=x", "ab", "01 10 11", tso="00"),
    Litmus("3.SB", "x=1; a=y || y=1; b=z || z=1; c=x", "abc", all_but(3, "000"), tso="000"),
    Litmus("R", "x=1; y=1 || y=2; a=x", "ay", "01 11 12", tso="02"),
    Litmus("R+po+fence", "x=1; y=1 || y=2; fence; a=x", "ay", "01 11 12", pso="02"),
    Litmus("R+stbar+fence", "x=1; stbar; y=1 || y=2; fence; a=x", "ay", "01 11 12"),
    Litmus("R+fences", "x=1; fence; y=1 || y=2; fence; a=x", "ay", "01 11 12"),
    # Store to store: relaxed under PSO, kept for one location and across a store fence.
    Litmus("MP", "x=1; y=1 || a=y; b=x", "ab", "00 01 11", pso="10"),
    Litmus("MP+stbar", "x=1; stbar; y=1 || a=y; b=x", "ab", "00 01 11"),
    Litmus("MP+fence", "x=1; fence; y=1 || a=y; b=x", "ab", "00 01 11"),
    Litmus("MP+early stbar", "stbar; x=1; y=1 || a=y; b=x", "ab", "00 01 11", pso="10"),
    Litmus("MP+late stbar", "x=1; y=1; stbar || a=y; b=x", "ab", "00 01 11", pso="10"),
    Litmus("MP+xchg", "x=1; c=xchg(y,1) || a=y; b=x", "ab", "00 01 11"),
    Litmus("MP+first xchg", "c=xchg(x,1); y=1 || a=y; b=x", "ab", "00 01 11"),
    Litmus("MP+unlock", "lock(m); x=1; unlock(m); y=1 || a=y; b=x", "ab", "00 01 11"),
    Litmus("MP+overwritten", "x=1; y=1; x=2 || a=y; b=x", "ab", "00 01 02 11 12", pso="10"),
    Litmus("MP+both stbars", "x=1; stbar; y=1; stbar; z=1 || a=z; b=y; c=x", "abc", "000 001 011 111"),
    Litmus("MP+one stbar of three", "x=1; y=1; stbar; z=1 || a=z; b=y; c=x", "abc", "000 001 011 111", pso="010"),
    Litmus("2+2W", "x=1; y=2 || y=1; x=2", "xy", "12 21 22", pso="11"),
    Litmus("2+2W+stbars", "x=1; stbar; y=2 || y=1; stbar; x=2", "xy", "12 21 22"),
    Litmus("2+2W+stbar+po", "x=1; stbar; y=2 || y=1; x=2", "xy", "12 21 22", pso="11"),
    Litmus("S", "x=2; y=1 || a=y; x=1", "ax", "01 02 11", pso="12"),
    Litmus("S+stbar", "x=2; stbar; y=1 || a=y; x=1", "ax", "01 02 11"),
    Litmus("ISA2", "x=1; y=1 || a=y; z=1 || b=z; c=x", "abc", all_but(3, "110"), pso="110"),
    # Load to load and load to store: kept everywhere. Stores reach all other threads at once.
    Litmus("LB", "a=x; y=1 || b=y; x=1", "ab", "00 01 10"),
    Litmus("WRC", "x=1 || a=x; y=1 || b=y; c=x", "abc", all_but(3, "110")),
    Litmus("IRIW", "x=1 || y=1 || a=x; b=y || c=y; d=x", "abcd", all_but(4, "1010")),
    # Coherence.
    Litmus("CoRR", "x=1 || a=x; b=x", "ab", "00 01 11"),
    Litmus("CoRR two writers", "x=1 || x=2 || a=x; b=x", "ab", "00 01 02 11 12 21 22"),
    Litmus("CoWW", "x=1; x=2 || a=x; b=x", "abx", "002 012 022 112 122 222"),
    Litmus("CoWR", "x=1; a=x || x=2", "ax", "11 12 22"),
    Litmus("CoRW", "a=x; x=1 || x=2", "ax", "01 02 21"),
    Litmus("n4", "a=x; x=1 || b=x; x=2", "ab", "00 01 20"),
    Litmus("n5", "x=1; a=x || x=2; b=x", "ab", "11 12 22"),
    Litmus("store of the initial value", "x=0; x=1 || a=x; b=x", "ab", "00 01 11"),
    # Store forwarding: a thread sees its own store before the others do.
    Litmus("SB+rfi", "x=1; a=x; b=y || y=1; c=y; d=x", "abcd", "1011 1110 1111", tso="1010"),
    Litmus("SB+rfi+fences", "x=1; a=x; fence; b=y || y=1; c=y; fence; d=x", "abcd", "1011 1110 1111"),
    Litmus("n6", "x=1; a=x; b=y || y=2; x=2", "abx", "222 121 102 122", tso="101", pso="202"),
    Litmus("n6+stbar", "x=1; a=x; b=y || y=2; stbar; x=2", "abx", "222 121 102 122", tso="101"),
    Litmus("forwarded value published", "x=1; a=x; y=a || b=y; c=x", "abc", "100 101 111", pso="110"),
    Litmus("newest own store", "x=1; x=2; a=x || b=x", "ab", "20 21 22"),
    # Rmws: one step, in memory.
    Litmus("add+add", "a=add(x,1) || b=add(x,1)", "abx", "012 102"),
    Litmus("add+store", "a=add(x,1) || x=5", "ax", "05 56"),
    Litmus("own store first", "x=1; a=add(x,1)", "ax", "12"),
    Litmus("cas race", "a=cas(x,0,1) || b=cas(x,0,2)", "abx", "101 012"),
    Litmus("cas+store", "a=cas(x,0,2) || x=1", "ax", "01 11"),
    Litmus("xchg pair", "a=xchg(x,1) || b=xchg(x,2)", "abx", "012 201"),
    # Locks.
    Litmus("critical sections", "lock(m); x=1; y=1; unlock(m) || lock(m); a=y; b=x; unlock(m)", "ab", "00 11"),
    Litmus("counter", "lock(m); a=x; x=1; unlock(m) || lock(m); b=x; x=2; unlock(m)", "abx", "012 201"),
    Litmus("other lock", "lock(m); x=1; y=1; unlock(m) || lock(n); a=y; b=x; unlock(n)", "ab", "00 01 11", pso="10"),
    # Waiting, assuming, choosing.
    Litmus("wait for flag", "x=1; y=1 || wait(y,1); a=x", "a", "1", pso="0"),
    Litmus("wait for flag+stbar", "x=1; stbar; y=1 || wait(y,1); a=x", "a", "1"),
    Litmus("wait for own store", "x=1; wait(x,1); a=y || y=1; wait(y,1); b=x", "ab", "01 10 11", tso="00"),
    Litmus("wait in vain", "x=1; x=2 || wait(x,3)", "x", ""),
    Litmus("assume", "x=1 || a=x; assume(a,1); b=x", "ab", "11"),
    Litmus("choose", "a=choose(0,1); x=a || b=x", "abx", "000 101 111"),
    # The final check runs on memory, all buffers empty.
    Litmus("final", "x=1; y=1; z=1", "xyz", "111"),
]


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("litmus", TESTS, ids=[litmus.name for litmus in TESTS])
def test_litmus(litmus: Litmus, model: MemoryModel) -> None:
    _agree(program_of(litmus), model, litmus.allowed(model.name))


def _agree(program: Program, model: MemoryModel, outcomes: Iterable[object]) -> None:
    expected = set(map(repr, outcomes))
    oracle = enumerate_behaviours(program, model)
    assert oracle.complete
    assert oracle.outcomes == expected
    assert engine_outcomes(program, model) == expected


# -- threads and condition variables ---------------------------------------------------


def joining(p: Declarations) -> None:
    """A join returns what the thread returned, and sees its stores though nothing flushed them."""
    x = p.var("x", 0)

    def child() -> str:
        x.store(1)
        return "r"

    def parent() -> str:
        before = x.load()
        return f"{p.spawn(child).join()}{before}{x.load()}"

    p.thread(parent)


def spawning(p: Declarations) -> None:
    """A child sees what its parent stored before, not always what it stores after."""
    x, y = p.var("x", 0), p.var("y", 0)

    def parent() -> str:
        x.store(1)
        child = p.spawn(lambda: f"{x.load()}{y.load()}")
        y.store(1)
        return str(child.join())

    p.thread(parent)


def joining_the_declared(p: Declarations) -> None:
    """A declared thread may be joined too, by several threads."""
    x = p.var("x", 0)
    first = p.thread(x.store, 1)

    def joiner() -> str:
        return f"{first.join()}{x.load()}"

    p.thread(joiner)
    p.thread(joiner)


def joining_early(p: Declarations) -> None:
    """A store of another thread is not made visible by a join that is not of it."""
    x, y = p.var("x", 0), p.var("y", 0)

    def writer() -> None:
        x.store(1)
        y.store(1)

    def child() -> str:
        return str(y.load())

    p.thread(writer)
    p.thread(lambda: p.spawn(child).join() + str(x.load()))


def sleeping(p: Declarations) -> None:
    """Who is notified sees what was stored under the mutex; who comes late does not sleep."""
    x, m = p.var("x", 0), p.mutex("m")
    c = p.condition("c", m)

    def sleeper() -> int:
        with m:
            rounds = 0
            while x.load() == 0:
                c.wait()
                rounds += 1
        return rounds

    def waker() -> None:
        with m:
            x.store(1)
            c.notify()

    p.thread(sleeper)
    p.thread(waker)


def notifying_one(p: Declarations) -> None:
    """One notification wakes one of two sleepers, either; the other one sleeps on until a second."""
    m, order = p.mutex("m"), p.var("order", "")
    c = p.condition("c", m)
    asleep = p.var("asleep", 0)

    def sleeper(name: str) -> None:
        with m:
            asleep.store(asleep.load() + 1)
            c.wait()
            order.store(order.load() + name)

    def waker() -> str:
        with m:
            p.assume(asleep.load() == 2)
            c.notify()
        p.wait_until(lambda: order.load() != "")
        first = order.load()
        c.notify_all()
        return str(first)

    p.thread(sleeper, "a")
    p.thread(sleeper, "b")
    p.thread(waker)


def notifying_nobody(p: Declarations) -> None:
    """A notification that nobody waits for is lost."""
    m = p.mutex("m")
    c = p.condition("c", m)

    def sleeper() -> None:
        with m:
            c.wait()

    p.thread(sleeper)
    p.thread(c.notify)


def trying(p: Declarations) -> None:
    """try_lock takes a free mutex, never waits, and drains the buffer even if it fails."""
    x, m = p.var("x", 0), p.mutex("m")

    def holder() -> int:
        with m:
            return int(x.load())

    def trier() -> bool:
        x.store(1)
        taken = m.try_lock()
        if taken:
            m.unlock()
        return taken

    p.thread(holder)
    p.thread(trier)


def finally_joined(p: Declarations) -> None:
    """The final function may join, loads from memory, and starts when all buffers are empty."""
    x = p.var("x", 0)
    threads = [p.thread(x.store, 1), p.thread(x.fetch_add, 2)]

    @p.final
    def outcome() -> tuple[object, ...]:
        return (*(thread.join() for thread in threads), x.load())


PROGRAMS: list[tuple[Callable[[Declarations], None], list[object], list[object], list[object]]] = [
    (joining, [("r01",)], [], []),
    (spawning, [("10",), ("11",)], [], []),
    (joining_the_declared, [(None, "None1", "None1")], [], []),
    (joining_early, [(None, "00"), (None, "01"), (None, "11")], [], [(None, "10")]),
    (sleeping, [(0, None), (1, None)], [], []),
    (notifying_one, [(None, None, "a"), (None, None, "b")], [], []),
    (notifying_nobody, [(None, None)], [], []),
    (trying, [(0, True), (1, True), (0, False), (1, False)], [], []),
    (finally_joined, [(None, 0, 1), (None, 1, 3)], [], []),
]
"""Programs and their outcomes under SC, what TSO adds to them, and what PSO adds to that."""


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("declare", "sc", "tso", "pso"), PROGRAMS, ids=[row[0].__name__ for row in PROGRAMS])
def test_threads(
    declare: Callable[[Declarations], None], model: str, sc: list[object], tso: list[object], pso: list[object]
) -> None:
    allowed = {"sc": sc, "tso": sc + tso, "pso": sc + tso + pso}[model]
    _agree(Program(declare), MODELS[model], allowed)


# -- from text to program ----------------------------------------------------------


def program_of(litmus: Litmus) -> Program:
    def declare(p: Declarations) -> None:
        shared: dict[str, Any] = {name: p.var(name, 0) for name in "xyz"} | {name: p.mutex(name) for name in "mn"}
        threads = [p.thread(_run, p, shared, text) for text in litmus.text.split("||")]

        @p.final
        def outcome() -> str:
            registers: dict[str, int] = {}
            for thread in threads:
                registers.update(thread.join())
            return "".join(str(shared[name].load() if name in shared else registers[name]) for name in litmus.observed)

    return Program(declare)


def _run(p: Declarations, shared: dict[str, Any], text: str) -> frozenset[tuple[str, int]]:
    """Execute a thread of a litmus test; returns its registers."""
    registers: dict[str, int] = {}
    for statement in text.replace(" ", "").split(";"):
        _execute(p, shared, registers, statement)
    return frozenset(registers.items())


def _execute(p: Declarations, shared: dict[str, Any], registers: dict[str, int], statement: str) -> None:
    target, _, expression = statement.rpartition("=")
    if target in shared:
        shared[target].store(registers[expression] if expression in registers else int(expression))
    elif expression in shared:
        registers[target] = shared[expression].load()
    else:
        name, *arguments = re.findall(r"\w+", expression)
        result = _call(p, shared, registers, name, arguments)
        if target:
            registers[target] = int(result)


def _call(p: Declarations, shared: dict[str, Any], registers: dict[str, int], name: str, arguments: list[str]) -> Any:
    """A statement that is more than a load or store."""
    first, numbers = (arguments or [""])[0], [int(argument) for argument in arguments if argument.isdigit()]
    cell: Any = shared.get(first)
    match name:
        case "xchg":
            return cell.exchange(*numbers)
        case "add":
            return cell.fetch_add(*numbers)
        case "cas":
            return cell.compare_exchange(*numbers)
        case "fence":
            return p.fence()
        case "stbar":
            return p.store_fence()
        case "lock":
            return cell.lock()
        case "unlock":
            return cell.unlock()
        case "wait":
            return p.wait_until(lambda: cell.load() == numbers[0])
        case "assume":
            return p.assume(registers[first] == numbers[0])
        case "choose":
            return p.choose(*numbers)
    raise ValueError(name)


def test_a_store_fence_tells_two_machines_apart_whose_threads_are_in_one_local_state() -> None:
    @mcr.program
    def fenced(p: mcr.Declarations) -> None:
        x, y, z = p.var("x", 0), p.var("y", 0), p.var("z", 0)

        def writer() -> None:
            x.store(1)
            if p.choose(True, False):
                p.store_fence()
            else:
                z.load()
            y.store(1)

        p.thread(writer)

    unfolding = Unfolding(fenced, UnfoldingOptions(merges=True))
    pso, machines = MODELS["pso"], []
    yes, no = (unfolding.values.intern(each) for each in (True, False))
    for chosen in (yes, no):
        machine = Machine(unfolding, pso)
        for choice in (Choice(0), Choice(0, chosen=chosen), Choice(0)):
            machine.apply(choice)
        machines.append(machine)
    one, other = machines
    assert one.states == other.states
    assert one.key() != other.key()
    for machine in machines:
        machine.run(0)
    assert (len(one.committable(0)), len(other.committable(0))) == (1, 2)
