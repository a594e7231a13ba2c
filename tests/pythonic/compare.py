"""The checker and the executor on one generated program: where they differ."""

from __future__ import annotations

import linecache
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

import mcr
from mcr.findings import final_outcomes
from mcr.objectives import engine_for
from mcr.options import Options
from mcr.strategy import STRATEGIES
from mcr.verdict import Result, Verdict
from replay.code_runner import spawning_state
from replay.deadlock import DEADLOCK
from replay.errors import CheckerError
from replay.memory_model import MODELS
from replay.operation import Kind, Operation
from replay.program import Program
from replay.state import NOTHING, State
from replay.thread_run import Blocked, Ended, Failed
from replay.trace import Trace
from replay.unfolding import Unfolding
from tests.pythonic import live
from tests.pythonic.executor import Behaviours, Executor, Failure, LocalState, SharedState
from tests.pythonic.live import End

OBJECTIVES = ("states", "evidence", "outcomes", "deadlocks")


@dataclass
class Findings:
    """What came of one program, or of many.

    comparisons   explorations of the checker that were compared with the executor
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
    linecache.cache[live.FILE] = (len(source), None, source.splitlines(keepends=True), live.FILE)
    sys.modules["generated"] = _MODULE
    namespace = _MODULE.__dict__
    namespace.clear()
    namespace.update(__name__="generated", __file__=live.FILE)
    exec(compile(source, live.FILE, "exec"), namespace)
    program: Program = namespace["generated"]
    return program


def compare(source: str, seed: int | None = None, *, limit: int) -> Findings:
    """Compare under every model.

    Without a seed, every objective and strategy; with one, an objective and a
    strategy or two that the seed chooses.
    """
    found = Findings(programs=1)
    rng = None if seed is None else random.Random(seed)
    executor = None
    try:
        executor = Executor(live.load(source))
        program = checkers_program(source)
        for model in MODELS:
            expected = executor.explore(model, limit)
            if not expected.complete:
                found.too_large += 1
                continue
            _compare_under(model, program, executor, expected, _plan(rng), found)
    except SharedState as error:
        found.differences.append(f"generator: {error}")
    finally:
        if executor is not None:
            executor.close()
    return found


def _plan(rng: random.Random | None) -> Iterable[tuple[str, str]]:
    """Which objectives are compared, with which strategy."""
    if rng is None:
        return [(objective, strategy) for objective in OBJECTIVES for strategy in STRATEGIES]
    return [("states", rng.choice(STRATEGIES)), (rng.choice(OBJECTIVES[1:]), rng.choice(STRATEGIES))]


def _compare_under(
    model: str,
    program: Program,
    executor: Executor,
    expected: Behaviours,
    plan: Iterable[tuple[str, str]],
    found: Findings,
) -> None:
    for objective, strategy in plan:
        found.comparisons += 1
        try:
            lines = list(_CHECKS[objective](_Question(program, model, executor, expected, Options(strategy=strategy))))
        except CheckerError as error:
            lines = [f"refused: {type(error).__name__}: {error}"]
        except BaseException as error:  # programs raise SystemExit and KeyboardInterrupt too
            lines = [f"crash: {type(error).__name__}: {error}"]
        found.differences += (f"{line} [{model}, {objective}, {strategy}]" for line in lines)


@dataclass(frozen=True)
class _Question:
    program: Program
    model: str
    executor: Executor
    expected: Behaviours
    options: Options

    def explored(self, objective: str) -> tuple[Result, Unfolding]:
        whole = replace(self.options, keep_going=True, shorten=False)
        engine = engine_for(objective)(self.program, MODELS[self.model], whole)
        return engine.explore(), engine.unfolding


def _check_states(question: _Question) -> Iterator[str]:
    result, unfolding = question.explored("states")
    expected, executor = question.expected, question.executor
    yield from _differences("verdict", [_verdict(expected.failures)], [result.verdict.value])
    yield from _differences("state", map(executor.shown, expected.points), shown_states(unfolding))
    yield from _failure_differences(expected.failures, _failed(unfolding))
    yield from _failure_differences(expected.failures, map(_failure, result.failures))
    if unfolding.final is not None:
        yield from _differences("outcome", expected.outcomes, final_outcomes(unfolding))
    if result.statistics.executions > len(expected.points):
        yield f"executions: {result.statistics.executions} for {len(expected.points)} local states"


def _check_evidence(question: _Question) -> Iterator[str]:
    """Each failure has a short trace that fails when it is played, by the checker and by the executor."""
    options = replace(question.options, keep_going=True)
    result = mcr.check(question.program, question.model, options=options)
    yield from _differences("verdict", [_verdict(question.expected.failures)], [result.verdict.value])
    yield from _failure_differences(question.expected.failures, map(_failure, result.failures))
    for trace in result.failures:
        again = mcr.replay(question.program, trace)
        yield from _differences("replay", [_failure(trace)], [_failure(again)] if again.failure else [])
        assert trace.failure is not None
        yield from _differences("play", [str(trace.failure)], [_played(question, trace, trace.failure.thread)])


def _check_outcomes(question: _Question) -> Iterator[str]:
    result, _ = question.explored("outcomes")
    yield from _differences("outcome", question.expected.outcomes, result.outcomes)
    yield from _differences("witness", question.expected.outcomes, (outcome for outcome, _ in result.witnesses))
    if question.program.instance().final_code is not None:
        for outcome, trace in result.witnesses:
            yield from _differences("play", [outcome], [_played(question, trace, live.FINAL)])


def _check_deadlocks(question: _Question) -> Iterator[str]:
    result, _ = question.explored("deadlocks")
    traces = [trace for trace in result.failures if trace.failure and trace.failure.error == DEADLOCK]
    yield from _differences("deadlock", [bool(question.expected.deadlocks)], [bool(traces)])
    for trace in traces:
        yield from _differences("play", [""], [_played(question, trace, "")])


_CHECKS: dict[str, Callable[[_Question], Iterator[str]]] = {
    "states": _check_states,
    "evidence": _check_evidence,
    "outcomes": _check_outcomes,
    "deadlocks": _check_deadlocks,
}


def _verdict(failures: Iterable[Failure]) -> str:
    return (Verdict.BUG if list(failures) else Verdict.VERIFIED).value


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
    return f"{end.error}: {end.message}".removesuffix(": ") if end.how == "failed" else repr(end.value)


# -- local states in words that both sides share -----------------------------------


def shown_states(unfolding: Unfolding) -> Iterator[tuple[LocalState, str]]:
    """Every local state of an unfolding, and what its thread asks for next."""
    names: dict[int, LocalState] = {}
    for state in unfolding.states:
        history: tuple[tuple[str, Any], ...] = ()
        if state.parent is not None:
            history = (*names[state.parent.number][1], _step(unfolding, state, names))
        names[state.number] = (unfolding.thread_name(state.thread), history)
        yield names[state.number], _request(state)


def _step(unfolding: Unfolding, state: State, names: dict[int, LocalState]) -> tuple[str, Any]:
    assert state.parent is not None
    operation = state.parent.operation
    assert operation is not None
    if state.read == NOTHING:
        return _words(operation), None
    value = unfolding.values[state.read]
    if operation.kind is Kind.START:
        return "start " + unfolding.thread_name(state.thread), names[spawning_state(value)]
    if operation.kind is Kind.JOIN:
        assert isinstance(value, tuple)
        value = value[1]
    return _words(operation), repr(value)


def _words(operation: Operation) -> str:
    place = operation.target or (operation.location.name if operation.location else "")
    return f"{operation.kind.value} {place}".strip()


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
    lines = tuple(source.line for source in trace.failure.stack if source.file == live.FILE)
    return Failure(trace.failure.error, trace.failure.message, lines)


def _failed(unfolding: Unfolding) -> Iterator[Failure]:
    for state in unfolding.leaves():
        if isinstance(end := state.terminal, Failed):
            lines = tuple(source.line for source in end.stack if source.file == live.FILE)
            yield Failure(end.error, end.message, lines)


def _failure_differences(expected: Iterable[Failure], found: Iterable[Failure]) -> Iterator[str]:
    """A bug is told by its error, its message and the innermost line."""

    def identity(failure: Failure) -> tuple[str, str, int]:
        return failure.error, failure.message, failure.lines[0] if failure.lines else 0

    yield from _differences("failure", map(identity, expected), map(identity, found))


def _differences(kind: str, expected: Iterable[object], found: Iterable[object]) -> Iterator[str]:
    wanted, had = set(expected), set(found)
    yield from (f"{kind}: the checker misses {item}" for item in sorted(map(repr, wanted - had)))
    yield from (f"{kind}: the executor does not have {item}" for item in sorted(map(repr, had - wanted)))
