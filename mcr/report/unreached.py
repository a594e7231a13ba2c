"""What a verdict of "verified" does not cover, because no execution gets there."""

from __future__ import annotations

from collections.abc import Sequence

from replay.frontend.threads import FINAL
from replay.sentences import listed


def unreached_sentence(names: Sequence[str]) -> str:
    """Say which threads no execution brings to their end; `names` are those of `Result.unreached`."""
    threads = [name for name in names if name != FINAL]
    parts = [f"thread{'s' if len(threads) > 1 else ''} {', '.join(threads)}"] if threads else []
    parts += ["the final function"] * (FINAL in names)
    return (
        f"but no execution brings {listed(parts)} to an end: a lock, a wait or an assumption stops every one, "
        "and what comes after never runs"
    )
