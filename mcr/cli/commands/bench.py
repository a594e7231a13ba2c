"""\
Measure programs: how many seeds, executions, classes and states they have under each memory model, by each algorithm.

A row for each program, size, model, objective and algorithm, each explored to its end in a process of its own. Rows are
kept as soon as they are known (--table): an interrupted run goes on where it stopped, and a program or a checker that
has changed since is measured again. An algorithm that cannot be asked for an objective says so in its row. The total
line names rows where algorithms disagree, which is an error. docs/benchmarks.md says what the columns count.

A target may also be a suite: a Python file that defines SUITE (docs/benchmarks.md). Its tables and plots go to --out.

examples:
  mcr bench mutex.py                                        the default algorithm, under SC, TSO and PSO
  mcr bench mutex.py::mutex --algorithm all --objective rf --objective traces
  mcr bench mutex.py --algorithm published,mcr:paper --sweep n=2..6 --timeout 60 --plot growth.svg
  mcr bench mutex.py --sweep n=2..4 --repeat 5 --csv table.csv --markdown table.md
  mcr bench mutex.py --check table.csv                      have counts changed since?
  mcr bench results/bench/suites/peers.py --out results     a suite

Here exit status 1 means that algorithms disagree, or that figures differ from known ones (--check, suites), and 3
that a limit cut a row.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from mcr.bench.agreement import Compared, compared, disagreements, read_table
from mcr.bench.asked import Asked, algorithms_named, why_not
from mcr.bench.case import KEY, OPTIONAL, BenchCase
from mcr.bench.columns import Columns
from mcr.bench.environment import sentence
from mcr.bench.process import unmeasured
from mcr.bench.rows import Row, Rows
from mcr.bench.suite import TIMEOUT, Suite, SuiteSelection, suite_in
from mcr.bench.sweep import Sweep, read_sweep
from mcr.bench.table import Line, csv, lines, markdown, unsteady
from mcr.bench.taking import NOT_ASKED, missing, take, tell
from mcr.cli.arguments import add_options, add_output_arguments, add_targets
from mcr.cli.request import answer
from mcr.cli.status import Status, gravest
from mcr.exploration.archive import DEFAULT_FOLDER
from mcr.exploration.goals import STATES
from mcr.explorers.registry import AUTO
from mcr.keys import KEYS, add_keys
from mcr.report.growth import prepare
from mcr.report.growth import save as save_plot
from mcr.report.measurements import bench_document, render_bench, total
from replay.errors import CheckerError
from replay.files import write_atomically
from replay.world.memory_models import MODELS
from solvers.registry import DEFAULT_SOLVER

TABLE = DEFAULT_FOLDER / "bench.jsonl"

_OF_SUITES = {"program": "--program", "out": "--out", "no_plots": "--no-plots"}
_OF_PROGRAMS = {
    "settings": "--set", "sweep": "--sweep", "algorithm": "--algorithm", "objective": "--objective",
    "merge": "--no-merge", "repeat": "--repeat", "memory": "--memory", "table": "--table", "csv": "--csv",
    "markdown": "--markdown", "plot": "--plot", "check": "--check", "json": "--json",
}  # fmt: skip


def _word(read: Any) -> Any:
    """Turns the errors of a reader into those that argparse expects."""

    def reader(text: str) -> Any:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return reader


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_targets(parser)
    parser.add_argument(
        "--sweep", metavar="NAME=2..6", type=_word(read_sweep), action="append", default=[],
        help="let a parameter take several values: 2..6, 2..10..2 or 2,4,8; several sweeps multiply",
    )  # fmt: skip
    parser.add_argument(
        "--algorithm", metavar="LIST", type=_word(algorithms_named),
        help="names with commas between, with variants (mcr:paper); all; or published (default: auto)",
    )  # fmt: skip
    parser.add_argument(
        "--objective", metavar="NAME", type=KEYS["objective"].of_word, action="append", default=[],
        help="states (default), or another that `mcr check` knows; may be repeated: a row for each",
    )  # fmt: skip
    add_keys(parser, "models", "merge", "solver", "timeout", "memory", timeout=f"for each row (default: {TIMEOUT:g})")
    add_keys(parser, "jobs", jobs="rows measured at once (default: 1, as rows beside others take longer)")
    add_options(parser, {"--repeat N": "measure each row so often; seconds are the median, with least and most"})
    add_options(parser, {"--table FILE": f"where rows are kept (default: {TABLE})", "--fresh": "measure all rows anew"})
    output = {
        "--csv FILE": "write the table as CSV",
        "--markdown FILE": "write the table as Markdown",
        "--plot FILE": "draw executions and seconds, over a swept parameter if there is one (.svg or .png)",
        "--check FILE": "compare counts and verdicts with an earlier table (JSON, JSON lines, CSV); exit status 1 on a "
        "difference",
    }
    add_options(add_output_arguments(parser), output)
    suites = parser.add_argument_group("for suites")
    suites.add_argument("--program", metavar="NAME", action="append", default=[], help="only this one; may be repeated")
    add_options(suites, {"--out FOLDER": "where files go (default: the current folder)", "--no-plots": "tables only"})


def run(arguments: argparse.Namespace) -> Status:
    suites = [suite for target in arguments.targets if (suite := suite_in(target)) is not None]
    if not suites:
        _refuse(arguments, _OF_SUITES, "is for suites, and this is a program")
        return _measure_programs(arguments)
    if len(suites) < len(arguments.targets):
        raise CheckerError("suites and programs are measured by separate commands: name only suites, or only programs")
    _refuse(arguments, _OF_PROGRAMS, "is for programs; a suite says itself what is measured")
    return _run_suites(arguments, suites)


def _refuse(arguments: argparse.Namespace, options: dict[str, str], why: str) -> None:
    for name, flag in options.items():
        if getattr(arguments, name) not in (None, False, []):
            raise CheckerError(f"{flag} {why}")


def _run_suites(arguments: argparse.Namespace, suites: Sequence[Suite]) -> Status:
    from mcr.bench.suites import SuiteRequest, run

    request = SuiteRequest(
        suites,
        command=_command(arguments),
        choice=SuiteSelection(arguments.models or tuple(MODELS), tuple(arguments.program), arguments.solver),
        folder=arguments.out or Path(),
        timeout=arguments.timeout or TIMEOUT,
        fresh=arguments.fresh,
        plots=not arguments.no_plots,
        jobs=arguments.jobs,
    )
    wrong, broken = run(request)
    return Status.BUG if wrong else Status.INCOMPLETE if broken else Status.VERIFIED


def _command(arguments: argparse.Namespace) -> str:
    """The command that made a file, as one would type it: what has no part in figures is left out."""
    words = ["mcr", "bench", *arguments.targets]
    for name in ("models", "solver", "timeout"):
        value = getattr(arguments, name)
        if value:
            words += [f"--{KEYS[name].flag or name}", ",".join(value) if isinstance(value, tuple) else f"{value}"]
    return shlex.join([*words, *(word for name in arguments.program for word in ("--program", name))])


# -- programs ----------------------------------------------------------------------


def _measure_programs(arguments: argparse.Namespace) -> Status:
    for file in (arguments.plot,) if arguments.plot else ():
        prepare(file)
    earlier = read_table(arguments.check) if arguments.check else None
    cases = _asked(arguments).cases()
    timeout = arguments.timeout or TIMEOUT
    stored = Rows(arguments.table or TABLE, KEY, Columns, optional=OPTIONAL, fresh=arguments.fresh)
    interrupted = _take(cases, stored, timeout, arguments.jobs or 1)
    rows = [row for case in cases if (row := _row(case, stored, timeout)) is not None]
    if not rows:
        return Status.INCOMPLETE
    table = lines(rows)
    errors = [*disagreements(rows), *unsteady(rows)]
    check = None if earlier is None else compared(table, earlier)
    _write(arguments, rows, table, errors, check)
    failed = [Status.BUG] if errors or (check and check.different) else []
    return gravest([*failed, Status.INCOMPLETE if interrupted else _status(rows)])


def _status(rows: Sequence[Row]) -> Status:
    if any(row["verdict"] == "error" for row in rows):
        return Status.WRONG_USE
    return Status.INCOMPLETE if any(row["verdict"] == "incomplete" for row in rows) else Status.VERIFIED


def _asked(arguments: argparse.Namespace) -> Asked:
    from mcr.cli.kept_answers import own_version  # late, with all that it takes to send and keep messages

    swept = [sweep.name for sweep in arguments.sweep]
    for name in {name for name in swept if swept.count(name) > 1 or name in dict(arguments.settings)}:
        raise CheckerError(f"the parameter {name} is given twice: by --sweep, and by --set or another --sweep")
    return Asked(
        arguments.targets,
        arguments.models or tuple(MODELS),
        arguments.algorithm or [AUTO],
        list(dict.fromkeys(arguments.objective)) or [STATES],
        dict(arguments.settings),
        arguments.sweep,
        arguments.solver or DEFAULT_SOLVER,
        merge=arguments.merge is not False,
        memory=arguments.memory,
        repeat=arguments.repeat or 1,
        version=own_version()["mcr"],
    )


def _take(cases: Sequence[BenchCase], stored: Rows, timeout: float, jobs: int) -> bool:
    """Measure what is missing; True if Ctrl-C ended it."""
    wanted = missing([case for case in cases if not why_not(case)], stored, timeout)
    if len(wanted) < len(cases):
        tell(f"{len(cases)} rows, {len(wanted)} of them to measure", sys.stderr)
    try:
        for _ in take(wanted, stored, timeout, jobs, "bench"):
            pass
    except KeyboardInterrupt:
        tell("interrupted; the same command goes on from here", sys.stderr)
        return True
    return False


def _row(case: BenchCase, stored: Rows, timeout: float) -> Row | None:
    """The row of a case; None if it was not measured yet."""
    why = why_not(case)
    return unmeasured(case, timeout, why, NOT_ASKED) if why else stored.get(*case.key)


def _write(
    arguments: argparse.Namespace,
    rows: Sequence[Row],
    table: Sequence[Line],
    errors: Sequence[str],
    check: Compared | None,
) -> None:
    if arguments.csv:
        write_atomically(arguments.csv, csv(table))
    notes = [*total(table, errors, check)]
    if arguments.markdown:
        write_atomically(arguments.markdown, markdown(table, [*notes, sentence(rows)]))
    if arguments.plot:
        _draw(arguments.plot, arguments.sweep, table)
    answer(arguments, lambda *_: bench_document(table, errors, check), partial(render_bench, table, notes))


def _draw(file: Path, sweeps: Sequence[Sweep], table: Sequence[Line]) -> None:
    from mcr.bench.drawing import canvas
    from mcr.bench.growth import figure

    swept = next((sweep for sweep in sweeps if all(isinstance(value, int | float) for value in sweep.values)), None)
    sizes = dict(_sizes(swept, table)) if swept else {}
    drawn = figure(table, swept.name if swept else "", sizes)
    if drawn is None:
        print(f"{file}: not drawn, as nothing was explored to its end", file=sys.stderr)
    else:
        save_plot(lambda: canvas(drawn), file)


def _sizes(swept: Sweep, table: Sequence[Line]) -> Iterator[tuple[str, float]]:
    for line in table:
        for value in swept.values:
            if f"{swept.name}={value!r}" in line["parameters"].split(", "):
                assert isinstance(value, int | float)
                yield line["parameters"], value
