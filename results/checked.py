"""A check of a program with the packages that it needs, as one row.

Packages are installed at the versions that are named, each list of them into a folder of its own below `.packages`.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from mcr.bench.rows import Row

ROOT = Path(__file__).resolve().parent.parent


def installed(package: str | None) -> list[str]:
    """Where a package lies, which is installed if it is not there; nothing for none.

    `package` are the arguments of pip. "2to3" before them: Python 2 installs the package, and `2to3` translates it.
    """
    if package in (None, "none"):
        return []
    folder = folder_of(package)
    if not folder.exists():
        try:
            _install(folder, *package.split())
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
    return [str(folder)]


def _install(folder: Path, *asked: str) -> None:
    uv = shutil.which("uv")
    install = [uv, "pip", "install", "--python", sys.executable] if uv else [sys.executable, "-m", "pip", "install"]
    if asked[0] == "2to3":
        install, asked = ["python2", "-m", "pip", "install", "--no-deps"], asked[1:]
    subprocess.run([*install, "-q", "--target", str(folder), *asked], check=True)
    if install[0] == "python2":
        subprocess.run(["2to3", "--write", "--nobackups", "--no-diffs", str(folder)], check=True, capture_output=True)


def source(package: str) -> Path:
    """Where the source distribution of a package lies, which is downloaded if it is not there; it has the tests."""
    folder = folder_of(f"source {package}")
    if not folder.exists():
        with tempfile.TemporaryDirectory() as made:
            name = package.partition("==")[0]
            command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", name, package]
            subprocess.run([*command, "--dest", made], check=True)
            (archive,) = Path(made).iterdir()
            with tarfile.open(archive) as opened:
                opened.extractall(made, filter="data")
            (unpacked,) = (each for each in Path(made).iterdir() if each.is_dir())
            shutil.move(unpacked, folder)
    return folder


def folder_of(package: str) -> Path:
    return ROOT / ".packages" / package.replace(" ", "+")


def is_here(package: str | None) -> bool:
    """Returns True if a package is installed, and for none."""
    return package in (None, "none") or folder_of(package).exists()


_NOTHING: Row = {"executions": "", "states": "", "s": "", "interrupted": ""}
"""The figures of a check that came to nothing."""


def checked(
    target: str,
    timeout: float,
    paths: list[str],
    more: Sequence[str] = (),
    *,
    first: Sequence[str] = (),
    confirm: bool = False,
    python: str = sys.executable,
) -> Row:
    """The figures of `mcr check` of a program, in a process of its own.

    `more` are more options. Imports are looked up in `first` even before the folder of the program, and in `paths`
    after it. `confirm` also plays a failure on threads of CPython: the cell `confirmed` says whether it
    fails there. `python` is the Python that does all this.
    """
    version = [part for folder in first for part in ("--path", folder)]
    limited = ["--model", "sc", "--json", "--timeout", str(timeout)]
    command = [python, "-m", "mcr", "check", target, *limited, *version, *more]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *paths])}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        if not done.stdout:
            return {**_NOTHING, "verdict": "error", "found": done.stderr.strip().splitlines()[-1]}
        told = json.loads(done.stdout)
        if not told["results"]:
            return {**_NOTHING, "verdict": "refused", "found": told["errors"][0]["message"]}
        row = _row(told, Path(folder))
        if confirm and told["failures"]:
            trace = told["failures"][0]["traces"][0]
            again = [python, "-m", "mcr", "replay", trace, "--cpython", *version]
            played = subprocess.run(again, cwd=folder, env=environment, capture_output=True, text=True)
            row["confirmed"] = "yes" if "Confirmed by CPython" in played.stdout else "no"
        return row


def checked_by_pytest(target: str, timeout: float, paths: list[str]) -> Row:
    """The figures of `pytest --mcr=all` of a test, without the settings of its project, in a process of its own."""
    settings = ["-c", os.devnull, "--rootdir", str(Path(target).parent), "-p", "no:cacheprovider", "-q"]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        limits = [f"--mcr-timeout={timeout:g}", f"--mcr-folder={folder}", f"--junitxml={report}"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*paths, str(ROOT)]), "COLUMNS": "9999"}
        command = [sys.executable, "-m", "pytest", "--mcr=all", *settings, *limits, target]
        subprocess.run(command, env=environment, capture_output=True)
        (case,) = ElementTree.parse(report).iter("testcase")
    failure = case.find("failure")
    said = "" if failure is None else " ".join((failure.text or "").split("\n\n")[0].split())
    said = re.sub(r"\S*/(?=\w+\.py:\d)", "", said)
    verdicts = {" fails under ": "bug", " is not decided under ": "incomplete", "": "refused" if said else "verified"}
    return {**_NOTHING, "verdict": next(verdicts[each] for each in verdicts if each in said), "found": said}


def _row(told: dict[str, Any], folder: Path) -> Row:
    """The figures in the answer to one check, whose traces are in a folder."""
    (result,) = told["results"]
    row: Row = {
        "verdict": result["verdict"],
        "executions": result["statistics"]["executions"],
        "states": result["statistics"]["local_states"],
        "s": round(result["times"]["seconds"], 2),
        "found": result["stop"]["reason"] if result["stop"] else "",
        "interrupted": "",
    }
    if told["failures"]:
        failure = told["failures"][0]
        row["found"] = _found(failure)
        row["interrupted"] = _interrupted(json.loads((folder / failure["traces"][0]).read_text(encoding="utf-8")))
    return row


def _found(failure: dict[str, Any]) -> str:
    """The failure in one cell."""
    if not failure["stack"]:
        return failure["message"] if failure["error"] == "Deadlock" else f"{failure['error']}: {failure['message']}"
    where = failure["stack"][0]
    what = f"{failure['error']}: {failure['message']}" if failure["message"] else failure["error"]
    return f"{what} ({_short(where['file'])}:{where['line']})"


def _interrupted(trace: dict[str, Any]) -> str:
    """Between which of its lines a thread is interrupted by another one in a schedule."""
    events = {event["id"]: event for event in trace["events"]}
    order = [events[step["event"]] for step in trace["schedule"] if "run" in step]
    places = []
    for number, (event, following) in enumerate(itertools.pairwise(order)):
        later = next((each for each in order[number + 1 :] if each["thread"] == event["thread"]), None)
        if following["thread"] != event["thread"] and later is not None and event["line"] and later["line"]:
            places.append(_between(event["line"], later["line"]))
    return "; ".join(dict.fromkeys(places))


def _between(line: str, other: str) -> str:
    """Two places `file:line:function` in one cell."""
    (file, number, _), (other_file, other_number, _) = line.rsplit(":", 2), other.rsplit(":", 2)
    first, second = f"{_short(file)}:{number}", f"{_short(other_file)}:{other_number}"
    return f"{first}, {other_number}" if file == other_file and first != second else " and ".join({first: 0, second: 0})


def _short(file: str) -> str:
    """The name of a file; that of a package says whose `__init__.py` it is."""
    path = Path(file)
    return f"{path.parent.name}/{path.name}" if path.stem == "__init__" else path.name
