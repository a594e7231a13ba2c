"""`mcr litmus`: run litmus tests, and translate them from and to Python."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from mcr.cli.arguments import (
    add_algorithm_argument,
    add_jobs_argument,
    add_memory_argument,
    add_merge_argument,
    add_model_argument,
    positive_seconds,
)
from mcr.cli.command import Command
from mcr.cli.status import Status
from replay.world.memory_models import MODELS

_DESCRIPTION = """\
Run litmus tests: X86 and X86_64 as herd7 and diy7 write them, and C with atomics.

Every final state that a memory model allows is found. What has no meaning here (loops, mixed sizes, unknown
instructions, other architectures) is refused with file and line, and counted.

Other commands take .litmus files too. To `mcr check`, `~exists` and `forall` are assertions, and `exists` claims
nothing: the states that satisfy it are marked *>. With --set "ask='witness'" it looks for such a state as if it
were a bug, so that there is a short trace of it to replay.

examples:
  mcr litmus SB.litmus                                    in herd's layout, under SC, TSO and PSO
  mcr litmus tests/ --model tso --table --jobs 2          one row for each test
  mcr litmus tests/ --expect truth.jsonl                  compare with known states; status 1 if any differ
  mcr litmus SB.litmus --emit-python > sb.py              the same test as a Python model
  mcr litmus --from-python examples/litmus.py::iriw       a Python model as a litmus test
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "targets", metavar="FILE|FOLDER", nargs="+", help="litmus tests; FILE.py::NAME with --from-python"
    )
    add_model_argument(parser)
    add_jobs_argument(parser)
    parser.add_argument(
        "--timeout", metavar="SECONDS", type=positive_seconds, help="time limit for each test and model"
    )
    add_memory_argument(parser)
    add_algorithm_argument(parser)
    add_merge_argument(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--table", action="store_true", help="one row for each test")
    what.add_argument("--json", action="store_true", help="one line of JSON for each test and model")
    what.add_argument(
        "--expect", metavar="FILE", type=Path, help="lines of JSON to compare with, as --json writes them"
    )
    what.add_argument(
        "--emit-python", action="store_true", help="print the tests as Python models, and do not run them"
    )
    what.add_argument("--from-python", action="store_true", help="print Python models as litmus tests")


def _run(arguments: argparse.Namespace) -> Status:
    from mcr.cli import litmus

    if arguments.emit_python:
        return litmus.emit_python(arguments.targets)
    if arguments.from_python:
        return litmus.from_python(arguments.targets)
    models = arguments.model or tuple(MODELS)
    request = litmus.LitmusRequest(
        arguments.targets,
        models,
        arguments.jobs,
        arguments.timeout,
        arguments.memory,
        _outcomes_by(arguments.algorithm, models, merge=arguments.merge is not False),
        arguments.merge is not False,
    )
    if arguments.expect is not None:
        return litmus.compare(request, arguments.expect)
    return litmus.show(request, "table" if arguments.table else "json" if arguments.json else "herd")


def _outcomes_by(algorithm: str | None, models: Sequence[str], *, merge: bool) -> str:
    """The algorithm asked for; it has to find every final state under these models."""
    from mcr.exploration.goals import Goals
    from mcr.explorers.registry import AUTO, check_supports
    from mcr.litmus.run import objective_by

    chosen = algorithm or AUTO
    check_supports(chosen, Goals.parse(objective_by(chosen)), models, merge=merge)
    return chosen


COMMAND = Command("litmus", "run litmus tests in herd's format", _DESCRIPTION, _add_arguments, _run)
