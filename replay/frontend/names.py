"""Names of what a program shares: read off the source where none is given, and no two alike in any run.

What is made without a name is called what it is assigned to:

    lock = p.mutex()                               lock
    x, y = p.var(0), p.var(0)                      x, y
    cells = [p.var(0) for _ in range(2)]           cells[0], cells[1]
    cells.append(p.var(0))                         cells[2]
    self.tail = p.var()  in an __init__, and
        left = Queue(p)                            left.tail
    return p.var(0)      in a helper, and
        flag = helper(p)                           flag

The instruction that is running has its place in the source, and a call ends where no other does; so the call is found,
and what is around it.

Traces, reports and schedules call a location by its name. The names of what programs do not declare (cells of records,
beginnings and ends of threads) have a form of their own, which declared names must not have.
"""

from __future__ import annotations

import ast
import functools
import linecache
import re
import sys
from collections.abc import Callable, Iterable
from itertools import pairwise
from types import CodeType
from typing import Any, NamedTuple

from replay.code.lines import is_user_code
from replay.code.running_thread import caller, refuse
from replay.interpreter.execution import running_execution
from replay.interpreter.views import shown_frames
from replay.world.operation import Source
from replay.world.shown import shown

HOLE = "\0"
"""Stands in a name for a number: the next that is free."""

_PLACING = ("record", "array", "var", "condition")
"""Methods that give what they are given its place, and a name."""


class Target(NamedTuple):
    """The surroundings of a call.

    text      what it is assigned to, "" if nothing
    owner     the variable before the dot, where an attribute is assigned to
    returned  it is what its function returns
    placed    it is an argument of a declaration, which names it
    """

    text: str = ""
    owner: str = ""
    returned: bool = False
    placed: bool = False


def innermost_frame() -> Any:
    """The innermost frame that runs, as Python shows frames; one of the interpreter if it runs code."""
    execution = running_execution()
    return sys._getframe(1) if execution is None else next(shown_frames(execution), None)


def name_here(frame: Any) -> Target:
    """Returns the target of the call that a frame is in: `text` is the name that it gets; "" if there is none."""
    frame = _of_user(frame)
    if frame is None:
        return Target()
    target = _target(frame)
    if target.returned:
        return name_here(frame.f_back)
    owner = _owner(frame, target)
    return target._replace(text=f"{owner}.{target.text}") if owner else target


