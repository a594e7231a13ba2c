"""The second opinion: CPython runs the code of each step of a certificate."""

from __future__ import annotations

import threading

import pytest

import mcr
from replay.certify.certify import confirm
from replay.certify.form import Rejected
from replay.interpreter.instructions import objects
from replay.traces.loader import find_programs
from tests.amount import one_of
from tests.certify.damage import certificate
from tests.desk import EXAMPLES, Desk

SEEN = ("peterson", "fork_join", "coordination", "bounded_buffer", "data_flow", "hazard_pointer", "treiber_stack")


@pytest.mark.parametrize("name", SEEN)
def test_it_agrees_with_the_interpreter(name: str) -> None:
    found = 0
    for program in find_programs(str(EXAMPLES / f"{name}.py")):
        for algorithm in one_of(("stateful", "cover"), program.name):
            said = certificate(program, "tso", algorithm)
            if said is not None:
                assert confirm(said, program, cpython=True).endswith("; CPython does the same at each step)")
                found += 1
    assert found


@mcr.program
def of_all_kinds(p):
    """Threads that raise, wait, choose, start others, yield operations, and stop at assumptions."""
    x, lock = p.var("x", 0), p.mutex("lock")

    def careful():
        try:
            with lock:
                x.store({"one": 1}["two"])
        except KeyError:
            with lock:
                x.fetch_add(1)
        finally:
            x.load()

    def yielding():
        seen = yield x.op.load()
        yield x.op.compare_exchange(seen, seen + 1)
        return seen

    def waiting():
        p.wait_until(lambda: x.load() > 0)
        return sum(number * x.load() for number in (1, 2))

    def choosing():
        p.assume(p.choose(0, 1, 2) < 2)
        child = p.spawn(x.load)
        return child.join()

    for thread in (careful, yielding, waiting, choosing):
        p.thread(thread)

    @p.final
    def in_the_end():
        assert x.load() in (1, 2)


def test_it_runs_all_kinds_of_code() -> None:
    said = certificate(of_all_kinds, "sc", "stateful")
    assert said is not None
    assert "CPython does the same at each step" in confirm(said, of_all_kinds, cpython=True)


@mcr.program
def compares(p):
    x = p.var("x", 0)
    p.thread(lambda: x.store(x.load() > 0))
    p.thread(lambda: x.load())


def test_a_mistake_of_the_interpreter_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(objects.COMPARISONS, ">", ("ge", "le"))
    said = certificate(compares, "sc", "stateful")
    assert said is not None
    assert confirm(said, compares)
    with pytest.raises(Rejected, match=r"where CPython runs the code, edge .* is False, and not what"):
        confirm(said, compares, cpython=True)


@mcr.program
def read_and_written(p):
    x = p.var("x", 0)
    p.thread(lambda: x.load() or x.store(0))
    p.thread(x.store, 1)


def test_runs_that_nothing_needs_any_more_end() -> None:
    said = certificate(read_and_written, "sc", "stateful")
    assert said is not None
    assert confirm(said, read_and_written, cpython=True)
    for thread in threading.enumerate():
        if thread.name.startswith("mcr-cpython"):
            thread.join(10)
            assert not thread.is_alive()


def test_ordinary_classes_are_refused(desk: Desk) -> None:
    desk.write(
        "box.py",
        """
        import mcr

        class Box:
            full = False

            def fill(self):
                self.full = True

        @mcr.program
        def filled(p):
            box = p.share(Box())
            p.thread(box.fill)
        """,
    )
    assert desk.mcr("check", "box.py", "--certificate", ".").status == 0
    answer = desk.mcr("certify", "filled-sc.certificate", "--cpython")
    assert answer.status == 1
    assert "CPython runs the threads of plain models only, and this program shares ordinary objects" in answer.out
