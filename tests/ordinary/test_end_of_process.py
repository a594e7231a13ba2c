"""When Python ends, what was changed in place does what it did before models were."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.desk import ROOT

SCRIPT = """
import gc, time
import mcr

class Counter:
    def __init__(self):
        self.n = 0

    def up(self):
        self.n += 1

@mcr.program
def counts(p):
    p.thread(p.share(Counter()).up)

def look(phase, info, look=time.perf_counter):
    look()

assert mcr.check(counts, "sc").verdict is mcr.Verdict.VERIFIED
gc.callbacks.append(look)
"""


def test_callbacks_ask_for_the_time(tmp_path: Path) -> None:
    """Garbage is collected once more; hypothesis measures how long it takes."""
    file = tmp_path / "counts.py"
    file.write_text(SCRIPT)
    ended = subprocess.run([sys.executable, str(file)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_callbacks_of_the_collector_are_no_code_of_a_thread(tmp_path: Path) -> None:
    """They run amid whatever makes the collector start."""
    file = tmp_path / "counts.py"
    file.write_text(SCRIPT + "gc.set_threshold(1)\nassert mcr.check(counts, 'sc').verdict is mcr.Verdict.VERIFIED\n")
    ended = subprocess.run([sys.executable, str(file)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


LATE = """
import gc
import mcr
from replay.code import user_code

class Late:
    def __del__(self, collect=gc.collect):
        collect()

for gone_early in (user_code._telling_what_is_news, user_code._raise_at_step, user_code.UserCode):
    gone_early.late = Late()
"""


def test_garbage_is_collected_while_names_go(tmp_path: Path) -> None:
    """What is freed while Python ends may make the collector start, when functions of ours are gone already."""
    file = tmp_path / "late.py"
    file.write_text(LATE)
    ended = subprocess.run([sys.executable, str(file)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_garbage_is_collected_while_names_come() -> None:
    """The collector may start in the middle of an import: it meets no functions that are not there yet."""
    code = "import gc, sys; import replay.code.watchdog; gc.set_threshold(1); import replay.code.user_code"
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
