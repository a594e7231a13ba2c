"""Global states in C (core.c) are those of the loop in Python, in the same order, with the same predecessors.

For more: `python -m tests.stateful.in_c`. Without a C compiler there is nothing to be tested; `mcr doctor` says so.
"""

from __future__ import annotations

import re
import threading
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import mcr
import mcr.explorers.stateful.native.library as native
from examples import reference
from mcr.exploration.options import GIL, Options
from mcr.exploration.verdict import Verdict
from mcr.explorers.stateful.explorer import Stateful
from replay.frontend.declarations import Declarations
from replay.world.memory_models import MODELS
from results.bench import everyday, for_ever
from tests.amount import SLOW, amount, one_of
from tests.examples.test_examples import PROGRAMS
from tests.linearizability import structures
from tests.stateful.in_c import KINDS, OPTIONS, differences, in_c_at_once, search
from tests.stateful.test_symmetry import counter, under_a_mutex

in_c = pytest.mark.skipif(native.library() is None, reason=native.why_missing())

LARGE = (
    (everyday.racy_counter(n=3), "tso"),
    (everyday.philosophers(n=5), "pso"),
    (everyday.mutex_counter(n=4, rounds=3), "tso"),
    (everyday.ring_of_several(n=2, size=8), "tso"),
    (everyday.fork_join(n=4), "sc"),
    (for_ever.mcs(n=2), "tso"),
    (reference.fib(n=3), "pso"),
    (reference.bakery(n=2), "tso"),
    (mcr.program(counter)(), "sc"),
    (mcr.program(under_a_mutex)(), "tso"),
)


@pytest.fixture(autouse=True)
def _at_once() -> Iterator[None]:
    with in_c_at_once():
        yield


@in_c
@pytest.mark.parametrize("number", range(amount(len(KINDS), 20 * len(KINDS))))
def test_random_programs(number: int) -> None:
    wrong = search(number, amount(2, 20))
    assert not wrong, wrong


@in_c
@pytest.mark.parametrize("options", OPTIONS, ids=["reduced", "no symmetry", "not reduced", "up to the first bug"])
@pytest.mark.parametrize(("program", "model"), LARGE, ids=[f"{program.title} {model}" for program, model in LARGE])
def test_everyday_programs(program: mcr.Program, model: str, options: Options) -> None:
    assert not differences(program, model, options=options)


@in_c
@pytest.mark.parametrize("program", [*PROGRAMS.values()][:: 1 if SLOW else 8], ids=str)
def test_examples(program: mcr.Program) -> None:
    for model in one_of(list(MODELS), program.name):
        assert not differences(program, model, "failures,outcomes")


@in_c
def test_a_failure_of_the_final_function_ends_both_in_the_same_state() -> None:
    """Portion 36 of the campaign: the state was counted as explored, though the exploration ended in it."""

    @mcr.program
    def fails_at_the_end(p: Declarations) -> None:
        x = p.var("x", 0)
        for value in (1, 2):
            p.thread(x.store, value)

        @p.final
        def last() -> None:
            assert x.load() == 3

    assert not differences(fails_at_the_end(), "sc", options=OPTIONS[-1])


@in_c
def test_auto_takes_the_same_way() -> None:
    """What a state is believed to cost does not depend on whether the library is there."""
    for program in (reference.bakery(n=3), everyday.racy_counter(n=4, rounds=2), reference.lastzero(n=6)):
        assert not differences(program, "tso", algorithm="auto", options=Options())


class Wallet:
    def __init__(self) -> None:
        self.balance = 0
        self.lock = threading.Lock()

    def pay(self) -> int:
        with self.lock:
            self.balance += 1
            return self.balance

    def peek(self) -> int:
        return self.balance

    def double(self) -> None:
        self.balance += self.balance


def shared_wallet(p: Declarations) -> None:
    wallet = p.share(Wallet())
    for call in (wallet.pay, wallet.double, wallet.pay):
        p.thread(call)

    @p.final
    def total() -> int:
        return wallet.balance


@in_c
def test_under_the_global_lock_one_thread_alone_moves() -> None:
    options = Options(python=GIL, keep_going=True)
    assert not differences(mcr.program(shared_wallet)(), "sc", "states,outcomes", options=options)


@in_c
@pytest.mark.parametrize("make", [Wallet, structures.TreiberStack], ids=["wallet", "stack"])
def test_steps_of_several_actions(make: Callable[..., Any]) -> None:
    """What is told to the judge of a call is one step with the operation beside it."""
    answers = [
        replace(mcr.linearizable(make, calls=2, options=Options(native=native)), seconds=0) for native in (True, False)
    ]
    assert answers[0] == answers[1]


@in_c
def test_an_array_takes_many_words() -> None:
    @mcr.program
    def sieve(p: Declarations) -> None:
        cells = p.array("cells", [0] * 100)

        def fill(step: int) -> None:
            for place in range(0, 100, step):
                cells[place].store(step)

        for step in (20, 30):
            p.thread(fill, step)

    assert not differences(sieve(), "sc")


@in_c
def test_many_are_handed_over_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stateful, "_are_many", lambda stateful: len(stateful.space.before) > 300)
    assert not differences(everyday.racy_counter(n=3), "tso")
    assert not differences(everyday.counter(n=6), "sc", options=Options(symmetry=False))


@in_c
def test_a_table_that_would_take_more_than_there_is_ends_the_exploration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcr.explorers.stateful.native.space.NativeSpace.growth", 1 << 60)
    result = mcr.check(everyday.racy_counter(n=3), algorithm="stateful")
    assert result.verdict is Verdict.INCOMPLETE
    assert result.stop is not None
    assert "memory limit" in result.stop.reason


def test_the_version_says_what_was_compiled() -> None:
    source = (native.FOLDER / "core.c").read_text()
    whole = source + (native.FOLDER / "cycles.c").read_text()
    version = zlib.crc32(re.sub(r"#define VERSION 0x\w+", "", whole).encode())
    assert f"#define VERSION 0x{version:08X} " in source, f"write 0x{version:08X} to core.c and library.py"
    assert version == native.VERSION


@pytest.mark.parametrize("why", ["none", "another version", "no library"])
def test_without_a_usable_library_the_loop_explores(why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = tmp_path / "_core.abi3.so"
    if why != "none":
        library = native.library()
        built.write_bytes(Path(library._name).read_bytes() if library and why == "another version" else b"")
    monkeypatch.setattr(native, "FOLDER", tmp_path)
    monkeypatch.setattr(native, "VERSION", -1)
    monkeypatch.setattr(native, "_loaded", cache(native._loaded.__wrapped__))
    assert native.library() is None
    assert "install" in native.why_missing()
    assert mcr.check(everyday.racy_counter(n=2), algorithm="stateful").verdict is Verdict.VERIFIED
