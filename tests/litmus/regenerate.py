"""Writes tests/litmus/generated: tests from `mcr diy`, and the states that the brute-force oracle finds.

    python -m tests.litmus.regenerate

Run it after a change to `mcr diy`, and review the difference.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from mcr.litmus.diy.generate import Generated
from mcr.litmus.diy.relations import DEFAULT_RELATIONS, relations
from mcr.litmus.diy.survey import collect
from mcr.litmus.parser import parse
from mcr.litmus.program import LitmusProgram
from replay.files import write_atomically
from replay.world.memory_model import MemoryModel
from replay.world.memory_models import MODELS
from tests.behaviours import enumerate_behaviours

FOLDER = Path(__file__).parent / "generated"
EXPECTED = FOLDER / "expected.jsonl"

SELECTION = (
    # relations, threads, edges, every how many
    (" ".join(DEFAULT_RELATIONS), 2, 4, 1),
    ("Rfe Fre Coe PodRR PodRW PodWR PodWW", 3, 6, 1),
    ("Rfe Fre Coe SFencedWW SFencedWR PodRR PodRW PodWR PodWW", 2, 4, 2),
    ("Rfe Fre Coe Rfi Fri Coi PodRR PodRW PodWR PodWW", 2, 6, 8),
    ("Rfe Fre Coe Rfi Fri Coi PosRR PosRW PosWR PosWW", 2, 5, 4),
    ("Rfe RfeANa Fre FreNaA Coe CoeAA CoeNaA CoeANa PodRR PodRW PodRWNaA PodWR PodWRANa PodWW PodWWAA", 2, 4, 4),
    ("Rfe Fre PodRR MFencedRR", 4, 6, 1),
)


def selected() -> Iterator[Generated]:
    """The tests of the selection, each name once."""
    seen = set()
    for vocabulary, threads, edges, step in SELECTION:
        for test in collect(relations(vocabulary), threads, edges).tests[::step]:
            if test.name not in seen:
                seen.add(test.name)
                yield test


def oracle_states(text: str, model: MemoryModel) -> list[str]:
    """The final states of a test by brute force, as `Report.states` has them but sorted as text."""
    behaviours = enumerate_behaviours(LitmusProgram(parse(text))(ask="states"), model)
    assert behaviours.complete
    return sorted(outcome.strip("'").rstrip(";") for outcome in behaviours.outcomes)


def main() -> None:
    for old in FOLDER.glob("*.litmus"):
        old.unlink()
    rows = []
    for test in selected():
        write_atomically(FOLDER / f"{test.name}.litmus", test.text)
        for model in MODELS.values():
            rows.append({"file": f"{test.name}.litmus", "model": model.name, "states": oracle_states(test.text, model)})
    write_atomically(EXPECTED, "".join(json.dumps(row) + "\n" for row in rows))
    print(f"{len(rows) // len(MODELS)} tests")


if __name__ == "__main__":
    main()
