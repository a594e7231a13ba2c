"""`--import` and [tool.mcr] plugins: models, explorers and formats of one's own, out of a folder of their own."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcr import plugins
from mcr.cli import checking
from mcr.cli.kept_answers import own_version
from mcr.executions import equivalence
from mcr.explorers.registry import ALGORITHMS
from replay.errors import CheckerError
from replay.world.memory_models import MODELS
from tests.desk import ROOT, Desk
from tests.docs.pages import blocks

PAGE = {block.file: block.text for block in blocks(ROOT / "docs" / "extending.md") if block.file}


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """Nothing that a plug-in registers stays."""
    tables: list[dict[str, object]] = [MODELS, ALGORITHMS, checking.FORMATS, plugins._LOADED]  # type: ignore[list-item]
    before = [dict(table) for table in tables]
    equivalences, modules = [*equivalence.EQUIVALENCES], {*sys.modules}
    yield
    for table, known in zip(tables, before, strict=True):
        table.clear()
        table.update(known)
    equivalence.EQUIVALENCES[:] = equivalences
    for name in {*sys.modules} - modules:
        if name in ("ibm370", "sleep_sets", "tap", "broken"):
            del sys.modules[name]
    own_version.cache_clear()


@pytest.fixture
def desk(desk: Desk) -> Desk:
    desk.write("sb.py", PAGE["sb.py"])
    for name in ("ibm370.py", "sleep_sets.py", "tap.py"):
        desk.write(f"mine/{name}", PAGE[name])
    return desk


def test_a_model_and_an_explorer_from_the_command_line(desk: Desk) -> None:
    answer = desk.mcr(
        "check", "sb.py", "--import", "mine/ibm370.py", "--import=mine/sleep_sets.py", "--model", "ibm370",
        "--algorithm", "sleep-sets",
    )  # fmt: skip
    assert answer.status == 1, answer.err
    assert "sb.py" in answer.out
    assert "IBM370" in answer.out
    assert answer.out.rstrip().endswith("With plug-ins: mine/ibm370.py, mine/sleep_sets.py")


def test_documents_name_them(desk: Desk) -> None:
    answer = desk.mcr("check", "sb.py", "--import", "mine/ibm370.py", "--model", "ibm370", "--json")
    assert answer.document["plugins"] == ["mine/ibm370.py"]
    assert answer.document["results"][0]["model"] == "ibm370"


def test_a_format(desk: Desk) -> None:
    answer = desk.mcr("check", "sb.py", "--import", "mine/tap.py", "--format", "tap", "--model", "sc")
    assert answer.out.splitlines() == ["TAP version 13", "ok 1 - store_buffering under sc: verified", "1..1"]


def test_those_of_a_project(desk: Desk) -> None:
    """For every command, from any folder below; pytest has them too."""
    desk.write("pyproject.toml", '[tool.mcr]\nplugins = ["mine/ibm370.py"]\nmodels = "ibm370"\n')
    answer = desk.mcr("check", "sb.py")
    assert "IBM370" in answer.out
    assert "With plug-ins: mine/ibm370.py" in answer.out
    assert "ibm370" in desk.mcr("compare", "sb.py", "--json").out
    desk.write("test_sb.py", PAGE["sb.py"].replace("@mcr.program", '@mcr.test(models="ibm370")'))
    process = desk.start("-q", "--mcr-model", "ibm370", module="pytest")
    out, _ = process.communicate(timeout=120)
    assert "ibm370" in out
    assert process.returncode == 1, out


def test_measurements_have_them_in_their_processes(desk: Desk) -> None:
    """And a row is measured again when the text of a plug-in has changed."""
    asked = (
        "bench", "sb.py", "--import", "mine/ibm370.py", "--import", "mine/sleep_sets.py", "--model", "ibm370",
        "--algorithm", "sleep-sets,cover", "--objective", "outcomes",
    )  # fmt: skip
    answer = desk.mcr(*asked, "--json")
    assert answer.status == 0, answer.err
    assert answer.document["plugins"] == ["mine/ibm370.py", "mine/sleep_sets.py"]
    assert [row["verdict"] for row in answer.document["rows"]] == ["bug", "bug"]
    assert "0 of them to measure" in desk.mcr(*asked).err
    own_version.cache_clear()
    Path("mine/ibm370.py").write_text(PAGE["ibm370.py"] + "\n# changed\n")
    assert "to measure" not in desk.mcr(*asked).err
    rows = Path(".mcr/bench.jsonl").read_text().splitlines()
    assert len({json.loads(row)["origin"] for row in rows}) == 2


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("raise ValueError('no')", "mine/broken.py:1: cannot be imported: ValueError: no"),
        ("def", "mine/broken.py:1: not Python"),
        (PAGE["ibm370.py"].replace('"ibm370"', '"tso"'), "there is a memory model 'tso' already"),
    ],
)
def test_a_broken_one_is_refused(desk: Desk, text: str, sentence: str) -> None:
    desk.write("mine/broken.py", text)
    answer = desk.mcr("check", "sb.py", "--import", "mine/broken.py")
    assert answer.status == 2
    assert sentence in answer.err


def test_what_makes_no_sense_is_refused(desk: Desk) -> None:
    assert "mine/none.py: there is no such file" in desk.mcr("doctor", "--import", "mine/none.py").err
    assert "expected one argument" in desk.mcr("check", "sb.py", "--import").err
    answer = desk.mcr("check", "sb.py", "--import", "mine/ibm370.py", "--cluster", "tcp://nowhere:1")
    assert "--cluster: workers import no plug-ins (mine/ibm370.py)" in answer.err
    desk.write("pyproject.toml", "[tool.mcr]\nplugins = 'mine/ibm370.py'\n")
    assert "[tool.mcr] plugins: 'mine/ibm370.py' is not a list of files" in desk.mcr("check", "sb.py").err


def test_without_the_plug_in_its_names_are_unknown(desk: Desk) -> None:
    assert "unknown memory model 'ibm370'" in desk.mcr("check", "sb.py", "--model", "ibm370").err
    assert plugins.loaded() == ()
    assert plugins.digest() == ""


def test_one_file_is_imported_once(desk: Desk) -> None:
    plugins.load([Path("mine/ibm370.py"), Path("mine/../mine/ibm370.py")])
    assert plugins.loaded() == ("mine/ibm370.py",)
    with pytest.raises(CheckerError, match="there is no such file"):
        plugins.load([Path("none.py")])
