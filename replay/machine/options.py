"""Options of an unfolding: how far threads run, and which of their histories share a local state."""

from __future__ import annotations

from dataclasses import dataclass

DEFAULT_BOUND = 400
"""Operations per thread before it is cut off."""


@dataclass(frozen=True, slots=True)
class UnfoldingOptions:
    """How an unfolding grows.

    bound          a thread is cut after so many operations
    stops          threads are cut; else the caller knows how far they may run
    cuts_spins     a thread that is back where it was, and has only looked at memory since, waits there
    keeps_turns    so many turns of several steps a thread makes before it waits (`replay.machine.spinning`)
    merges         histories that leave a thread in the same local state lead to one state
    compares       local states are compared by their keys at all; else a loop that only looks is cut after some
                   equal turns, once its code has gone round and round up to `bound`
    samples        of inputs that are one of very many numbers only those are tried that somebody names; else such
                   inputs are refused
    follows_calls  threads may tell a history of their calls, since the caller executes steps one by one
    """

    bound: int = DEFAULT_BOUND
    stops: bool = True
    cuts_spins: bool = True
    keeps_turns: int = 0
    merges: bool = False
    compares: bool = True
    samples: bool = False
    follows_calls: bool = True
