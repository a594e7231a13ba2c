"""Runs a litmus test under one model: which final states are there, and what does that say of its condition?"""

from __future__ import annotations

import ast
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from mcr.api import check
from mcr.exploration.goals import OUTCOMES, STATES
from mcr.exploration.options import Options
from mcr.exploration.verdict import INTERRUPTED, Result, Statistics
from mcr.explorers.registry import AUTO, parse
from mcr.litmus.code import Value
from mcr.litmus.condition import Column, State
from mcr.litmus.program import LitmusProgram
from mcr.litmus.test import LitmusTest


@dataclass(frozen=True)
class Report:
    """What one test does under one model.

    states       the final states, as herd prints them, sorted by value
    positive     how many of them satisfy the proposition of the condition, `negative` how many do not
                 (herd counts executions instead, so only zero and non-zero can be compared with it)
    ok           whether the claim of the condition is true
    verdict      "Never", "Sometimes" or "Always": how often the proposition holds
    incomplete   why states may be missing, "" if none are
    """

    name: str
    file: str
    model: str
    kind: str
    condition: str
    threads: int
    states: tuple[str, ...]
    positive: int
    negative: int
    ok: bool
    seconds: float
    incomplete: str = ""
    statistics: Statistics = field(default_factory=Statistics)

    @property
    def verdict(self) -> str:
        if self.positive == 0:
            return "Never"
        return "Always" if self.negative == 0 else "Sometimes"


def objective_by(algorithm: str) -> str:
    """What an algorithm is asked for, so that it finds every final state: every local state, or else every outcome."""
    return STATES if STATES in parse(algorithm)[0].objectives else OUTCOMES


def run(test: LitmusTest, model: str = "tso", options: Options | None = None, algorithm: str = AUTO) -> Report:
    """Explore a test completely under one model. Raises LitmusError if it turns out to be malformed.

    Ctrl-C raises KeyboardInterrupt: half of the states of a test are of no use.
    """
    started = time.perf_counter()
    program = LitmusProgram(test, {"ask": "states"})
    result = check(program, model, objective=objective_by(algorithm), algorithm=algorithm, options=options)
    if result.stop == INTERRUPTED:
        raise KeyboardInterrupt
    states = sorted((_read(outcome, test.columns) for outcome in result.outcomes), key=_order)
    seconds = time.perf_counter() - started
    return _report(test, result.model, states, seconds, _incomplete(result), result.statistics)


def unknown(test: LitmusTest, model: str, why: str) -> Report:
    """The report on a test under a model of which nothing is known, and why."""
    return _report(test, model, [], 0.0, why, Statistics())


def _report(
    test: LitmusTest, model: str, states: Sequence[State], seconds: float, incomplete: str, statistics: Statistics
) -> Report:
    proposition, quantifier = test.condition.proposition, test.condition.quantifier
    positive = sum(proposition.holds(state) for state in states)
    negative = len(states) - positive
    return Report(
        name=test.name,
        file=test.file,
        model=model,
        kind=quantifier.kind,
        condition=str(test.condition),
        threads=len(test.threads),
        states=tuple("; ".join(f"{column}={value}" for column, value in state.items()) for state in states),
        positive=positive,
        negative=negative,
        ok=quantifier.holds(positive, negative),
        seconds=seconds,
        incomplete=incomplete,
        statistics=statistics,
    )


def _incomplete(result: Result) -> str:
    return f"{result.stop.reason} ({result.stop.remedy})" if result.stop else ""


def _read(outcome: str, columns: tuple[Column, ...]) -> State:
    """The state that the final function returned as text."""
    text: str = ast.literal_eval(outcome)
    values = (part.partition("=")[2] for part in text.split(";")[:-1])
    return {column: _value(value) for column, value in zip(columns, values, strict=True)}


def _value(text: str) -> Value:
    return int(text) if text.lstrip("-").isdigit() else text


def _order(state: State) -> list[tuple[bool, Value]]:
    """Numbers by size, addresses by name after them."""
    return [(isinstance(value, str), value) for value in state.values()]
