"""The machine and the versions with which figures were taken."""

from __future__ import annotations

import functools
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

_PACKAGES = {"mcr_version": "mcr-checker", "python_sat": "python-sat", "z3": "z3-solver"}
"""Distributions by column."""

COLUMNS = ("machine", "python", *_PACKAGES, "commit")


@functools.cache
def environment() -> Mapping[str, str]:
    """By column: the machine, versions, and the commit; "+" after it means that files were changed since."""
    return {
        "machine": f"{platform.system()} {platform.machine()}, {_processor()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        **{column: _version(package) for column, package in _PACKAGES.items()},
        "commit": _commit(),
    }


def sentence(rows: Iterable[Mapping[str, Any]]) -> str:
    """On what the figures of some rows were taken: one sentence for each environment."""
    found = sorted({tuple(str(row.get(column, "")) for column in COLUMNS) for row in rows})
    return "\n\n".join(_sentence(dict(zip(COLUMNS, values, strict=True))) for values in found)


def _sentence(values: Mapping[str, str]) -> str:
    return (
        f"Taken on {values['machine']}, with Python {values['python']}, python-sat {values['python_sat']}, z3 "
        f"{values['z3']} and mcr {values['mcr_version']} at commit {values['commit']}."
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or "unknown processor")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _commit() -> str:
    """The commit of the source that is running, "none" if it is an installed package."""
    head = _git("rev-parse", "--short", "HEAD")
    if not head:
        return "none"
    return head + ("+" if _git("status", "--porcelain", "--", "mcr", "replay", "solvers") else "")


def _git(*arguments: str) -> str:
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return ""
    try:
        answer = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return answer.stdout.strip()
