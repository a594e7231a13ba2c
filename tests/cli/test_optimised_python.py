"""Under `python -O` no assert statement is executed, so nothing is checked: every command refuses to."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.desk import EXAMPLES, ROOT, Desk

FAILING = {
    "litmus.py::store_buffering": "tso",
    "dekker.py::dekker": "tso",
    "lost_wakeup.py": "sc",
    "treiber_stack.py": "sc",
    "ordinary_classes.py::if_instead_of_while": "sc",
}
"""Examples, each with a model under which it fails."""

REFUSAL = "error: Python was started with -O or PYTHONOPTIMIZE, which removes every assert statement"


def _refused(*command: str, **environment: str) -> None:
    told = subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, env={**os.environ, **environment}
    )
    assert told.returncode == 2
    assert told.stderr.startswith(REFUSAL)
    assert "verified" not in told.stdout


@pytest.mark.parametrize("example", FAILING)
def test_failing_examples(example: str) -> None:
    _refused("-O", "-m", "mcr", "check", str(EXAMPLES / example), "--model", FAILING[example])


def test_a_variable_of_the_environment() -> None:
    _refused("-m", "mcr", "check", str(EXAMPLES / "dekker.py"), PYTHONOPTIMIZE="1")


def test_a_certificate_is_not_confirmed(desk: Desk) -> None:
    desk.copy("peterson.py")
    assert desk.mcr("check", "peterson.py::peterson", "--model", "sc", "--certificate", "out").status == 0
    files = (str(desk.folder / each) for each in ("out/peterson-sc.certificate", "peterson.py"))
    command = ("replay/certify/certify.py", *files)
    told = subprocess.run([sys.executable, "-O", *command], cwd=ROOT, capture_output=True, text=True)
    assert told.returncode == 1
    assert "\nrejected: the program cannot be run as the certificate says: Python was started" in told.stdout
