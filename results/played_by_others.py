"""One program under one other tool, in a process of a Python that has the tool and not mcr.

    PYTHONPATH=PACKAGES:ROOT PYTHON results/played_by_others.py TOOL FILE::NAME SECONDS [TRACED ...]

`results.other_tools` starts it. TRACED are the folders and files whose code the tool should interleave. Prints one line
of JSON: `found` ("no", the failure, or why the tool cannot run it), `runs` of the program, and seconds.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

Test = Callable[[], object]

MOST_RUNS = 1_000_000
IDLE = 5.0
"""Seconds in which no run begins, after which the threads of the last one wait for ever."""


KNOWN = {"SchedulerAbortError": "Deadlock"}
"""What errors of a tool itself mean: frontrun raises one in threads that wait in a circle."""


class Counted:
    """A program, and how often it has begun."""

    def __init__(self, program: Test) -> None:
        self.program = program
        self.runs = 0
        self.latest = time.monotonic()
        self.error: BaseException | None = None
        self.__name__ = program.__name__

    def __call__(self) -> None:
        self.runs += 1
        self.latest = time.monotonic()
        try:
            self.program()
        except BaseException as error:
            self.error = error
            raise

    @property
    def failure(self) -> str:
        """The failure, if an error was noted."""
        if self.error is None:
            return "failure"
        name = type(self.error).__name__
        return f"{KNOWN.get(name, name)}: {self.error}".splitlines()[0]


def main() -> None:
    tool, target, seconds, *traced = sys.argv[1:]
    start, out = time.monotonic(), os.dup(1)

    def say(found: str) -> None:
        line = json.dumps({"found": found, "runs": counted.runs, "s": round(time.monotonic() - start, 2)})
        os.write(out, line.encode())
        os._exit(0)  # threads that wait for ever keep nobody

    def watch() -> None:
        sleep(float(seconds))
        say("deadlock" if tool == "pytest-run-parallel" and time.monotonic() - counted.latest > IDLE else "no")

    sleep = time.sleep  # before a tool replaces it
    counted = Counted(_program(target))
    threading.Thread(target=watch, daemon=True).start()
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        try:
            found = TOOLS[tool](counted, float(seconds), traced)
        except Exception as error:
            found = f"{type(error).__name__}: {error}".splitlines()[0]
    say(found)


def _program(target: str) -> Test:
    file, _, name = target.partition("::")
    spec = spec_from_file_location(Path(file).stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    program: Test = getattr(module, name)
    return program


def _interleave_test(test: Counted, seconds: float, traced: list[str]) -> str:
    tool: Any = import_module("interleave_test")
    result = tool.explore(test, iterations=MOST_RUNS, seed=0, include=traced, raise_on_failure=False)
    if result.ok:
        return "no"
    test.error = result.failure.exception
    return test.failure if test.error else str(result.failure.kind)


class Threading:
    """The module `threading` as a program under frontrun sees it: with a `Thread` of its own.

    The module itself stays, as frontrun starts its workers with it.
    """

    Thread: Any = threading.Thread

    def __getattr__(self, name: str) -> Any:
        return getattr(threading, name)


class Workers:
    """A program as frontrun wants it: its own code is one worker, each thread that it starts another one.

    To start a thread lets its worker go, to join it waits for that.
    """

    def __init__(self, test: Counted, seen: Threading, count: int) -> None:
        self.test = test
        self.seen = seen
        self.made: list[Any] = []
        self.may_begin = [threading.Event() for _ in range(count)]
        self.has_ended = [threading.Event() for _ in range(count)]

    def run(self) -> None:
        """Run the program's own code."""
        workers = self

        class Thread:
            daemon = False

            def __init__(
                self,
                group: None = None,
                target: Any = None,
                name: str = "",
                args: Any = (),
                kwargs: Any = None,
                **_: Any,
            ) -> None:
                self.number = len(workers.made)
                self.code = (lambda: target(*args, **(kwargs or {}))) if target else self.run
                workers.made.append(self)

            def run(self) -> None:
                raise NotImplementedError

            def start(self) -> None:
                workers.may_begin[self.number].set()

            def join(self, timeout: float | None = None) -> None:
                workers.has_ended[self.number].wait(timeout)

            def is_alive(self) -> bool:
                return not workers.has_ended[self.number].is_set()

        self.seen.Thread = Thread
        self.guarded(self.test)

    def started(self, number: int) -> None:
        """Run the thread of that number, once it is started."""
        self.may_begin[number].wait()
        self.guarded(self.made[number].code)
        self.has_ended[number].set()

    def guarded(self, code: Test) -> None:
        """Note an error of a worker, as the invariant is to see it."""
        try:
            code()
        except Exception as error:
            self.test.error = error


def _frontrun(test: Counted, seconds: float, traced: list[str]) -> str:
    tool: Any = import_module("frontrun")
    seen = test.program.__globals__["threading"] = Threading()  # type: ignore[attr-defined]
    made: list[Any] = []

    class Noted(threading.Thread):
        def __init__(self, *args: Any, **more: Any) -> None:
            made.append(self)
            super().__init__(*args, **more)

    seen.Thread = Noted
    with contextlib.suppress(Exception):
        test.program()

    workers: list[Any] = [lambda state, number=number: state.started(number) for number in range(len(made))]
    result = tool.explore(
        setup=lambda: Workers(test, seen, len(made)),
        workers=[lambda state: state.run(), *workers],
        invariant=lambda state: test.error is None,
        total_timeout=seconds,
        reproduce_on_failure=0,
        trace_packages=[each for path in traced for name in _names(Path(path)) for each in (name, f"{name}.*")],
    )
    if result.property_holds is None:
        return f"inconclusive: {result.inconclusive_reason}"
    return "no" if result.property_holds else test.failure if test.error else (result.explanation or "").splitlines()[0]


def _names(path: Path) -> list[str]:
    """The names of the modules of a folder of packages, or of a file."""
    return sorted({each.stem for each in (path.iterdir() if path.is_dir() else [path]) if each.stem.isidentifier()})


def _pytest_run_parallel(test: Counted, seconds: float, traced: list[str]) -> str:
    import builtins

    import pytest

    builtins.the_program = test  # type: ignore[attr-defined]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "test_it.py")
        file.write_text("def test_it():\n    the_program()\n")
        strict = "error::pytest.PytestUnhandledThreadExceptionWarning"
        threads = ("--parallel-threads=2", f"--iterations={MOST_RUNS}")
        status = pytest.main(["-q", "-p", "no:cacheprovider", "-W", strict, *threads, str(file)])
    return {0: "no", 1: test.failure}.get(int(status), f"pytest ends with {status}")


TOOLS = {
    "frontrun": _frontrun,
    "interleave-test": _interleave_test,
    "pytest-run-parallel": _pytest_run_parallel,
}
"""What runs a program under each tool, by the tool's name as pip knows it."""


if __name__ == "__main__":
    main()
