"""A frame: where a function stands, and all that it holds."""

from __future__ import annotations

import builtins
from types import CellType, CodeType, FunctionType
from typing import Any, Final

from replay.interpreter.decode import Decoded


class Mark:
    """An object of which there is one; a copy of it is the same object."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name

    def __copy__(self) -> Mark:
        return self

    def __deepcopy__(self, _: object) -> Mark:
        return self


NULL: Final[Any] = Mark("NULL")
"""CPython's empty entry: a local variable without a value, or the place of `self` in a call without one."""


MISSING: Final[Any] = Mark("MISSING")
"""Stands for nothing in interpreted code, where a variable may not hold NULL."""


class Returned:
    """The value of a generator's `return`, which it leaves with its caller when it is resumed and returns."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


class Handled:
    """The exception that is being handled: one record for a thread, and one for each generator.

    below  the record of the code that resumed the generator; None if it is suspended
    """

    __slots__ = ("below", "error")

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self.below: Handled | None = None

    def innermost(self) -> BaseException | None:
        """The exception that `raise` would raise again; None if no exception is being handled."""
        record: Handled | None = self
        while record is not None and record.error is None:
            record = record.below
        return None if record is None else record.error


class Frame:
    """One call of a function of Python.

    execution  the one (`Execution`) whose frame it is
    position   index of the next instruction
    slots      local variables, then cells, then free variables; NULL where there is no value
    stack      operands
    names      the namespace of a class body, or of `exec`; None in functions
    made       the object that a constructor initialises, and that its call results in; NULL elsewhere
    generator  the `Generator` whose code it runs; None in ordinary calls, and while the generator waits
    is_base    whether the execution stops when it returns
    call       what reports call it, which its copies have as well; set where somebody records that
    """

    __slots__ = (
        "builtins", "call", "decoded", "execution", "function", "generator", "globals", "handled", "is_base", "made",
        "names", "position", "slots", "stack",
    )  # fmt: skip
    call: Any

    def __init__(
        self, execution: Any, function: FunctionType, decoded: Decoded, slots: list[Any], handled: Handled
    ) -> None:
        self.execution = execution
        self.function = function
        self.decoded = decoded
        self.position = 0
        self.slots = slots
        self.stack: list[Any] = []
        self.globals: dict[str, Any] = function.__globals__
        self.builtins: dict[str, Any] = function.__builtins__  # type: ignore[attr-defined, unused-ignore]
        self.names: Any = None
        self.made: Any = NULL
        self.handled = handled
        self.generator: Any = None
        self.is_base = False

    @property
    def code(self) -> CodeType:
        return self.decoded.code

    @property
    def line(self) -> int:
        """The line of the instruction that is running."""
        return self.decoded.lines[max(self.position - 1, 0)]


def bound(
    function: FunctionType, code: CodeType, arguments: list[Any], keywords: dict[str, Any], size: int
) -> list[Any]:
    """The slots of a new frame, `size` of them, after the arguments of a call were bound to the parameters.

    `code` is that of the function. Raises what CPython raises for arguments that do not fit: TypeError.
    """
    count = code.co_argcount
    if not keywords and len(arguments) == count and not code.co_flags & 12 and not code.co_kwonlyargcount:
        return arguments + [NULL] * (size - count)
    named = count + code.co_kwonlyargcount
    slots = arguments[:count] + [NULL] * (size - min(count, len(arguments)))
    fits, more = _bind_keywords(code, slots, keywords)
    _fill_defaults(function, code, slots)
    surplus = arguments[count:]
    if not fits or (surplus and not code.co_flags & 4) or any(slot is NULL for slot in slots[:named]):
        _raise_as_python_does(function, arguments, keywords)
    if code.co_flags & 4:
        slots[named] = tuple(surplus)
        named += 1
    if code.co_flags & 8:
        slots[named] = more
    return slots


ANY_KEYWORDS: list[CodeType] = []
"""Code of models whose native callable takes names that are no strings, and hands them on."""


def _bind_keywords(code: CodeType, slots: list[Any], keywords: dict[str, Any]) -> tuple[bool, dict[str, Any]]:
    """Put keyword arguments into their slots; returns whether all fit, and those that go into `**`."""
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    known = {name: place for place, name in enumerate(names) if place >= code.co_posonlyargcount}
    more: dict[str, Any] = {}
    fits = True
    for name, value in keywords.items():
        if not issubclass(type(name), str) and code not in ANY_KEYWORDS:
            raise TypeError("keywords must be strings")
        place = known.get(name)
        if place is None:
            more[name] = value
            fits = fits and bool(code.co_flags & 8)
        else:
            fits = fits and slots[place] is NULL
            slots[place] = value
    return fits, more


def _fill_defaults(function: FunctionType, code: CodeType, slots: list[Any]) -> None:
    defaults = function.__defaults__ or ()
    for place, value in enumerate(defaults, code.co_argcount - len(defaults)):
        if slots[place] is NULL:
            slots[place] = value
    for name, value in (function.__kwdefaults__ or {}).items():
        place = code.co_varnames.index(name)
        if slots[place] is NULL:
            slots[place] = value


def _raise_as_python_does(function: FunctionType, arguments: list[Any], keywords: dict[str, Any]) -> None:
    """Raise CPython's TypeError: a function with these parameters and no code is called."""
    code = function.__code__.replace(co_code=_nothing.__code__.co_code, co_consts=(None,), co_exceptiontable=b"")
    plain = FunctionType(
        code, {"__builtins__": builtins}, function.__name__, function.__defaults__, function.__closure__
    )
    plain.__kwdefaults__ = function.__kwdefaults__
    plain.__qualname__ = function.__qualname__
    plain(*arguments, **keywords)


def _nothing() -> None:
    pass


def new_cell(value: Any) -> CellType:
    """A cell that holds a value; an empty one for NULL."""
    return CellType() if value is NULL else CellType(value)


def held_in(cell: CellType) -> Any:
    """Returns what a cell holds; NULL for an empty one."""
    try:
        return cell.cell_contents
    except ValueError:
        return NULL


def unassigned(name: str) -> UnboundLocalError:
    """Returns what Python raises for a local variable that has no value."""
    return UnboundLocalError(f"cannot access local variable '{name}' where it is not associated with a value")


def empty_variable(name: str, is_free: bool) -> NameError:
    """Returns what Python raises for a variable of a closure that has no value: `is_free` in a function inside."""
    if is_free:
        return NameError(
            f"cannot access free variable '{name}' where it is not associated with a value in enclosing scope",
            name=name,
        )
    return unassigned(name)
