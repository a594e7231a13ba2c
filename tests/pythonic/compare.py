"""The checker and the executor on one generated program: where they differ."""

from __future__ import annotations

import contextlib
import functools
import linecache
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from types import ModuleType

from greenlet import GreenletExit

import mcr
from mcr.api import open_session
from mcr.exploration.evidence import final_outcomes
from mcr.exploration.options import Options
from mcr.exploration.verdict import Result, Verdict
from mcr.explorers.registry import AUTO
from replay.code.terminals import Blocked, Ended, Failed
from replay.code.user_code import exploring
from replay.errors import CheckerError
from replay.frontend.program import Program
from replay.frontend.shared import Record, Reference, Variable
from replay.machine.state import State
from replay.machine.unfolding import Unfolding
from replay.traces.trace import DEADLOCK, Trace
from replay.world.memory_models import MODELS
from replay.world.operation import Kind, Operation
from tests.behaviours import enumerate_behaviours
from tests.pythonic import live
from tests.pythonic.executor import Behaviours, Executor, Failure, SharedState
from tests.pythonic.generator import shares
from tests.pythonic.live_thread import FILE, End
from tests.walking import Walk, spins

ALGORITHMS = ("auto", "cover", "trust")

QUESTIONS = ("states", "merged", "evidence", "outcomes", "deadlocks", "brute force")
"""What is asked: an objective of the checker. "states" tells local states apart by their histories, as the executor
does, and "merged" does not; "evidence" is that of "states" with short traces, played again; "brute force" asks
`mcr.explorers.exhaustive`, which runs code in the same way as the checker."""


class Senseless(Exception):
    """A program uses a name that nothing has."""


Plan = Iterable[tuple[str, str]]
"""Questions, each with an algorithm of the checker."""


DISTRUSTED = 8
"""One in so many programs has what was merged checked by the checker itself, too."""

WALKS = 40
"""Runs at random that look whether threads share Python state."""


@dataclass
class Findings:
    """What came of one program, or of many.

    comparisons   questions to the checker that were compared with the executor
    too_large     programs times models that have more configurations than allowed
    differences   what the two do not agree on, a line each; the word before the colon says of what kind
    """

    programs: int = 0
    comparisons: int = 0
    too_large: int = 0
    differences: list[str] = field(default_factory=list)

    def add(self, other: Findings) -> None:
        self.programs += other.programs
        self.comparisons += other.comparisons
        self.too_large += other.too_large
        self.differences += other.differences


_MODULE = ModuleType("generated")
"""One for all, since the checker remembers modules."""


def checkers_program(source: str) -> Program:
    """The program of a source text, as the checker loads it; the one before is gone."""
    linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
    sys.modules["generated"] = _MODULE
    namespace = _MODULE.__dict__
    namespace.clear()
    namespace.update(__name__="generated", __file__=FILE)
    exec(live.compiled(source), namespace)
    program: Program = namespace["generated"]
    return program


def compare(
    source: str,
    seed: int | None = None,
    *,
    limit: int,
    models: Iterable[str] = tuple(MODELS),
    only: tuple[str, str, str] | None = None,
) -> Findings:
    """Compare under each of the models.

    seed   chooses a question and an algorithm for each model; without one, all are asked
    limit  how many configurations the executor may visit
    only   a model, a question and an algorithm: nothing else is asked
    """
    found = Findings(programs=1)
    rng = None if seed is None else random.Random(seed)
    with _noise() as ignored:
        try:
            executor = Executor(live.load(source))
            program = checkers_program(source)
            for model in models:
                plan = _plan(rng, shares(source)) if only is None else [only[1:]] * (model == only[0])
                paranoid = seed is None or seed % DISTRUSTED == 0
                if plan and not _compare_under(model, program, executor, limit, plan, found, paranoid=paranoid):
                    found.too_large += 1
            executor.walk(MODELS["pso"].name, random.Random(seed), WALKS if shares(source) else 1)
            executor.close()
        except SharedState as error:
            found.differences += _unnoticed(program, error, shares(source))
        except Senseless as error:
            found.differences.append(f"generator: {error}")
    if shares(source):
        found.differences = [line for line in found.differences if not line.startswith("refused: ")]
    found.differences += (f"noise: {line}" for line in ignored)
    return found


