"""Each command of results/README.md ends with exit status 0, on its smallest input."""

from __future__ import annotations

import os
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot  # so that copies of this process have it  # noqa: F401
import pytest
from _pytest.assertion.rewrite import AssertionRewritingHook

from results.__main__ import commands
from tests.copies import done_by_a_copy
from tests.desk import ROOT

_SUITES = {
    "reference": "mp",
    "everyday": "counter",
    "paper_mcr": "figure_3a",
    "paper_rf_smc": "boop4",
    "paper_rvf_smc": "monabsex1",
    "reads_value_from": "mp",
    "paper_bmc": "exp_mem",
    "paper_trust": "exp_mem",
    "equivalences": "mp",
    "scaling": "readers",
    "objectives": "exp_mem",
    "peers": "dekker",
    "solvers": "lastzero",
    "profile": "lastzero",
}
"""By suite a program that takes little time."""

_ROWS = ("--rows", "1")

_BRIEFLY = ("--model", "sc", "--timeout", "2", "--no-plots")  # `test_suites.py` draws the plots of each suite

SMALLEST: dict[str, tuple[str, ...]] = {
    **{
        f"-m mcr bench results/bench/suites/{suite}.py": ("--program", program, *_BRIEFLY)
        for suite, program in _SUITES.items()
    },
    "-m results.bench.peer_tools": ("--program", "mp"),
    "results/consistency.py": ("--rows", "1", "--largest", "20", "--no-plots"),
    "results/litmus_speed.py": _ROWS,
    "results/local_states.py": _ROWS,
    "results/fences.py": _ROWS,
    "results/ordinary_classes.py": _ROWS,
    "-m results.reports": _ROWS,
    "-m results.other_tools": (*_ROWS, "--python", sys.executable, "--timeout", "1"),
    "-m results.existing": _ROWS,
    "-m results.estimates": _ROWS,
    "-m results.sampling": _ROWS,
    "-m results.newcomers": _ROWS,
    "-m results.refusals": ("tests/ordinary/test_names.py",),
    "-m tests.ordinary.threadsafety": (),
    "-m results.levels": _ROWS,
    "-m tests.progress.dat3m": (),
    "results/certificates.py": _ROWS,
    "-m tests.certify.forge": ("--certificates", "3", "--kind", "stateful", "--examples", "lost_wakeup"),
    "-m tests.certify.damage": ("--certificates", "3", "--examples", "peterson"),
    "-m tests.pythons.figures": ("examples/peterson.py",),
    "-m tests.consistency.campaign": ("--instances", "20", "--size", "4"),
    "-m tests.ordinary.campaign": ("--programs", "2"),
    "-m tests.differential.campaign": ("--programs", "5"),
}
"""By how a command begins, what is added for the smallest input."""

IN_A_PROCESS_OF_ITS_OWN = "-m results.refusals"
"""What runs pytest, which can be there once only."""

SPIN = {"-m results.bench.spin": _ROWS, "-m results.states": (*_ROWS, "--missing")}
"""Commands that need SPIN and gcc, which few machines have; rows of states are measured by `test_results.py`."""


def _beginning(command: str) -> str:
    known = [each for each in (*SMALLEST, *SPIN) if command == each or command.startswith(f"{each} ")]
    return known[0] if known else ""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of results/ beside the other folders, as commands write to it."""
    folder = tmp_path_factory.mktemp("tree")
    shutil.copytree(ROOT / "results", folder / "results", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("mcr", "replay", "solvers", "examples", "tests", "pyproject.toml"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def test_each_command_is_known() -> None:
    assert [command for command in commands() if not _beginning(command)] == []


@pytest.mark.parametrize("command", commands())
def test_it_ends_well(command: str, copy: Path) -> None:
    beginning = _beginning(command)
    if beginning in SPIN and not (shutil.which("spin") and shutil.which("gcc")):
        pytest.skip("needs SPIN and gcc")
    more = {**SMALLEST, **SPIN}[beginning]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    words = [*shlex.split(command), *more]
    if beginning == IN_A_PROCESS_OF_ITS_OWN:
        done = subprocess.run([sys.executable, *words], cwd=copy, env=environment, capture_output=True, text=True)
        status, said = done.returncode, done.stdout[-2000:] + done.stderr
    else:
        status, said = done_by_a_copy(lambda: _run(words), copy, environment)
    assert status == 0, said[-2000:]


def _run(words: Sequence[str]) -> None:
    """Do what Python does that is given these words in a tree of its own, whose modules are not those of this one."""
    for name in [*sys.modules]:
        if name.partition(".")[0] in ("results", "tests", "examples"):
            del sys.modules[name]
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, AssertionRewritingHook)]
    is_module = words[0] == "-m"
    sys.argv = list(words[is_module:])
    if is_module:
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(words[0], run_name="__main__")
