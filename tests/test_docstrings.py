"""Docstrings begin with what a thing is or does."""

from __future__ import annotations

import ast
import re

import pytest

from tests.desk import ROOT

RELATIVE = re.compile(r"(What|Whether|Where|Who|Whom|Whose|That|Those|The same)\b")


def _found() -> list[str]:
    """Returns the places of docstrings that begin with a relative clause."""
    found = []
    for room in ("mcr", "replay", "solvers"):
        for file in sorted((ROOT / room).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                    text = ast.get_docstring(node) or ""
                    if RELATIVE.match(text):
                        place = node.body[0].lineno
                        found.append(f"{file.relative_to(ROOT)}:{place}: {text.splitlines()[0]}")
    return found


def test_they_begin_with_a_noun_or_a_verb() -> None:
    found = _found()
    assert not found, "\n".join(found)


@pytest.mark.parametrize("text", ["What it holds.", "Whether it is one.", "The same for others."])
def test_relative_clauses_are_known(text: str) -> None:
    assert RELATIVE.match(text)
    assert not RELATIVE.match(f"Returns {text.lower()}")
