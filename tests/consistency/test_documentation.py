"""The example in docs/formats.md is what the command prints."""

from __future__ import annotations

import re
from pathlib import Path

from mcr.cli import main

FORMATS = Path(__file__).parent.parent.parent / "docs" / "formats.md"


def test_the_example_log(tmp_path, capsys):
    text = FORMATS.read_text(encoding="utf-8")
    section = text[text.index("### Checking a log of a real machine") :]
    log, answer = re.findall(r"```(?:json)?\n(.*?)```", section, re.DOTALL)[:2]
    path = tmp_path / "log.json"
    path.write_text(log)
    assert main(["verify", str(path)]) == 0
    capsys.readouterr()
    assert main(["verify", str(path), "--model", "sc"]) == 1
    assert capsys.readouterr().out == answer
