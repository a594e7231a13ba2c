"""The README's first command replays a file that its check has written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mcr.exploration.archive import ambiguous, file_stem
from replay.frontend.program import Program
from replay.traces.loader import find_all
from tests.desk import ROOT


def test_it_replays_what_it_saves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = Path("README.md").read_text(encoding="utf-8")
    replayed = re.search(r"check (\w+) --short; \S+ replay \.mcr/(\S+)-tso\.json", text)
    assert replayed is not None
    programs = [each for each in find_all(replayed[1]) if isinstance(each, Program)]
    apart = ambiguous(programs)
    assert replayed[2] in {file_stem(program, with_file=program in apart) for program in programs}
