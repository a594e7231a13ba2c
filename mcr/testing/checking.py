"""Checking one program under one model for a test: the kept schedule first, then everything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcr.api import check, replay, sought
from mcr.diagnosis.possibility import Inquiry, Possibility
from mcr.exploration.goals import FAILURES
from mcr.exploration.growth import OnLong
from mcr.exploration.options import Options
from mcr.exploration.verdict import INTERRUPTED, Result, Verdict
from mcr.explorers.registry import AUTO
from mcr.keys import Said
from mcr.report.failure import FailureReport
from mcr.report.source import headline, replay_command, shown_path
from mcr.testing.kept import KeptFailures
from mcr.testing.report import Complaint, of_failure
from replay.errors import CheckerError, InternalError
from replay.frontend.program import Program
from replay.traces.trace import Trace
from solvers.interface import SolverError


class Failing(Exception):
    """A test fails for a reason that has nothing to do with a stack."""

    def __init__(self, complaint: Complaint) -> None:
        self.complaint = complaint
        super().__init__(complaint.sentence)


@dataclass(frozen=True)
class CheckedTest:
    """The subject of one test, and how to check it.

    name   of the program in its module
    said   how to check it, by the keys of `mcr.keys`
    known  the program is known to fail under the model (@mcr.fails)
    kept   where its failing schedule is kept
    jobs   how many processes the check may use
    again  the command that plays its failure again, if no other process can make what it is given
    """

    name: str
    program: Program
    model: str
    said: Said
    known: bool
    kept: KeptFailures
    jobs: int
    again: str = ""


@dataclass(frozen=True)
class TestFindings:
    """The findings of one test.

    trace   an execution that fails; None if none was found
    result  the exploration; None if the kept schedule made it needless
    fixed   a schedule that was kept is gone, since nothing fails any more
    """

    trace: Trace | None
    result: Result | None
    fixed: bool = False


def look(case: CheckedTest, on_long: OnLong) -> TestFindings:
    """Play the kept schedule, and explore if that does not fail. Raises CheckerError for broken models."""
    objective = case.said.get("objective", FAILURES)
    options = Options.of({**case.said, "jobs": case.jobs})
    goals = sought(case.program, objective, options)
    trace = case.kept.still_fails(case.program, case.model, goals, options.python)
    if trace is not None:
        case.kept.save(trace)  # as the program reads now
        return TestFindings(trace, None)
    result = check(
        case.program,
        case.model,
        objective=objective,
        algorithm=case.said.get("algorithm", AUTO),
        options=options.beside(case.jobs),
        on_failure=case.kept.save,
        on_long=on_long,
    )
    if result.stop == INTERRUPTED:
        raise KeyboardInterrupt
    if result.verdict is Verdict.BUG:
        return TestFindings(_reproduced(case.program, result.failures[0]), result)
    return TestFindings(None, result, fixed=result.verdict is Verdict.VERIFIED and case.kept.remove())


def _reproduced(program: Program, trace: Trace) -> Trace:
    """The trace, played once more from user code alone, as `mcr replay` will."""
    played = replay(program, trace)
    if played.failure is None:
        raise InternalError(f"the failing schedule of {program.title} does not fail when it is played again")
    return played


# -- judgement -----------------------------------------------------------------


def judge(case: CheckedTest, findings: TestFindings) -> Complaint | None:
    """Why the test fails; None if it passes."""
    if findings.trace is not None:
        return None if case.known else _bug(case, findings, findings.trace)
    assert findings.result is not None
    if findings.result.verdict is Verdict.INCOMPLETE:
        allowed = case.said.get("allow_incomplete") and not case.known
        return None if allowed else incomplete(case, findings.result)
    return _unexpected(case, findings.result) if case.known else None


def summary(case: CheckedTest, findings: TestFindings) -> str:
    """Returns the message of a test that passed."""
    if findings.trace is not None:
        assert findings.trace.failure is not None
        command = case.again or replay_command(shown_path(str(case.kept.file)))
        again = "" if case.kept.problem else f"\n{command}"
        return f"fails under {case.model.upper()}, as it should: {headline(findings.trace.failure)}{again}"
    assert findings.result is not None
    text = f"{findings.result.verdict.value} under {case.model.upper()}: {findings.result.statistics.counts()}"
    kept = shown_path(str(case.kept.file))
    return f"{text}\nfixed: {kept} failed before, and is removed" if findings.fixed else text


def incomplete(case: CheckedTest, result: Result) -> Complaint:
    """The check was cut: neither verified nor a bug."""
    assert result.stop is not None
    known = ", where a failure is expected" if case.known else ""
    remedy = result.stop.remedy.replace("--", "--mcr-")
    allow = "" if case.known else "; or let the test pass with a warning: allow_incomplete=True, --mcr-allow-incomplete"
    return _at(
        case,
        f"{case.program.title} is not decided under {case.model.upper()}{known}: {result.stop.reason}",
        f"What helps: {remedy}{allow}.",
    )


def _unexpected(case: CheckedTest, result: Result) -> Complaint:
    name, so_much = case.model.upper(), result.statistics.counts()
    return _at(
        case,
        f"{case.program.title} is verified under {name}, where @mcr.fails expects a failure ({so_much})",
        f"If that is a fix, take {case.model} out of @mcr.fails.",
    )


def _at(case: CheckedTest, sentence: str, advice: str) -> Complaint:
    return Complaint(sentence, shown_path(case.program.file), case.program.line, advice)


def _bug(case: CheckedTest, findings: TestFindings, trace: Trace) -> Complaint:
    kept = shown_path(str(case.kept.file))
    files = [] if case.kept.problem else [kept]
    if findings.result is None:
        report = FailureReport(trace, Inquiry(case.program, [trace]).answer(), files, case.again)
        return of_failure(report, f"The schedule kept in {kept} still fails; no other was tried.")
    report = FailureReport(trace, _possibilities(case, trace, findings.result), files, case.again)
    return of_failure(report, case.kept.problem)


def _possibilities(case: CheckedTest, trace: Trace, result: Result) -> Mapping[str, Possibility]:
    """Under which models the failure is possible, as far as that is quickly found out."""
    inquiry = Inquiry(case.program, [trace], [result])
    inquiry.explore_briefly(result.objective, Options.of(case.said))
    return inquiry.answer()


# -- the whole -----------------------------------------------------------------


def run(case: CheckedTest, on_long: OnLong) -> TestFindings:
    """Do it; `on_long` is told if it takes long. Raises Failing if the test fails, also where the program is broken."""
    try:
        findings = look(case, on_long)
        complaint = judge(case, findings)
    except (CheckerError, SolverError) as error:
        raise Failing(broken(error)) from None
    if complaint is not None:
        raise Failing(complaint)
    return findings


def broken(error: CheckerError | SolverError) -> Complaint:
    """A model or a solver that cannot be used."""
    message, where = getattr(error, "message", str(error)), getattr(error, "where", "")
    file, _, line = where.rpartition(":")
    return Complaint(message, shown_path(file), int(line)) if line.isdecimal() else Complaint(str(error))
