"""Reads initial states and conditions: the part of the format that all dialects share."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from mcr.litmus.code import Value
from mcr.litmus.errors import LineError
from mcr.litmus.sections import Section, TokenStream, as_number
from mcr.litmus.test import (
    TRUE,
    And,
    Column,
    Condition,
    Equals,
    Implies,
    MemoryColumn,
    Not,
    Or,
    Proposition,
    Quantifier,
    RegisterColumn,
)
from mcr.litmus.types import IntegerType, integer_type, is_type_word

Naming = Callable[[str, int], str]
"""The canonical name of a register of the dialect; raises LineError (with the line given) for any other word."""


_THREAD = re.compile(r"P\d+")


@dataclass
class InitialState:
    """What the braces declare: values by column, and the types that were written out."""

    values: dict[Column, Value] = field(default_factory=dict)
    types: dict[Column, IntegerType] = field(default_factory=dict)
    atomic: set[Column] = field(default_factory=set)


@dataclass(frozen=True)
class Claim:
    """What the end of the file says."""

    condition: Condition
    extra: tuple[Column, ...] = ()
    filter: Proposition | None = None
    line: int = 1


def parse_initial(section: Section, register: Naming) -> InitialState:
    """The initial state; `register` names the registers of the dialect."""
    return _StateParser(section, register).initial()


def parse_claim(section: Section, register: Naming) -> Claim:
    """`locations`, `filter` and the condition. No condition at all means `forall (true)`, as in herd."""
    return _StateParser(section, register).claim()


class _StateParser:
    """One pass over a section, by recursive descent."""

    def __init__(self, section: Section, register: Naming) -> None:
        self._stream = TokenStream(section)
        self._register = register

    # -- initial state -------------------------------------------------------

    def initial(self) -> InitialState:
        state = InitialState()
        while not self._stream.at_end():
            if not self._stream.accept(";"):
                self._declaration(state)
        return state

    def _declaration(self, state: InitialState) -> None:
        stream = self._stream
        line = stream.line
        words = self._type_words()
        pointer = bool(words) and stream.at("*")
        while stream.accept("*"):
            pointer = True
        column = self._column()
        if stream.at("["):
            raise LineError(f"arrays are not supported (array {column})", line)
        value: Value = self._value(state) if stream.accept("=") else 0
        if column in state.values and state.values[column] != value:
            raise LineError(f"{column} is given two initial values", line)
        state.values[column] = value
        if words and not pointer:
            state.types[column] = integer_type(words, line)
        if any(word.startswith("atomic") or word == "_Atomic" for word in words):
            state.atomic.add(column)
        if not stream.at_end():
            stream.expect(";")

    def _type_words(self) -> list[str]:
        """The words of a type, if a declaration starts with one."""
        stream = self._stream
        words: list[str] = []
        while stream.peek().kind == "name" and (
            is_type_word(stream.peek().text) or stream.peek(1).kind in ("name", "number") or stream.peek(1).text == "*"
        ):
            words.append(stream.take().text)
        return words

    def _value(self, state: InitialState) -> Value:
        stream = self._stream
        if stream.accept("ATOMIC_VAR_INIT"):
            stream.expect("(")
            value = self._value(state)
            stream.expect(")")
            return value
        if stream.at("{"):
            raise LineError("arrays are not supported", stream.line)
        stream.accept("&")
        return stream.name() if stream.peek().kind == "name" else stream.number()

    # -- columns ---------------------------------------------------------------

    def _column(self) -> Column:
        """`x`, `[x]`, `*x`, `0:EAX` or `P0:EAX`."""
        stream = self._stream
        if stream.accept("["):
            column = MemoryColumn(stream.name("a location"))
            if stream.at("+", ","):
                raise stream.unexpected("']' (mixed sizes and offsets are not supported)")
            stream.expect("]")
            return column
        stream.accept("*")
        token = stream.peek()
        if token.kind == "number" or (stream.peek(1).text == ":" and _THREAD.fullmatch(token.text)):
            return self._register_column()
        return MemoryColumn(stream.name("a location or a register"))

    def _register_column(self) -> RegisterColumn:
        stream = self._stream
        thread = as_number(stream.take().text.lstrip("P"))
        line = stream.expect(":").line
        stream.accept("%")
        return RegisterColumn(thread, self._register(stream.name("a register"), line))

    # -- condition ---------------------------------------------------------------

    def claim(self) -> Claim:
        stream = self._stream
        extra = self._locations() if stream.accept("locations") else ()
        kept = self._proposition() if stream.accept("filter") else None
        line = stream.line
        condition = self._condition()
        stream.accept(";")
        if not stream.at_end():
            raise LineError(f"{stream.peek().text!r} after the condition is not supported", stream.line)
        return Claim(condition, extra, kept, line)

    def _locations(self) -> tuple[Column, ...]:
        stream = self._stream
        found: list[Column] = []
        stream.expect("[")
        while not stream.accept("]"):
            found.append(self._column())
            while stream.peek().kind == "name" or stream.at("*"):
                stream.take()  # a type, which says how to print the column
            if not stream.at("]"):
                stream.expect(";")
        return tuple(found)

    def _condition(self) -> Condition:
        stream = self._stream
        if stream.at_end():
            return Condition()
        if stream.accept("~", "not"):
            stream.expect("exists")
            return Condition(Quantifier.NOT_EXISTS, self._proposition())
        if stream.accept("forall"):
            return Condition(Quantifier.FORALL, self._proposition())
        if stream.accept("exists", "final") or stream.at("("):
            return Condition(Quantifier.EXISTS, self._proposition())
        raise LineError(f"a condition that begins with {stream.peek().text!r} is not supported", stream.line)

    def _proposition(self) -> Proposition:
        r"""herd's grammar: `\/` binds least, then `/\`, then `=>` (to the right), then `not`."""
        parts = [self._conjunction()]
        while self._stream.accept("\\/", "||"):
            parts.append(self._conjunction())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _conjunction(self) -> Proposition:
        parts = [self._implication()]
        while self._stream.accept("/\\", "&&"):
            parts.append(self._implication())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _implication(self) -> Proposition:
        left = self._primary()
        return Implies(left, self._implication()) if self._stream.accept("=>") else left

    def _primary(self) -> Proposition:
        stream = self._stream
        if stream.accept("~", "not"):
            return Not(self._primary())
        if stream.accept("("):
            inner = self._proposition()
            stream.expect(")")
            return inner
        if stream.accept("true"):
            return TRUE
        return Or() if stream.accept("false") else self._atom()

    def _atom(self) -> Proposition:
        stream = self._stream
        column = self._column()
        if stream.accept("!=", "<>"):
            return Not(Equals(column, self._right_side()))
        if not stream.accept("=", "=="):
            raise stream.unexpected("'='")
        return Equals(column, self._right_side())

    def _right_side(self) -> Value | Column:
        """A number, the address of a location, or another column."""
        stream = self._stream
        if stream.at("[", "*") or stream.peek(1).text == ":":
            return self._column()
        stream.accept("&")
        return stream.name("a value") if stream.peek().kind == "name" else stream.number()
