"""Files, network, clock and environment are no part of a model: refused with the line, whoever asks for them."""

# ruff: noqa: SIM105, SIM115, C417  # what is refused is written as users do

from __future__ import annotations

import os
import pathlib
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable

import pytest

import mcr

FILE = pathlib.Path(tempfile.gettempdir()) / "mcr-no-such-file.txt"
OPEN = open
STAT = os.stat


def swallowed() -> None:
    try:
        FILE.write_text("1")
    except BaseException:
        pass


def far_away() -> list[str]:
    return [line for each in map(lambda file: file.open(), [FILE]) for line in each]


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "open": (lambda: open(FILE), "a file"),
    "another name": (lambda: OPEN(FILE), "a file"),
    "Path.write_text": (lambda: FILE.write_text("1"), "a file"),
    "Path.read_text": (lambda: FILE.read_text(), "a file"),
    "os.open": (lambda: os.open(FILE, os.O_RDONLY), "a file"),
    "os.listdir": (lambda: os.listdir(), "os.listdir"),
    "Path.iterdir": (lambda: list(pathlib.Path().iterdir()), "os."),
    "Path.mkdir": (lambda: FILE.mkdir(), "os.mkdir"),
    "mkstemp": (lambda: tempfile.mkstemp(), "which a model cannot have"),
    "rmtree": (lambda: shutil.rmtree(FILE), "shutil.rmtree"),
    "sqlite3": (lambda: sqlite3.connect(":memory:"), "sqlite3.connect"),
    "socket": (lambda: socket.socket(), "socket.__new__"),
    "connection": (lambda: socket.create_connection(("localhost", 1)), "socket."),
    "process": (lambda: subprocess.run(["true"]), "subprocess."),
    "os.system": (lambda: os.system("true"), "os.system"),
    "os.environ, set": (lambda: os.putenv("MCR_NO_SUCH", "1"), "os.putenv"),
    "input": (lambda: input(), "builtins.input"),
    # what raises no event is known by its function
    "os.environ": (lambda: os.environ.get("HOME"), "os.environ"),
    "os.getenv": (lambda: os.getenv("HOME"), "os.getenv"),
    "os.stat": (lambda: STAT(FILE), "STAT"),
    "os.path.exists": (lambda: os.path.exists(FILE), "os.path.exists"),
    "os.getpid": (lambda: os.getpid(), "os.getpid"),
    "os.urandom": (lambda: os.urandom(1), "os.urandom"),
    "time.time": (lambda: time.time(), "time.time"),
    "time.sleep": (lambda: time.sleep(0), "time.sleep"),
}


def refusal(code: Callable[[], object], *, final: bool = False) -> mcr.ModelError:
    @mcr.program
    def using(p):
        x = p.var("x", 0)
        p.thread(x.load if final else code)
        p.thread(x.load)
        if final:
            p.final(code)

    with pytest.raises(mcr.ModelError) as raised:
        mcr.check(using)
    return raised.value


def line_of(code: Callable[[], object]) -> str:
    return f"{__file__}:{code.__code__.co_firstlineno}"


@pytest.mark.parametrize("what", REFUSED)
def test_thread_code_is_refused(what: str) -> None:
    code, said = REFUSED[what]
    error = refusal(code)
    assert said in error.message
    assert error.where == line_of(code)


@pytest.mark.parametrize("what", ["open", "Path.write_text", "os.listdir", "socket", "os.environ"])
def test_the_final_function_is_refused(what: str) -> None:
    code, said = REFUSED[what]
    error = refusal(code, final=True)
    assert said in error.message
    assert error.where == line_of(code)


def test_no_except_holds_it_up_and_nothing_happens() -> None:
    assert "a file" in refusal(swallowed).message
    assert not FILE.exists()


def test_whoever_calls_it() -> None:
    assert refusal(far_away).where == line_of(far_away).replace(
        str(far_away.__code__.co_firstlineno), str(far_away.__code__.co_firstlineno + 1)
    )


def test_an_open_file_is_refused(tmp_path: pathlib.Path) -> None:
    with (tmp_path / "log.txt").open("w+") as log:
        assert "which a model cannot have: pass in what it holds" in refusal(lambda: log.write("1")).message


def test_what_is_refused_leaves_tracing_on() -> None:
    refused = refusal(lambda: open(FILE))
    seen = []
    before = sys.gettrace()
    sys.settrace(lambda frame, event, _: seen.append(frame.f_code.co_name))
    try:
        line_of(swallowed)
    finally:
        sys.settrace(before)
    assert (refused.message[:24], seen[:1]) == ("thread code uses a file,", ["line_of"])


class Counter:
    """Counts in a file, where a shared object might have counted in memory."""

    def __init__(self, file: pathlib.Path) -> None:
        self.file = str(file)

    def add(self) -> None:
        with open(self.file) as file:
            self.n = int(file.read()) + 1


def test_shared_objects_are_refused_where_they_do_it(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "counter.txt"
    file.write_text("0")

    @mcr.program
    def counting(p):
        counter = p.share(Counter(file))
        p.thread(counter.add)
        p.thread(counter.add)

    with pytest.raises(mcr.ModelError, match="thread code uses a file") as raised:
        mcr.check(counting)
    assert raised.value.where == f"{__file__}:{Counter.add.__code__.co_firstlineno + 1}"


# -- what is not refused ---------------------------------------------------------------


def imports() -> None:
    import this_is_imported_by_a_thread

    assert this_is_imported_by_a_thread.TEXT


def warns() -> None:
    warnings.warn("from a thread", stacklevel=1)


def formats_a_traceback() -> None:
    try:
        raise ValueError
    except ValueError:
        assert "formats_a_traceback" in traceback.format_exc()


def starts_no_branch() -> None:
    if not FILE:
        open(FILE)


@pytest.fixture
def module(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that reads a file when it is imported."""
    text = tmp_path / "text.txt"
    text.write_text("text")
    (tmp_path / "this_is_imported_by_a_thread.py").write_text(
        f"with open({str(text)!r}) as file:\n    TEXT = file.read()\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("module")
@pytest.mark.filterwarnings("ignore:from a thread")
@pytest.mark.parametrize("code", [imports, warns, formats_a_traceback, starts_no_branch])
def test_imports_and_what_python_reads_itself(code: Callable[[], None]) -> None:
    @mcr.program
    def allowed(p):
        p.thread(code)

    assert mcr.check(allowed).verdict is mcr.Verdict.VERIFIED


def test_the_program_function_may_read_files(tmp_path: pathlib.Path) -> None:
    (tmp_path / "n.txt").write_text("2")

    @mcr.program
    def reading(p):
        x = p.var("x", int((tmp_path / "n.txt").read_text()))
        p.thread(lambda: x.load())

    assert mcr.check(reading).verdict is mcr.Verdict.VERIFIED
