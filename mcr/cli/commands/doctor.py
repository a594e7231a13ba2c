"""`mcr doctor`: is this installation in order?"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from mcr.cli.arguments import add_output_arguments
from mcr.cli.command import Command
from mcr.cli.status import Status

_DESCRIPTION = """\
Look whether this installation is in order: versions; the solvers, each asked two questions whose answers are known;
five litmus tests under every memory model, each with the answer that it must have; what the terminal can show; and
where failures are kept. What is missing comes with the command that installs it.

examples:
  mcr doctor
  mcr doctor --json

Here exit status 0 means that all is right, 2 that something is not.
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_output_arguments(parser)


def _run(arguments: argparse.Namespace) -> Status:
    from mcr.configuration import find_project, read_project
    from mcr.diagnosis.doctor import examine
    from mcr.exploration.archive import DEFAULT_FOLDER
    from mcr.report.doctor import health_document, render_health
    from mcr.report.document import write_document
    from mcr.report.source import shown_path
    from mcr.report.style import style_for
    from mcr.report.terminal import terminal_width

    folder = read_project(find_project(Path.cwd())).folder or DEFAULT_FOLDER
    health = examine(Path(shown_path(str(folder))))
    status = Status.WRONG_USE if health.faults else Status.VERIFIED
    style, width = style_for(sys.stdout, arguments.color), terminal_width()
    if arguments.json:
        write_document(health_document(health, status, width, style), sys.stdout)
    else:
        print("\n".join(render_health(health, width, style)))
    return status


COMMAND = Command("doctor", "is this installation in order?", _DESCRIPTION, _add_arguments, _run)
