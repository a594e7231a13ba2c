"""Fences: where they can be, what they cost, and how they are written into the text of a program."""

from __future__ import annotations

import ast
import difflib
import functools
import linecache
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from replay.code.fences import Fences, Line, line_of
from replay.frontend.program import Program
from replay.machine.state import State
from replay.traces.trace import TraceEvent
from replay.world.memory_model import Access, MemoryModel
from replay.world.operation import KINDS, Kind

COSTS = {Kind.STORE_FENCE: 1, Kind.FENCE: 2}
"""A full fence waits for the store buffer, a store fence for nothing: two of these cost what one of those does."""

_TWO_LOCATIONS = ("one", "two")


class PlacedFence(NamedTuple):
    """A fence at a line, for all threads that come there."""

    line: Line
    kind: Kind

    @property
    def cost(self) -> int:
        return COSTS[self.kind]


FenceSet = frozenset[PlacedFence]


def cost(fences: Iterable[PlacedFence]) -> int:
    return sum(fence.cost for fence in fences)


def in_order(fences: Iterable[PlacedFence]) -> list[PlacedFence]:
    """As they stand in the program."""
    return sorted(fences, key=lambda fence: (fence.line, fence.cost))


def kinds(model: MemoryModel) -> tuple[Kind, ...]:
    """The kinds of fences that do something under a model, the cheaper first."""
    if model.buffers is None:
        return ()
    if model.keeps(Access.STORE, Access.STORE, *_TWO_LOCATIONS):
        return (Kind.FENCE,)
    return (Kind.STORE_FENCE, Kind.FENCE)


class FencePlaces:
    """The places from which a search chooses.

    known  the lines where a fence may be, as far as they were met, each with the kinds that may be there, the
           cheapest first
    unfit  the lines where one would be tried, and none can be put
    """

    def __init__(self, kinds: tuple[Kind, ...]) -> None:
        """`kinds` are those that do something."""
        self.known: dict[Line, tuple[Kind, ...]] = {}
        self.unfit: set[Line] = set()
        self.kinds = kinds

    def meet(self, states: Iterable[State]) -> None:
        """Take the places that these local states show."""
        for state in states:
            operation = state.operation
            if operation is not None and operation.source is not None:
                self.take(line_of(operation.source), operation.kind)

    def at(self, event: TraceEvent) -> Line | None:
        """Returns the line at which a fence could directly follow an event, or stand in its place."""
        if event.line is None:
            return None
        line = line_of(event.line)
        return line if self.take(line, KINDS[event.kind]) and line in self.known else None

    def take(self, line: Line, kind: Kind) -> bool:
        """Note a line that asks for an operation of a kind; returns whether that makes it one to try."""
        raise NotImplementedError

    def fences(self, chosen: FenceSet) -> Fences:
        """Returns the fences for a program that has these, and no others that were chosen from."""
        raise NotImplementedError


class AfterStores(FencePlaces):
    """Fences beside those of the program: one directly after any line that stores and can be followed by one."""

    def take(self, line: Line, kind: Kind) -> bool:
        if kind is Kind.STORE and line not in self.known and line not in self.unfit:
            if takes_fence_after(line):
                self.known[line] = self.kinds
            else:
                self.unfit.add(line)
        return kind is Kind.STORE

    def fences(self, chosen: FenceSet) -> Fences:
        return Fences(after={fence.line: fence.kind for fence in chosen})


class OwnFences(FencePlaces):
    """The fences of the program itself: each can stay, be left out, or become a store fence if that does something."""

    def take(self, line: Line, kind: Kind) -> bool:
        if kind in COSTS:
            weaker = (each for each, cost in COSTS.items() if cost <= COSTS[kind] and each in self.kinds)
            self.known.setdefault(line, tuple(weaker))
        return True

    def fences(self, chosen: FenceSet) -> Fences:
        kept: dict[Line, Kind | None] = dict.fromkeys(self.known)
        return Fences(instead={**kept, **{fence.line: fence.kind for fence in chosen}})


