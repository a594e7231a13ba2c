"""Hostile inputs in number: damaged traces, litmus tests, models, configurations, and command lines without sense.

    python -m tests.hostile.campaign [--seed 1] [--inputs 10000] [--first 0]

Each must be answered within a time, by an exit status that is documented, without a traceback, without "a mistake in
mcr", and without anything hidden on the terminal. Most are answered in this process, every 100th in one of its own.
Prints what is not answered so, with the number that `--first` takes, and a table; exit status 1 if there is anything.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from mcr.cli import main as mcr
from tests.desk import EXAMPLES, ROOT
from tests.hostile.inputs import SMALL, Input, Inputs, prepare

PATIENCE = 60.0
"""Seconds of the processor for an answer: far more than any limit in the inputs."""

_LONG = 900.0
"""Seconds that a process of its own may take, which says little on a machine that does much else."""

APART = 100
"""Every so many inputs are answered in a process of their own."""

_SOUND = ("peterson.py", "fork_join.py", "lost_wakeup.py", "litmus.py")


class TimeUpError(BaseException):
    """No answer in time."""


@dataclass(frozen=True)
class Answer:
    """What came of an input; `problem` is "" if nothing is wrong with it."""

    status: int | None
    problem: str
    text: str


def recorded(folder: Path) -> dict[str, object]:
    """Sound traces: of a small program, and of some examples."""
    (folder / "sb.py").write_text(SMALL)
    for name in _SOUND:
        shutil.copy(EXAMPLES / name, folder)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for name in ("sb.py", *_SOUND):
            mcr(["check", name, "--save", "sound", "--timeout", "5", "--objective", "deadlocks"])
    return {path.name: json.loads(path.read_text()) for path in sorted(Path("sound").glob("*.json"))[:24]}


def answered(given: Input) -> Answer:
    """The answer in this process."""
    out, err = io.StringIO(), io.StringIO()
    started, status = time.process_time(), None
    try:
        with _time_guard(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = int(mcr(list(given.arguments)))
    except BaseException as error:  # whatever it is, it should not have come so far
        if isinstance(error, KeyboardInterrupt):
            raise
        return Answer(None, f"{type(error).__name__} reached the caller", traceback.format_exc())
    text = out.getvalue() + err.getvalue()
    problem = _problem(status, text)
    if time.process_time() - started > PATIENCE:
        problem = "no answer in time"
    return Answer(status, problem, text)


def answered_apart(given: Input) -> Answer:
    """The answer of a process of its own."""
    words = [word.replace("\0", "") for word in given.arguments]  # no process can be given these
    command = [sys.executable, "-m", "mcr", *(word.encode(errors="surrogateescape") for word in words)]
    try:
        ran = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, timeout=_LONG)
    except subprocess.TimeoutExpired:
        return Answer(None, "no answer in time", "")
    text = (ran.stdout + ran.stderr).decode(errors="replace")
    return Answer(ran.returncode, _problem(ran.returncode, text), text)


def _problem(status: int, text: str) -> str:
    if status not in (0, 1, 2, 3):
        return f"status {status}"
    if "Traceback (most recent call last)" in text:
        return "a traceback"
    if "mistake in mcr" in text:
        return "a mistake of ours"
    if any(not character.isprintable() and character not in "\n\u200d" for character in text):
        return "something hidden is shown"
    return ""


@contextlib.contextmanager
def _time_guard() -> Iterator[None]:
    """Interrupt what takes too long, again and again: the code of models may catch anything."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise TimeUpError

    timers = ((signal.ITIMER_PROF, signal.SIGPROF, PATIENCE), (signal.ITIMER_REAL, signal.SIGALRM, _LONG))
    before = [signal.signal(number, interrupt) for _, number, _ in timers]
    for timer, _, seconds in timers:
        signal.setitimer(timer, seconds, 1.0)
    try:
        yield
    finally:
        for (timer, number, _), handler in zip(timers, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


def lay_out(given: Input) -> None:
    """Write the files of an input into the current folder, and remove those of the last one."""
    Path("pyproject.toml").unlink(missing_ok=True)
    for name, data in given.files.items():
        Path(name).write_bytes(data)


@contextlib.contextmanager
def workplace() -> Iterator[Path]:
    """A folder to work in."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        prepare(Path(name))
        try:
            yield Path(name)
        finally:
            os.chdir(here)


def run(seed: int, numbers: range, apart: int = APART) -> list[str]:
    """Give all inputs; returns a paragraph for each that is not answered as it should."""
    wrong: list[str] = []
    counts: Counter[tuple[str, str]] = Counter()
    with workplace() as folder:
        inputs = Inputs(recorded(folder))
        for number in numbers:
            given = inputs.make(random.Random(f"{seed} {number}"))
            lay_out(given)
            answer = (answered_apart if apart and number % apart == 0 else answered)(given)
            counts[given.kind, "wrong" if answer.problem else f"status {answer.status}"] += 1
            if answer.problem:
                wrong.append(
                    f"input {number}, {given.kind}: {answer.problem}: {given.arguments!r}\n{answer.text[-3000:]}"
                )
                print(ascii(wrong[-1]).replace("\\n", "\n"), flush=True)
    for (kind, what), count in sorted(counts.items()):
        print(f"{kind:15}{what:12}{count:7}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first input")
    arguments = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, resource.RLIM_INFINITY))  # a mutant that eats memory fails alone
    started = time.monotonic()
    wrong = run(arguments.seed, range(arguments.first, arguments.first + arguments.inputs))
    seconds = time.monotonic() - started
    print(f"{arguments.inputs} inputs, {len(wrong)} not answered as they should, {seconds:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
