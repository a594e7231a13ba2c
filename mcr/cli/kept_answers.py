"""Explorations whose answers are kept for later runs, or come from a cluster: sealed messages, by names and values.

They leave this machine, or this run, so they are sealed: what is damaged or of others is refused. A message is JSON:
what kind it is, which checker and which Python wrote it, its body, and a digest of all that.
"""

from __future__ import annotations

import functools
import hashlib
import json
import platform
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from mcr import plugins
from mcr.cli.check_task import CheckQuestion, Exploration, Explored
from mcr.exploration.evidence import OnFailure
from mcr.exploration.growth import OnLong
from mcr.exploration.session import Progress
from mcr.exploration.verdict import decide
from mcr.jobs.cluster import Post
from mcr.jobs.pool import listening
from mcr.jobs.task import Outcome
from replay.errors import CheckerError, FormatError, ModelError
from replay.files import checked, parsed, write_atomically
from replay.traces.loader import resolve
from replay.traces.player import reference
from replay.traces.trace import ProgramReference, Trace
from solvers.interface import SolverError

Body = TypeVar("Body")

SCHEMA = "mcr-message/1"

_PACKAGES = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class KeptRequest:
    """Explore this program, with that text, under this model, and answer the question."""

    program: ProgramReference
    model: str
    question: CheckQuestion

    @classmethod
    def about(cls, item: Exploration, question: CheckQuestion) -> KeptRequest:
        return cls(reference(item.program), item.model, question)

    def without_limits(self) -> KeptRequest:
        """Returns the request without limits, by which an answer is known in which no limit had a part."""
        options = replace(self.question.options, timeout=None, memory=None, max_executions=None, jobs=1)
        return replace(self, question=replace(self.question, options=options))

    def exploration(self) -> Exploration:
        """Returns the exploration. Raises ModelError if the program is not there, or is not the one that is meant."""
        program = resolve(self.program)
        if program.fingerprint() != self.program.fingerprint:
            raise ModelError("the program has another text than where its check was begun", program.place)
        return Exploration(program, self.model)


