"""The programs of tests/ordinary/packages say which package they need, at which version, and what is found.

They are run by `results/ordinary_classes.py`, which installs the packages.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

FILES = sorted((Path(__file__).parent / "packages").glob("[!_]*.py"))
KNOWN_FILES = 41
"""How many there were when this was written."""


def test_every_file_is_found() -> None:
    assert len(FILES) >= KNOWN_FILES


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_it_names_a_version_and_what_is_found(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    package = re.search(r"^Package: (.*)$", ast.get_docstring(tree) or "", re.MULTILINE)
    assert package and (package[1] == "none" or all("==" in each for each in package[1].split()))
    programs = [each for each in tree.body if isinstance(each, ast.FunctionDef) and each.decorator_list]
    assert programs
    for program in programs:
        last = (ast.get_docstring(program) or "").splitlines()[-1]
        assert re.fullmatch(r"Verified|(Fails|Refused|Incomplete): .+", last), program.name
