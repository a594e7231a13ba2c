"""Random programs are the same whatever the hash seed, and so is all that is compared of them."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.desk import ROOT
from tests.interpreter.compare import difference
from tests.interpreter.outcome import by_python
from tests.interpreter.program import compiled, generate
from tests.interpreter.running import prepared

DIGESTS = """
import hashlib
from tests.interpreter.outcome import by_python
from tests.interpreter.program import compiled, generate
from tests.interpreter.running import prepared

with prepared():
    for seed in range(1, 101):
        source = generate(seed)
        print(hashlib.sha256(f"{source}{by_python(compiled(source))}".encode()).hexdigest())
"""


def _digests(hash_seed: str) -> str:
    environment = os.environ | {"PYTHONHASHSEED": hash_seed}
    command = [sys.executable, "-c", DIGESTS]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout


def test_programs_and_outcomes_are_the_same_under_every_hash_seed() -> None:
    assert _digests("1") == _digests("2")


def test_python_agrees_with_itself() -> None:
    with prepared():
        for seed in range(1, 101):
            program = compiled(generate(seed))
            assert difference(by_python(program), by_python(program)) is None


def test_most_of_what_programs_define_runs() -> None:
    with prepared():
        outcomes = [by_python(compiled(generate(seed))) for seed in range(1, 101)]
    assert sum(len(each.log) for each in outcomes) > 1_200
    assert 300 < sum(len(each.caught) for each in outcomes) < 900
    assert sum(each.raised is None for each in outcomes) > 50
