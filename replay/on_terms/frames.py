"""Code on terms on frames of the interpreter: what it runs with, and what it must not store."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from typing import Any

from replay.code.running_thread import GUARD, SymbolGuard, beyond_terms, is_symbol
from replay.interpreter.copier import COPIES
from replay.interpreter.execution import Execution
from replay.interpreter.frame import Frame
from replay.interpreter.natives import natively
from replay.on_terms.symbols import SYMBOLS, is_settled, let_hand_on, settled, settling
from replay.world.terms import Symbol, Table, Term, known_terms


class OnTerms(SymbolGuard):
    """The guard of a thread that the interpreter runs on terms."""

    def begin(self, execution: Execution) -> None:
        """Let the interpreter run a thread on terms."""
        from replay.on_terms.checked import compiled_on_terms  # late: few programs are looked at on terms

        execution.compiled = compiled_on_terms
        execution.guard = self

    def asks(
        self,
        frame: Frame,
        native: Any,
        is_pure: bool,
        arguments: list[Any],
        keywords: dict[str, Any],
        base: Any = None,
    ) -> bool:
        """Returns whether the thread has to decide something before a native callable is called
        (`replay.on_terms.natives`)."""
        from replay.on_terms.natives import asks

        return asks(frame, native, is_pure, arguments, keywords, base)

    def told(self, error: BaseException) -> Callable[[BaseException], Any] | None:
        from replay.on_terms.natives import told

        return told(error)

    def tells(self, value: Any) -> bool:
        if isinstance(value, Symbol):
            return is_settled(value)
        return type(value) is tuple and any(map(self.tells, value))

    def passed(self, value: Any) -> Any:
        if is_symbol(value):
            return settled(value)
        return tuple([self.passed(each) for each in value]) if type(value) is tuple else value

    @natively
    def check_value(self, value: object) -> None:
        """Stop where thread code stores or returns what holds a symbol otherwise than in tuples."""
        if isinstance(value, Symbol) or value is None or type(value) in (int, str, bool):
            return
        if type(value) is tuple:
            for each in value:
                self.check_value(each)
            return
        from replay.on_terms.numbers_in import TooManyObjects, symbol_in

        try:
            found = symbol_in([value])
        except TooManyObjects:
            beyond_terms(f"a value of type {type(value).__name__}")
        if found is not None:
            beyond_terms(f"a value of type {type(value).__name__}", found.term)


let_hand_on(OnTerms.check_value)

COPIES.update(dict.fromkeys((*SYMBOLS, Term), lambda _, value: value))

_ON_TERMS = OnTerms()


@contextmanager
def on_terms(table: Table, terms: Container[Term]) -> Iterator[None]:
    """In the block, thread code runs on the terms of a table; it is told what some of them are before it gets them."""
    before, GUARD[0] = GUARD[0], _ON_TERMS
    try:
        with known_terms(table), settling(terms):
            yield
    finally:
        GUARD[0] = before