def strongest(places: FencePlaces, without: FenceSet) -> FenceSet:
    """At each place that is known the strongest fence that is not among these.

    A fence forbids all that a cheaper one at its place forbids, so where a fence is left out the dearer ones are.
    """
    found: set[PlacedFence] = set()
    for line, kinds in places.known.items():
        allowed = [fence for kind in kinds if (fence := PlacedFence(line, kind)) not in without]
        found.update(allowed[-1:])
    return frozenset(found)


CALLS = {Kind.FENCE: "fence", Kind.STORE_FENCE: "store_fence"}
"""The methods of declarations that are fences."""

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFAULT = "p"
"""What programs call their declarations."""


def takes_fence_after(line: Line) -> bool:
    """Returns whether the line is a statement that does nothing after its store: a call of `store`, alone on its
    lines."""
    statement = _statement(line)
    if statement is None or not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    if isinstance(value, ast.Yield) and value.value is not None:
        value = value.value
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "store"):
        return False
    lines = _lines(line[0])
    before = lines[statement.lineno - 1][: statement.col_offset]
    last = lines[(statement.end_lineno or statement.lineno) - 1]
    after = last.encode()[statement.end_col_offset or 0 :].decode().strip()
    return not before.strip() and (not after or after.startswith("#"))


def with_fences(file: str, fences: Iterable[PlacedFence], program: Program) -> list[str]:
    """The lines of a file, with these fences in it."""
    lines = list(_lines(file))
    for fence in reversed(in_order(fences)):
        statement = _statement(fence.line)
        assert statement is not None and statement.end_lineno is not None
        text = f"{_declarations(fence.line, program)}.{CALLS[fence.kind]}()"
        lines.insert(statement.end_lineno, f"{lines[statement.lineno - 1][: statement.col_offset]}{text}\n")
    return lines


def difference(fences: Sequence[PlacedFence], program: Program, shown: Callable[[str], str]) -> list[str]:
    """Returns the changes by which the program has these fences, in the unified format; `shown` names files."""
    found: list[str] = []
    for file in sorted({fence.line[0] for fence in fences}):
        name = shown(file)
        here = [fence for fence in fences if fence.line[0] == file]
        changed = with_fences(file, here, program)
        found += difflib.unified_diff(_lines(file), changed, name, name, n=1, lineterm="\n")
    return [line.rstrip("\n") for line in found]


def text_at(line: Line) -> str:
    lines = _lines(line[0])
    return lines[line[1] - 1].strip() if 0 < line[1] <= len(lines) else ""


def _lines(file: str) -> list[str]:
    return [line if line.endswith("\n") else f"{line}\n" for line in linecache.getlines(file)]


@functools.lru_cache(16)
def _tree(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def _enclosing(line: Line) -> Iterator[ast.AST]:
    """The statements that a line belongs to, from the outermost inwards."""
    node: ast.AST | None = _tree("".join(_lines(line[0])))
    while node is not None:
        children = (child for child in ast.walk(node) if child is not node and isinstance(child, ast.stmt))
        inside = [child for child in children if child.lineno <= line[1] <= (child.end_lineno or 0)]
        node = min(inside, key=lambda child: (child.lineno, -(child.end_lineno or 0), child.col_offset), default=None)
        if node is not None:
            yield node


def _statement(line: Line) -> ast.stmt | None:
    """The innermost statement that a line belongs to; None if that is not one alone."""
    found = [node for node in _enclosing(line) if isinstance(node, ast.stmt)]
    return found[-1] if found else None


def _declarations(line: Line, program: Program) -> str:
    """How the code around a line calls what the program declares on."""
    name = next(iter(program.function.__code__.co_varnames), _DEFAULT)
    outer = [node for node in _enclosing(line) if isinstance(node, (*_FUNCTIONS, ast.ClassDef))]
    if any(name in _parameters(node) for node in outer if isinstance(node, _FUNCTIONS)):
        return name
    for node in reversed(outer):
        if isinstance(node, ast.ClassDef) and _keeps(node, name):
            return f"self.{name}"
    return name


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    given = function.args
    return [argument.arg for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


def _keeps(node: ast.ClassDef, name: str) -> bool:
    """Returns whether objects of a class have an attribute of that name."""
    return any(isinstance(child, ast.Attribute) and child.attr == name for child in ast.walk(node))
