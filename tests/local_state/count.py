"""How many local states programs have beside histories, and why states could not be compared.

    python -m tests.local_state.count examples/*.py --model pso

Each program is explored at its default size, until all its histories are
known or --seconds are over; the final function is not counted. Columns:
histories; local states if merged at equal depth; if depths are ignored;
histories without a key; and the reasons for that, most common first.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from pathlib import Path

from mcr.explorers.objectives import engine_for

from mcr.exploration.options import Options
from replay.code.thread_run import Cut
from replay.errors import CheckerError
from replay.frontend.program import Program
from replay.local_state.keys import LocalStateKeys
from replay.machine.state import State
from replay.machine.unfolding import Unfolding
from replay.traces.loader import programs_in
from replay.world.memory_models import MODELS
from replay.world.operation import Kind


@dataclass
class Count:
    """Of one program: see the columns. `seconds` is what all its keys took."""

    histories: int = 0
    merged: int = 0
    without_depth: int = 0
    doubts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def __add__(self, other: Count) -> Count:
        return Count(
            self.histories + other.histories,
            self.merged + other.merged,
            self.without_depth + other.without_depth,
            self.doubts + other.doubts,
            self.seconds + other.seconds,
        )

    def __str__(self) -> str:
        cost = 1e6 * self.seconds / max(1, self.histories)
        reasons = ", ".join(f"{reason}: {count}" for reason, count in self.doubts.most_common(3))
        figures = f"{self.histories:7} {self.merged:7} {self.without_depth:7} {self.doubts.total():7} {cost:6.0f}"
        return f"{figures}  {reasons}"


def count(program: Program, model: str, seconds: float) -> Count:
    """Explore a program, and take the key of each of its histories."""
    options = Options(keep_going=True, shorten=False, timeout=seconds)
    engine = engine_for("states")(program, MODELS[model], options)
    engine.explore()
    return count_states(engine.unfolding)


def count_states(unfolding: Unfolding) -> Count:
    """Take the key of each history of an unfolding."""
    found, keys = Count(), LocalStateKeys()
    places: dict[int, Hashable] = {}
    here, anywhere = set(), set()
    for state in unfolding.states:
        if unfolding.threads[state.thread].is_final:
            continue
        key = _key(unfolding, keys, state, found)
        place = places[state.number] = (
            (state.parent and places[state.parent.number], state.read) if key is None else key
        )
        found.histories += 1
        here.add((state.thread, state.depth, place))
        anywhere.add((state.thread, place))
    found.merged, found.without_depth = len(here), len(anywhere)
    return found


def _key(unfolding: Unfolding, keys: LocalStateKeys, state: State, found: Count) -> Hashable | None:
    if state.operation is not None and state.operation.kind is Kind.START:
        return "not started"
    if isinstance(state.terminal, Cut):
        return "cut"
    run = unfolding._code._at(state)
    begun = time.process_time()
    key = keys.key_of(run)
    found.seconds += time.process_time() - begun
    if key is None:
        found.doubts[keys.doubt] += 1
    return key


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.local_state.count", description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--model", default="pso", choices=MODELS)
    parser.add_argument("--seconds", type=float, default=25)
    parser.add_argument("--only", default="", help="a part of the names of programs")
    options = parser.parse_args()
    print(f"{'program':44} histories  merged  places  no key  us/key  why no key")
    total = Count()
    for path in options.files:
        for program in programs_in(path):
            if options.only not in program.name:
                continue
            name = f"{path.stem}::{program.name}"
            try:
                found = count(program, options.model, options.seconds)
            except CheckerError as error:
                print(f"{name:46} {error}", flush=True)
                continue
            total += found
            print(f"{name:46} {found}", flush=True)
    print(f"{'all':46} {total}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
