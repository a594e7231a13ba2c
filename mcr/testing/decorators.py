"""`@mcr.test` and `@mcr.fails`: what makes a program a test. No pytest is needed to import this.

    @mcr.test(models=("sc", "tso", "pso"), timeout=60)
    @mcr.fails(models=["pso"])
    def peterson_x86(p):
        ...

What they make is still a program: `mcr check FILE` finds it, and checks it
with the settings of the test.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack, overload

from mcr.keys import Said, read, read_models
from replay.errors import ModelError
from replay.frontend.program import Program, program
from replay.world.memory_models import MODELS


def nonsense(models: Sequence[str], failing: Sequence[str]) -> str:
    """Says what is wrong with expecting failures under `failing` in a test under `models`; "" if nothing is."""
    strange = [name for name in failing if name not in models]
    if strange:
        return f"it expects a failure under {_shown(strange)}, but the test is about {_shown(models)}"
    for weak in failing:
        for name in models:
            if name not in failing and MODELS[name].allows(MODELS[weak]):
                return (
                    f"what fails under {weak.upper()} fails under {name.upper()} too, which allows all that "
                    f"{weak.upper()} does; list {name} as well, or take it out of the models of the test"
                )
    return ""


def _shown(models: Sequence[str]) -> str:
    return ", ".join(name.upper() for name in models)


Target = Callable[..., object] | Program
"""What the decorators take: a program function, with or without @mcr.program."""


class OptionsOfTest(TypedDict, total=False):
    """How a test is checked; each as in `mcr check`, where it is left out as [tool.mcr] says.

    settings          values for parameters of the program
    allow_incomplete  pass, with a warning, when a limit cut the check
    """

    models: str | Iterable[str]
    objective: str
    algorithm: str
    python: str
    merge: bool
    deadlocks: bool
    settings: Mapping[str, object]
    timeout: float
    memory: int | str
    sample: int
    sampler: str
    max_executions: int
    max_operations: int
    buffer: int
    solver: str
    allow_incomplete: bool


@dataclass(frozen=True)
class Claims:
    """The claims that the decorators of a program make.

    asked    how to check it; None without @mcr.test
    failing  models under which it is known to fail; None without @mcr.fails
    """

    asked: Said | None = None
    failing: tuple[str, ...] | None = None


class ProgramTest(Program):
    """A program that pytest collects."""

    def __init__(self, program: Program, claims: Claims, marks: Iterable[object]) -> None:
        super().__init__(program.function, program.arguments, deadlocks=program.deadlocks)
        self.claims = claims
        self.pytestmark = list(marks)


@overload
def test(program: Target, /, **options: Unpack[OptionsOfTest]) -> ProgramTest: ...
@overload
def test(**options: Unpack[OptionsOfTest]) -> Callable[[Target], ProgramTest]: ...
def test(
    program: Target | None = None,  # noqa: PT028  # not a test, whatever its name
    /,
    **options: Unpack[OptionsOfTest],
) -> ProgramTest | Callable[[Target], ProgramTest]:
    """Make a pytest test of a program: under each model that it is about, it must be verified.

    Raises ModelError for options that do not exist or make no sense.
    """

    def decorate(target: Target) -> ProgramTest:
        found, claims = _taken(target, "test")
        if claims.asked is not None:
            raise _misuse("test", "the program is a test already", found)
        asked, settings = _options(dict(options), found)
        return _made(found(**settings), replace(claims, asked=asked), target)

    return decorate if program is None else decorate(program)


def fails(*, models: str | Iterable[str]) -> Callable[[Target], ProgramTest]:
    """Say under which models a test is known to fail: it passes if the bug is found there, and verified elsewhere.

    Without @mcr.test the program becomes a test under the default models.
    Raises ModelError for unknown models, and claims that cannot be true.
    """

    def decorate(target: Target) -> ProgramTest:
        found, claims = _taken(target, "fails")
        if claims.failing is not None:
            raise _misuse("fails", "it is there twice; one with all the models is enough", found)
        try:
            failing = read_models(_listed(models))
        except ValueError as error:
            raise _misuse("fails", f"models: {error}", found) from None
        return _made(found, replace(claims, failing=failing), target)

    return decorate


test.__test__ = False  # type: ignore[attr-defined]  # by its name it would be a test itself where it is imported


def _taken(target: Target, decorator: str) -> tuple[Program, Claims]:
    """The program that is decorated, and what other decorators said about it."""
    if isinstance(target, ProgramTest):
        return target, target.claims
    if isinstance(target, Program):
        return target, Claims()
    if not hasattr(target, "__code__"):
        raise ModelError(f"@mcr.{decorator} is for a function that declares a program, not for {target!r}", _line())
    return program(target), Claims()


def _options(options: dict[str, object], found: Program) -> tuple[Said, dict[str, object]]:
    """The options of a test, those for the checker and those for the program."""
    settings = options.pop("settings", {})
    if not isinstance(settings, Mapping):
        raise _misuse("test", f"settings: {settings!r} does not give parameters values, like {{'n': 3}}", found)
    if "models" in options:
        options["models"] = _listed(options["models"])
    try:
        return read(options, tuple(OptionsOfTest.__annotations__)), dict(settings)
    except ValueError as error:
        raise _misuse("test", str(error), found) from None


def _listed(models: object) -> object:
    """A list of what can be listed; whether these are models is another question."""
    return list(models) if isinstance(models, Iterable) and not isinstance(models, str) else models


def _made(found: Program, claims: Claims, target: Target) -> ProgramTest:
    """The test, if its claims make sense; those about default models are judged where these are known."""
    if claims.asked and "models" in claims.asked and claims.failing:
        wrong = nonsense(claims.asked["models"], claims.failing)
        if wrong:
            raise _misuse("fails", wrong, found)
    return ProgramTest(found, claims, marks_of(target if isinstance(target, Program) else found))


def marks_of(program: Program) -> list[Any]:
    """The marks of pytest that a program bears; one that is made into a test keeps those of its function."""
    own = getattr(program, "pytestmark", ())
    return list(own) if isinstance(program, ProgramTest) else [*getattr(program.function, "pytestmark", ()), *own]


def _misuse(decorator: str, message: str, found: Program) -> ModelError:
    return ModelError(f"@mcr.{decorator}: {message}", f"{found.file}:{found.line}")


def _line() -> str:
    """The line that uses a decorator."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
