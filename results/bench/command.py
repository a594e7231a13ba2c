"""Measure suites of programs, and write tables (Markdown, CSV, JSON lines) and plots (SVG, PNG).

  reference      the programs that the field counts, beside GenMC and Nidhugg
  everyday       counters, locks, queues and caches: the default beside stateful, cover and bmc, SPIN and the peers
  paper-bmc      fib, lastzero, exp_mem and fenced locks as one formula: seconds, memory and sizes, by PySAT and Z3
  paper-mcr      tables 1, 3, 4 and 5 of the paper on MCR for TSO and PSO
  paper-rf-smc   table 1 of the paper on RF-SMC: classes by reads-from and traces
  paper-rvf-smc  the paper on RVF-SMC: executions under SC, ablations, time in VerifySC
  paper-trust    tables 1 and 2 of the paper on TruSt: executions and memory
  equivalences   how many classes each equivalence has, and how many executions find them
  scaling        what an execution and a local state cost, as programs grow
  objectives     how time and memory per class grow with the number of classes
  peers          numbers of classes, which must equal those of GenMC and Nidhugg
  solvers        every solver that is installed, on the same programs

Each row is measured in a process of its own, which is killed if it does not end at its time limit, and is on disk as
soon as it is known. A run that was interrupted or killed goes on where it stopped; rows that were cut by a shorter
time limit are measured again.

examples:
  python -m results.bench reference                               writes results/reference.md, plots and others
  python -m results.bench reference scaling --program bakery --model pso --out try
  python -m results.bench peers --largest 1000 --timeout 30
  python -m results.bench --profile                               where the time goes, by phase of the engine
  python -m results.bench --profile lastzero --model tso

Here exit status 1 means that a suite found a contradiction with known figures, 3 that rows are missing.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from mcr.cli.status import Status
from mcr.keys import add_keys, count
from replay.errors import CheckerError
from replay.world.memory_models import MODELS

if TYPE_CHECKING:
    from results.bench.run import BenchRequest
    from results.bench.suite import Suite

_HARD = ""
"""--profile without a program: the hard ones."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suites", metavar="SUITE", nargs="*", help="what to measure (see above)")
    parser.add_argument(
        "--profile", metavar="PROGRAM", nargs="?", const=_HARD,
        help="instead of a suite: where the time goes, for one reference program or the hard ones",
    )  # fmt: skip
    parser.add_argument("--program", metavar="NAME", action="append", default=[], help="only this one; may be repeated")
    add_keys(parser, "models", "solver", "timeout", timeout="for each row (default: 120)")
    parser.add_argument(
        "--largest", metavar="N", type=count, help="peers: up to so many complete executions (default: 20000)"
    )
    how_many = (
        "how many rows are measured at once, of suites that only count: equivalences (default: the "
        "cores that may be used); rows that measure time run alone"
    )
    add_keys(parser, "jobs", jobs=how_many)
    parser.add_argument("--fresh", action="store_true", help="forget what was measured before")
    output = parser.add_argument_group("output")
    output.add_argument(
        "--out", metavar="FOLDER", type=Path, default=Path("results"), help="where to write (default: results)"
    )
    output.add_argument(
        "--no-plots", action="store_true", help="tables only; plots need `pip install mcr-checker[plots]`"
    )


def _suites(arguments: argparse.Namespace) -> list[Suite]:
    """The suites asked for; CheckerError for none, unknown ones, and what does not go together."""
    from results.bench.suites import suite_named, suite_names

    if arguments.profile is not None:
        from results.bench.profiling import SUITE

        if arguments.suites:
            raise CheckerError("--profile stands in place of a suite; give one or the other")
        if arguments.program:
            raise CheckerError("--program is for suites; write --profile PROGRAM")
        return [SUITE]
    if not arguments.suites:
        raise CheckerError(f"name a suite: {', '.join(suite_names())}; or --profile")
    return [suite_named(name) for name in dict.fromkeys(arguments.suites)]


def _request(arguments: argparse.Namespace) -> BenchRequest:
    from results.bench.run import BenchRequest
    from results.bench.suite import Choice

    programs = [arguments.profile] if arguments.profile else arguments.program
    choice = Choice(
        models=arguments.models or tuple(MODELS),
        programs=tuple(programs),
        solver=arguments.solver,
        largest=arguments.largest,
    )
    return BenchRequest(
        suites=_suites(arguments),
        choice=choice,
        folder=arguments.out,
        timeout=arguments.timeout or 120.0,
        fresh=arguments.fresh,
        plots=not arguments.no_plots,
        jobs=arguments.jobs,
    )


def run(arguments: argparse.Namespace) -> Status:
    from results.bench.conclusion import conclude
    from results.bench.run import run as measure

    request = _request(arguments)
    return conclude(request, measure(request))
