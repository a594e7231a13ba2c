"""What an unfolding shows when an exploration has ended."""

from __future__ import annotations

from pathlib import Path

from mcr.exploration.verdict import Stop
from replay.code.terminals import Cut, Ended
from replay.machine.unfolding import Unfolding
from replay.sentences import counted
from replay.world.memory_model import Access
from replay.world.shown import shown


def final_outcomes(unfolding: Unfolding) -> frozenset[str]:
    """repr of what the final function returned; empty if the program has none."""
    return frozenset(
        shown(state.terminal.value)
        for state in unfolding.leaves()
        if unfolding.threads[state.thread].is_final and isinstance(state.terminal, Ended)
    )


def unreached(unfolding: Unfolding) -> tuple[str, ...]:
    """What never comes to its end, though it should in every execution: nothing behind that place was checked.

    A daemon, and a thread that can go round for ever, is one that need not end, and then nothing comes after it.
    """
    ended = {state.thread for state in unfolding.leaves() if isinstance(state.terminal, Ended)}
    expected = [info for info in unfolding.threads if info.is_declared or info.is_final]
    missing = [info for info in expected if info.like.index not in ended]
    endless = {info.index for info in missing if info.is_daemon or unfolding.goes_round(info.like)}
    return tuple(info.name for info in missing if info.index not in endless and not (endless and info.is_final))


def cut(unfolding: Unfolding) -> Stop | None:
    """Why the unfolding is not complete: a thread spins, or was stopped at the bound on its operations."""
    cuts = [(leaf.terminal, leaf.thread) for leaf in unfolding.leaves() if isinstance(leaf.terminal, Cut)]
    for end, thread in sorted(cuts, key=lambda cut: not cut[0].spins):
        name = unfolding.thread_name(thread)
        where = f" at line {end.source.line} of {Path(end.source.file).name}" if end.source else ""
        if end.spins:
            return Stop(
                f"thread {name} spins{where}: it would go round without end",
                "write p.wait_until(lambda: ...) in place of the loop, or raise --max-operations if it does end",
            )
        return Stop(
            f"thread {name} was cut after {counted(end.limit, 'operation')}{where}",
            "it changed memory all the way: let its loops end, or raise --max-operations",
        )
    return None


def stopped_at(limit: Stop, unfolding: Unfolding) -> Stop:
    """A limit that ended an exploration; if a thread was cut as well, that comes first: more time would not help."""
    also = cut(unfolding)
    return limit if also is None else Stop(f"{limit.reason}, and {also.reason}", also.remedy)


def all_plain(unfolding: Unfolding) -> bool:
    """Whether every cell that a thread loads or stores is plain: declared so, or none is."""
    operations = (state.operation for state in unfolding.states if not unfolding.threads[state.thread].is_final)
    accessed = {each.where for each in operations if each is not None and each.access in (Access.LOAD, Access.STORE)}
    return not unfolding.plain or accessed <= unfolding.plain
