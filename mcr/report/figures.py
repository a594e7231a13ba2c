"""How large an exploration was, in a few words."""

from __future__ import annotations

from mcr.exploration.verdict import Statistics
from replay.sentences import counted


def figures(statistics: Statistics) -> str:
    """Its executions and local states."""
    counts = {"execution": statistics.executions, "local state": statistics.local_states}
    return ", ".join(counted(count, what) for what, count in counts.items())
