"""Every process collects the same tests: a set in a test's name made the workers of one run disagree."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def test_names_of_tests_do_not_depend_on_the_hash_seed() -> None:
    one, two = (_collecting(seed) for seed in ("1", "2"))
    assert _names(one) == _names(two)


def _collecting(seed: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-o", "addopts=", "-q", "-p", "no:cacheprovider"]
    return subprocess.Popen(
        [*command, str(HERE)],
        cwd=HERE.parent,
        env=os.environ | {"PYTHONHASHSEED": seed},
        stdout=subprocess.PIPE,
        text=True,
    )


def _names(collecting: subprocess.Popen[str]) -> list[str]:
    out, _ = collecting.communicate()
    names = [line for line in out.splitlines() if "::" in line]
    assert len(names) > 1000
    return names
