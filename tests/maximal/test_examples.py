"""The example programs: maximal causality and brute force find the same values classes.

Every other program under one of the models; all under all with MCR_SLOW=1, and by the campaign.
"""

from pathlib import Path

import pytest

from replay.world.memory_models import MODELS
from tests.amount import amount, one_of
from tests.maximal.brute_force import compare
from tests.maximal.campaign import examples

LIMIT = 20_000
"""Configurations that brute force may visit."""

TOO_LONG = {
    *(
        ("mcr_paper", program, model)
        for program in ("lamport", "bakery", "rv_example")
        for model in ("sc", "tso", "pso")
    ),
    *(("szymanski", f"szymanski{kind}", model) for kind in ("", "_x86", "_fenced") for model in ("tso", "pso")),
    *(("michael_scott_queue", "lock_free_queue", model) for model in ("sc", "tso", "pso")),
    *(("bounded_buffer", "bounded_buffer", model) for model in ("tso", "pso")),
    ("mcr_paper", "dekker", "pso"),
    ("mcr_paper", "peterson", "pso"),
    ("bakery", "bakery", "pso"),
    ("chase_lev_deque", "chase_lev_deque", "pso"),
    ("lamport_fast_mutex", "fast_mutex", "pso"),
    ("reference", "fastmutex", "pso"),
    *(
        ("published_schedulers", program, model)
        for program in (
            "deque_lifo",
            "deque_lifo_mended",
            "deque_fifo",
            "idle_processor",
            "idle_processor_asked_for",
            "idle_processor_mended",
        )
        for model in ("sc", "tso", "pso")
    ),
    *(("spin_loops", program, model) for program in ("mcs", "seqlock") for model in ("tso", "pso")),
}
"""Left to `python -m tests.maximal.campaign --examples`: more than a second, of ours or of brute force."""

CASES = [
    pytest.param(program, model, id="-".join(name))
    for program, model in examples()
    if model.name in one_of(list(MODELS), program.title)
    if (name := (Path(program.file).stem, program.title, model.name)) not in TOO_LONG
][:: amount(2, 1)]


@pytest.mark.parametrize(("program", "model"), CASES)
def test_agree(program, model):
    explorer = compare(program, model, LIMIT)
    assert explorer is not None
    # What an update writes that reads a new value, nobody knows before; so a continuation may miss its aim.
    assert 4 * explorer.statistics.redundant <= explorer.statistics.executions
