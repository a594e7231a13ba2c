"""How many local states programs have beside histories, and why states could not be compared.

    python -m tests.local_state.count examples/*.py --model pso

Each program is explored at its default size, until all its histories are
known or --seconds are over, and once more with merging; the final function is
not counted. Columns: histories; how many of them differ by thread, depth and
key; how many if depths are ignored; local states that the merged exploration
met; histories without a key; and the reasons for that, most common first. A
history without a key counts as a local state of its own. "*" marks programs
that were cut. The table is Markdown (results/local-states.md).
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from pathlib import Path

from mcr.api import open_session
from mcr.bench.rows import as_markdown
from mcr.exploration.options import Options
from replay.code.terminals import Blocked, Cut
from replay.errors import CheckerError
from replay.frontend.program import Program
from replay.local_state.keys import LocalStateKeys
from replay.machine.spinning import SPIN
from replay.machine.state import State
from replay.machine.unfolding import Unfolding
from replay.traces.loader import programs_in
from replay.world.memory_models import MODELS
from replay.world.operation import Kind

COLUMNS = ("program", "histories", "local states", "depth ignored", "met when merged", "no key", "why no key")


@dataclass
class Count:
    """Of one program: see the columns."""

    histories: int = 0
    merged: int = 0
    without_depth: int = 0
    met: int = 0
    doubts: Counter[str] = field(default_factory=Counter)
    complete: bool = True

    def __add__(self, other: Count) -> Count:
        return Count(
            self.histories + other.histories,
            self.merged + other.merged,
            self.without_depth + other.without_depth,
            self.met + other.met,
            self.doubts + other.doubts,
            self.complete and other.complete,
        )

    def line(self, title: str) -> list[object]:
        """Its row of the table."""
        reasons = "; ".join(f"{reason}: {count}" for reason, count in self.doubts.most_common(3))
        figures = self.histories, self.merged, self.without_depth, self.met, self.doubts.total()
        return [title if self.complete else f"{title} *", *figures, reasons]


def count(program: Program, model: str, seconds: float) -> Count:
    """Explore a program, and take the key of each of its histories."""
    complete, histories = explored(program, model, seconds, merge=False)
    found = count_states(histories)
    also, merged = explored(program, model, seconds, merge=True)
    found.met = sum(not merged.threads[state.thread].is_final for state in merged.states)
    found.complete = complete and also
    return found


def explored(program: Program, model: str, seconds: float, *, merge: bool) -> tuple[bool, Unfolding]:
    """What an exploration met, and whether that is all."""
    options = Options(keep_going=True, shorten=False, timeout=seconds, merge=merge)
    session = open_session(program, MODELS[model], options=options)
    result = session.explore()
    return result.complete, session.context.unfolding


def count_states(unfolding: Unfolding) -> Count:
    """Take the key of each history of an unfolding that does not merge."""
    found, keys = Count(), LocalStateKeys(unfolding.program.instance())
    places: dict[int, Hashable] = {}
    here, anywhere = set(), set()
    for state in unfolding.states:
        if unfolding.threads[state.thread].is_final:
            continue
        key = _key(unfolding, keys, state, found)
        place = places[state.number] = _history(state, places) if key is None else key
        found.histories += 1
        here.add((state.thread, state.depth, place))
        anywhere.add((state.thread, place))
    found.merged, found.without_depth = len(here), len(anywhere)
    return found


def _history(state: State, places: dict[int, Hashable]) -> Hashable:
    """What stands for a key where there is none."""
    return (places[state.entry.before.number], state.entry.read) if state.entries else "root"


def _key(unfolding: Unfolding, keys: LocalStateKeys, state: State, found: Count) -> Hashable | None:
    if state.operation is not None and state.operation.kind is Kind.START:
        return "not started"
    if isinstance(state.terminal, Cut):
        return "cut"
    code = unfolding._code
    spins = isinstance(state.terminal, Blocked) and state.terminal.reason == SPIN
    if spins:  # the code would go on
        entry = state.entry
        run = code._run_again(entry.before, code._shared_spawner(entry.before), entry.read)
    else:
        run = code._run_again(state, code._shared_spawner(state))
    key = keys.key_of(run)
    if key is None:
        found.doubts[keys.doubt] += 1
        return None
    return spins, key


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.local_state.count", description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--model", default="pso", choices=MODELS)
    parser.add_argument("--seconds", type=float, default=25)
    parser.add_argument("--only", default="", help="a part of the names of programs")
    options = parser.parse_args()
    programs = [(path.stem, program) for path in options.files for program in programs_in(path)]
    total, lines = Count(), []
    for stem, program in programs:
        if options.only not in program.name:
            continue
        title = f"{stem}::{program.name}"
        try:
            found = count(program, options.model, options.seconds)
        except CheckerError as error:
            print(f"{title}: {error}", file=sys.stderr, flush=True)
            continue
        total += found
        lines.append(found.line(title))
        print(*lines[-1], file=sys.stderr, flush=True)
    print(as_markdown(COLUMNS, [*lines, total.line("all")]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