@dataclass(frozen=True)
class KeptAnswer:
    """The answer to a request: something was explored, or the model is broken.

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


# -- messages ----------------------------------------------------------------------


@functools.cache
def own_version() -> dict[str, str]:
    """This checker, by a digest of its source and of its plug-ins, and this Python."""
    digest = hashlib.sha256()
    for package in ("mcr", "replay", "solvers"):
        for file in sorted((_PACKAGES / package).rglob("*.py")):
            digest.update(file.relative_to(_PACKAGES).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    digest.update(plugins.digest().encode())
    return {"mcr": digest.hexdigest()[:16], "python": platform.python_version()}


def digest(text: str) -> str:
    """Returns the digest by which a sealed message is known."""
    return hashlib.sha256(text.encode()).hexdigest()


_KINDS: dict[type, str] = {KeptRequest: "request", KeptAnswer: "answer"}


def seal(body: KeptRequest | KeptAnswer) -> str:
    """The message with this body."""
    import msgspec  # late, as most explorations stay here

    content = {"schema": SCHEMA, "kind": _KINDS[type(body)], **own_version(), "body": msgspec.to_builtins(body)}
    return json.dumps({**content, "digest": _digest(content)}, sort_keys=True)


def _digest(content: dict[str, Any]) -> str:
    return digest(json.dumps(content, sort_keys=True))


def unseal(text: str, wanted: type[Body], where: str) -> Body:
    """The body of a message. Raises FormatError, which names `where` it was found, for anything else."""
    content = parsed(text, where)
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise FormatError(f"{where}: no message of this checker, or one of another version")
    if content.pop("digest", None) != _digest(content):
        raise FormatError(f"{where}: the message is damaged")
    for name, own in own_version().items():
        if content[name] != own:
            what = {"mcr": "version of mcr", "python": "version of Python"}[name]
            raise FormatError(f"{where}: the message is of another {what}: {content[name]}, not {own}")
    if content["kind"] != _KINDS[wanted]:
        raise FormatError(f"{where}: the message is no {_KINDS[wanted]}")
    try:
        return checked(content["body"], wanted)
    except FormatError as error:
        raise FormatError(f"{where}: {error}") from None


def read_answer(text: str, request: str, where: str) -> KeptAnswer:
    """The answer to a sealed request. Raises FormatError for anything else."""
    answer = unseal(text, KeptAnswer, where)
    if answer.request != digest(request):
        raise FormatError(f"{where}: this answers another request")
    if (answer.explored is None) == (answer.broken is None):
        raise FormatError(f"{where}: an answer is a result or an error")
    result = None if answer.explored is None else answer.explored.result
    if result is not None and result.verdict is not decide(result.failures, result.stop):
        raise FormatError(f"{where}: the evidence does not support the verdict")
    return answer


# -- explorations ------------------------------------------------------------------


def perform(text: str) -> str:
    """The sealed answer to a sealed request. Raises FormatError for what is no request of this very version."""
    request = unseal(text, KeptRequest, "this worker")
    told: list[Trace] = []
    explored, broken = None, None
    with listening() as said:
        try:
            explored = request.question.explore(request.exploration(), told.append, lambda statistics: None)
        except (CheckerError, SolverError) as error:
            broken = getattr(error, "message", str(error)), getattr(error, "where", "")
    return seal(KeptAnswer(digest(text), explored, new_failures(told), tuple(said), broken))


def new_failures(told: Iterable[Trace]) -> tuple[Trace, ...]:
    """Of all that was told the traces that count in the end: the last one of each failure."""
    return tuple({trace.failure.identity: trace for trace in told if trace.failure is not None}.values())


class KeptAnswers:
    """Looks up what came of an exploration before it is found out again, and can send it away.

    folder  where answers are kept; None for nowhere
    """

    def __init__(self, question: CheckQuestion, folder: Path | None) -> None:
        self._question = question
        self._folder = folder

    def explore(self, item: Exploration, on_failure: OnFailure, on_progress: Progress, on_long: OnLong) -> Explored:
        """Returns the finding of an earlier run, or else of this one."""
        answer = self._kept(item)
        if answer is not None and answer.explored is not None:
            for trace in answer.failures:
                on_failure(trace)
            return answer.explored
        told: list[Trace] = []

        def tell(trace: Trace) -> None:
            told.append(trace)
            on_failure(trace)

        explored = self._question.explore(item, tell, on_progress)
        self._keep(item, KeptAnswer("", explored, new_failures(told)))
        return explored

    def _key(self, item: Exploration, folder: Path) -> tuple[str, Path]:
        """By what an answer is known, and the file in which it is kept."""
        key = seal(KeptRequest.about(item, self._question).without_limits())
        return key, folder / f"{digest(key)[:32]}.json"

    def _kept(self, item: Exploration) -> KeptAnswer | None:
        """The answer that an earlier run has left; None if there is none, or none that can be trusted."""
        if self._folder is None:
            return None
        key, file = self._key(item, self._folder)
        try:
            return read_answer(file.read_text(encoding="utf-8"), key, str(file)) if file.is_file() else None
        except (CheckerError, OSError, ValueError):
            return None

    def _keep(self, item: Exploration, answer: KeptAnswer) -> None:
        """Leave an answer for later runs, if nothing cut what it tells: then limits have no part in it."""
        if self._folder is None or answer.explored is None or answer.explored.result.stop is not None:
            return
        key, file = self._key(item, self._folder)
        try:
            write_atomically(file, seal(replace(answer, request=digest(key))))
        except OSError as error:
            raise CheckerError(f"{self._folder}: cannot be written: {error.strerror}") from None

    # -- on a cluster ----------------------------------------------------------------

    def post(self) -> Post[Exploration, Explored]:
        """How an exploration is done by a worker of a cluster: it travels by names and values."""
        return Post(perform, self._request, self._answered, self._known)

    def _request(self, item: Exploration) -> str:
        return seal(KeptRequest.about(item, self._question))

    def _answered(self, item: Exploration, request: str, text: str) -> Outcome[Explored]:
        answer = read_answer(text, request, f"the answer for {item}")
        self._keep(item, answer)
        return _outcome(answer)

    def _known(self, item: Exploration) -> Outcome[Explored] | None:
        answer = self._kept(item)
        return None if answer is None else _outcome(answer)


def _outcome(answer: KeptAnswer) -> Outcome[Explored]:
    error = None if answer.broken is None else ModelError(*answer.broken)
    return Outcome(answer.explored, error, answer.said, news=answer.failures)
