"""Exceptions that leave a user's file are told as mistakes in it, by every command that loads it; a real Ctrl-C is
not."""

from __future__ import annotations

import signal
import time
from typing import Any

import pytest

from replay.frontend.ordinary import constants
from tests.desk import Desk

RAISED = [
    "sys.exit(0)", "sys.exit('text')", "raise KeyboardInterrupt", "raise GeneratorExit", "raise BaseException('base')",
    "raise BaseExceptionGroup('group', [KeyboardInterrupt()])", "raise Own",
]  # fmt: skip

HEAD = """
import sys
import mcr

class Own(BaseException):
    def __str__(self):
        raise KeyboardInterrupt

"""

AT_IMPORT = HEAD + "def helper():\n    {}\n\nhelper()\n"

IN_DECLARATIONS = HEAD + "@mcr.program\ndef wrong(p):\n    {}\n"
GOOD = (
    "import mcr\n\n@mcr.program\ndef good(p):\n    x = p.var('x', 0)\n    p.thread(x.store, 1)\n    p.thread(x.load)\n"
)

COMMANDS = [
    ("check", "wrong.py", "good.py"),
    ("compare", "wrong.py", "good.py"),
    ("litmus", "--from-python", "wrong.py"),
    ("replay", "trace.json", "--program", "wrong.py"),
    ("explain", "trace.json", "--load", "1", "--value", "0", "--program", "wrong.py"),
]


@pytest.mark.parametrize("text", [AT_IMPORT, IN_DECLARATIONS], ids=["import", "declarations"])
@pytest.mark.parametrize("raised", RAISED)
def test_an_exception_of_any_type_is_a_broken_model(desk: Desk, text: str, raised: str) -> None:
    desk.write("good.py", GOOD)
    desk.mcr("check", "good.py", "--model", "sc", "--objective", "outcomes")
    (trace, *_) = desk.files()
    desk.write("wrong.py", text.format(raised))
    for command in COMMANDS:
        answer = desk.mcr(*(trace if word == "trace.json" else word for word in command))
        assert answer.status == 2, command
        assert answer.err.startswith(f"error: wrong.py:{9 if text == AT_IMPORT else 10}: "), answer.err
        assert answer.err.count("\n") == 1
        assert ("good" in answer.out) == (command[0] == "check")


def test_what_is_imported_is_no_half_module_for_the_next_file(desk: Desk) -> None:
    """Code that is stopped where it asks for shared state ends at once."""
    desk.write("used.py", "from replay.frontend.shared import Variable\n\nVariable('x').store(1)\nNAME = 1\n")
    desk.write("one.py", "import used\n")
    desk.write("two.py", "from used import NAME\n")
    answer = desk.mcr("check", "one.py", "two.py")
    assert answer.status == 2
    assert answer.err.splitlines() == [f"error: used.py:3: {SHARED}"]


SHARED = "shared state is used outside a run; only threads of a program may use it"


def test_interrupted_while_a_file_is_imported(desk: Desk) -> None:
    """Whatever the file does with exceptions."""
    desk.write(
        "slow.py",
        """
        import time

        import mcr

        @mcr.program
        def never(p):
            p.thread(print)

        print("importing", flush=True)
        while True:
            try:
                time.sleep(0.01)
            except BaseException:
                continue
        """,
    )
    process = desk.start("check", "slow.py")
    assert process.stdout is not None
    assert process.stdout.readline() == "importing\n"
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 3
    assert "Traceback" not in err


def test_an_import_may_take_its_time(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for it in vain: what is watched is code between two operations."""
    monkeypatch.setattr("replay.code.watchdog.PATIENCE", 0.2)
    desk.write("slow.py", f"import time\nend = time.process_time() + 1\nwhile time.process_time() < end: pass\n{GOOD}")
    assert desk.mcr("check", "slow.py").status == 0


def test_sharing_may_take_its_time(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """What looks through all modules of a large process is the checker's own work, though user code has called it."""
    look = constants._spaces

    def slow() -> list[Any]:
        end = time.process_time() + 1
        while time.process_time() < end:
            pass
        return look()

    monkeypatch.setattr("replay.code.watchdog.PATIENCE", 0.2)
    monkeypatch.setattr(constants, "_spaces", slow)
    desk.write(
        "shares.py",
        """
        import mcr

        def counter():
            counted = []
            return lambda: counted.append(1)

        @mcr.program
        def shares(p):
            count = p.share(counter())
            p.thread(count)
        """,
    )
    answer = desk.mcr("check", "shares.py")
    assert (answer.status, answer.err) == (0, "")


@pytest.mark.parametrize(("method", "status"), [("__repr__", 0), ("__hash__", 2), ("__eq__", 2)])
@pytest.mark.parametrize("raised", ["GeneratorExit", "BaseException"])
def test_methods_of_values_that_raise_what_is_no_exception(desk: Desk, method: str, status: int, raised: str) -> None:
    desk.write(
        "value.py",
        f"""
        import mcr

        class Value:
            def __hash__(self): return 1
            def __eq__(self, other): return True
            def {method}(self, *_): raise {raised}

        @mcr.program
        def stores(p):
            x = p.var("x", 0)
            p.thread(lambda: x.store(Value()))
            p.final(lambda: x.load())
        """,
    )
    answer = desk.mcr("check", "value.py", "--objective", "outcomes")
    assert answer.status == status
    assert answer.err.startswith("error: value.py:11: " if status else "")
    assert (f"whose __repr__ raises {raised}" in answer.out) == (not status)
