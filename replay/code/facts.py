"""What bytecode says of code before it runs: what it looks up, what it compares by identity, what ends it has.

One look at each code object, kept for good. What the names stand for is
another question, which needs the function (`stands_for`).
"""

from __future__ import annotations

import builtins
import dis
import functools
import sys
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from replay.code.bytecode import codes, instructions, single_instructions
from replay.code.reachable import closure_of, is_user_class

UNKNOWN = object()
"""What names stand for that are bound only while code runs."""


class Use(NamedTuple):
    """Names that code looks up one after the other, with dots between: `time.sleep` in line 7.

    root  "global", "free" for a variable of a function around it, "import" for a module that code imports itself
    """

    names: tuple[str, ...]
    root: str
    line: int

    def __str__(self) -> str:
        return ".".join(self.names)

    def beginnings(self) -> Iterator[Use]:
        """What is looked up on the way: `time`, `time.sleep`."""
        return (self._replace(names=self.names[:count]) for count in range(1, len(self.names) + 1))


class Comparison(NamedTuple):
    """An `is` whose sides are no constants of which there is one; None for a side that is no chain of names."""

    sides: tuple[Use | None, Use | None]
    line: int


class Facts(NamedTuple):
    """Of code and all functions inside it.

    uses         what they look up, as far as names follow each other
    comparisons  what they compare by identity
    names        names of attributes and variables, and texts, which may be such
    ends         whether a generator among them has something to do when it is given up
    """

    uses: tuple[Use, ...]
    comparisons: tuple[Comparison, ...]
    names: frozenset[str]
    ends: bool


@functools.cache
def facts(code: CodeType) -> Facts:
    """What bytecode says of some code."""
    looks = [_Look(each, imported) for each, imported in _with_nested(code, {})]
    return Facts(
        tuple(use for look in looks for use in look.uses),
        tuple(comparison for look in looks for comparison in look.comparisons),
        frozenset().union(*map(_names, codes(code))),
        any(map(_has_end, codes(code))),
    )


def _with_nested(code: CodeType, imported: dict[str, Use]) -> Iterator[tuple[CodeType, dict[str, Use]]]:
    """The code, and that of functions inside it, with what local names stand for that were imported outside."""
    known = dict(imported)
    yield code, known
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _with_nested(constant, known)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    yield from _texts(code.co_consts)
    if code.co_name == "__del__":
        yield code.co_name


def _texts(constants: Iterable[object]) -> Iterator[str]:
    for constant in constants:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, tuple | frozenset):
            yield from _texts(constant)


def _has_end(code: CodeType) -> bool:
    """Whether a generator has a handler around a `yield` that Python did not put there itself."""
    found = {each.offset: each for each in instructions(code)}
    yields = [offset for offset, each in found.items() if each.opname == "YIELD_VALUE"]
    entries = dis._parse_exception_table(code) if yields else []  # type: ignore[attr-defined]
    targets = (entry.target for entry in entries if any(entry.start <= each < entry.end for each in yields))
    return any(not _is_of_python(found[target]) for target in targets)


def _is_of_python(handler: dis.Instruction) -> bool:
    """Whether it begins a handler that all generators have since Python 3.12, or all that use `yield from`."""
    return handler.opname == "CLEANUP_THROW" or (
        handler.opname == "CALL_INTRINSIC_1" and handler.arg == _STOP_ITERATION
    )


_STOP_ITERATION = 3

_ROOTS = {
    **dict.fromkeys(("LOAD_GLOBAL", "LOAD_NAME"), "global"),
    **dict.fromkeys(("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"), "free"),
}
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
_NO_NAMES = ("LOAD_CONST", "LOAD_CLOSURE", "LOAD_SUPER_ATTR", *_ATTRIBUTES)
_SILENT = ("CACHE", "PRECALL", "EXTENDED_ARG", "NOP", "RESUME", "PUSH_NULL")
_SINGLE = (type(None), bool, type(Ellipsis))
"""Types of constants that are there once."""


def _operations(code: CodeType) -> Iterator[tuple[str, Any, int | None]]:
    """The instructions that do something: names, arguments, lines."""
    for each in single_instructions(code):
        if each.opname not in _SILENT:
            yield each.opname, each.argval, None if each.positions is None else each.positions.lineno


class _Look:
    """One look along the instructions of one code object."""

    def __init__(self, code: CodeType, imported: dict[str, Use]) -> None:
        """`imported` says what local names stand for; what this code imports is added."""
        self.uses: list[Use] = []
        self.comparisons: list[Comparison] = []
        self._imported = imported
        self._line = code.co_firstlineno
        self._module = Use((), "import", self._line)
        self._cells = (*code.co_cellvars, *code.co_freevars)
        chain: Use | None = None
        before, last = _NOTHING_KNOWN, _NOTHING_KNOWN
        for operation, argument, line in _operations(code):
            self._line = line or self._line
            if chain is not None and operation in _ATTRIBUTES:
                chain = chain._replace(names=(*chain.names, argument), line=self._line)
                last = last._replace(chain=chain)
                continue
            if chain is not None:
                self._end(chain, operation, argument)
            if operation == "IS_OP" and not (before.is_single or last.is_single):
                self.comparisons.append(Comparison((before.chain, last.chain), self._line))
            chain = self._begin(operation, argument)
            before, last = last, _Side(chain, operation == "LOAD_CONST" and isinstance(argument, _SINGLE))

    def _begin(self, operation: str, name: Any) -> Use | None:
        """What an instruction looks up first, if anything."""
        if operation == "IMPORT_NAME":
            self._module = Use((name,), "import", self._line)
            return self._module
        if operation == "IMPORT_FROM":
            return Use((*self._module.names, name), "import", self._line)
        if operation.startswith("LOAD_") and operation not in _NO_NAMES:
            if name in self._imported and (operation != "LOAD_FAST" or name not in self._cells):
                return self._imported[name]._replace(line=self._line)
            return Use((name,), _ROOTS[operation], self._line) if operation in _ROOTS else None
        return None

    def _end(self, chain: Use, operation: str, name: Any) -> None:
        """A chain is complete; where an import binds a local name to it, it goes on wherever that name is used."""
        if chain.root == "import" and operation in ("STORE_FAST", "STORE_DEREF", "STORE_NAME"):
            is_package = chain.names[0].startswith(f"{name}.")
            self._imported[name] = chain._replace(names=(name,)) if is_package else chain
        elif operation != "IMPORT_FROM":
            self.uses.append(chain)


class _Side(NamedTuple):
    """What one side of a comparison is, as far as one can see."""

    chain: Use | None
    is_single: bool


_NOTHING_KNOWN = _Side(None, False)


def stands_for(use: Use, function: FunctionType, *, into_classes: bool = False) -> object:
    """What names stand for in a function, as far as modules and classes of Python go; `into_classes`, of users too.

    `UNKNOWN` if that is not known before the function runs.
    """
    first, *rest = use.names
    thing: Any = UNKNOWN
    match use.root:
        case "import":
            thing = sys.modules.get(first, UNKNOWN)
        case "global":
            thing = function.__globals__.get(first, getattr(builtins, first, UNKNOWN))
        case "free":
            thing = closure_of(function).get(first, UNKNOWN)
    for name in rest:
        is_opaque = isinstance(thing, type) and is_user_class(thing) and not into_classes
        if is_opaque or not isinstance(thing, ModuleType | type):
            break
        thing = getattr(thing, name, UNKNOWN)
    return thing
