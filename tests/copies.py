"""What a process of its own would do, done by a copy of this one: there everything is imported already."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path


def done_by_a_copy(do: Callable[[], int | None], folder: Path, environment: Mapping[str, str]) -> tuple[int, str]:
    """Exit status and output of what is done in a folder, as if a shell there had started it."""
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if not child:
            status: int | None = 1
            try:
                gc.freeze()
                _settle(output.fileno(), folder, environment)
                status = do()
            except SystemExit as left:
                status = _status(left)
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                os._exit(status or 0)
        _, ended = os.waitpid(child, 0)
        output.seek(0)
        return os.waitstatus_to_exitcode(ended), output.read().decode()


def _status(left: SystemExit) -> int:
    """The exit status that Python gives, which prints what is no number."""
    if left.code is None or isinstance(left.code, int):
        return left.code or 0
    print(left.code, file=sys.stderr)
    return 1


def _settle(output: int, folder: Path, environment: Mapping[str, str]) -> None:
    """Make this process what a shell in the folder would have started."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number in (1, 2):
        os.dup2(output, number)
    sys.stdin, sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY)), os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)
    sys.path.insert(0, "")
    sys.dont_write_bytecode = True
