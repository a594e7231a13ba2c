"""The example programs, at sizes that the oracle finishes with: engine and oracle find the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from examples import reference
from mcr.explorers.registry import AUTO
from replay.frontend.program import Program
from replay.traces.loader import programs_in
from replay.world.memory_model import MemoryModel
from replay.world.memory_models import MODELS
from tests.amount import SLOW, amount, one_of
from tests.objectives.answers import recorded
from tests.support import BY_SOLVER, compare_each

EXAMPLES = Path(__file__).parents[2] / "examples"

LIMIT = amount(10_000, 30_000)
"""Machine states that the oracle may visit."""

TOO_LARGE = {
    ("lamport_fast_mutex", "fast_mutex", "pso"),
    ("mcr_paper", "lamport", "tso"),
    ("mcr_paper", "lamport", "pso"),
    ("mcr_paper", "bakery", "tso"),
    ("mcr_paper", "bakery", "pso"),
    ("reference", "fastmutex", "pso"),
    ("unchecked", "fastmutex(n=2, b=1, check=False)", "pso"),
    ("unchecked", "fastmutex(n=2, b=2, check=False)", "pso"),
    *(
        ("published_schedulers", f"idle_processor{version}", model)
        for version in ("", "_asked_for", "_mended")
        for model in MODELS
    ),
}
"""Programs with more than that with MCR_SLOW=1, too: file, program, and the model under which they have them."""

SLOW_ONLY = {
    ("bakery", "bakery", "pso"),
    ("mcr_paper", "dekker", "pso"),
    ("mcr_paper", "peterson", "pso"),
    ("mcr_paper", "rv_example", "tso"),
    ("mcr_paper", "rv_example", "pso"),
    ("reference", "bakery", "pso"),
    ("szymanski", "szymanski", "tso"),
    ("szymanski", "szymanski", "pso"),
    ("unchecked", "bakery(n=2, check=False)", "pso"),
    ("unchecked", "example_zreset(n=2, check=False)", "pso"),
}
"""The same without."""

UNCHECKED = [
    *(reference.sb(n=n, check=False) for n in (2, 3)),
    reference.mp(check=False),
    reference.lastzero(n=4),
    *(reference.fib(n=n, check=False) for n in (1, 2)),
    *(reference.exp_mem(n=n) for n in (2, 3, 4)),
    *(reference.example(n=n, check=False) for n in (1, 2)),
    *(reference.example_zreset(n=n, check=False) for n in (1, 2)),
    *(reference.casrot(n=n) for n in (2, 5)),
    *(reference.ttas(n=2, b=b, check=False) for b in (1, 2)),
    reference.ttas(n=3, b=1, check=False),
    reference.dekker(check=False),
    reference.peterson(check=False),
    reference.bakery(n=2, check=False),
    *(reference.fastmutex(n=2, b=b, check=False) for b in (1, 2)),
]
"""Reference programs without their assertions, so that nothing is cut short by a failure."""


STATES = ("histories", "merged")
OTHERS = ("failures", "outcomes", "values", "deadlocks")
"""What else is looked for; in programs of the table of answers, `tests.objectives` does that."""


def _cases() -> Iterator[tuple[str, Program, MemoryModel, bool]]:
    """Every program of every example file at its ordinary size, and the reference programs unchecked.

    With a name, and whether the table of answers has it: of these only every other one. Each is looked at under one of
    the models, others under others. All under all if there is time.
    """
    table = recorded()
    examples = [(path.stem, program) for path in sorted(EXAMPLES.glob("*.py")) for program in programs_in(path)]
    left_out = TOO_LARGE if SLOW else TOO_LARGE | SLOW_ONLY
    for number, (file, program) in enumerate(examples + [("unchecked", program) for program in UNCHECKED]):
        models = [model for model in MODELS.values() if (file, program.title, model.name) not in left_out]
        for model in one_of(models, program.title) if models else ():
            is_in_table = f"{file}::{program.name}-{model.name}" in table
            if not is_in_table or number % amount(2, 1) == 0:
                yield f"{file}-{program.title}-{model.name}", program, model, is_in_table


@pytest.mark.parametrize(
    ("program", "model", "is_in_table"), [pytest.param(*rest, id=name) for name, *rest in _cases()]
)
def test_agree(program: Program, model: MemoryModel, is_in_table: bool) -> None:
    case = f"{program.title}-{model.name}"
    objectives = (*one_of(STATES, case), *(one_of(OTHERS, case) if SLOW or not is_in_table else ()))
    found = compare_each(program, model, objectives, one_of((BY_SOLVER, AUTO), case), max_machine_states=LIMIT)
    assert found.decided
    assert not found.differences, found.differences
