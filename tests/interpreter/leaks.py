"""Python code that runs natively although it should be interpreted: code of users which native code calls.

    python -m tests.interpreter.leaks --programs 500 --seed 1

A leak gives CPython's result, but it must not ask for shared memory. Counts leaks by what was called and where from, as
found in random programs: the list of what has no model yet.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from replay.interpreter.execution import running_execution
from tests.interpreter.program import NAME, generate
from tests.interpreter.running import Judge, by_interpreter, prepared

Leak = tuple[str, str]
"""The name of the Python function, and the instruction with the native function that called it."""


@contextmanager
def leaks(file: str) -> Iterator[Counter[Leak]]:
    """Counts calls by native code of Python functions from a file."""
    found: Counter[Leak] = Counter()
    native: list[Any] = []

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        if event == "c_call":
            native[:] = [argument]
        elif event == "call" and frame.f_code.co_filename == file:
            caller = frame.f_back
            if caller is None or caller.f_code.co_filename != file:
                found[frame.f_code.co_name, _place(native)] += 1

    sys.setprofile(profile)
    try:
        yield found
    finally:
        sys.setprofile(None)


def _place(native: list[Any]) -> str:
    execution = running_execution()
    if execution is None or not execution.frames:
        return "outside"
    frame = execution.frames[-1]
    name, argument = frame.decoded.steps[frame.position - 1]
    called = getattr(native[0], "__qualname__", "") if native else ""
    shown = f" {argument}" if isinstance(argument, str) else ""
    return f"{name}{shown} in {frame.code.co_name} ({called})"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.interpreter.leaks", description=__doc__)
    parser.add_argument("--programs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    total: Counter[Leak] = Counter()

    def observed(program: Any) -> Any:
        with leaks(NAME) as found:
            result = by_interpreter(program)
        total.update(found)
        return result

    judge = Judge(observed)
    with prepared():
        for seed in range(options.seed, options.seed + options.programs):
            judge.difference(generate(seed))
    print(f"{judge}: {sum(total.values())} leaks")
    for (function, place), count in total.most_common():
        print(f"{count:6}  {function:20} {place}")


if __name__ == "__main__":
    main()
