"""How often code has run makes no difference, though from Python 3.13 on it changes what the stack holds of a call."""

from __future__ import annotations

import runpy
from pathlib import Path

import mcr

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_code_that_runs_for_the_first_time_has_the_same_local_states() -> None:
    for file, name in (("peterson.py", "peterson"), ("treiber_stack.py", "treiber_stack_aba")):
        program = runpy.run_path(str(EXAMPLES / file))[name]
        first, *others = (mcr.check(program, "sc").statistics.counts() for _ in range(3))
        assert others == [first, first]
