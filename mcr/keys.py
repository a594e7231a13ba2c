"""How to check, each key declared once: for command lines, [tool.mcr] of pyproject.toml, decorators and pytest.

From this table arguments of commands and options of pytest are made, and what users write is read. pytest loads
it at every start, so nothing of the checker is imported before a value is read.

What each place says is a dictionary by key. A place that says more precisely what it wants goes before the others:
`{**project, **test, **command}`.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from replay.errors import CheckerError
from replay.sentences import did_you_mean, there_are


class Key(NamedTuple):
    """A question about checks that users may answer.

    help        for command lines
    read        makes the value of what Python or TOML says; raises ValueError with a sentence
    metavar     what stands for the value in help; "" where naming the flag says all: that it is `said`
    word        makes of a word of a command line what `read` takes; what it does not like, `read` gets as it is
    flag        on command lines, "" for its name
    project     may be answered in [tool.mcr], and for a whole run of pytest
    """

    help: str
    read: Callable[[Any], object]
    metavar: str = ""
    word: Callable[[str], object] = str
    flag: str = ""
    said: bool = True
    project: bool = True

    def of_word(self, text: str) -> object:
        """The value of what a command line says. Raises ArgumentTypeError."""
        try:
            given = self.word(text)
        except ValueError:
            given = text
        try:
            return self.read(given)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    def argument(self, name: str, prefix: str = "--", **how: Any) -> tuple[str, dict[str, Any]]:
        """Flag and keywords for argparse, and for pytest, whose options are called `prefix`; None if it is not given.

        `how` goes before what the table says.
        """
        flag = prefix + (self.flag or name.replace("_", "-"))
        value = {"metavar": self.metavar, "type": self.of_word}
        only = {"action": "store_const", "const": self.said}
        dest = prefix.lstrip("-").replace("-", "_") + name
        return flag, {"dest": dest, "help": self.help, **(value if self.metavar else only), **how}


def read_models(value: object) -> tuple[str, ...]:
    """Memory models by name, one, several or "all", in any case and order; strongest first. Raises ValueError."""
    from replay.world.memory_models import MODELS

    names = value.split(",") if isinstance(value, str) else value
    if not isinstance(names, list | tuple | set | frozenset) or not names:
        raise ValueError(f"{value!r} is not a list of memory models; there are {', '.join(MODELS)}")
    known = [name.strip().lower() if isinstance(name, str) else name for name in names]
    for name in known:
        if name not in (*MODELS, "all"):
            raise ValueError(
                f"unknown memory model {name!r}; {there_are(MODELS)}, or all{did_you_mean(str(name), MODELS)}"
            )
    return tuple(name for name in MODELS if "all" in known or name in known)


def _objective(value: object) -> str:
    from mcr.exploration.goals import Goals

    return _named(value, "an objective", lambda text: Goals.parse(text).text)


def _algorithm(value: object) -> str:
    from mcr.explorers.registry import parse

    return _named(value, "an algorithm", lambda text: parse(text) and text)


def _named(value: object, what: str, parsed: Callable[[str], str]) -> str:
    """The name of something that there is."""
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not the name of {what}")
    try:
        return parsed(value)
    except CheckerError as error:
        raise ValueError(str(error)) from None


def _solver(value: object) -> str:
    from solvers.registry import NAMES

    if value not in NAMES:
        raise ValueError(f"there is no solver {value!r}; {there_are(NAMES, str(value))}")
    return str(value)


def _sampler(value: object) -> str:
    from mcr.explorers.sample.samplers import SAMPLERS

    if value not in SAMPLERS:
        raise ValueError(f"there is no sampler {value!r}; {there_are(SAMPLERS, str(value))}")
    return str(value)


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise ValueError(f"{value!r} is not a number of seconds above 0")
    return value


def _python(value: object) -> str:
    from replay.traces.trace import FREE_THREADED, GIL

    if value not in (FREE_THREADED, GIL):
        raise ValueError(f"{value!r} is no kind of Python; {there_are((FREE_THREADED, GIL), str(value))}")
    return str(value)


_ENDLESS = 10**18
"""A count that nobody waits for."""


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < _ENDLESS:
        raise ValueError(f"{value!r} is not a whole number above 0")
    return value


def _size(value: object) -> int:
    from mcr.exploration.memory import read_size

    return _count(value) if isinstance(value, int) else read_size(str(value))


def _folder(value: object) -> Path:
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError(f"{value!r} is not the name of a folder")
    return Path(value)


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{value!r} is neither true nor false")
    return value


KEYS = {
    "models": Key("memory model: sc, tso, pso or all; several with commas between", read_models, "MODEL", flag="model"),
    "objective": Key(
        "failures (default), states, outcomes, values, rf, traces, deadlocks, progress, obstruction-freedom, "
        "lock-freedom, wait-freedom, robustness or races; or several that go together: rf,deadlocks",
        _objective,
        "NAME",
        project=False,
    ),
    "algorithm": Key(
        "how to explore: auto (default), cover, trust, trust-rf, mcr, rf-smc, rvf-smc, bmc, stateful or "
        "exhaustive; a variant follows a colon: mcr:paper (docs/algorithms.md)",
        _algorithm,
        "NAME",
    ),
    "python": Key(
        "which Python runs ordinary classes: free-threaded (default), or gil, with which threads switch at calls "
        "and ends of loops only (docs/shared-objects.md)",
        _python,
        "KIND",
    ),
    "deadlocks": Key(
        "do not report deadlocks as bugs", _truth, flag="allow-deadlock", said=False
    ),
    "merge": Key(
        "do not merge histories that leave a thread in the same local state (docs/local-states.md)",
        _truth,
        flag="no-merge",
        said=False,
    ),
    "solver": Key("minisat22 (default), or another that `mcr doctor` lists", _solver, "NAME"),
    "timeout": Key("stop after this time, for each program and model", _seconds, "SECONDS", word=float),
    "memory": Key(
        "what each process may hold, such as 300M or 2G (default, for all together: three quarters of the machine "
        "or its container)",
        _size,
        "SIZE",
    ),
    "sample": Key(
        "run N random schedules in place of a proof, and say with which probability they miss a bug", _count, "N",
        word=int,
    ),
    "sampler": Key(
        "how --sample draws schedules: mix (default), pct, walk, pos, urw or surw (docs/algorithms.md)",
        _sampler,
        "NAME",
    ),
    "max_executions": Key("stop after so many executions", _count, "N", word=int),
    "max_operations": Key(
        "cut a thread after so many operations (default: 400; 5000 in random schedules)", _count, "N", word=int
    ),
    "buffer": Key("stateful: bound the store buffers of a thread (default: 64)", _count, "N", word=int),
    "folder": Key("where failing traces go (default: .mcr)", _folder, "FOLDER"),
    "allow_incomplete": Key("tests pass, with a warning, when a limit cut their check", _truth),
    "collect": Key(
        "every program of a test module is a test, not only those that are decorated or named like one", _truth
    ),
    "jobs": Key("how many processes explore at once (default: the cores that may be used)", _count, "N", word=int,
                project=False),
    "keep_going": Key("look for further bugs after the first", _truth, project=False),
    "census": Key("count the classes of each equivalence that the executions belong to", _truth, project=False),
    "paranoid": Key(
        "check every execution against the axioms of the memory model",
        _truth,
        project=False,
    ),
    "reduce": Key(
        "stateful: also explore orders of steps that make no difference (for comparison)",
        _truth,
        flag="no-reduction",
        said=False,
        project=False,
    ),
    "native": Key(
        "stateful: use the loop in Python instead of the one in C (for comparison)",
        _truth,
        flag="no-native",
        said=False,
        project=False,
    ),
    "symmetry": Key(
        "stateful: tell threads apart that do the same (for comparison)",
        _truth,
        flag="no-symmetry",
        said=False,
        project=False,
    ),
}  # fmt: skip
"""Every key, by the name that files, decorators and `mcr.exploration.options.Options` have for it."""

count = KEYS["jobs"].of_word
"""What reads a whole number above 0 on a command line."""

OF_A_PROJECT = tuple(name for name, key in KEYS.items() if key.project)
"""What [tool.mcr] may say: an objective is a question about one program."""


def add_keys(parser: argparse._ActionsContainer, *names: str, **help: str) -> None:
    """Let a command take these keys; `help` says it differently for some, by name."""
    for name in names:
        flag, how = KEYS[name].argument(name, **({"help": help[name]} if name in help else {}))
        parser.add_argument(flag, **how)


# -- what files and decorators say ----------------------------------------------------


PROJECT_FILE = "pyproject.toml"

PLUGINS = "plugins"
"""The key of [tool.mcr] that names files which are imported before the others are read (`mcr.plugins`)."""

PURE = "pure"
"""The key of [tool.mcr] that names functions of native code for which the user vouches (`mcr.pure`)."""

_BEFORE_OTHERS = (PLUGINS, PURE)

Said = dict[str, Any]
"""Answers by key; what is left open is not in it."""


def read(values: Mapping[str, object], known: Iterable[str]) -> Said:
    """The values of what is written; raises ValueError, "KEY: what is wrong with it"."""
    said: Said = {}
    for name, value in values.items():
        if name not in known:
            raise ValueError(f"{name}: there is no such key; {there_are(known, name)}")
        try:
            said[name] = KEYS[name].read(value)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    return said


def read_project(file: Path) -> Said:
    """Reads [tool.mcr] of a pyproject.toml; its folder is relative to that of the file. Imports its plug-ins.

    Vouches for the functions that it names, and imports their modules.

    Raises CheckerError naming file and key. A file that is not there says nothing.
    """
    table = _project_table(file)
    if PLUGINS in table:
        from mcr import plugins

        plugins.load(_plugins_of(table, file))
    if PURE in table:
        _vouch(_names_in(table, PURE, "functions", file), file)
    try:
        said = read({name: value for name, value in table.items() if name not in _BEFORE_OTHERS}, OF_A_PROJECT)
    except ValueError as error:
        raise CheckerError(f"{file}: [tool.mcr] {error}") from None
    return {**said, "folder": file.parent / said["folder"]} if "folder" in said else said


def _project_table(file: Path) -> dict[str, Any]:
    """[tool.mcr] as it is written. Raises CheckerError naming the file."""
    try:
        text = file.read_text(encoding="utf-8")
        table = _table(text) if "mcr" in text else {}
    except FileNotFoundError:
        return {}
    except RecursionError:
        raise CheckerError(f"{file}: cannot be read: nested too deeply") from None
    except (OSError, ValueError) as error:  # broken TOML and broken UTF-8 are ValueErrors
        raise CheckerError(f"{file}: cannot be read: {error}") from None
    if not isinstance(table, dict):
        raise CheckerError(f"{file}: [tool.mcr] is not a table")
    return table


def _plugins_of(table: Mapping[str, Any], file: Path) -> list[Path]:
    """The files that are named, relative to the folder of the project. Raises CheckerError."""
    return [Path(os.path.relpath(file.parent / name)) for name in _names_in(table, PLUGINS, "files", file)]


def _names_in(table: Mapping[str, Any], key: str, what: str, file: Path) -> list[str]:
    """The names that a key lists. Raises CheckerError."""
    named = table.get(key, [])
    if not isinstance(named, list) or not all(isinstance(name, str) for name in named):
        raise CheckerError(f"{file}: [tool.mcr] {key}: {named!r} is not a list of {what}")
    return named


def _vouch(names: Iterable[str], file: Path) -> None:
    """Let thread code call the functions of these names. Raises CheckerError for one that cannot be imported."""
    from replay.frontend.vouching import pure_by_name

    try:
        for name in names:
            pure_by_name(name)
    except CheckerError as error:
        raise CheckerError(f"{file}: [tool.mcr] {PURE}: {error}") from None


def _table(text: str) -> Any:
    """[tool.mcr] of a pyproject.toml. Raises ValueError if that is no TOML."""
    import tomllib  # late, as most projects say nothing of us

    return tomllib.loads(text).get("tool", {}).get("mcr", {})


def project_around(folder: Path) -> Said:
    """Reads the pyproject.toml to which a folder belongs: in it, or in the nearest folder above that has one.

    Raises like `read_project`.
    """
    return read_project(_project_file(folder))


def project_plugins(folder: Path) -> list[Path]:
    """The plug-ins that this file names. Raises CheckerError."""
    file = _project_file(folder)
    return _plugins_of(_project_table(file), file)


def _project_file(folder: Path) -> Path:
    found = (place / PROJECT_FILE for place in (folder, *folder.parents))
    return next((file for file in found if file.is_file()), folder / PROJECT_FILE)
