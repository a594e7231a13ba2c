"""Everything that the documentation shows is run (README.md beside this file says how)."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

import pytest

from mcr.cli.commands import COMMANDS
from tests.desk import ROOT
from tests.docs.pages import FILES, PAGES, Block, blocks, commands
from tests.docs.running import Folder, agree, refreshed, rewrite

_CITATION = re.compile(r"\bdocs/([\w-]+\.md)(?: (\d+))?")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s#]+)(?:#([^)\s]*))?\)")


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_what_the_page_shows_is_what_happens(page: Path, tmp_path: Path) -> None:
    tools, folder = tmp_path / "tools", tmp_path / "folder"
    tools.mkdir()
    folder.mkdir()
    differences = list(Folder(folder, tools).play(page))
    if os.environ.get("REFRESH"):
        rewrite(page, [each for each in differences if each.command.line and each.status == each.command.status])
    assert not differences, "\n\n".join(map(str, differences))


def _escapes(block: Block) -> bool:
    """Whether nothing runs the block."""
    return not (block.file or block.is_skipped or (block.language == "console" and commands(block)))


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_no_block_escapes(page: Path) -> None:
    assert [block.place for block in blocks(page) if _escapes(block)] == []
    indented = re.findall(r"^\n {4}\S.*", re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL), re.MULTILINE)
    assert indented == []


def test_only_the_set_up_commands_of_the_readme_are_not_run() -> None:
    skipped = [block.place for page in PAGES for block in blocks(page) if block.is_skipped]
    assert len(skipped) == 2
    assert all(place.startswith("README.md:") for place in skipped)


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_lead_somewhere(page: Path) -> None:
    for target, section in _LINK.findall(page.read_text(encoding="utf-8")):
        if target.startswith(("http:", "https:", "mailto:")):
            continue
        file = (page.parent / target).resolve()
        assert file.exists(), f"{_name(page)}: {target}"
        if section:
            headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            anchors = [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]
            assert section in anchors, f"{_name(page)}: {target}#{section}"


def test_what_the_code_cites_is_there() -> None:
    """Pages of this folder, and sections of the semantics by number."""
    sections = re.findall(r"^## (\d+)\. ", (ROOT / "docs" / "semantics.md").read_text(encoding="utf-8"), re.MULTILINE)
    for folder in ("mcr", "replay", "solvers", "tests"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            for page, section in _CITATION.findall(file.read_text(encoding="utf-8")):
                assert (ROOT / "docs" / page).is_file(), f"{file}: {page}"
                assert not section or section in sections, f"{file}: {page} {section}"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_in_the_index(name: str) -> None:
    assert f"`mcr {name}`" in (ROOT / "docs" / "README.md").read_text(encoding="utf-8")


def test_the_newest_release_is_the_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    releases = re.findall(
        r"^## (\d.*) \(\d{4}-\d\d-\d\d\)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert releases[0] == project["version"]


# -- the runner itself -----------------------------------------------------------


def _play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> tuple[Path, list[str]]:
    page = tmp_path / "page.md"
    page.write_text(text)
    monkeypatch.setattr("tests.docs.pages.ROOT", tmp_path)
    tools, folder = tmp_path / "tools", tmp_path / "folder"
    tools.mkdir()
    folder.mkdir()
    differences = list(Folder(folder, tools).play(page))
    rewrite(page, differences)
    return page, [difference.command.text for difference in differences]


WRONG = """\
```python
# hello.py
print("hello")
```

```console
$ python hello.py
goodbye
$ echo 1; echo 2; echo 3
1
...
4
$ exit 3  # exit status 3
$ false
```
"""


def test_wrong_outputs_and_statuses_are_found_and_refreshed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page, found = _play(tmp_path, monkeypatch, WRONG)
    assert found == ["python hello.py", "echo 1; echo 2; echo 3", "false"]
    assert page.read_text() == WRONG.replace("goodbye", "hello").replace("...\n4", "...\n3")


def test_a_file_that_no_command_mentions_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, found = _play(tmp_path, monkeypatch, "```python\n# fails.py\nraise SystemExit(1)\n```\n")
    assert found == ["python fails.py"]


@pytest.mark.parametrize("language", ["", "text", "sh", *FILES])
def test_blocks_that_nobody_runs_are_found(tmp_path: Path, language: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"```{language}\nx = 1\n```\n")
    (block,) = blocks(page)
    assert _escapes(block)


@pytest.mark.parametrize(
    ("said", "shown", "same"),
    [
        ("a|b", "a|b", True),
        ("a|b", "a|c", False),
        ("a|b", "a|b|c", False),
        ("a|...|d", "a|b|c|d", True),
        ("a|...|d", "a|b|c", False),
        ("...|c|...", "a|b|c|d", True),
        ("...|d|...|c", "a|d|b", False),
        ("a|...|a", "a", False),
        ("took  0.25 s", "took 10.00 s", True),
        ("took 0.25 s", "took 3 s", False),
        ("sb  SC  verified     3    8  0.01 s", "sb  SC  verified    12    8  0.20 s", True),
        ("sb  SC  verified     3    8  0.01 s", "sb  SC  verified     3    9  0.01 s", False),
    ],
)
def test_agreement(said: str, shown: str, same: bool) -> None:
    assert agree(said.split("|"), shown.split("|")) is same


def test_refreshing_keeps_as_many_lines_around_what_is_left_out() -> None:
    assert refreshed(["a", "...", "z"], ["1", "2", "3", "4"]) == ("1", "...", "4")
    assert refreshed(["a", "b"], ["1", "2", "3"]) == ("1", "2", "3")
    assert refreshed(["a", "..."], ["1", "2"]) == ("1", "...")