def _unnoticed(program: Program, seen: SharedState, is_meant: bool) -> Iterator[str]:
    """Threads share Python state: what is wrong unless the checker refuses to say anything."""
    if not is_meant:
        yield f"generator: {seen}"
        return
    try:
        verdict = mcr.check(program, "sc", options=Options(keep_going=True, shorten=False)).verdict
    except CheckerError:
        return
    if verdict is not Verdict.INCOMPLETE:
        yield f"shared: {verdict.value} though {seen}"


@contextlib.contextmanager
def _noise() -> Iterator[list[str]]:
    """What Python would print about exceptions that nobody can catch: that too would be a defect.

    A bare `GreenletExit` is the executor's, which ends its runs so.
    """
    ignored: list[str] = []

    def note(error: sys.UnraisableHookArgs) -> None:
        if error.exc_type is not GreenletExit:
            ignored.append(f"{error.exc_value!r}")

    before, sys.unraisablehook = sys.unraisablehook, note
    try:
        yield ignored
    finally:
        sys.unraisablehook = before


def _plan(rng: random.Random | None, is_shared: bool) -> Plan:
    """What is asked, and with which algorithm."""
    questions = QUESTIONS[: -1 if is_shared else None]  # who looks by brute force does not look for what is shared
    if rng is None:
        return [(question, algorithm) for question in questions for algorithm in ALGORITHMS]
    return [(rng.choice(("merged", *questions)), rng.choice(ALGORITHMS))]


def _compare_under(
    model: str,
    program: Program,
    executor: Executor,
    limit: int,
    plan: Plan,
    found: Findings,
    *,
    paranoid: bool,
) -> bool:
    """Ask what is planned; False if the program is too large for the executor."""
    expected = executor.explore(model, limit)
    if not expected.complete:
        return False
    if senseless := [failure for failure in expected.failures if failure.error in ("NameError", "UnboundLocalError")]:
        raise Senseless(senseless[0].message)
    for question, algorithm in plan:
        found.comparisons += 1
        try:
            with exploring(FILE):
                lines = list(_CHECKS[question](_Question(program, model, executor, expected, algorithm, paranoid)))
        except CheckerError as error:
            lines = [f"refused: {type(error).__name__}: {error}"]
        except BaseException as error:  # programs raise SystemExit and KeyboardInterrupt too
            lines = [f"crash: {type(error).__name__}: {error}"]
        found.differences += (f"{line} [{model}, {question}, {algorithm}]" for line in lines)
    return True


@dataclass(frozen=True)
class _Question:
    program: Program
    model: str
    executor: Executor
    expected: Behaviours
    algorithm: str
    paranoid: bool

    def explored(self, objective: str, *, merge: bool = True) -> tuple[Result, Unfolding]:
        options = Options(keep_going=True, shorten=False, merge=merge, paranoid=self.paranoid)
        if self.algorithm == AUTO:  # else an edge stands for all values that tell a thread the same
            options = replace(options, reduce=False)
        session = open_session(
            self.program, MODELS[self.model], objective=objective, algorithm=self.algorithm, options=options
        )
        return session.explore(), session.unfolding


def _check_states(question: _Question, *, merge: bool = False) -> Iterator[str]:
    """Every history has its way to a local state where it belongs, and every local state a history."""
    result, unfolding = question.explored("states", merge=merge)
    expected, executor = question.expected, question.executor
    walk = Walk(unfolding, _words, _read)
    for name, request in map(executor.shown, expected.points):
        state = walk.end(name)
        if state is None or _request(state) != request:
            yield f"history: {name} asks for {request}, and the checker for {state and _request(state)}"
    yield from (f"history: none leads to {state}" for state in walk.unreached())
    yield from _findings(result, unfolding, expected)
    executions, states, histories = result.statistics.executions, len(unfolding.states), len(expected.points)
    if executions > states or states > histories or not (merge or walk.turns or states == histories):
        yield f"executions: {executions} for {states} local states of {histories} histories"


