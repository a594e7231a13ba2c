"""The process that takes one measurement: `python -m mcr.bench.worker CASE TIMEOUT`, where CASE is JSON.

Prints the figures as one line of JSON. It ends when standard input does, which
is when the process that started it is gone.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from pathlib import Path

from mcr import plugins
from mcr.bench.case import BenchCase
from replay.errors import CheckerError


def main() -> int:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    case, timeout = BenchCase.from_json(json.loads(sys.argv[1])), float(sys.argv[2])
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what the program prints is not part of the answer
            plugins.load(map(Path, case.plugins))
            from mcr.bench.measure import measure

            figures = measure(case, timeout)
    except CheckerError as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(figures))
    return 0


def _end_with_parent() -> None:
    os.read(0, 1)  # unbuffered: a lock held in here would spoil the end of the interpreter
    os._exit(2)


if __name__ == "__main__":
    sys.exit(main())
