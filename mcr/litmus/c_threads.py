"""Threads of C litmus tests: `P0 (atomic_int* x, int* y) { ... }`.

What the functions on atomics mean is said in `c_atomics`; plain pointers are loaded and stored like relaxed atomics,
for the models here know no data races. Loops, other functions and other pointers are refused by name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from lark import Token, Tree

from mcr.litmus.c_atomics import ATOMICS, AtomicCall
from mcr.litmus.code import Assign, Binary, Body, Constant, Expression, If, Load, Register, Statement, Update, Wrapped
from mcr.litmus.errors import LineError
from mcr.litmus.state import InitialState
from mcr.litmus.syntax import Node, as_number, line_at, parsed
from mcr.litmus.test import LitmusThread
from mcr.litmus.types import INT, IntegerType, integer_type, is_atomic

_SEQ_CST = "memory_order_seq_cst"


def parse_c_threads(program: str, initial: InitialState) -> list[LitmusThread]:
    """The functions P0, P1, ... of the program section."""
    threads: list[LitmusThread] = []
    for function in parsed("c", program).children:
        name, *parameters, block = function.children
        if name != f"P{len(threads)}":
            raise LineError(f"expected thread P{len(threads)}, found '{name}'", name.line)
        body = _Function(parameters).block(block.children)
        threads.append(LitmusThread(str(name), body, initial.registers(len(threads)), name.line))
    if not threads:
        raise LineError("there is no program", line_at(program))
    return threads


class _Function:
    """One thread: its parameters, its local variables, and the code of its body."""

    def __init__(self, parameters: Iterable[Node]) -> None:
        self._parameters: dict[str, tuple[IntegerType, bool]] = {}
        self._locals: dict[str, IntegerType] = {}
        self._code: list[Statement] = []
        self._temporaries = 0
        for parameter in parameters:
            self._parameter(parameter)

    def _parameter(self, tree: Node) -> None:
        words, line = tree.children[0].children, tree.meta.line
        match tree.children[1:]:
            case [] if words == ["void"]:
                pass
            case ["*", Token(type="NAME") as name]:
                self._parameters[str(name)] = (integer_type(words, line), is_atomic(words))
            case ["*", "*", *_]:
                raise LineError("pointers to pointers are not supported", line)
            case _:
                raise LineError("a parameter must be a pointer with a name", line)

    # -- statements ------------------------------------------------------------------

    def block(self, statements: Iterable[Node]) -> Body:
        """The code of some statements, apart from what stands around them."""
        outer, self._code = self._code, []
        for statement in statements:
            self._statement(statement)
        inner, self._code = tuple(self._code), outer
        return inner

    def _statement(self, tree: Node) -> None:
        match tree:
            case Tree(data="block"):
                self._code += self.block(tree.children)
            case Tree(data="if"):
                self._if(*tree.children)
            case Tree(data="declarations"):
                words, *declared = tree.children
                for each in declared:
                    self._declare(words.children, *each.children)
            case Tree(data="store"):
                self._store_through(*tree.children)
            case Tree(data="assignment"):
                self._assignment(*tree.children)
            case _:
                self._expression(tree)

    def _if(self, keyword: Node, condition: Node, then: Node, otherwise: Node) -> None:
        asked, one = self._expression(condition), self.block(then.children)
        other = () if otherwise is None else self.block(otherwise.children)
        self._code.append(If(asked, one, other, keyword.line))

    def _store_through(self, pointer: Node, value: Node) -> None:
        """*x = value"""
        order = _SEQ_CST if self._kind_of(pointer)[1] else "memory_order_relaxed"
        ATOMICS["store"](self._access("*", pointer, [self._expression(value)], [order]))

    def _declare(self, words: list[Node], star: Node, name: Node, value: Node) -> None:
        if name in self._parameters:
            raise LineError(f"'{name}' is both a parameter and a local variable", name.line)
        self._locals[str(name)] = IntegerType(64) if star else integer_type(words, name.line)
        if value is not None:
            self._assign(str(name), self._expression(value), name.line)

    def _assignment(self, name: Node, sign: Node, value: Node) -> None:
        if name in self._parameters:
            raise LineError(f"the parameter '{name}' cannot be assigned; write *{name} = ...", name.line)
        self._check_declared(name)
        new = self._expression(value)
        self._assign(str(name), new if sign == "=" else Binary(sign[0], Register(str(name)), new), name.line)

    def _assign(self, name: str, value: Expression, line: int) -> None:
        """name = value; a load or update whose result this is goes straight to the variable."""
        last = self._code[-1] if self._code else None
        if isinstance(last, Load | Update) and value == Register(last.register) and last.register not in self._locals:
            self._code[-1] = replace(last, register=name)
            return
        kind = self._locals[name]
        self._code.append(Assign(name, Wrapped(value, kind.bits, kind.signed), line))

    # -- expressions -------------------------------------------------------------------

    def _expression(self, tree: Node) -> Expression:
        if isinstance(tree, Token):
            return Constant(as_number(tree))
        match tree.data, tree.children:
            case "binary", [left, sign, right]:
                return self._binary(left, sign, right)
            case "negation", [inner]:
                return Binary("==", self._expression(inner), Constant(0))
            case "minus", [inner]:
                return Binary("-", Constant(0), self._expression(inner))
            case "load", [pointer]:
                return ATOMICS["load"](self._access("*", pointer, [], [_SEQ_CST]))
            case "call", [function, *given]:
                return self._call(function, given)
        (name,) = tree.children
        if name in self._parameters:
            return Constant(str(name))
        self._check_declared(name)
        return Register(str(name))

    def _binary(self, left: Node, sign: Node, right: Node) -> Expression:
        one, before = self._expression(left), len(self._code)
        two = self._expression(right)
        if sign in ("&&", "||") and len(self._code) > before:
            raise LineError(f"an access on the right of {sign} is not supported", sign.line)
        return Binary({"&&": "and", "||": "or"}.get(sign, str(sign)), one, two)

    def _call(self, function: Node, given: list[Node]) -> Expression:
        """A function on atomics."""
        stem = function.removeprefix("atomic_").removesuffix("_explicit")
        if not function.startswith("atomic_") or stem not in ATOMICS:
            raise LineError(f"the function '{function}' is not supported", function.line)
        orders = [str(each) for each in given if _is_order(each)]
        others = [each for each in given if not _is_order(each)]
        pointer = None
        if stem != "thread_fence":
            if not others or getattr(others[0], "data", "") != "variable":
                raise LineError("a computed address is not supported", function.line)
            pointer = others.pop(0).children[0]
        if not orders and not function.endswith("_explicit"):
            orders = [_SEQ_CST]
        values = [self._expression(each) for each in others]
        return ATOMICS[stem](self._access(str(function), pointer, values, orders, function.line))

    def _access(
        self, function: str, pointer: Node, values: list[Expression], orders: list[str], line: int = 0
    ) -> AtomicCall:
        address = Constant(0) if pointer is None else self._address(pointer)
        line = line or pointer.line
        return AtomicCall(
            function, address, values, orders, line, self._kind_of(pointer)[0], self._code, self._temporary
        )

    def _check_declared(self, name: Node) -> None:
        if name not in self._locals:
            raise LineError(f"the variable '{name}' is not declared", name.line)

    def _address(self, name: Node) -> Expression:
        if name in self._parameters:
            return Constant(str(name))
        if name in self._locals:
            return Register(str(name))
        raise LineError(f"'{name}' is neither a parameter nor a variable", name.line)

    def _kind_of(self, pointer: str) -> tuple[IntegerType, bool]:
        """The type behind a pointer, and whether it is atomic; through a variable: a plain int."""
        return self._parameters.get(pointer, (INT, False))

    def _temporary(self) -> str:
        self._temporaries += 1
        return f"tmp{self._temporaries}"


def _is_order(argument: Node) -> bool:
    return isinstance(argument, Token) and argument.type == "MEMORY_ORDER"