def _findings(result: Result, unfolding: Unfolding, expected: Behaviours) -> Iterator[str]:
    yield from _differences("verdict", [_verdict(expected.failures)], [result.verdict.value])
    yield from _failure_differences(expected.failures, _failed(unfolding))
    yield from _failure_differences(expected.failures, map(_failure, result.failures))
    if unfolding.final is not None:
        yield from _differences("outcome", expected.outcomes, final_outcomes(unfolding))
    if result.statistics.executions > len(expected.points):
        yield f"executions: {result.statistics.executions} for {len(expected.points)} local states"


def _check_evidence(question: _Question) -> Iterator[str]:
    """Each failure has a short trace that fails when it is played, by the checker and by the executor."""
    options, expected = Options(keep_going=True), question.expected
    result = mcr.check(question.program, question.model, options=options)
    yield from _differences("verdict", [_verdict([*expected.failures, *expected.deadlocks])], [result.verdict.value])
    stuck = [trace for trace in result.failures if trace.failure and trace.failure.error == DEADLOCK]
    yield from _differences("deadlock", [bool(expected.deadlocks)], [bool(stuck)])
    yield from _failure_differences(
        expected.failures, (_failure(each) for each in result.failures if each not in stuck)
    )
    for trace in result.failures:
        again = mcr.replay(question.program, trace)
        yield from _differences("replay", [_failure(trace)], [_failure(again)] if again.failure else [])
        assert trace.failure is not None
        thread, shown = ("", "") if trace in stuck else (trace.failure.thread, str(trace.failure))
        yield from _differences("play", [shown], [_played(question, trace, thread)])


def _check_outcomes(question: _Question) -> Iterator[str]:
    result, _ = question.explored("outcomes")
    yield from _differences("verdict", [_verdict(question.expected.failures)], [result.verdict.value])
    yield from _failure_differences(question.expected.failures, map(_failure, result.failures))
    yield from _differences("outcome", question.expected.outcomes, result.outcomes)
    yield from _differences("witness", question.expected.outcomes, (outcome for outcome, _ in result.witnesses))
    if question.program.instance().final_code is not None:
        for outcome, trace in result.witnesses:
            yield from _differences("play", [outcome], [_played(question, trace, live.FINAL)])


def _check_deadlocks(question: _Question) -> Iterator[str]:
    result, _ = question.explored("deadlocks")
    traces = [trace for trace in result.failures if trace.failure and trace.failure.error == DEADLOCK]
    others = [_failure(trace) for trace in result.failures if trace not in traces]
    yield from _failure_differences(_that_must_be_found(question.expected.failures, others), others)
    yield from _differences("deadlock", [bool(question.expected.deadlocks)], [bool(traces)])
    for trace in traces:
        yield from _differences("play", [""], [_played(question, trace, "")])


def _check_brute_force(question: _Question) -> Iterator[str]:
    found = enumerate_behaviours(question.program, MODELS[question.model])
    expected = question.expected
    failures = (Failure(each.error, each.message, (int(each.source.rpartition(":")[2]),)) for each in found.failures)
    yield from _failure_differences(expected.failures, failures)
    yield from _differences("outcome", expected.outcomes, found.outcomes)
    if len(found.states) > len(expected.points) or not _spins(question):
        yield from _differences("number of states", [len(expected.points)], [len(found.states)])
        yield from _differences("number of deadlocks", [len(expected.deadlocks)], [len(found.deadlocks)])


def _spins(question: _Question) -> bool:
    """Whether a thread goes round a loop and changes nothing; the checker does not follow it there.

    Asked of the brute force itself: who looks at each class of executions once may go round no loop.
    """
    _, unfolding = replace(question, algorithm="exhaustive").explored("states")
    return any(map(spins, unfolding.leaves()))


def _that_must_be_found(expected: Iterable[Failure], found: Iterable[Failure]) -> list[Failure]:
    """Failures that a search for deadlocks owes: what the final function fails with where it was looked at."""
    seen = {failure[:2] for failure in found}
    return [failure for failure in expected if not failure.is_final or failure[:2] in seen]


_CHECKS: dict[str, Callable[[_Question], Iterator[str]]] = {
    "states": _check_states,
    "merged": functools.partial(_check_states, merge=True),
    "evidence": _check_evidence,
    "outcomes": _check_outcomes,
    "deadlocks": _check_deadlocks,
    "brute force": _check_brute_force,
}


