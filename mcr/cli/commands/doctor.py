"""Check this installation: versions; the solvers, each asked two questions whose answers are known;
five litmus tests and an object that two threads share, under every memory model, each with the answer that it must
have; what the terminal can show; and where failures are kept. What is missing comes with the command that installs it.

examples:
  mcr doctor
  mcr doctor --json

Here exit status 0 means that all is right, 2 that something is not.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from mcr.cli.arguments import add_output_arguments
from mcr.cli.request import answer
from mcr.cli.status import Status
from mcr.diagnosis.doctor import examine
from mcr.exploration.archive import DEFAULT_FOLDER
from mcr.keys import project_around
from mcr.report.doctor import health_document, render_health
from mcr.report.source import shown_path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> Status:

    folder = project_around(Path.cwd()).get("folder", DEFAULT_FOLDER)
    health = examine(Path(shown_path(str(folder))))
    status = Status.WRONG_USE if health.faults else Status.VERIFIED
    answer(arguments, partial(health_document, health, status), partial(render_health, health))
    return status
