"""What an unfolding shows when an exploration has ended."""

from __future__ import annotations

from mcr.exploration.verdict import Stop
from replay.code.thread_run import Cut, Ended
from replay.machine.unfolding import Unfolding
from replay.world.shown import shown


def final_outcomes(unfolding: Unfolding) -> frozenset[str]:
    """repr of what the final function returned; empty if the program has none."""
    return frozenset(
        shown(state.terminal.value)
        for state in unfolding.leaves()
        if unfolding.threads[state.thread].is_final and isinstance(state.terminal, Ended)
    )


def unreached(unfolding: Unfolding) -> tuple[str, ...]:
    """What never comes to its end, though it should in every execution: nothing behind that place was checked."""
    ended = {state.thread for state in unfolding.leaves() if isinstance(state.terminal, Ended)}
    expected = (info for info in unfolding.threads if info.is_declared or info.is_final)
    return tuple(info.name for info in expected if info.index not in ended)


def cut(unfolding: Unfolding) -> Stop | None:
    """Why the unfolding is not complete: a thread was stopped at the bound on its operations."""
    for state in unfolding.leaves():
        if isinstance(state.terminal, Cut):
            name = unfolding.thread_name(state.thread)
            return Stop(
                f"thread {name} was cut after {state.terminal.limit} operations",
                "write spin loops with wait_until, or raise --max-operations",
            )
    return None
