"""One call that holds an explorer against brute force, on small random programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from mcr.api import check
from mcr.exploration.archive import DEFAULT_FOLDER
from mcr.exploration.goals import DEADLOCKS, FAILURES, OUTCOMES, STATES, Goals
from mcr.exploration.options import Options
from mcr.exploration.verdict import Result
from mcr.explorers.registry import Algorithm, parse
from mcr.testing.small_programs import source
from replay.errors import CheckerError
from replay.files import write_atomically
from replay.frontend.program import Program
from replay.traces.loader import find_programs

_BRUTE_FORCE = "exhaustive"
_GRAPHS = "trust"
"""What counts classes that configurations do not tell apart: each graph is one."""

_COMPARED = (FAILURES, STATES, OUTCOMES, "values", "rf", "traces", DEADLOCKS)
_SMALLEST, _LARGEST = 2, 7
"""Operations of a program."""


def agree(
    explorer: str | Algorithm,
    *,
    models: Iterable[str] | None = None,
    objectives: Iterable[str] | None = None,
    programs: int = 200,
    seed: int = 1,
) -> int:
    """Hold an explorer against brute force; returns the number of comparisons.

    explorer    an algorithm that is registered, by its name with a variant, or as it is in `ALGORITHMS`
    models      memory models; those under which it explores, if none are named
    objectives  what to look for; all of its objectives that can be compared, if none are named
    programs    how many random programs: small ones first, so that the first difference is easy to read
    seed        of the first program

    Compared are failures, local states, outcomes and numbers of classes with those of `exhaustive`; classes of rf and
    traces with those of `trust`. An explorer that says that it is incomplete may miss something; what it finds has to
    be there.

    Raises AssertionError with the program, which is also kept in a file, at the first difference; CheckerError for
    an explorer that is not registered, and for what it cannot be asked.
    """
    name = explorer if isinstance(explorer, str) else explorer.name
    algorithm, _ = parse(name)
    asked = [each for each in _COMPARED if each in (algorithm.objectives if objectives is None else [*objectives])]
    if not asked:
        raise CheckerError(f"{name} has no objective that can be compared; these can: {', '.join(_COMPARED)}")
    compared = 0
    for text, program in _programs(programs, seed):
        for model in models or algorithm.models:
            for objective in asked:
                difference = _difference(program, model, objective, name)
                if difference:
                    raise AssertionError(_sentence(name, model, objective, difference, text))
                compared += 1
    return compared


def _programs(count: int, seed: int) -> Iterator[tuple[str, Program]]:
    with TemporaryDirectory() as folder:
        for number in range(count):
            file = Path(folder, f"random_{number}.py")
            operations = _SMALLEST + number * (_LARGEST + 1 - _SMALLEST) // count
            file.write_text(text := source(seed + number, operations), encoding="utf-8")
            yield text, next(find_programs(str(file)))


def _difference(program: Program, model: str, objective: str, name: str) -> str:
    """How the explorer differs from what is known to be right, "" if it does not."""
    trusted = _GRAPHS if objective in ("rf", "traces") else _BRUTE_FORCE
    expected, found = (_explored(program, model, objective, each) for each in (trusted, name))
    impossible = _failures(found) - _failures(expected)
    if impossible and not Goals.parse(objective).equivalence:
        return f"it found what cannot happen: {_listed(impossible)}"
    if found.stop is not None:
        return ""
    for what, theirs, ours in _findings(expected, found, objective):
        if theirs != ours:
            return f"{what} {ours}, {trusted} has {theirs}"
    return ""


def _explored(program: Program, model: str, objective: str, name: str) -> Result:
    merge = not parse(name)[0].merges or Goals.parse(objective).equivalence is not None
    options = Options(keep_going=True, shorten=False, merge=merge)
    return check(program, model, objective=objective, algorithm=name, options=options)


def _findings(expected: Result, found: Result, objective: str) -> Iterator[tuple[str, object, object]]:
    """Yields what both must have found, by its name."""
    if objective in (FAILURES, STATES, OUTCOMES):
        yield "failures", _listed(_failures(expected)), _listed(_failures(found))
    if objective == OUTCOMES:
        yield "outcomes", expected.outcomes, found.outcomes
    if objective == STATES:
        yield "local states", expected.statistics.local_states, found.statistics.local_states
    if Goals.parse(objective).equivalence is not None:
        yield "complete and blocked classes", _classes(expected), _classes(found)


def _classes(result: Result) -> tuple[int, int]:
    return (result.classes[0].complete, result.classes[0].blocked) if result.classes else (0, 0)


def _failures(result: Result) -> frozenset[str]:
    return frozenset(str(trace.failure) for trace in result.failures)


def _listed(failures: Iterable[str]) -> str:
    return "; ".join(sorted(failures)) or "none"


def _sentence(name: str, model: str, objective: str, difference: str, text: str) -> str:
    file = DEFAULT_FOLDER / "disagreement.py"
    write_atomically(file, text)
    command = f"mcr check {file} --model {model} --objective {objective} --algorithm"
    return (
        f"{name} under {model.upper()}, {objective}: {difference}\n"
        f"{text}\n"
        f"The program is in {file}: `{command} {name}`, and `{command} {_BRUTE_FORCE}`"
    )
