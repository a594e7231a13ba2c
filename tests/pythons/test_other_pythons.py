"""Where frames cannot be read, all is found all the same; where they can, what is compared is no matter of versions."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from collections.abc import Iterator

import pytest

import mcr
from replay.code import raw_memory as memory
from tests.desk import ROOT
from tests.examples.test_examples import PROGRAMS

TO_COME = """
import sys
from collections import namedtuple
import greenlet, msgspec, pysat.solvers

sys.version_info = namedtuple("version", "major minor micro releaselevel serial")(3, 16, 0, "final", 0)
import mcr
from examples.peterson import peterson
from examples.ordinary_classes import if_instead_of_while
from replay.code.raw_memory import why_unreadable

print(why_unreadable())
for program, model in ((peterson, "sc"), (peterson, "tso"), (if_instead_of_while, "sc")):
    result = mcr.check(program, model)
    print(result.verdict.value, result.merged)
"""


def test_a_version_to_come_falls_back() -> None:
    told = subprocess.run([sys.executable, "-c", TO_COME], cwd=ROOT, capture_output=True, text=True, check=True)
    why, *verdicts = told.stdout.splitlines()
    assert why.endswith("was never tested")
    assert verdicts == ["verified False", "bug False", "bug False"]


@pytest.fixture
def looked_at_anew() -> Iterator[None]:
    memory.why_unreadable.cache_clear()
    yield
    memory.why_unreadable.cache_clear()


@pytest.mark.usefixtures("looked_at_anew")
def test_a_build_without_the_global_lock_falls_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sysconfig, "get_config_var", {"Py_GIL_DISABLED": 1}.get)
    assert memory.why_unreadable().startswith("this build of CPython")
    result = mcr.check(PROGRAMS["peterson::peterson"], "tso")
    assert result.verdict is mcr.Verdict.BUG
    assert not result.merged


def test_a_thread_that_leaves_a_condition_is_compared() -> None:
    """`Condition.__exit__` passes its arguments on, which CPython writes with another instruction from 3.14 on."""
    assert mcr.check(PROGRAMS["ordinary_classes::if_instead_of_while"], "sc").not_compared == ()
