"""What Nidhugg and GenMC need for the same programs (peers.json), matched with ours."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SAFE, BUG, TIMEOUT = "safe", "bug", "timeout"
TOOLS = {"genmc": "GenMC", "nidhugg": "Nidhugg"}

_NAMES = {"expmem": "exp_mem"}
"""Our names of programs where they differ."""


@dataclass(frozen=True)
class Peer:
    """One row of peers.json, in our words.

    parameters  sizes, as ours (without `check`)
    checked     whether the program had its assertions
    verdict     "safe", "bug", "timeout", or why it was refused
    """

    program: str
    parameters: tuple[tuple[str, int], ...]
    checked: bool
    model: str
    tool: str
    option: str
    complete: int | None
    blocked: int | None
    seconds: float
    verdict: str

    @property
    def named_tool(self) -> str:
        """Tool and option, as one writes them."""
        switches = [part for part in self.option.split() if part not in ("--sc", "--tso", "--pso")]
        return " ".join([TOOLS[self.tool], *switches])

    @property
    def all_executions(self) -> int | None:
        return None if self.complete is None or self.blocked is None else self.complete + self.blocked


def peers_text() -> str:
    """The file as it is."""
    return Path(__file__).with_name("peers.json").read_text(encoding="utf-8")


def source() -> str:
    """Where the figures come from, a few sentences."""
    text: str = json.loads(peers_text())["source"]
    return text


@functools.cache
def all_peers() -> tuple[Peer, ...]:
    """Every row."""
    return tuple(_peer(row) for row in json.loads(peers_text())["rows"])


def _peer(row: dict[str, Any]) -> Peer:
    program = _NAMES.get(row["program"], row["program"])
    parts = row["param"].split(",")
    given = dict(part.split("=") for part in parts if "=" in part)
    wanted = {"n": given["N"], "b": given.get("BOUND", "1")}
    return Peer(
        program=f"{program}_zreset" if "ZRESET" in parts else program,
        parameters=tuple((name, int(wanted[name])) for name in _SIZES.get(program, ("n",))),
        checked="assert" in parts,
        model=row["model"].lower(),
        tool=row["tool"],
        option=row["option"],
        complete=row["complete_execs"],
        blocked=row["blocked_execs"],
        seconds=row["wall_s"],
        verdict=row["verdict"],
    )


_SIZES: dict[str, tuple[str, ...]] = {
    "mp": (),
    "dekker": (),
    "peterson": (),
    "ttas": ("n", "b"),
    "fastmutex": ("n", "b"),
}
"""Which sizes our programs have, if not just n."""


def comparable(peers: Iterable[Peer]) -> Iterator[Peer]:
    """Of the rows for one program and model, those whose counts mean what ours mean.

    GenMC counts all blocked executions only with `--disable-ipr`, so where
    there is such a row the default one is left out (and it is refused for some
    programs). Nidhugg lets fetch-and-adds with unused results commute under SC,
    which is another program, unless it is told not to.
    """
    rows = list(peers)
    for tool, switch in (("genmc", "--disable-ipr"), ("nidhugg", "--no-commute-rmws")):
        own = [row for row in rows if row.tool == tool]
        switched = [row for row in own if switch in row.option]
        yield from switched or own


@functools.cache
def _by_program() -> dict[tuple[object, ...], list[Peer]]:
    found: dict[tuple[object, ...], list[Peer]] = {}
    for peer in all_peers():
        found.setdefault((peer.program, peer.parameters, peer.checked, peer.model), []).append(peer)
    return found


def peers_of(program: str, parameters: tuple[tuple[str, int], ...], checked: bool, model: str) -> list[Peer]:
    """The comparable rows for one program and model."""
    return list(comparable(_by_program().get((program, parameters, checked, model), ())))
