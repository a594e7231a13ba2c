"""`mcr check TARGET --path OLD --path NEW`: versions of a package side by side."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from mcr.cli import versions as check_of_versions
from tests.desk import Desk

_OF_POOL = """
class Registry:
    def __init__(self):
        self.deferred = {"resolver": object}
        self.made = {}

    def get(self, name):
"""
_RACY = """
        if name in self.deferred:
            self.made[name] = self.deferred[name]()
            del self.deferred[name]
        return self.made[name]
"""
_PASSES_OVER = """
        if name in self.deferred:
            made = self.deferred[name]
            self.made[name] = made()
            try:
                del self.deferred[name]
            except KeyError:
                pass
        return self.made[name]
"""
_TEST = """
import threading
from registry_of_versions import Registry

def two():
    registry = Registry()
    threads = [threading.Thread(target=registry.get, args=("resolver",)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


@pytest.fixture
def versions(desk: Desk) -> Desk:
    """A test in the current folder, an installed version beside it, and two others in folders of their own."""
    desk.write("test_registry.py", _TEST)
    desk.write("registry_of_versions.py", "raise ImportError('the version beside the test')\n")
    desk.write("old/registry_of_versions.py", _OF_POOL.strip() + _RACY)
    desk.write("new/registry_of_versions.py", _OF_POOL.strip() + _PASSES_OVER)
    return desk


def test_versions_are_told_apart_by_kind_of_python(versions: Desk) -> None:
    answer = versions.mcr("check", "test_registry.py::two", "--path", "old", "--path", "new")
    assert answer.status == 1, "new fails where threads switch between the look and the look-up"
    rows = [[cell.strip() for cell in line.split("│")] for line in answer.out.splitlines() if "│" in line]
    assert rows == [
        ["version", "program", "model", "free-threaded", "with the global lock"],
        ["old", "two", "SC", "bug", "bug"],
        ["new", "two", "SC", "bug", "verified"],
    ]
    gone = "The failure is gone: where thread 0.1 failed with KeyError: 'resolver', thread 0.1 goes on to"
    said = " ".join(answer.out.split())
    assert "old, free-threaded: two fails: KeyError: 'resolver'" in said
    assert "The same schedule on new: The failure occurs again." in said
    assert f"mcr replay .mcr/0-old-gil/two-sc.json --path old The same schedule on new: {gone}" in said


def test_the_last_version_decides_the_status(versions: Desk) -> None:
    asked = ("check", "test_registry.py::two", "--python", "gil", "--json")
    answer = versions.mcr(*asked, "--path", "old", "--path", "new")
    assert answer.status == 0
    document = answer.document
    assert [(each["path"], each["python"], each["status"]) for each in document["versions"]] == [
        ("old", "gil", 1), ("new", "gil", 0),
    ]  # fmt: skip
    (played,) = document["played"]
    assert (played["found_on"], played["played_on"], played["status"]) == ("old", "new", 0)
    assert Path(played["trace"]).is_file()


def test_a_schedule_that_does_not_fit_says_at_which_step(versions: Desk) -> None:
    versions.write("pops/registry_of_versions.py", (_OF_POOL + _RACY).replace("del self.deferred[name]", _POP).strip())
    answer = versions.mcr("check", "test_registry.py::two", "--python", "gil", "--path", "old", "--path", "pops")
    assert answer.status == 0
    said = " ".join(answer.out.split())
    assert "The same schedule on pops: It does not fit any more: step 10 of the schedule: expected thread 0.0" in said
    assert "found 'Registry#0.0.deferred.pop('resolver', None)'" in said


_POP = "self.deferred.pop(name, None)"


def test_one_version_is_checked_and_replayed_as_ever(versions: Desk) -> None:
    before = list(sys.path)
    answer = versions.mcr("check", "test_registry.py::two", "--path", "old")
    assert answer.status == 1
    assert "mcr replay .mcr/two-sc.json --path old" in answer.out
    assert versions.mcr("replay", ".mcr/two-sc.json", "--path", "old").status == 1
    del sys.modules["registry_of_versions"]  # what this process has imported stays
    assert versions.mcr("replay", ".mcr/two-sc.json").status == 2, "the version beside the test cannot be imported"
    assert sys.path == before


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--path", "none"), "--path none: there is no such folder"),
        (("--path", "old"), "--path: a folder is named twice"),
        (("--path", "new", "--short"), "--short is about one version"),
    ],
)
def test_what_makes_no_sense_is_refused(versions: Desk, more: tuple[str, ...], said: str) -> None:
    answer = versions.mcr("check", "test_registry.py::two", "--path", "old", *more)
    assert answer.status == 2
    assert said in answer.err
    assert not Path(".mcr").exists()


def test_a_version_that_cannot_be_imported_is_an_error(versions: Desk) -> None:
    versions.write("broken/registry_of_versions.py", "raise ImportError('not this one')\n")
    answer = versions.mcr("check", "test_registry.py::two", "--python", "gil", "--path", "old", "--path", "broken")
    assert answer.status == 2
    assert "ImportError: not this one" in answer.out
    assert "It cannot be played: " in answer.out


def test_what_was_found_is_told_where_a_process_ends(versions: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    real = check_of_versions._in_a_process

    def ending(work: Any) -> str:
        return "" if isinstance(work, check_of_versions._PlayOne) else real(work)

    monkeypatch.setattr(check_of_versions, "_in_a_process", ending)
    answer = versions.mcr("check", "test_registry.py::two", "--python", "gil", "--path", "old", "--path", "new")
    assert answer.status == 0
    assert "The same schedule on new: The process that played it has ended." in " ".join(answer.out.split())


def test_an_interruption_loses_no_check_that_was_done(versions: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    real = check_of_versions._in_a_process

    def interrupted(work: Any) -> str:
        if work.arguments.python == "gil":
            raise KeyboardInterrupt
        return real(work)

    monkeypatch.setattr(check_of_versions, "_in_a_process", interrupted)
    answer = versions.mcr("check", "test_registry.py::two", "--path", "old", "--path", "new", "--json")
    assert answer.status == 3
    assert [(each["path"], each["python"]) for each in answer.document["versions"]] == [("old", "free-threaded")]
