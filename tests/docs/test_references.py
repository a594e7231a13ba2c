"""Docstrings, comments and pages name what there is."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.desk import ROOT
from tests.docs.references import Known, Sentence, sentences, stale

NOWHERE = "_".join(("no", "such", "name"))  # a word that stood here would be known


@cache
def _known() -> Known:
    return Known()


def test_every_name_is_there() -> None:
    known = _known()
    found = [
        f"{sentence.file.relative_to(ROOT)}:{sentence.line}: {name}"
        for sentence in sentences(known)
        for name in stale(sentence, known)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("See `mcr.explorers.stateful.symmetry`.", ["mcr.explorers.stateful.symmetry"]),
        ("See `mcr.explorers.stateful.system.System.steps`.", []),
        ("See `mcr.explorers.stateful.system.System.stride`.", ["mcr.explorers.stateful.system.System.stride"]),
        ("See `GrowingTrace.past`, and `GrowingTrace.future`.", ["GrowingTrace.future"]),
        ("As `NativeSpace.frontier` of its base.", []),
        ("See replay/world/operation.py and replay/world/operations.py.", ["replay/world/operations.py"]),
        ("See mcr/exploration/events.py:Trace.past.", ["mcr/exploration/events.py:Trace.past"]),
        (f"See `{NOWHERE}`.", [NOWHERE]),
        ("See results/levels.jsonl and results/levels.json.", ["results/levels.json"]),
        ("Of FILE.py `p.share(x)` shares `x.op.load`.", []),
    ],
)
def test_a_name_that_is_gone_is_found(text: str, gone: list[str]) -> None:
    assert list(stale(Sentence(Path(__file__), 1, text), _known())) == gone
