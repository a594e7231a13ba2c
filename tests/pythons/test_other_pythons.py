"""Pythons of which nobody knows how they run code, or how they keep containers."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator

import pytest

import mcr
from replay.local_state import layouts
from tests.desk import ROOT
from tests.examples.test_examples import PROGRAMS

TO_COME = """
import sys
from collections import namedtuple
import msgspec, pysat.solvers

sys.version_info = namedtuple("version", "major minor micro releaselevel serial")(3, 16, 0, "final", 0)
import mcr
from examples.peterson import peterson
from examples.ordinary_classes import if_instead_of_while

for program in (peterson, if_instead_of_while):
    try:
        mcr.check(program, "sc")
    except mcr.CheckerError as error:
        print(error)
"""


def test_a_version_to_come_is_refused() -> None:
    told = subprocess.run([sys.executable, "-c", TO_COME], cwd=ROOT, capture_output=True, text=True, check=True)
    assert (
        told.stdout.splitlines()
        == [
            "mcr runs the code of threads itself, and does not know the instructions of CPython 3.16: use "
            "3.11, 3.12, 3.13 or 3.14"
        ]
        * 2
    )


@pytest.fixture
def looked_at_anew() -> Iterator[None]:
    layouts.why_unreadable.cache_clear()
    yield
    layouts.why_unreadable.cache_clear()


@pytest.mark.usefixtures("looked_at_anew")
def test_a_build_without_the_global_lock_falls_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sysconfig, "get_config_var", {"Py_GIL_DISABLED": 1}.get)
    assert layouts.why_unreadable().startswith("this build of CPython")
    result = mcr.check(PROGRAMS["peterson::peterson"], "tso")
    assert result.verdict is mcr.Verdict.BUG
    assert not result.merged


def test_a_thread_that_leaves_a_condition_is_compared() -> None:
    """`Condition.__exit__` passes its arguments on, which CPython writes with another instruction from 3.14 on."""
    assert mcr.check(PROGRAMS["ordinary_classes::if_instead_of_while"], "sc").not_compared == ()


def test_one_module_knows_versions_of_cpython() -> None:
    asks = re.compile(r"version_info *[\[<>=]|hexversion|\bVERSION *[<>=]")
    files = [file for folder in ("replay", "mcr") for file in sorted((ROOT / folder).rglob("*.py"))]
    assert [file.name for file in files if asks.search(file.read_text()) and "native" not in file.parts] == [
        "versions.py"
    ]
