"""Imports point one way: what is imported where, read off the source."""

from __future__ import annotations

import ast
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.desk import ROOT

FACADES = {"mcr": "import mcr", "replay": "import replay"}
"""`import mcr` names what users need, wherever that lives, and fetches it late; only models import it."""

ALLOWED: dict[str, set[str]] = {
    "replay.*": set(),
    "replay.world": {"replay.*"},
    "replay.interpreter": {"replay.*"},
    "replay.code": {"replay.*", "replay.interpreter", "replay.world"},
    "replay.on_terms": {"replay.code", "replay.interpreter", "replay.world"},
    "replay.frontend": {"replay.*", "replay.code", "replay.interpreter", "replay.on_terms", "replay.world"},
    "replay.local_state": {"replay.code", "replay.frontend", "replay.interpreter", "replay.on_terms", "replay.world"},
    "replay.machine": {"replay.*", "replay.code", "replay.frontend", "replay.local_state", "replay.world"},
    "replay.traces": {"replay.*", "replay.code", "replay.frontend", "replay.machine", "replay.world"},
    "replay.cpython": {
        *("replay.*", "replay.code", "replay.frontend", "replay.interpreter", "replay.traces", "replay.world")
    },
    "replay.certify": {
        *("replay.*", "replay.code", "replay.frontend", "replay.interpreter", "replay.traces", "replay.world")
    },
    "solvers": set(),
    # executions, and what is asked of them
    "mcr.executions": {"replay"},
    "mcr.consistency": {"mcr.executions", "replay"},
    "mcr.encoding": {"mcr.executions", "replay", "solvers"},
    # explorations: no explorer is known below the registry, and none knows another, but for auto, which is two
    "mcr.exploration": {"mcr.consistency", "mcr.executions", "replay", "solvers"},
    "mcr.explorers.bmc": {"mcr.encoding", "mcr.executions", "mcr.exploration", "replay", "solvers"},
    "mcr.explorers.closed": {"mcr.exploration", "replay"},
    "mcr.explorers.cover": {"mcr.encoding", "mcr.executions", "mcr.exploration", "replay", "solvers"},
    "mcr.explorers.exhaustive": {"mcr.exploration", "replay"},
    "mcr.explorers.maximal_causality": {"mcr.encoding", "mcr.executions", "mcr.exploration", "replay", "solvers"},
    "mcr.explorers.rf_smc": {"mcr.consistency", "mcr.executions", "mcr.exploration", "replay"},
    "mcr.explorers.rvf_smc": {"mcr.consistency", "mcr.executions", "mcr.exploration", "replay"},
    "mcr.explorers.sample": {"mcr.exploration", "replay"},
    "mcr.explorers.stateful": {"mcr.executions", "mcr.exploration", "replay"},
    "mcr.explorers.trust": {"mcr.consistency", "mcr.executions", "mcr.exploration", "replay"},
    # the registry knows the rooms by their names in its table, and imports them when they are asked for
    "mcr.explorers": {
        "mcr.executions", "mcr.exploration", "mcr.explorers.bmc", "mcr.explorers.closed", "mcr.explorers.sample",
        "mcr.explorers.stateful", "replay",
    },
    # those who ask for explorations, and tell what came of them
    "mcr.*": {"mcr.exploration", "mcr.explorers", "mcr.explorers.sample", "replay", "solvers"},
    "mcr.diagnosis": {
        "mcr.*", "mcr.consistency", "mcr.executions", "mcr.exploration", "mcr.explorers", "mcr.litmus", "replay",
        "solvers",
    },
    "mcr.coverage": {"mcr.*", "mcr.exploration", "replay"},
    "mcr.fencing": {"mcr.*", "mcr.exploration", "replay", "solvers"},
    "mcr.linearizability": {"mcr.*", "mcr.exploration", "replay"},
    "mcr.jobs": {"mcr.exploration", "replay", "solvers"},
    "mcr.bench": {"mcr.*", "mcr.exploration", "mcr.explorers", "mcr.jobs", "replay", "solvers"},
    "mcr.litmus": {"mcr.*", "mcr.exploration", "mcr.explorers", "mcr.jobs", "replay"},
    "mcr.report": {
        "mcr.*", "mcr.bench", "mcr.consistency", "mcr.coverage", "mcr.diagnosis", "mcr.executions", "mcr.exploration",
        "mcr.fencing", "mcr.linearizability", "replay", "solvers",
    },
    "mcr.testing": {
        "mcr.*", "mcr.diagnosis", "mcr.exploration", "mcr.explorers", "mcr.jobs", "mcr.linearizability", "mcr.report",
        "replay", "solvers",
    },
    "mcr.cli": {
        "mcr.*", "mcr.bench", "mcr.consistency", "mcr.coverage", "mcr.diagnosis", "mcr.exploration", "mcr.explorers",
        "mcr.fencing", "mcr.jobs", "mcr.linearizability", "mcr.litmus", "mcr.report", "replay", "solvers",
    },
}  # fmt: skip
"""What the files of each room may import of the others; "mcr.*" are the files of mcr itself, but for its facade."""

