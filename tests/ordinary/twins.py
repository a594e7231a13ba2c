"""What the checker finds of a program, and where two of them, or a program and CPython, differ."""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from types import ModuleType

import mcr
from mcr.exploration.options import Options
from replay.frontend.functions import ThreadedFunction
from replay.frontend.program import Program
from replay.traces.trace import DEADLOCK
from tests.ordinary.generator import PROFILES, Generated, generate
from tests.ordinary.real import Seen, at_full_speed, runner_of

WHOLE = Options(keep_going=True, shorten=False)

SCHEDULES = 100
"""Up to so many schedules of a program are all run; of one that has more, so many at random."""

PREEMPTED = 10_000
"""Schedules with few preemptions that are run of a program at most."""

STRESS = 200
"""Runs of a program at full speed."""

ALGORITHMS = ("auto", "cover", "auto")
"""They take turns, as profiles do; every profile meets each."""

_PROFILES = tuple(PROFILES)


@dataclass
class Findings:
    """What came of programs: how many, how many runs of CPython, what was seen there, and what differs."""

    programs: int = 0
    runs: int = 0
    outcomes: int = 0
    whole: int = 0
    differences: list[str] = field(default_factory=list)

    def add(self, other: Findings) -> None:
        self.programs += other.programs
        self.runs += other.runs
        self.outcomes += other.outcomes
        self.whole += other.whole
        self.differences += other.differences


def loaded(source: str, name: str) -> Program:
    """The program of a text, in a module of its own, whose name nobody else uses."""
    file, name = f"<{name}>", f"generated_{name}"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    module = sys.modules[name] = ModuleType(name)
    module.__file__ = file
    exec(compile(source, file, "exec"), module.__dict__)
    program: Program = module.__dict__["generated"]
    return program


def found(program: Program, model: str, algorithm: str = "auto", **how: str) -> frozenset[str]:
    """Everything that the checker tells of a program, in the words of `seen`."""
    try:
        result = mcr.check(
            program, model, objective="outcomes,deadlocks", algorithm=algorithm, options=replace(WHOLE, **how)
        )
    except Exception as error:
        return frozenset({f"{type(error).__name__}: {error}"})
    return frozenset(_words(result))


def _words(result: mcr.Result) -> Iterator[str]:
    yield from (f"outcome {each}" for each in result.outcomes)
    for failure in (trace.failure for trace in result.failures):
        assert failure is not None
        yield "deadlock" if failure.error == DEADLOCK else f"failure {failure.error}"
    if result.stop is not None:
        yield f"incomplete: {result.stop.reason}"


def seen(what: Seen) -> frozenset[str]:
    """The same of runs under CPython."""
    found = {f"outcome {each}" for each in what.outcomes} | {f"failure {each.error}" for each in what.failures}
    return frozenset(found | ({"deadlock"} if what.deadlock else set()))


def compare_twins(seed: int, models: Iterable[str] = ("sc",)) -> Findings:
    """The two texts of the program of a seed: the same verdicts, outcomes and deadlocks."""
    text = generated(seed)
    findings = Findings(programs=1)
    ordinary, model = loaded(text.ordinary, "ordinary"), loaded(text.model, "model")
    for memory in models:
        algorithm = ALGORITHMS[seed % len(ALGORITHMS)]
        of_class, of_model = found(ordinary, memory, algorithm), found(model, memory, algorithm)
        findings.outcomes += len(of_model)
        findings.differences += _difference(f"under {memory} the class", of_model, of_class)
    return findings


