"""The parts of pages, and the grammar of litmus tests, come with the package however it is installed."""

from __future__ import annotations

import tomllib
from pathlib import Path

import mcr.litmus
import mcr.report.explorer.page
import mcr.report.timeline.page
from tests.desk import ROOT


def test_every_part_of_the_pages_and_the_grammar_are_package_data() -> None:
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["mcr"]
    package = Path(mcr.__file__).parent
    packed = {file for pattern in patterns for file in package.glob(pattern)}
    for room in (mcr.report.timeline.page, mcr.report.explorer.page, mcr.litmus):
        assert room.__file__ is not None
        folder = Path(room.__file__).parent
        assert {file for file in folder.iterdir() if file.is_file() and file.suffix != ".py"} <= packed