ENTRANCES = {"mcr/__init__.py", "mcr/__main__.py"}
"""The facade, and `python -m mcr`: they may import everything."""


def _files() -> list[Path]:
    found = [path for package in ("mcr", "replay", "solvers") for path in sorted((ROOT / package).rglob("*.py"))]
    return [path for path in found if path.relative_to(ROOT).as_posix() not in ENTRANCES]


def _room(module: str) -> str:
    """The room of a module, in the words of `ALLOWED`."""
    first, *rest = module.split(".")
    if first == "solvers":
        return first
    if not rest:
        return FACADES[first]
    if rest[0] == "explorers" and rest[1:] and (ROOT / "mcr" / "explorers" / rest[1]).is_dir():
        return f"mcr.explorers.{rest[1]}"
    return f"{first}.{rest[0]}" if (ROOT / first / rest[0]).is_dir() else f"{first}.*"


def _package(room: str) -> str:
    return room.removeprefix("import ").partition(".")[0]


@cache
def _arrows() -> dict[str, dict[str, list[str]]]:
    """Who imports whom, by room, and in which files."""
    found: dict[str, dict[str, list[str]]] = {}
    for path in _files():
        room = _room(_module(path))
        for name in _imports(path):
            if _room(name) != room:
                files = found.setdefault(room, {}).setdefault(_room(name), [])
                files.append(f"{path.relative_to(ROOT)} imports {name}")
    return found


def _covers(allowed: str, source: str, target: str) -> bool:
    """Whether `allowed` names the target, or all of another package."""
    return allowed in (target, _package(target)) if _package(source) != _package(target) else allowed == target


@cache
def _imports(path: Path) -> list[str]:
    """The modules of ours that a file imports, anywhere in it."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names = [_imported(str(node.module), alias.name) for alias in node.names]
        found += (name for name in names if name.partition(".")[0] in ("mcr", "replay", "solvers"))
    return found


def _imported(module: str, name: str) -> str:
    """What `from module import name` imports: the module, or another one in that package."""
    place = ROOT.joinpath(*module.split("."), name)
    return f"{module}.{name}" if place.is_dir() or place.with_suffix(".py").is_file() else module


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("room", ALLOWED)
def test_rooms_import_what_they_may(room: str) -> None:
    arrows = _arrows().get(room, {})
    for target, files in arrows.items():
        assert any(_covers(allowed, room, target) for allowed in ALLOWED[room]), files
    unused = [name for name in ALLOWED[room] if not any(_covers(name, room, target) for target in arrows)]
    assert not unused, "the table tells more than there is"


def test_no_room_imports_itself_by_way_of_others() -> None:
    rooms = {_room(_module(path)) for path in _files()}
    assert rooms - set(FACADES.values()) == set(ALLOWED)
    TopologicalSorter({room: arrows.keys() for room, arrows in _arrows().items()}).prepare()


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Also not by an import inside a function, or one for type checkers only."""
    graph = {_module(path): set(_imports(path)) for path in _files()}
    assert len(graph) > 200
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the modules