def _of_user(frame: Any) -> Any:
    while frame is not None and not is_user_code(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def _owner(frame: Any, target: Target) -> str:
    """Returns the target of an object whose constructor is running and assigns to an attribute; "" if unknown."""
    code = frame.f_code
    if not target.owner or code.co_name != "__init__" or target.owner != code.co_varnames[0]:
        return ""
    made = frame.f_locals.get(target.owner)
    outer = _of_user(frame.f_back)
    while outer is not None and outer.f_code.co_name == "__init__" and _first_argument(outer) is made:
        outer = _of_user(outer.f_back)
    return name_here(outer).text


def _first_argument(frame: Any) -> object:
    return frame.f_locals.get(frame.f_code.co_varnames[0]) if frame.f_code.co_argcount else None


# -- calls in the source ------------------------------------------------------------

_known: dict[tuple[int, int], tuple[CodeType, Target]] = {}
"""By code, which is kept alive with it, and instruction."""

_MANY = 4096


def _target(frame: Any) -> Target:
    code, at = frame.f_code, frame.f_lasti
    found = _known.get((id(code), at))
    if found is None:
        if len(_known) >= _MANY:
            _known.clear()
        found = _known[id(code), at] = code, _find(frame)
    return found[1]


def _find(frame: Any) -> Target:
    around = _around(frame)
    return _look_around(around) if around else Target()


def _around(frame: Any) -> list[ast.AST]:
    """The call that a frame is in, and what is around it, from the inside; nothing if there is no source."""
    code = frame.f_code
    text = "".join(linecache.getlines(code.co_filename, frame.f_globals))
    _, line, _, column = list(code.co_positions())[frame.f_lasti // 2]
    return [] if line is None or column is None else _calls(text).get((line, column), [])


@functools.lru_cache(8)
def _calls(text: str) -> dict[tuple[int, int], list[ast.AST]]:
    """Each call of a source text by its end: the call, and what is around it, from the inside."""
    found: dict[tuple[int, int], list[ast.AST]] = {}

    def walk(node: ast.AST, around: list[ast.AST]) -> None:
        path = [node, *around]
        if isinstance(node, ast.Call):
            found[node.end_lineno or 0, node.end_col_offset or 0] = path
        for child in ast.iter_child_nodes(node):
            walk(child, path)

    try:
        walk(ast.parse(text), [])
    except (SyntaxError, RecursionError):
        return {}
    return found


def _look_around(path: list[ast.AST]) -> Target:
    """Climb from a call to the statement that it is in, and note the indices on the way."""
    indices: list[str] = []
    for inner, outer in pairwise(path):
        match outer:
            case ast.Assign(targets=[target, *_]) | ast.AnnAssign(target=target) | ast.NamedExpr(target=target):
                return _assigned(target, indices)
            case ast.AugAssign(target=target):
                return _assigned(target, [HOLE if index.isdigit() else index for index in indices])
            case ast.Call(func=ast.Attribute(value=collection, attr="append" | "add")):
                return _assigned(collection, [HOLE, *indices])
            case ast.withitem(optional_vars=target) if target is not None:
                return _assigned(target, indices)
            case ast.Return() | ast.Lambda():
                return Target(returned=not indices)
            case ast.keyword(arg=str(name)):
                call = path[path.index(outer) + 1]
                return Target(placed=True) if _is_placing(call) else Target(name + _indexed(indices))
            case ast.Call() if not _passes_on(outer, inner):
                return Target(placed=_is_placing(outer))
            case ast.Tuple() | ast.List() if inner in outer.elts:
                indices.insert(0, str(outer.elts.index(inner)))
            case ast.Dict():
                indices.insert(0, _key_of(outer, inner))
            case ast.ListComp() | ast.GeneratorExp() | ast.DictComp() | ast.SetComp():
                indices.insert(0, HOLE)
            case ast.Call() | ast.IfExp() | ast.BoolOp() | ast.Attribute(attr="ref"):
                continue
            case _:
                return Target()
    return Target()


def _is_placing(call: ast.AST) -> bool:
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _PLACING


def _passes_on(call: ast.Call, argument: ast.AST) -> bool:
    """Returns whether a call only collects what it is given: `tuple(p.var(0) for ...)`."""
    is_collecting = isinstance(call.func, ast.Name) and call.func.id in ("tuple", "list", "dict", "frozenset", "set")
    return is_collecting and argument in call.args


def _key_of(display: ast.Dict, value: ast.AST) -> str:
    key = next((key for key, held in zip(display.keys, display.values, strict=True) if held is value), None)
    return repr(key.value) if isinstance(key, ast.Constant) else HOLE


def _assigned(target: ast.expr, indices: list[str]) -> Target:
    """The name of what is assigned to a target, or to the element of it that these indices lead to."""
    if indices and isinstance(target, ast.Tuple | ast.List):
        elements = target.elts
        if not indices[0].isdigit() or any(isinstance(each, ast.Starred) for each in elements):
            return Target()
        number = int(indices[0])
        return _assigned(elements[number], indices[1:]) if number < len(elements) else Target()
    match target:
        case ast.Name(id=name):
            return Target(name + _indexed(indices))
        case ast.Attribute(value=ast.Name(id=owner), attr=name):
            return Target(name + _indexed(indices), owner)
        case ast.Attribute(attr=name):
            return Target(name + _indexed(indices))
        case ast.Subscript(value=collection):
            return _assigned(collection, [HOLE, *indices])
    return Target()


def _indexed(indices: list[str]) -> str:
    """Indices as they are written; those of nested loops count as one."""
    first = indices.index(HOLE) if HOLE in indices else len(indices)
    kept = [index for number, index in enumerate(indices) if index != HOLE or number == first]
    return "".join(f"[{index}]" for index in kept)


def filled(name: str, is_free: Callable[[str], bool]) -> str:
    """A name that is free: with the least number in its hole that makes it so, or one at its end if it has no hole."""
    number = 0 if HOLE in name else 1
    while True:
        text = name.replace(HOLE, str(number)) if HOLE in name else name if number == 1 else f"{name}#{number}"
        if is_free(text):
            return text
        number += 1


_RESERVED = {
    re.compile(r".*#(\d+|final)(\.\d+)*(\[|\.\D).*", re.DOTALL): "the cell of a record",
    re.compile(r".*#(\d+|final)(\.\d+)+", re.DOTALL): "a thing that a thread makes",
    re.compile(r"(start|end) of thread .*", re.DOTALL): "the beginning or end of a thread",
}


class Names:
    """The names that a program declared, each with the line that did."""

    def __init__(self, *, checks: bool = True) -> None:
        """`checks` says whether to look what is wrong with names: not in a program that was looked at."""
        self._lines: dict[str, Source | None] = {}
        self._checks = checks

    def add(self, name: str, cells: int = 0) -> None:
        """Take a name, and those of the cells of an array. Raises ModelError for one that something else may have."""
        line = None
        if self._checks:
            line = caller()
            _check_form(name)
            for taken in _all(name, cells):
                self._check_free(taken)
        self._lines.update(dict.fromkeys(_all(name, cells), line))

    def _check_free(self, name: str) -> None:
        if name in self._lines:
            refuse(f"two shared things are called {shown(name)}: the other one is declared at {self._lines[name]}")

    def derive(self, name: str, cells: int = 0) -> str:
        """Take a name that looks like this, with numbers where that is needed to make it one of its own; returns it."""
        found = filled(name, lambda text: self._lines.keys().isdisjoint(_all(text, cells)))
        self.add(found, cells)
        return found


def check_name(name: object) -> str:
    """Refuse what is no name."""
    if not isinstance(name, str) or not name:
        refuse(f"the name of what is shared is a text that is not empty, not {shown(name)}")
    return name


def _check_form(name: str) -> None:
    for form, what in _RESERVED.items():
        if form.fullmatch(name):
            refuse(f"{shown(name)} is what {what} is called: choose another name")


def _all(name: str, cells: int) -> list[str]:
    return [name, *(f"{name}[{index}]" for index in range(cells))]


def check_fields(fields: Iterable[str]) -> None:
    """Refuse fields of a record that could not be written after a dot: the names of cells would not be unique."""
    for field in fields:
        if not field.isidentifier():
            refuse(f"a record cannot have a field called {shown(field)}: it is no Python name")
