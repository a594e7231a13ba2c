"""The content of a certificate, a file that shows another program that this one is verified (docs/certificates.md)."""

from __future__ import annotations

import gzip
import hashlib
import json
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcr.exploration.archive import relative_name
from mcr.exploration.context import ExplorationContext
from replay.code.terminals import Ended
from replay.frontend.foundations import foundations
from replay.machine.state import NOTHING, Edge, State
from replay.machine.unfolding import Unfolding
from replay.world.shown import shown

MOST_STATES = 5_000_000
"""Global states that a certificate may have: to confirm a million takes about 8 seconds and 300 MB."""


def packed(context: ExplorationContext, content: dict[str, Any]) -> bytes:
    """Packs the content that an explorer gives, with the program, the model and the options that it is about."""
    program = context.program
    arguments = {name: shown(value) for name, value in program.arguments.items()}
    said = {
        "program": [relative_name(program.file, Path.cwd()), program.name, arguments],
        "sha256": hashlib.sha256(Path(program.file).read_bytes()).hexdigest(),
        "rests": [*foundations(program).digests().items()],
        "model": context.model.name,
        "deadlocks": bool(context.goals.deadlocks),
        "python": platform.python_version(),
        **content,
    }
    return gzip.compress(json.dumps(said, separators=(",", ":"), ensure_ascii=True).encode(), 6, mtime=0)


def local_graphs(unfolding: Unfolding, after: Callable[[Edge], State]) -> dict[str, Any]:
    """The local states of all threads, and the steps between them; `after` says where these lead."""
    nodes = [_node(unfolding, state) for state in unfolding.states]  # first: what a thread returns becomes a value here
    return {
        "changing": sorted(unfolding.program.changing),
        "values": [shown(unfolding.values[number]) for number in range(len(unfolding.values))],
        "locations": [[where.name, first] for where, first in zip(unfolding.locations, unfolding.initial, strict=True)],
        "threads": [[info.name, info.like.root.number, info.like.index] for info in unfolding.threads],
        "frees": unfolding.checks_stores,
        "nodes": nodes,
        "edges": [[edge.before.number, edge.read, edge.wrote, after(edge).number] for edge in unfolding.edges],
    }


def _node(unfolding: Unfolding, state: State) -> list[Any]:
    """Describes what a thread asks for in a local state."""
    operation, value = state.operation, state.stored
    if operation is not None:
        return [state.thread, operation.describe(), state.loc, value, state.inputs]
    if isinstance(state.terminal, Ended):
        return [state.thread, "end", NOTHING, unfolding.returned(state), ()]
    return [state.thread, "assume" if getattr(state.terminal, "wait_from", 0) < 0 else "wait", NOTHING, NOTHING, ()]
