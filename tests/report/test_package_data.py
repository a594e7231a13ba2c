"""The parts of the timeline's page come with the package however it is installed."""

from __future__ import annotations

import tomllib
from pathlib import Path

import mcr.report.explorer.page
import mcr.report.timeline.page
from tests.desk import ROOT


def test_every_part_of_the_page_is_package_data() -> None:
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["mcr"]
    package = Path(mcr.__file__).parent
    packed = {file for pattern in patterns for file in package.glob(pattern)}
    for page in (mcr.report.timeline.page, mcr.report.explorer.page):
        folder = Path(page.__file__).parent
        assert {file for file in folder.iterdir() if file.is_file() and file.suffix != ".py"} <= packed
