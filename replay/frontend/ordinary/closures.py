"""Functions that share variables, as memory: what they assign by `nonlocal`, and the containers that they close over.

The variables become attributes of one object, which all functions find in the
place of each; their code is compiled again to look there.
"""

from __future__ import annotations

import functools
import gc
import sys
from collections.abc import Callable, Iterator
from types import CellType, CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

from replay.code.bytecode import rebound
from replay.code.reachable import cell_contents
from replay.code.rewriting import with_attributes
from replay.code.running_thread import refuse
from replay.frontend.ordinary.own import ShareableBuiltin
from replay.frontend.ordinary.publication import is_constant, is_plain


class Variables:
    """Variables of a function, as attributes."""


_varying: dict[type, frozenset[str]] = {}


def is_variable(kind: type, name: str) -> bool:
    """Whether an attribute of such an object stands for a variable that some function assigns."""
    return name in _varying.get(kind, ())


@functools.cache
def _class_for(names: frozenset[str]) -> Any:
    kind = type("Variables", (Variables,), {"__module__": __name__})
    _varying[kind] = names
    return kind


def share_function(function: FunctionType, share: Callable[[Any], object]) -> bool:
    """Let what a function closes over be shared by `share`; whether there is anything.

    Functions that it leads to, or that use its variables, are included.
    """
    family = list(_family(function))
    assigned = frozenset().union(*(rebound(each.__code__) for each in family))
    cells = _cells(family, assigned)
    if any(isinstance(value, Variables) for cell in cells.values() for value in cell_contents(cell)):
        refuse(f"{function.__name__} is shared already, or made when its module was loaded: {_MAKE_IT}")
    _check(function, family, cells, assigned)
    places = {name: place for name, place in _places(family, cells) if name in assigned or not _stays(place.value)}
    if not places:
        return False
    variables = _class_for(assigned)()
    vars(variables).update((name, place.value) for name, place in places.items())
    share(variables)
    for name, place in places.items():
        setattr(place.owner, place.attribute, variables if name in assigned else getattr(variables, name))
    for each in family:
        if used := assigned.intersection(each.__code__.co_freevars):
            each.__code__ = with_attributes(each.__code__, used)
    return True


class _Place(NamedTuple):
    """What holds something for a function: a variable, or the function itself, in an attribute."""

    owner: CellType | FunctionType
    attribute: str

    @property
    def value(self) -> Any:
        return getattr(self.owner, self.attribute)


def _places(family: list[FunctionType], cells: dict[str, CellType]) -> Iterator[tuple[str, _Place]]:
    """Variables that hold something, and attributes of functions, by names that differ."""
    yield from ((name, _Place(cell, "cell_contents")) for name, cell in cells.items() if cell_contents(cell))
    names: dict[str, int] = {}
    for function in family:
        number = names[function.__name__] = names.get(function.__name__, 0) + 1
        title = function.__name__ if number == 1 else f"{function.__name__}#{number}"
        yield from ((f"{title}.{name}", _Place(function, name)) for name in vars(function))


def _stays(value: Any) -> bool:
    """Whether a value is none that becomes shared: it is the same for all, or says what a model has."""
    is_of_model = type(value).__module__.startswith("replay.") and not isinstance(value, ShareableBuiltin)
    return isinstance(value, FunctionType) or is_of_model or is_plain(value)


def _family(function: FunctionType) -> Iterator[FunctionType]:
    """The function, and those that are in its variables and attributes."""
    found, todo = {id(function)}, [function]
    while todo:
        one = todo.pop()
        yield one
        others = [value for cell in one.__closure__ or () for value in cell_contents(cell)]
        for each in (*others, *vars(one).values()):
            if isinstance(each, FunctionType) and each.__closure__ and id(each) not in found:
                found.add(id(each))
                todo.append(each)


def _cells(family: list[FunctionType], assigned: frozenset[str]) -> dict[str, CellType]:
    """The variables of functions; a second one of a name has a number."""
    cells: dict[str, CellType] = {}
    for function in family:
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            alike = [key for key in cells if key.partition("#")[0] == name]
            if any(cells[key] is cell for key in alike):
                continue
            if alike and name in assigned:
                refuse(f"functions that {family[0].__name__} leads to have two variables {name}: give one another name")
            cells[f"{name}#{len(alike) + 1}" if alike else name] = cell
    return cells


def _still_runs(name: str, cell: CellType) -> str:
    """The function that has a variable, if it may still use it; "" if it is over."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if name in frame.f_code.co_cellvars and frame.f_locals.get(name) is cell.cell_contents:
            return frame.f_code.co_name
        frame = frame.f_back
    return ""


_MAKE_IT = "make it in the program function, as in f = p.share(decorator(function))"

_checked: set[tuple[CodeType, ...]] = set()
"""Functions of which is known that nobody else uses their variables: it takes long to find out."""


def _check(
    function: FunctionType, family: list[FunctionType], cells: dict[str, CellType], assigned: frozenset[str]
) -> None:
    """Refuse variables that functions outside of the family use as well: they would find an object in them."""
    key = tuple(each.__code__ for each in family)
    if key in _checked:
        return
    if known := next((each for each in family if is_constant(each)), None):
        refuse(f"{known.__name__} was made when its module was loaded, and there is one for all runs: {_MAKE_IT}")
    for name in sorted(assigned):
        if not cell_contents(cells[name]):
            refuse(f"{function.__name__} is shared before its variable {name} has a value")
        if owner := _still_runs(name, cells[name]):
            refuse(
                f"{name} is a variable of {owner}, which still runs: make {function.__name__} in a function of its own"
            )
        closures = [each for each in gc.get_referrers(cells[name]) if type(each) is tuple]
        users = [each for closure in closures for each in gc.get_referrers(closure) if type(each) is FunctionType]
        if other := next((each for each in users if not any(each is known for known in family)), None):
            refuse(
                f"{function.__name__} shares its variable {name} with {other.__name__}, which is not shared: "
                f"make {name} an attribute of an object"
            )
    _checked.add(key)
