"""Files that start threads when they are run, checked by their name alone."""

from __future__ import annotations

from textwrap import dedent

import pytest

import mcr
from mcr.report.source import headline
from replay.traces.files import load_trace, save_trace
from replay.traces.loader import find_programs, resolve
from tests.cpython.test_commands import run_without_mcr

RACE = """
    import threading

    counter = 0

    def work():
        global counter
        counter += 1

    threads = []
    for i in range(2):
        threads.append(threading.Thread(target=work))
        threads[i].start()
    for thread in threads:
        thread.join()
    assert counter == 2, counter
"""

SCRIPTS = {
    "at the top": (RACE, "AssertionError: 1"),
    "without a race": (RACE.replace("counter += 1", "counter = 2"), ""),
    "in a main block": (
        """
        import sys, threading

        class Quits(threading.Thread):
            def run(self):
                seen.append(3)
                sys.exit(3)

        seen = []

        def main():
            thread = Quits()
            thread.start()
            thread.join()
            assert seen == [3]
            return 0

        if __name__ == "__main__":
            sys.exit(main())
        """,
        "",
    ),
    "with a status": (
        """
        import sys, threading
        from concurrent.futures import Future

        done = Future()
        threading.Thread(target=done.set_result, args=(3,)).start()
        if not done.done():
            sys.exit("not done")
        """,
        "SystemExit: not done",
    ),
    "with functions and classes that the main thread makes": (
        """
        from __future__ import annotations
        import threading

        lock = threading.Lock()

        class Account:
            total: int = 0

            def up(self) -> None:
                with lock:
                    self.total += 1

        account: Account = Account()
        unknown: NoSuchClass

        def job(times=2) -> Unknown:
            for _ in range(times):
                account.up()

        threads = [threading.Thread(target=job) for _ in range(2)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        if account.total != 4:
            raise SystemExit(account.total)
        """,
        "",
    ),
    "that looks at its variables": (
        """
        import threading

        def work():
            globals()["result"]

        result = object()
        del result
        threading.Thread(target=work).start()
        """,
        "KeyError: 'result'",
    ),
}  # fmt: skip
"""Each with the failure that some schedule has; "" where none fails."""


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_main_thread_is_the_file(name, tmp_path):
    text, said = SCRIPTS[name]
    (file := tmp_path / "race.py").write_text(dedent(text))
    (program,) = find_programs(str(file))
    result = mcr.check(program)
    assert [headline(each.failure) for each in result.failures] == [said][: bool(said)]
    assert result.verdict is (mcr.Verdict.BUG if said else mcr.Verdict.VERIFIED)


def test_a_failure_is_played_again_from_its_file(tmp_path):
    (file := tmp_path / "race.py").write_text(dedent(RACE))
    (program,) = find_programs(str(file))
    save_trace(mcr.check(program).failures[0], trace := tmp_path / "failure.json")
    again = load_trace(trace)
    assert mcr.replay(resolve(again.program), trace).failure == again.failure
    assert (again.program.name, again.failure.stack[0].function) == ("race.py", "<module>")


def test_variables_that_no_function_names_are_no_memory(tmp_path):
    (file := tmp_path / "race.py").write_text(dedent(RACE))
    (program,) = find_programs(str(file))
    operations = {event.operation for event in mcr.check(program).failures[0].events}
    assert not any("thread" in each and not each.startswith(("spawn", "join")) for each in operations)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("def main():\n    pass\nmain()\n", "x.py:3: the file starts no threads when it is run"),
        ("import unittest\nif __name__ == '__main__':\n    unittest.main()\n", "x.py:1: the file defines no program"),
        ("def main():\n    pass\n", "x.py:1: the file defines no program"),
        ("print(1)\nreturn 3\n", "x.py:1: cannot be imported: SyntaxError: 'return' outside function (x.py, line 2)"),
        ("print(1)\nfrom os import *\n", "SyntaxError: line 2: import * after a statement that does more than define"),
    ],
)
def test_what_is_no_script_is_told(desk, text, sentence):
    desk.write("x.py", text)
    answer = desk.mcr("check", "x.py")
    assert (answer.status, sentence in answer.err) == (2, True), answer.err


def test_cpython_runs_the_file_itself(desk):
    desk.write("race.py", RACE)
    desk.write("elsewhere/x", "")
    assert desk.mcr("check", "race.py").status == 1
    answer = desk.mcr("replay", ".mcr/race.py-sc.json", "--cpython", "--script", "elsewhere/repro.py")
    assert "Confirmed by CPython" in answer.out
    text = (desk.folder / "elsewhere" / "repro.py").read_text()
    assert 'run_path(FILE, run_name="__main__")' in text
    assert len(text.splitlines()) < 200
    assert run_without_mcr(desk.folder / "elsewhere" / "repro.py").returncode == 1
