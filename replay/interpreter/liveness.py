"""Which slots of a frame its code may still read."""

from __future__ import annotations

from replay.interpreter.decode import Decoded, following

READS = frozenset({"LOAD_FAST", "LOAD_FAST_AND_CLEAR", "DELETE_FAST", "LOAD_DEREF", "STORE_DEREF", "DELETE_DEREF"}) | {
    "LOAD_FROM_DICT_OR_DEREF", "MAKE_CELL",
}  # fmt: skip
"""Instructions that read the slot which their argument says."""

WRITES = frozenset({"STORE_FAST", "LOAD_FAST_AND_CLEAR"})
_SEES_ALL = frozenset({"super", "locals", "vars", "dir", "eval", "exec", "_getframe", "currentframe"})
"""Names by which code may come to variables that it does not name."""


def live_slots(decoded: Decoded) -> list[tuple[int, ...]]:
    """For each position, the slots that are read before they are written, in their order."""
    everything = tuple(range(len(decoded.names)))
    if not _SEES_ALL.isdisjoint(decoded.code.co_names):
        return [everything] * (len(decoded.steps) + 1)
    live: list[frozenset[int]] = [frozenset()] * (len(decoded.steps) + 1)
    changed = True
    while changed:
        changed = False
        for place in range(len(decoded.steps) - 1, -1, -1):
            now = _before(decoded, live, place)
            if now != live[place]:
                live[place] = now
                changed = True
    return [tuple(sorted(each)) for each in live]


def _before(decoded: Decoded, live: list[frozenset[int]], place: int) -> frozenset[int]:
    """Returns what is live before an instruction, given what is live elsewhere."""
    name, argument = decoded.steps[place]
    after = frozenset[int]().union(*(live[to] for to in following(decoded.steps[place], place)))
    if name in WRITES:
        after -= {argument}
    elif name == "COPY_FREE_VARS":
        after -= set(range(len(decoded.names) - argument, len(decoded.names)))
    if name in READS:
        after |= {argument}
    handler = decoded.handlers[place]
    return after if handler is None else after | live[handler.target]
