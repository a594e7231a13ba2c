"""A generated program run directly: all threads in one instance, on one heap, each operation answered from outside."""

from __future__ import annotations

import builtins
import functools
import sys
from collections.abc import Callable
from types import CodeType, ModuleType
from typing import Any

from tests.pythonic.declarations import Declarations, Record
from tests.pythonic.live_thread import FILE, UNWRITTEN, Ask, LiveThread


class Live:
    """One run of a program: its threads as they stand after the steps that were taken."""

    def __init__(self, function: Callable[[Any], object]) -> None:
        declared = Declarations()
        function(declared)
        self.threads = {str(number): LiveThread(str(number), code) for number, code in enumerate(declared.codes)}
        for thread in self.threads.values():
            thread.advance()
        if declared.final_code is not None:
            self.threads[FINAL] = _not_begun(FINAL, declared.final_code, Ask(FINAL))

    def take(self, name: str, read: object) -> LiveThread:
        """Let a thread take its next operation, for which it reads (or chooses) this value."""
        thread = self.threads[name]
        ask = thread.request
        assert isinstance(ask, Ask)
        if ask.kind == "spawn":
            assert ask.code is not None
            self.threads[ask.place] = _not_begun(ask.place, ask.code, Ask("start", ask.place))
        thread.advance(*([] if ask.kind in ("start", FINAL) else [read]))
        return thread

    def close(self) -> None:
        """Give up what is suspended: frames of greenlets are nothing that garbage collection would find."""
        for thread in self.threads.values():
            thread.give_up()


FINAL = "final"
"""The name of the thread that runs the final function."""


def _not_begun(name: str, code: Callable[[], object], first: Ask) -> LiveThread:
    thread = LiveThread(name, code, 1)
    thread.request = first
    return thread


@functools.lru_cache(4)
def compiled(source: str) -> CodeType:
    """The code of a program, for us and for the checker."""
    return compile(source, FILE, "exec")


def load(source: str) -> Callable[[Any], object]:
    """The program function of a source text, with the `mcr` that is made here in place of the checker's."""
    sys.modules["generated"] = module = ModuleType("generated")
    module.__dict__.update(__builtins__={**vars(builtins), "__import__": _import})
    exec(compiled(source), module.__dict__)
    function: Callable[[Any], object] = module.__dict__["generated"]
    return function


def _import(name: str, *rest: Any) -> ModuleType:
    return _STAND_IN if name == "mcr" else builtins.__import__(name, *rest)


_STAND_IN = ModuleType("mcr")
_STAND_IN.__dict__.update(program=lambda function: function, UNWRITTEN=UNWRITTEN, Record=Record)
