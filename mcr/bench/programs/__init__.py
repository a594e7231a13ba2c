"""The programs that are measured; examples/ links to them, so its tests hold them to their promises."""

from __future__ import annotations

from importlib import import_module

from replay.frontend.program import Program


def named(module: str, name: str) -> Program:
    """A program by the file and the name that it has here."""
    program: Program = getattr(import_module(f"{__name__}.{module}"), name)
    return program
