"""The report on a check for people: a line per program and model, failures in full, a summary."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from mcr.exploration.verdict import Result, Verdict
from mcr.report.layout import VERDICT_ROLES, Style, wrap
from mcr.report.remarks import COLUMNS, cells, how_far, objective_lines, unreached_sentence, what_helps
from mcr.report.source import message_of, shown_path
from replay.frontend.program import Program
from replay.sentences import counted

if TYPE_CHECKING:
    from mcr.report.failure import FailureReport

_NOUNS = ("bug", "error")
"""The words of the summary that have a plural; the others are verdicts."""

_MANY = 20
"""Bugs from which the summary names the short report."""


class TerminalOutput:
    """Writes to a stream, line by line; errors go to standard error.

    quiet    only what is not verified
    verbose  with the algorithm that did it, and what it took
    """

    def __init__(self, stream: TextIO, style: Style, *, width: int, quiet: bool = False, verbose: bool = False) -> None:
        self._stream = stream
        self._style = style
        self._width = width
        self._quiet = quiet
        self._verbose = verbose
        self._rows = CheckRows(width, style)
        self._programs = 0
        self._counts: Counter[str] = Counter()
        self._under_header = False
        self._has_helped = False

    def begin(self, programs: Sequence[Program]) -> None:
        self._programs = len(programs)
        self._rows = CheckRows(self._width, self._style, max((len(program.title) for program in programs), default=0))

    def result(self, program: Program, result: Result, witnesses: Sequence[str]) -> None:
        self._counts[result.verdict.value] += 1
        if self._quiet and result.verdict is Verdict.VERIFIED and not result.unreached:
            return
        if not self._under_header:
            self._print(*self._rows.header())
            self._under_header = True
        self._print(*self._rows.row(result))
        if self._verbose:
            self._remark(_how(result))
            if result.figures:
                counts = ", ".join(f"{count:,} {what}" for what, count in result.figures)
                self._remark(f"{result.algorithm}: {counts}")
            if result.not_compared:
                self._remark(_not_compared(result))
            for where, why in result.told_apart:
                self._remark(f"{shown_path(where)}: local states are not merged there: {why}")
        if result.stop is not None:
            self._remark(str(result.stop))
            if result.statistics.outlook is not None:
                self._remark(f"when it stopped: {how_far(result.statistics.outlook)}")
            if not self._has_helped and (help := what_helps(result, _smaller(program))):
                self._has_helped = True
                self._remark(help)
        if result.unreached:
            self._remark(unreached_sentence(result.unreached))
        if result.certificate_file is not None and result.verdict is Verdict.VERIFIED:
            file = result.certificate_file
            self._remark(f"certificate: {file}" if file else _no_certificate(result))
        for sentence in result.assumed:
            self._remark(f"assumed: {sentence}")
        for line in objective_lines(result, witnesses):
            self._print(f"    {line}")

    def _remark(self, sentence: str) -> None:
        for line in wrap(sentence, self._width - 4, ""):
            self._print(f"    {line}")

    def failure(self, program: Program, report: FailureReport) -> None:
        from mcr.report.failure import render_failure  # late, as nothing fails in most programs

        self._print("", *render_failure(report, self._width, self._style), "")
        self._under_header = False

    def error(self, error: Exception) -> None:
        self._counts["error"] += 1
        self._stream.flush()
        print(f"error: {message_of(error)}", file=sys.stderr)

    def end(self, status: int, missing: int) -> None:
        if missing:
            self._print(f"Interrupted: {counted(missing, 'check')} not made.")
        if self._programs > 1 and not self._quiet:
            total = sum(self._counts.values())
            kinds = sorted(self._counts.items(), key=_by_gravity)
            parts = [counted(count, what) if what in _NOUNS else f"{count:,} {what}" for what, count in kinds]
            short = " Shorter: --short has a line for each failure." if self._counts["bug"] > _MANY else ""
            self._print("", f"{counted(total, 'check')}: {', '.join(parts)}.{short}")

    def _print(self, *lines: str) -> None:
        for line in lines:
            print(line, file=self._stream, flush=True)


def _smaller(program: Program) -> str:
    """NAME=VALUE that makes a program smaller by its first whole number above 2, "" if it has none."""
    values = {each.name: program.arguments.get(each.name, each.default) for each in program.parameters}
    return next((f"{name}={value - 1}" for name, value in values.items() if type(value) is int and value > 2), "")


def _how(result: Result) -> str:
    """Which algorithm did it, and what it took beside executions."""
    statistics = result.statistics
    parts = [counted(statistics.graphs, "graph")] if statistics.graphs else []
    if statistics.proposals:
        parts.append(f"{counted(statistics.proposals, 'question')} to the solver")
    if statistics.checks:
        parts.append(f"{counted(statistics.checks, 'consistency check')}, {statistics.realizable} realizable")
    return f"by {result.algorithm}: {', '.join(parts)}" if parts else f"by {result.algorithm}"


def _not_compared(result: Result) -> str:
    """Which local states could not be shared by histories, and why not."""
    reasons = "; ".join(f"{reason}: {count:,}" for reason, count in result.not_compared)
    states = counted(sum(count for _, count in result.not_compared), "local state")
    return f"{states} could not be compared with others ({reasons})"


def _no_certificate(result: Result) -> str:
    from mcr.exploration.certificates import MOST_STATES  # late, as few ask for one

    states = result.statistics.global_states
    if states > MOST_STATES:
        return (
            f"no certificate: it would have {states:,} global states, and more than {MOST_STATES:,} take minutes to "
            "confirm; check fewer threads or rounds, or try --algorithm cover"
        )
    return (
        f"{result.algorithm} gives no certificate for this; --algorithm stateful or cover would, if it came to an end"
    )


def _by_gravity(entry: tuple[str, int]) -> int:
    return ["error", "bug", "incomplete", "verified"].index(entry[0])


class CheckRows:
    """Lays out the lines of a check so that all have the same columns."""

    def __init__(self, width: int, style: Style, longest: int = 0) -> None:
        self._style = style
        longest = max(longest, len("program"))
        self._wide = width >= longest + len(_figures(_NAMES, wide=True))
        self._name = max(min(longest, width - len(_figures(_NAMES, wide=self._wide))), len("program"))
        self._above = ""

    def header(self) -> list[str]:
        names = _NAMES if self._wide else _SHORT_NAMES
        self._above = ""
        return [self._style.paint("program".ljust(self._name) + _figures(names, wide=self._wide), "strong")]

    def row(self, result: Result) -> list[str]:
        """The line of a result; a name that is too long stands above all lines of its program."""
        statistics = result.statistics
        figures = _figures((result.model.upper(), result.verdict.value, *cells(statistics)), wide=self._wide)
        verdict = result.verdict.value
        painted = figures.replace(verdict, self._style.paint(verdict, VERDICT_ROLES[result.verdict]), 1)
        if len(result.program) <= self._name:
            return [result.program.ljust(self._name) + painted]
        above, self._above = self._above, result.program
        return [*([result.program] if above != result.program else []), " " * self._name + painted]


_NAMES = ("model", "verdict", *COLUMNS)
_SHORT_NAMES = ("model", "verdict", "global", "execs", "local", "time")


def _figures(cells: Sequence[str], *, wide: bool) -> str:
    model, verdict, states, executions, local, time = cells
    if wide:
        return f"  {model:5}  {verdict:10}  {states:>13}  {executions:>10}  {local:>12}  {time:>9}"
    return f" {model:5} {verdict:10} {states:>9} {executions:>7} {local:>7} {time:>8}"
