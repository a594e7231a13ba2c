"""A long search for random Python threads of which two histories share a key and not a future.

    python -m tests.local_state.campaign --programs 10000

Programs are determined by their seeds, which count from --seed. Prints what
was merged and why keys were not had; exit status 1 if a key was wrong.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from replay.errors import CheckerError
from tests.local_state.histories import Histories, Node
from tests.pythonic.compare import checkers_program
from tests.pythonic.generator import generate


@dataclass
class Findings:
    """What came of some programs.

    merged  histories that share the key of an earlier one
    doubts  how often which kept a key from being had
    wrong   seed and two histories that share a key and not a future, in words
    """

    programs: int = 0
    histories: int = 0
    merged: int = 0
    doubts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, seed: int, depth: int) -> None:
        """Look at one more program."""
        with warnings.catch_warnings(), _silence():
            warnings.simplefilter("ignore")
            try:
                histories = Histories(checkers_program(generate(seed)), depth)
            except CheckerError:  # what it declares is refused
                return
        self.programs += 1
        self.histories += len(histories.nodes)
        self.merged += sum(len(group) - 1 for group in histories.groups())
        self.doubts.update(node.doubt for node in histories.nodes if node.doubt)
        self.wrong += (f"seed {seed}: {_words(first)} and {_words(second)}" for first, second in histories.wrong())


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Threads that are given up complain where they would use shared state in the end."""
    before, sys.unraisablehook = sys.unraisablehook, lambda _: None
    try:
        yield
    finally:
        gc.collect()
        sys.unraisablehook = before


def _words(node: Node) -> str:
    return f"{node.history} -> {node.shown}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.local_state.campaign", description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--depth", type=int, default=5)
    options = parser.parse_args()
    found = Findings()
    for seed in range(options.seed, options.seed + options.programs):
        found.add(seed, options.depth)
        if found.wrong:
            print(*found.wrong[:5], sep="\n")
            return 1
    print(
        f"{found.programs} programs, {found.histories} histories, {found.merged} merged, {found.doubts.total()} doubts"
    )
    for doubt, count in found.doubts.most_common():
        print(f"{count:8} {doubt}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