def compare_with_python(seed: int, model: str = "sc", *, twin: bool = False) -> Findings:
    """Nothing that CPython does is impossible; if all its schedules were run, what none shows is not possible.

    twin  ask the checker about the model instead of the class
    """
    text = generated(seed)
    runner = runner_of(_spelled_out(text.ordinary))
    real = runner.every_schedule(SCHEDULES)
    if not real.complete:
        real.add(runner.at_random(SCHEDULES, seed))
    possible = found(loaded(text.model, "model") if twin else loaded(text.ordinary, "ordinary"), model)
    showed = seen(real)
    findings = Findings(programs=1, runs=real.runs, outcomes=len(showed), whole=real.complete)
    findings.differences += [f"CPython shows what cannot be: {each}" for each in sorted(showed - possible)]
    if real.complete:
        findings.differences += [f"CPython never shows {each}" for each in sorted(possible - showed)]
    return findings


def compare_with_function(seed: int) -> Findings:
    """A function that makes the object and starts the threads has the outcomes of the program that declares them."""
    program = loaded(generated(seed).ordinary, "ordinary")
    function = ThreadedFunction(program.function.__globals__["alone"])
    declared = found(program, "sc")
    started = frozenset(_ONLY_THREAD.sub(r"outcome \1", each) for each in found(function.returning_results(), "sc"))
    findings = Findings(programs=1, outcomes=len(declared))
    findings.differences += _difference("the function", declared, started)
    return findings


_ONLY_THREAD = re.compile(r"outcome \((.*),\)", re.DOTALL)
"""What the main thread returns, which is the only one that the program declares."""


def compare_with_global_lock(seed: int, runs: int = STRESS) -> Findings:
    """Nothing that CPython does at full speed is impossible under its global lock, nor what that allows without it."""
    text = generated(seed)
    program = loaded(text.ordinary, "ordinary")
    possible = found(program, "sc", python="gil")
    beyond = possible - found(program, "sc")
    real = at_full_speed(text.ordinary, runs)
    findings = Findings(programs=1, runs=real.runs, outcomes=len(possible))
    findings.differences += [f"CPython shows what its lock excludes: {each}" for each in sorted(seen(real) - possible)]
    findings.differences += [f"only under the lock there is {each}" for each in sorted(beyond)]
    return findings


def compare_with_preemptions(seed: int, most: int = 2) -> Findings:
    """Nothing that CPython does under its global lock with so many preemptions is impossible there."""
    text = generated(seed)
    possible = found(loaded(text.ordinary, "ordinary"), "sc", python="gil")
    real = runner_of(text.ordinary, keeps_lock=True).preempted(most, PREEMPTED)
    findings = Findings(programs=1, runs=real.runs, outcomes=len(possible), whole=real.complete)
    findings.differences += [f"CPython shows what its lock excludes: {each}" for each in sorted(seen(real) - possible)]
    return findings


LOOPS = """\
from tests.ordinary.locked import List


def has(items, wanted):
    for each in items:
        if each == wanted:
            return True
    return False


def counted(items, wanted):
    found = 0
    for each in items:
        found += each == wanted
    return found


def place(items, wanted):
    for found, each in enumerate(items):
        if each == wanted:
            return found
    raise ValueError
"""
"""What takes no lock of a list in free-threaded CPython."""


def _spelled_out(source: str) -> str:
    """The same with these loops and steps written out, as CPython with its global lock lets nobody in between."""
    if "self.items.sort()" in source:
        source = re.sub(r"self\.items = (.*)", r"self.items = List(\1)", source)
    looped = re.sub(r"(\d) in (self\.items)", r"has(\2, \1)", source)
    return re.sub(r"(self\.items)\.(count|index)\(", lambda call: f"{_LOOP_OF[call[2]]}({call[1]}, ", looped) + LOOPS


_LOOP_OF = {"count": "counted", "index": "place"}


def generated(seed: int) -> Generated:
    """The program of a seed; profiles take turns."""
    return generate(_PROFILES[seed % len(_PROFILES)], seed)


def _difference(who: str, expected: frozenset[str], had: frozenset[str]) -> list[str]:
    return [
        *(f"{who} misses {each}" for each in sorted(expected - had)),
        *(f"{who} has {each} as well" for each in sorted(had - expected)),
    ]
