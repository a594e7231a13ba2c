"""Explorations as messages: what is to be explored, by names and values, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from mcr.cli.check_task import Exploration, Explored, Question
from mcr.exploration.verdict import decide
from mcr.jobs.sealed import seal, unseal
from replay.errors import FormatError, ModelError
from replay.frontend.program import Program
from replay.traces.loader import resolve
from replay.traces.player import reference
from replay.traces.trace import ProgramReference, Trace

REQUEST, ANSWER = "request", "answer"


@dataclass(frozen=True)
class Request:
    """Explore this program, with that text, under this model, and answer the question."""

    program: ProgramReference
    model: str
    question: Question

    @classmethod
    def about(cls, item: Exploration, question: Question) -> Request:
        return cls(reference(item.program), item.model, question)

    def without_limits(self) -> Request:
        """The same, by which an answer is known that no limit had a part in."""
        options = replace(self.question.options, timeout=None, memory=None, max_executions=None, jobs=1)
        return replace(self, question=replace(self.question, options=options))

    def sealed(self) -> str:
        return seal(REQUEST, self)

    def found(self) -> Program:
        """The program. Raises ModelError if it is not there, or is not the one that is meant."""
        program = resolve(self.program)
        if program.fingerprint() != self.program.fingerprint:
            raise ModelError("the program has another text than where its check was begun", program.place)
        return program


@dataclass(frozen=True)
class Answer:
    """What came of a request: something was explored, or the model is broken.

    request   digest of the request that it answers
    failures  what was told while it was explored
    said      what was written meanwhile, as in `mcr.jobs.task.Outcome`
    broken    message and place of a ModelError, or of another error that a user can do something about
    """

    request: str
    explored: Explored | None = None
    failures: tuple[Trace, ...] = ()
    said: tuple[tuple[str, str], ...] = ()
    broken: tuple[str, str] | None = None

    def sealed(self) -> str:
        return seal(ANSWER, self)


def digest(request: str) -> str:
    """What a sealed request is known by."""
    return sha256(request.encode()).hexdigest()


def read_request(text: str, where: str) -> Request:
    """Raises FormatError for what is none, or of another version."""
    return unseal(text, REQUEST, Request, where)


def read_answer(text: str, request: str, where: str) -> Answer:
    """The answer to a sealed request. Raises FormatError for anything else."""
    answer = unseal(text, ANSWER, Answer, where)
    if answer.request != digest(request):
        raise FormatError(f"{where}: this answers another request")
    if (answer.explored is None) == (answer.broken is None):
        raise FormatError(f"{where}: an answer is a result or an error")
    result = None if answer.explored is None else answer.explored.result
    if result is not None and result.verdict is not decide(result.failures, result.stop):
        raise FormatError(f"{where}: the evidence does not support the verdict")
    return answer


def new_failures(told: Sequence[object]) -> tuple[Trace, ...]:
    """Of all that was told the traces that count in the end: the last one of each failure."""
    found: dict[object, Trace] = {}
    for trace in told:
        assert isinstance(trace, Trace)
        assert trace.failure is not None
        found[trace.failure.identity] = trace
    return tuple(found.values())


def kept_in(folder: Path, request: str) -> Path:
    """Where the answer to a request is kept."""
    return folder / f"{digest(request)[:32]}.json"
