"""The executor against what is known: outcomes of small programs under each model, as docs/semantics.md 3 has them."""

from __future__ import annotations

import pytest

from tests.pythonic.configuration import MODELS
from tests.pythonic.executor import Behaviours, Executor, SharedState
from tests.pythonic.live import load

LIMIT = 5000


def explore(body: str, model: str) -> Behaviours:
    """What a program can do whose program function has this body."""
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    executor = Executor(load(f"import mcr\n\n@mcr.program\ndef generated(p):\n{lines}\n"))
    found = executor.explore(model, LIMIT)
    executor.close()
    assert found.complete
    return found


STORE_BUFFERING = """
x, y = p.var("x", 0), p.var("y", 0)
def thread(mine, other):
    mine.store(1)
    BETWEEN
    return other.load()
p.thread(thread, x, y)
p.thread(thread, y, x)
"""

FORWARDING = """
x, y = p.var("x", 0), p.var("y", 0)
def thread(mine, other):
    mine.store(1)
    return mine.load(), other.load()
p.thread(thread, x, y)
p.thread(thread, y, x)
"""

MESSAGE_PASSING = """
x, flag = p.var("x", 0), p.var("flag", 0)
def send():
    x.store(1)
    BETWEEN
    flag.store(1)
def receive():
    return flag.load(), x.load()
p.thread(send)
p.thread(receive)
"""


@pytest.mark.parametrize(
    ("text", "between", "weak", "models"),
    [
        (STORE_BUFFERING, "pass", "(0, 0)", ("tso", "pso")),
        (STORE_BUFFERING, "p.store_fence()", "(0, 0)", ("tso", "pso")),
        (STORE_BUFFERING, "p.fence()", "(0, 0)", ()),
        (STORE_BUFFERING, "mine.fetch_add(0)", "(0, 0)", ()),
        (FORWARDING, "", "((1, 0), (1, 0))", ("tso", "pso")),
        (MESSAGE_PASSING, "pass", "(None, (1, 0))", ("pso",)),
        (MESSAGE_PASSING, "p.store_fence()", "(None, (1, 0))", ()),
    ],
)
def test_relaxed_outcomes(text: str, between: str, weak: str, models: tuple[str, ...]) -> None:
    program = text.replace("BETWEEN", between)
    assert tuple(model for model in MODELS if weak in explore(program, model).outcomes) == models


@pytest.mark.parametrize("model", MODELS)
def test_mutual_exclusion(model: str) -> None:
    found = explore(
        """
x, m = p.var("x", 0), p.mutex("m")
def thread():
    with m:
        x.store(x.load() + 1)
p.thread(thread)
p.thread(thread)
p.final(x.load)
""",
        model,
    )
    assert found.outcomes == {"2"}
    assert not found.deadlocks


@pytest.mark.parametrize("model", MODELS)
def test_locks_in_opposite_orders(model: str) -> None:
    found = explore(
        """
m, n = p.mutex("m"), p.mutex("n")
def thread(first, second):
    with first, second:
        pass
p.thread(thread, m, n)
p.thread(thread, n, m)
""",
        model,
    )
    assert len(found.deadlocks) == 1
    assert found.outcomes == {"(None, None)"}


@pytest.mark.parametrize(("awaited", "stuck"), [(1, False), (2, True)])
def test_waits(awaited: int, stuck: bool) -> None:
    found = explore(
        f"""
x = p.var("x", 0)
p.thread(lambda: p.wait_until(lambda: x.load() == {awaited}))
p.thread(lambda: x.store(1))
""",
        "tso",
    )
    assert bool(found.deadlocks) is stuck


def test_assumption_is_no_deadlock() -> None:
    assert not explore("p.thread(lambda: p.assume(False))", "sc").deadlocks


def test_errors_are_raised_where_the_thread_is() -> None:
    found = explore(
        """
x = p.var("x", 0)
def plain():
    try:
        x.update(lambda v: 1 // v)
    except ZeroDivisionError:
        return "caught"
def yielding():
    try:
        yield x.op.update(lambda v: 1 // v)
    except ZeroDivisionError:
        return (yield x.op.compare_exchange(0, 0))
def waiting():
    try:
        p.wait_until(lambda: 1 // x.load())
    except ZeroDivisionError:
        p.assume(False)
p.thread(plain)
p.thread(yielding)
p.thread(waiting)
""",
        "sc",
    )
    assert not found.failures
    assert not found.deadlocks
    assert found.configurations > 1


def test_spawn_and_join() -> None:
    found = explore(
        """
x = p.var("x", 0)
def parent():
    x.store(1)
    child = p.spawn(lambda: x.load())
    return child.join()
p.thread(parent)
""",
        "pso",
    )
    assert found.outcomes == {"(1,)"}


def test_records_of_one_name_that_begin_differently() -> None:
    """What the first field holds at first depends on the history; the store to it may come late."""
    found = explore(
        """
x, head = p.var("x", 0), p.var("head")
def maker():
    node = p.record("node", v=x.load(), next=None)
    node.v.store(2)
    head.store((node,))
def user():
    x.store(1)
    node = head.load()
    return node and node[0].v.load()
p.thread(maker)
p.thread(user)
""",
        "pso",
    )
    assert found.outcomes == {f"(None, {seen})" for seen in (None, 0, 1, 2)}


def test_a_thread_that_ends_in_one_run_only_shares_something() -> None:
    """Whether it goes on, what another one left behind the model says: it is asked for the step that it took before."""
    with pytest.raises(SharedState):
        explore(
            """
x, log = p.var("x", 0), []
def thread():
    x.load()
    if not log:
        x.load()
        x.load()
def other():
    x.load()
    log.append(1)
    x.store(1)
p.thread(thread)
p.thread(other)
""",
            "sc",
        )
