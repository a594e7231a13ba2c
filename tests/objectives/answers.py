"""Answers of brute force for every example, as a checked-in table: numbers and digests, by program and model.

Brute force looks at every prefix of every execution, and its answers do not
change; so tests compare with the table, and only the programs that it has are
tests. After a change of an example or of the semantics it is made anew by

    python -m tests.objectives.answers

and the difference is to be reviewed. A test that disagrees asks brute force
itself what the difference is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TypedDict

import mcr
from replay.world.memory_models import MODELS
from tests.amount import one_of
from tests.examples.test_examples import PROGRAMS
from tests.objectives.brute_force import EQUIVALENCES, Classes, ExecutionClass, enumerate_classes

TABLE = Path(__file__).with_name("answers.json")

LIMIT = 2_000
"""Prefixes of executions that brute force may look at; programs with more are not in the table."""


class Answer(TypedDict):
    """A row.

    classes    by equivalence: how many are complete, how many are blocked, and digests of both
    outcomes   how many there are, and a digest
    deadlocks  the messages of all
    """

    classes: dict[str, str]
    outcomes: str
    deadlocks: list[str]


def digest(items: Iterable[object]) -> str:
    """How many different items there are, and what tells them from others."""
    lines = sorted({repr(item) for item in items})
    text = "\n".join(lines)
    return f"{len(lines)} {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def classes(complete: Iterable[ExecutionClass], blocked: Iterable[ExecutionClass]) -> str:
    """The classes of one equivalence, as the table has them."""
    return f"{digest(complete)}, blocked {digest(blocked)}"


def answer(found: Classes) -> Answer:
    """What brute force found, as the table has it."""
    return {
        "classes": {equivalence: classes(*found.seen_by(equivalence)) for equivalence in EQUIVALENCES},
        "outcomes": digest(found.outcomes),
        "deadlocks": sorted(found.deadlocks),
    }


def recorded() -> dict[str, Answer]:
    """The table, by `name_of` a program and a model."""
    table: dict[str, Answer] = json.loads(TABLE.read_text(encoding="utf-8"))
    return table


def cases(who: str) -> list[tuple[str, mcr.Program, str, Answer]]:
    """Name, program, model and answer of rows: of each program one, others for others who ask; all if there is time."""
    table = recorded()
    rows = []
    for path, program in PROGRAMS.items():
        known = [model for model in MODELS if f"{path}-{model}" in table]
        asked = one_of(known, f"{path} for {who}") if known else ()
        rows += [(name, program, model, table[name]) for model in asked if (name := f"{path}-{model}")]
    return rows


def _remake() -> None:
    table = {}
    for path, program in PROGRAMS.items():
        for model in MODELS:
            found = enumerate_classes(program, MODELS[model], LIMIT)
            if found.decided:
                table[f"{path}-{model}"] = answer(found)
    TABLE.write_text(json.dumps(table, indent=0) + "\n", encoding="utf-8")
    print(f"{len(table)} answers")


if __name__ == "__main__":
    _remake()
