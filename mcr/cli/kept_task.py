"""Explorations whose answers are kept for later runs, or come from a cluster: sealed messages, by names and values.

They leave this machine, or this run, so they are sealed: what is damaged or of others is refused. A message is JSON:
what kind it is, which checker and which Python wrote it, its body, and a digest of all that.
"""

from __future__ import annotations

import functools
import hashlib
import json
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from mcr.cli.check_task import CheckTask, Exploration, Explored, Question
from mcr.exploration.verdict import decide
from mcr.jobs.pool import listening
from mcr.jobs.task import Outcome, Tell
from replay.errors import CheckerError, FormatError, ModelError
from replay.files import checked, parsed, write_atomically
from replay.frontend.program import Program
from replay.traces.loader import resolve
from replay.traces.player import reference
from replay.traces.trace import ProgramReference, Trace
from solvers.interface import SolverError

Wanted = TypeVar("Wanted")

SCHEMA = "mcr-message/1"

_PACKAGES = Path(__file__).resolve().parents[2]


@functools.cache
def own_version() -> dict[str, str]:
    """This checker, by a digest of its source, and this Python."""
    digest = hashlib.sha256()
    for package in ("mcr", "replay", "solvers"):
        for file in sorted((_PACKAGES / package).rglob("*.py")):
            digest.update(file.relative_to(_PACKAGES).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return {"mcr": digest.hexdigest()[:16], "python": platform.python_version()}


def seal(kind: str, body: object) -> str:
    """The message with this body, which is a value that msgspec knows."""
    import msgspec  # late, as most explorations stay here

    content = {"schema": SCHEMA, "kind": kind, **own_version(), "body": msgspec.to_builtins(body)}
    return json.dumps({**content, "digest": _digest(content)}, sort_keys=True)


def unseal(text: str, kind: str, wanted: type[Wanted], where: str) -> Wanted:
    """The body of a message. Raises FormatError, which names `where` it was found, for anything else."""
    content = parsed(text, where)
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise FormatError(f"{where}: no message of this checker, or one of another version")
    digest = content.pop("digest", None)
    if digest != _digest(content):
        raise FormatError(f"{where}: the message is damaged")
    for name, own in own_version().items():
        if content[name] != own:
            raise FormatError(f"{where}: the message is of another {_NAMES[name]}: {content[name]}, not {own}")
    if content["kind"] != kind:
        raise FormatError(f"{where}: the message is no {kind}")
    try:
        return checked(content["body"], wanted)
    except FormatError as error:
        raise FormatError(f"{where}: {error}") from None


_NAMES = {"mcr": "version of mcr", "python": "version of Python"}


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


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


def perform(text: str) -> str:
    """The sealed answer to a sealed request. Raises FormatError for what is no request of this very version."""
    request = read_request(text, "this worker")
    told: list[Trace] = []
    explored, broken = None, None
    with listening() as said:
        try:
            item = Exploration(request.found(), request.model)
            explored = request.question.explore(item, told.append, lambda statistics: None)
        except (CheckerError, SolverError) as error:
            broken = getattr(error, "message", str(error)), getattr(error, "where", "")
    return Answer(digest(text), explored, new_failures(told), tuple(said), broken).sealed()


class KeptTask(CheckTask):
    """Looks up what came of an exploration before it is found out again, and can send it away.

    folder  where answers are kept; None for nowhere
    """

    def __init__(
        self, question: Question, on_failure: Callable[[Program, Trace], None], folder: Path | None = None
    ) -> None:
        super().__init__(question, on_failure, lambda title, size: None)  # others may explore, and have no terminal
        self._folder = folder

    def do(self, item: Exploration, tell: Tell) -> Explored:
        return self._known(item, tell) or self._explored(item, tell)

    def _explored(self, item: Exploration, tell: Tell) -> Explored:
        told: list[Trace] = []

        def on_failure(trace: Trace) -> None:
            told.append(trace)
            tell.news(trace)

        explored = self._question.explore(item, on_failure, tell.progress)
        self._keep(item, Answer("", explored, new_failures(told)))
        return explored

    # -- what was found out before -------------------------------------------------

    def _known(self, item: Exploration, tell: Tell) -> Explored | None:
        answer = self._kept(item)
        if answer is None:
            return None
        for trace in answer.failures:
            tell.news(trace)
        return answer.explored

    def _kept(self, item: Exploration) -> Answer | None:
        """The answer that an earlier run has left; None if there is none, or none that can be trusted."""
        if self._folder is None:
            return None
        key = self._request(item).without_limits().sealed()
        file = kept_in(self._folder, key)
        try:
            return read_answer(file.read_text(encoding="utf-8"), key, str(file)) if file.is_file() else None
        except (CheckerError, OSError, ValueError):
            return None

    def _keep(self, item: Exploration, answer: Answer) -> None:
        """Leave an answer for later runs, if nothing cut what it tells: then limits have no part in it."""
        if self._folder is not None and answer.explored is not None and answer.explored.result.stop is None:
            key = self._request(item).without_limits().sealed()
            try:
                write_atomically(kept_in(self._folder, key), replace(answer, request=digest(key)).sealed())
            except OSError as error:
                raise CheckerError(f"{self._folder}: cannot be written: {error.strerror}") from None

    # -- on a cluster ----------------------------------------------------------------

    def performer(self) -> Callable[[str], str]:
        return perform

    def request(self, item: Exploration) -> str:
        """What to send for an item: its exploration by names and values."""
        return self._request(item).sealed()

    def _request(self, item: Exploration) -> Request:
        return Request.about(item, self._question)

    def recall(self, item: Exploration) -> Outcome[Explored] | None:
        """What an earlier run has found out, if it did."""
        answer = self._kept(item)
        return None if answer is None else self._outcome(item, answer)

    def answered(self, item: Exploration, request: str, text: str) -> Outcome[Explored]:
        """What came of an item, as `perform` tells it. Raises FormatError for what is no answer to the request."""
        answer = read_answer(text, request, f"the answer for {self.title(item)}")
        self._keep(item, answer)
        return self._outcome(item, answer)

    def _outcome(self, item: Exploration, answer: Answer) -> Outcome[Explored]:
        for trace in answer.failures:
            self.hear(item, trace)
        if answer.broken is not None:
            return Outcome(error=ModelError(*answer.broken), said=answer.said)
        return Outcome(answer.explored, said=answer.said)