def _verdict(failures: Iterable[object]) -> str:
    verdict: str = (Verdict.BUG if list(failures) else Verdict.VERIFIED).value
    return verdict


def _played(question: _Question, trace: Trace, thread: str) -> str:
    """How a thread ends when the executor plays a trace; "" stands for the whole configuration."""
    executor, now = question.executor, question.executor.first()
    for step in trace.steps:
        event = trace.events[step.event]
        moves = [
            move
            for move in executor.moves(now, question.model)
            if move.thread == step.thread
            and move.commit == (event.location if step.commit else None)
            and (event.kind != Kind.CHOOSE.value or step.commit or repr(move.chosen) == event.read)
        ]
        if len(moves) != 1:
            return f"impossible: {step}"
        now = executor.apply(now, moves[0], question.model)
    if not thread:
        found = Behaviours()
        executor.note_last(now, found)
        return "" if found.deadlocks and not list(executor.moves(now, question.model)) else "impossible: no deadlock"
    end = now.points[thread].request
    if not isinstance(end, End):
        return f"impossible: thread {thread} is not at its end"
    if end.how != "failed":
        return repr(end.value)
    return f"{end.error}: {end.message}" if end.message else end.error


# -- local states in words that both sides share -----------------------------------


def _read(operation: Operation, value: object) -> str:
    """What an operation read."""
    if operation.kind is Kind.JOIN:
        assert isinstance(value, tuple)
        value = value[1]
    return _text_of(value)


def _text_of(value: object) -> str:
    """What `tests.pythonic.declarations.text_of` makes of the executor's value: two executions may share a name."""
    if isinstance(value, Record):
        parts = vars(value)["_parts"].items()
        held = ((field, part.location.initial) for field, part in parts if isinstance(part, Variable))
        return f"{value!r}({', '.join(f'{field}={_text_of(initial)}' for field, initial in held)})"
    if isinstance(value, Reference):
        return f"{value!r}({_text_of(value.location.initial)})"
    return f"({', '.join(map(_text_of, value))},)" if type(value) is tuple else repr(value)


def _words(operation: Operation) -> str:
    if operation.kind is Kind.START:
        assert operation.location is not None
        return f"start {operation.location.name.rpartition(' ')[2]}"
    place = operation.target or (operation.location.name if operation.location else "")
    return f"{operation.called} {place}".strip()


def _request(state: State) -> str:
    match state.terminal:
        case Ended(value):
            return f"returned {value!r}"
        case Failed() as failed:
            return f"failed with {failed.error}: {failed.message}"
        case Blocked():
            return "blocked"
    assert state.operation is not None
    if state.operation.kind is Kind.START:
        return "start"
    stored = f" {state.operation.value!r}" if state.operation.kind is Kind.STORE else ""
    return _words(state.operation) + stored


# -- failures ----------------------------------------------------------------------


def _failure(trace: Trace) -> Failure:
    assert trace.failure is not None
    lines = tuple(source.line for source in trace.failure.stack if source.file == FILE)
    return Failure(trace.failure.error, trace.failure.message, lines)


def _failed(unfolding: Unfolding) -> Iterator[Failure]:
    for state in unfolding.leaves():
        if isinstance(end := state.terminal, Failed):
            lines = tuple(source.line for source in end.stack if source.file == FILE)
            yield Failure(end.error, end.message, lines)


def _failure_differences(expected: Iterable[Failure], found: Iterable[Failure]) -> Iterator[str]:
    """A bug is told by its error, its message and the innermost line; Python itself may raise one at no line."""
    expected = list(expected)
    nowhere = {failure[:2] for failure in expected if not failure.lines}

    def identity(failure: Failure) -> tuple[str, str, int]:
        has_line = failure.lines and failure[:2] not in nowhere
        return failure.error, failure.message, failure.lines[0] if has_line else 0

    yield from _differences("failure", map(identity, expected), map(identity, found))


def _differences(kind: str, expected: Iterable[object], found: Iterable[object]) -> Iterator[str]:
    wanted, had = set(expected), set(found)
    yield from (f"{kind}: the checker misses {item}" for item in sorted(map(repr, wanted - had)))
    yield from (f"{kind}: the executor does not have {item}" for item in sorted(map(repr, had - wanted)))
