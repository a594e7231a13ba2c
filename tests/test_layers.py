"""Imports point one way: what is imported where, read off the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.desk import ROOT

FACADE = "mcr"
"""`import mcr` names what users need, wherever that lives, and fetches it late; only models import it."""

ALLOWED: dict[str, set[str]] = {
    "replay.*": set(),
    "replay.world": {"replay.*"},
    "replay.code": {"replay.*", "replay.world"},
    "replay.frontend": {"replay.*", "replay.code", "replay.world"},
    "replay.local_state": {"replay.*", "replay", "replay.code", "replay.frontend", "replay.world"},
    "replay.machine": {"replay.*", "replay.code", "replay.frontend", "replay.world"},
    "replay.traces": {"replay.*", "replay.code", "replay.frontend", "replay.machine", "replay.world"},
    "solvers": set(),
    # executions, and what is asked of them
    "mcr.executions": {"replay"},
    "mcr.consistency": {"mcr.executions", "replay", "solvers"},
    "mcr.encoding": {"mcr.executions", "replay", "solvers"},
    # explorations: no explorer is known below the registry, and none knows another, but for auto, which is two
    "mcr.exploration": {"mcr.*", "mcr.consistency", "mcr.executions", "replay", "solvers"},
    "mcr.explorers.cover": {"mcr.encoding", "mcr.executions", "mcr.exploration", "replay"},
    "mcr.explorers.exhaustive": {"mcr.exploration", "replay"},
    "mcr.explorers.maximal_causality": {"mcr.encoding", "mcr.executions", "mcr.exploration", "replay", "solvers"},
    "mcr.explorers.trust": {"mcr.executions", "mcr.exploration", "replay"},
    "mcr.explorers": {
        "mcr.executions", "mcr.exploration", "mcr.explorers.cover", "mcr.explorers.exhaustive",
        "mcr.explorers.maximal_causality", "mcr.explorers.trust", "replay",
    },
    # those who ask for explorations, and tell what came of them
    "mcr.*": {"mcr.exploration", "mcr.explorers", "mcr.litmus", "replay", "solvers"},
    "mcr.diagnosis": {"mcr.*", "mcr.consistency", "mcr.executions", "mcr.exploration", "mcr.explorers", "replay"},
    "mcr.litmus": {"mcr.*", "mcr.exploration", "mcr.explorers", "replay"},
    "mcr.report": {
        "mcr.*", "mcr.consistency", "mcr.diagnosis", "mcr.executions", "mcr.exploration", "replay", "solvers",
    },
    "mcr.testing": {
        "mcr.*", "mcr.diagnosis", "mcr.exploration", "mcr.explorers", "mcr.report", "replay", "solvers",
    },
    "mcr.bench": {"mcr.*", "mcr.exploration", "mcr.explorers", FACADE, "replay", "solvers"},
    "mcr.cli": {
        "mcr.*", "mcr.bench", "mcr.consistency", "mcr.diagnosis", "mcr.exploration", "mcr.explorers", "mcr.litmus",
        "mcr.report", "replay", "solvers",
        "mcr.explorers.maximal_causality",  # `mcr explain` shows its formulas
    },
}  # fmt: skip
"""What the files of each room may import of the others; "mcr.*" are the files of mcr itself, but for its facade."""

ENTRANCES = {"mcr/__init__.py", "mcr/__main__.py"}
"""The facade, and `python -m mcr`: they may import everything."""


def _files() -> list[Path]:
    found = [path for package in ("mcr", "replay", "solvers") for path in sorted((ROOT / package).rglob("*.py"))]
    return [path for path in found if path.relative_to(ROOT).as_posix() not in ENTRANCES]


def _package(module: str) -> str:
    """The package of a module, in the words of `ALLOWED`."""
    first, *rest = module.split(".")
    if first == "solvers" or not rest:
        return first
    if rest[0] == "explorers" and rest[1:] and (ROOT / "mcr" / "explorers" / rest[1]).is_dir():
        return f"mcr.explorers.{rest[1]}"
    return f"{first}.{rest[0]}" if (ROOT / first / rest[0]).is_dir() else f"{first}.*"


def _imports(path: Path) -> Iterator[str]:
    """The modules of ours that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names = [_imported(str(node.module), alias.name) for alias in node.names]
        yield from (name for name in names if name.partition(".")[0] in ("mcr", "replay", "solvers"))


def _imported(module: str, name: str) -> str:
    """What `from module import name` imports: the module, or another one in that package."""
    place = ROOT.joinpath(*module.split("."), name)
    return f"{module}.{name}" if place.is_dir() or place.with_suffix(".py").is_file() else module


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("package", ALLOWED)
def test_packages_import_what_they_may(package: str) -> None:
    files = [path for path in _files() if _package(_module(path)) == package]
    assert files
    for path in files:
        for name in _imports(path):
            room = _package(name)
            allowed = {room, room.removeprefix("mcr.").partition(".")[0]} & {package, *ALLOWED[package]}
            assert allowed, f"{path.relative_to(ROOT)} must not import {name}"


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Also not by an import inside a function, or one for type checkers only."""
    graph = {_module(path): set(_imports(path)) for path in _files()}
    assert len(graph) > 200
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the modules
