"""The two tables of native callables, and what users vouch for."""

from __future__ import annotations

import contextvars
import decimal  # noqa: F401  whose rows are learned
import subprocess
import sys
from typing import Any

import pytest

from replay.interpreter import natives, pure
from replay.interpreter.exceptions import Refused
from replay.interpreter.execution import Execution


def test_callables_are_known_by_identity() -> None:
    class Text(str):
        def upper(self) -> str:
            return "other"

    assert natives.is_pure(str.upper)
    assert natives.is_pure(dict.__dict__["fromkeys"])
    assert not natives.is_pure(Text.upper)
    assert not natives.is_pure(Text)
    assert not natives.is_pure(open)
    assert not natives.is_pure(sys.settrace)


def test_to_learn_the_rows_of_a_module_sets_nothing_of_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the first thread whose code needs the table has a context of `decimal`, and is not like the next one."""
    context = contextvars.Context()
    monkeypatch.setattr(pure, "_pending", {"_decimal": "Context"})
    rows: dict[int, object] = {}
    assert context.run(pure.load_rows, rows)
    assert not list(context)


def test_unknown_native_code_is_refused_with_its_line() -> None:
    def use() -> Any:
        return sys.settrace(None)

    with pytest.raises(Refused) as refused:
        Execution().call(use)
    line = use.__code__.co_firstlineno + 1
    assert str(refused.value.error).startswith(f"{__file__}:{line}: sys.settrace cannot be checked: it is native code")


def test_vouched_functions_run_natively_and_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(natives, "_VOUCHED", {})

    def asks_host(number: int) -> Any:
        return sys.getsizeof(sys._getframe(0).f_code) > 0, number

    natives.vouch(asks_host, "asks_host")
    execution = Execution()
    assert execution.assumed.vouched == set()
    assert execution.call(lambda: asks_host(3)) == (True, 3)
    assert execution.assumed.vouched == {"asks_host"}


def test_models_of_modules_wait_until_they_are_called() -> None:
    program = (
        "import sys; from replay.interpreter.execution import Execution\n"
        "print(Execution().call(lambda: sorted([3, 1])))\n"
        "print([name for name in ('heapq', 'decimal', 'json', 'datetime') if name in sys.modules])\n"
        "models = [f'replay.interpreter.library.{name}' for name in ('iterator_tools', 'operators')]\n"
        "print([name for name in models if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["[1, 3]", "[]", "[]"]
