"""What looks at all threads of a function, or at the process, finds what it finds on CPython."""

from __future__ import annotations

import subprocess
import sys

import pytest

import mcr
from replay.frontend.functions import ThreadedFunction
from tests.ordinary import whole_process

SAME = (
    whole_process.main_thread,
    whole_process.waiting_threads,
    whole_process.threads_without_objects,
    whole_process.switch_interval,
    whole_process.folder_children_and_dumps,
    whole_process.attributes_of_each_thread,
)


@pytest.mark.parametrize("function", SAME, ids=lambda function: function.__name__)
def test_it_is_as_on_cpython(function):
    code = f"from tests.ordinary import whole_process; whole_process.{function.__name__}()"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert mcr.check(ThreadedFunction(function), "sc").verdict is mcr.Verdict.VERIFIED


def test_a_thread_may_have_ended_when_all_are_looked_at():
    result = mcr.check(ThreadedFunction(whole_process.thread_that_may_have_ended), "sc")
    assert result.verdict is mcr.Verdict.BUG


def test_what_ends_the_process_is_refused():
    with pytest.raises(mcr.ModelError, match=r"dump_traceback_later\(exit=True\), which ends the process"):
        mcr.check(ThreadedFunction(whole_process.process_that_a_dump_ends), "sc")
