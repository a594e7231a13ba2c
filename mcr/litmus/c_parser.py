"""Threads of C litmus tests: `P0 (atomic_int* x, int* y) { ... }`.

What the functions on atomics mean is said in `c_atomics`; plain pointers are
loaded and stored like relaxed atomics, for the models here know no data races.
Loops, other functions and other pointers are refused by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mcr.litmus.c_atomics import ATOMICS, Arguments, Lowering
from mcr.litmus.code import Assign, Binary, Body, Constant, Expression, If, Load, Register, Statement, Update, Wrapped
from mcr.litmus.errors import LineError
from mcr.litmus.sections import Sections, TokenStream, as_number
from mcr.litmus.state_parser import InitialState
from mcr.litmus.test import LitmusThread, RegisterColumn
from mcr.litmus.types import INT, IntegerType, integer_type, is_atomic, is_type_word

_REFUSED = ("while", "for", "do", "goto", "switch", "return")

_PRECEDENCE = (("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="), ("+", "-"), ("*",))


def parse_c_threads(sections: Sections, initial: InitialState) -> list[LitmusThread]:
    """The functions P0, P1, ... of the program section."""
    stream = TokenStream(sections.program)
    threads: list[LitmusThread] = []
    while not stream.at_end():
        line = stream.line
        name = stream.name("a thread")
        if name != f"P{len(threads)}":
            raise LineError(f"expected thread P{len(threads)}, found {name!r}", line)
        registers = {
            column.register: value
            for column, value in initial.values.items()
            if isinstance(column, RegisterColumn) and column.thread == len(threads)
        }
        threads.append(LitmusThread(name, _Function(stream).body(), registers, line))
    if not threads:
        raise LineError("there is no program", sections.program.line)
    return threads


class _Function:
    """One thread: its parameters, its local variables, and the code of its body."""

    def __init__(self, stream: TokenStream) -> None:
        self._stream = stream
        self._parameters: dict[str, tuple[IntegerType, bool]] = {}
        self._locals: dict[str, IntegerType] = {}
        self._code: list[Statement] = []
        self._temporaries = 0

    def body(self) -> Body:
        self._stream.expect("(")
        while not self._stream.accept(")"):
            self._parameter()
            if not self._stream.at(")"):
                self._stream.expect(",")
        return self._block()

    def _parameter(self) -> None:
        stream = self._stream
        line = stream.line
        words = list(self._type_words())
        if stream.at(")") and words == ["void"]:
            return
        stream.expect("*")
        if stream.at("*"):
            raise LineError("pointers to pointers are not supported", line)
        self._parameters[stream.name("a parameter")] = (integer_type(words, line), is_atomic(words))

    def _type_words(self) -> Iterator[str]:
        while is_type_word(self._stream.peek().text) or self._stream.at("void"):
            yield self._stream.take().text

    # -- statements ------------------------------------------------------------------

    def _block(self) -> Body:
        """`{ ... }` or one statement."""
        outer, self._code = self._code, []
        if self._stream.accept("{"):
            while not self._stream.accept("}"):
                self._statement()
        else:
            self._statement()
        inner, self._code = tuple(self._code), outer
        return inner

    def _statement(self) -> None:
        stream = self._stream
        if stream.at(*_REFUSED):
            raise LineError(f"{stream.peek().text!r} is not supported", stream.line)
        if stream.at("{"):
            self._code += self._block()
        elif stream.at("if"):
            self._if()
        elif not stream.accept(";"):
            self._simple()
            stream.expect(";")

    def _if(self) -> None:
        line = self._stream.expect("if").line
        self._stream.expect("(")
        condition = self._expression()
        self._stream.expect(")")
        then = self._block()
        otherwise = self._block() if self._stream.accept("else") else ()
        self._code.append(If(condition, then, otherwise, line))

    def _simple(self) -> None:
        """A declaration, an assignment or a call."""
        stream = self._stream
        line = stream.line
        if words := list(self._type_words()):
            if not stream.accept(")"):
                self._declaration(words, line)
        elif stream.accept("*"):
            self._store_through(line)
        elif stream.peek(1).text in ("=", "+=", "-="):
            self._assignment(line)
        else:
            self._expression()

    def _declaration(self, words: list[str], line: int) -> None:
        stream = self._stream
        while True:
            kind = IntegerType(64) if stream.accept("*") else integer_type(words, line)
            name = stream.name("a variable")
            if name in self._parameters:
                raise LineError(f"{name!r} is both a parameter and a local variable", line)
            self._locals[name] = kind
            if stream.accept("="):
                self._assign(name, self._expression(), line)
            if not stream.accept(","):
                return

    def _assignment(self, line: int) -> None:
        name = self._stream.name()
        sign = self._stream.take().text
        if name in self._parameters:
            raise LineError(f"the parameter {name!r} cannot be assigned; write *{name} = ...", line)
        if name not in self._locals:
            raise LineError(f"the variable {name!r} is not declared", line)
        value = self._expression()
        self._assign(name, value if sign == "=" else Binary(sign[0], Register(name), value), line)

    def _assign(self, name: str, value: Expression, line: int) -> None:
        """name = value; a load or update whose result this is goes straight to the variable."""
        last = self._code[-1] if self._code else None
        if isinstance(last, Load | Update) and value == Register(last.register) and last.register not in self._locals:
            self._code[-1] = replace(last, register=name)
            return
        kind = self._locals[name]
        self._code.append(Assign(name, Wrapped(value, kind.bits, kind.signed), line))

    def _store_through(self, line: int) -> None:
        """*x = value"""
        name = self._stream.name("a pointer")
        self._stream.expect("=")
        order = "memory_order_seq_cst" if self._kind_of(name)[1] else "memory_order_relaxed"
        arguments = Arguments("*", self._address(name, line), [self._expression()], [order], line)
        ATOMICS["store"](self._lowering(name), arguments)

    # -- expressions -------------------------------------------------------------------

    def _expression(self, level: int = 0) -> Expression:
        if level == len(_PRECEDENCE):
            return self._unary()
        left = self._expression(level + 1)
        while self._stream.at(*_PRECEDENCE[level]):
            sign = self._stream.take()
            before = len(self._code)
            right = self._expression(level + 1)
            if sign.text in ("&&", "||") and len(self._code) > before:
                raise LineError(f"an access on the right of {sign.text} is not supported", sign.line)
            left = Binary({"&&": "and", "||": "or"}.get(sign.text, sign.text), left, right)
        return left

    def _unary(self) -> Expression:
        stream = self._stream
        if stream.accept("!"):
            return Binary("==", self._unary(), Constant(0))
        if stream.accept("-"):
            return Binary("-", Constant(0), self._unary())
        if stream.accept("("):
            inner = self._expression()
            stream.expect(")")
            return inner
        if stream.accept("*"):
            return self._load_through()
        if stream.peek().kind == "number":
            return Constant(as_number(stream.take().text))
        return self._call() if stream.peek(1).text == "(" else self._variable()

    def _variable(self) -> Expression:
        line = self._stream.line
        self._stream.accept("&")
        name = self._stream.name("an expression")
        if name in self._parameters:
            return Constant(name)
        if name not in self._locals:
            raise LineError(f"the variable {name!r} is not declared", line)
        return Register(name)

    def _load_through(self) -> Expression:
        line = self._stream.line
        name = self._stream.name("a pointer")
        arguments = Arguments("*", self._address(name, line), [], ["memory_order_seq_cst"], line)
        return ATOMICS["load"](self._lowering(name), arguments)

    def _call(self) -> Expression:
        """A function on atomics."""
        stream = self._stream
        line = stream.line
        function = stream.name()
        stem = function.removeprefix("atomic_").removesuffix("_explicit")
        if not function.startswith("atomic_") or stem not in ATOMICS:
            raise LineError(f"the function {function!r} is not supported", line)
        stream.expect("(")
        pointer = "" if stem == "thread_fence" else self._pointer()
        values: list[Expression] = []
        orders: list[str] = []
        while not stream.accept(")"):
            stream.accept(",")
            if stream.peek().text.startswith("memory_order"):
                orders.append(stream.take().text)
            else:
                values.append(self._expression())
        if not orders and not function.endswith("_explicit"):
            orders = ["memory_order_seq_cst"]
        address = self._address(pointer, line) if pointer else Constant(0)
        return ATOMICS[stem](self._lowering(pointer), Arguments(function, address, values, orders, line))

    def _pointer(self) -> str:
        self._stream.accept("&")
        name = self._stream.name("a pointer")
        if not self._stream.at(",", ")"):
            raise LineError("a computed address is not supported", self._stream.line)
        return name

    def _address(self, name: str, line: int) -> Expression:
        if name in self._parameters:
            return Constant(name)
        if name in self._locals:
            return Register(name)
        raise LineError(f"{name!r} is neither a parameter nor a variable", line)

    def _kind_of(self, pointer: str) -> tuple[IntegerType, bool]:
        """The type behind a pointer, and whether it is atomic; through a variable: a plain int."""
        return self._parameters.get(pointer, (INT, False))

    def _lowering(self, pointer: str) -> Lowering:
        return Lowering(self._code, self._temporary, self._kind_of(pointer)[0])

    def _temporary(self) -> str:
        self._temporaries += 1
        return f"tmp{self._temporaries}"
