"""Functions that start threads, as programs: without `p`, without a decorator, as tests are written."""

import threading
from pathlib import Path

import pytest

import mcr
from mcr.exploration.options import Options
from mcr.report.source import headline
from replay.traces.files import load_trace, save_trace
from replay.traces.loader import find_programs, resolve
from tests.ordinary import threaded

FILE = (
    Path(threaded.__file__).relative_to(Path.cwd())
    if Path(threaded.__file__).is_relative_to(Path.cwd())
    else Path(threaded.__file__)
)

VERDICTS = {
    "test_two_writers": "assert counter.n == writers",
    "test_lock": "",
    "test_global_counter": 'assert COUNT["calls"] == 2',
    "test_global_counter_with_lock": "",
    "test_pool_of_one": "",
    "test_queue": "",
    "test_threads_are_the_objects_that_were_started": "",
    "test_threads_as_keys": "",
    "test_threads_of_a_pool_as_keys": "",
    "test_never_notified": "waits",
    "test_late_event": "assert seen == [True]",
    "test_error_in_thread": "missing",
    "test_without_threads": "",
    "TestOfUnittest.test_counts": "!= 2",
    "TestOfUnittest::test_counts_one": "",
    "TestOfUnittest.test_raises": "assert self.counter.n",
    "TestOfPytest::test_counts": "assert self.counter.n == 2",
}
"""What the failure says that some schedule has; "" where none fails."""


@pytest.mark.parametrize("name", VERDICTS)
def test_verdicts_are_those_of_all_schedules(name):
    (program,) = find_programs(f"{FILE}::{name}")
    result = mcr.check(program)
    assert program.models() == ("sc",)
    if VERDICTS[name]:
        assert VERDICTS[name] in headline(result.failures[0].failure)
    else:
        assert result.verdict is mcr.Verdict.VERIFIED


def test_what_a_run_changes_in_a_module_is_gone_with_it():
    assert mcr.check(threaded.test_global_counter_with_lock).verdict is mcr.Verdict.VERIFIED
    assert threaded.COUNT == {"calls": 0}


def test_parameters_are_the_functions_own():
    (program,) = find_programs(f"{FILE}::test_two_writers")
    assert mcr.check(program(writers=1)).verdict is mcr.Verdict.VERIFIED
    assert headline(mcr.check(program(writers=3)).failures[0].failure) == "assert counter.n == writers"
    with pytest.raises(mcr.ModelError, match="has no parameter 'readers'; it has writers"):
        program(readers=2)


def test_a_closure_is_a_program():
    numbers = []

    def add():
        threaded.together(lambda: numbers.append(1), lambda: numbers.append(2))
        assert numbers == [1, 2]

    result = mcr.check(add)
    assert result.verdict is mcr.Verdict.BUG
    assert mcr.replay(add, result.failures[0]).failure == result.failures[0].failure
    assert numbers == []


def test_a_failure_is_played_again_from_its_file(tmp_path):
    (program,) = find_programs(f"{FILE}::TestOfUnittest.test_counts")
    file = tmp_path / "failure.json"
    save_trace(mcr.check(program).failures[0], file)
    trace = load_trace(file)
    assert mcr.replay(resolve(trace.program), file).failure == trace.failure
    assert trace.failure.stack[0].function == "TestOfUnittest.test_counts"  # and not unittest's assertion


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("needs_a_value", "needs_a_value needs a value for size: --set, a default, or @mcr.program above it"),
        ("test_fixture", "test_fixture needs a value for cache, key: .* known to pytest: `pytest --mcr=all .*`"),
        ("test_two_writers[2]", "the parameters of test_two_writers\\[2\\] are known to pytest: `pytest --mcr=all .*"),
        ("test_nothing[2]", "there is no program or function 'test_nothing\\[2\\]'; "),
        ("test_two_writer", "there is no program or function 'test_two_writer'; .*mean 'test_two_writers'"),
        ("Counter", "there is no program or function 'Counter'; "),
        ("TestOfUnittest.counter", "there is no program or function 'TestOfUnittest.counter'; "),
        (
            "",
            "the file starts no threads when it is run, and defines no program .*; a function that starts threads is "
            "checked by its name: .*::test_two_writers, and all tests that start threads by `pytest --mcr=all .*`",
        ),
    ],
)
def test_what_is_no_function_of_threads_is_told(target, sentence):
    with pytest.raises(mcr.ModelError, match=sentence):
        mcr.check(next(iter(find_programs(f"{FILE}::{target}" if target else str(FILE)))))


@pytest.mark.parametrize("thing", [3, threaded.Counter, len, None])
def test_only_functions_and_programs_are_checked(thing):
    with pytest.raises(mcr.CheckerError, match="is no program: one is a function that starts threads"):
        mcr.check(thing)


def test_a_thread_stopped_by_the_limit_may_still_notify():
    def waits_for_a_long_loop() -> None:
        counters, done = [0], threading.Event()

        def work() -> None:
            for _ in range(30):
                counters[0] += 1
            done.set()

        threading.Thread(target=work).start()
        done.wait()

    result = mcr.check(waits_for_a_long_loop, options=Options(max_operations=20, timeout=5))
    assert (result.verdict, result.failures) == (mcr.Verdict.INCOMPLETE, ())


def test_a_function_made_in_a_run_may_be_a_global_variable():
    def makes_one() -> None:
        global made

        def made(number: int = 2) -> None:
            seen.append(number)

        seen: list[int] = []
        thread = threading.Thread(target=made)
        thread.start()
        thread.join()
        assert seen == [2]

    assert mcr.check(makes_one).verdict is mcr.Verdict.VERIFIED
