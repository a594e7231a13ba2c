"""Type aliases and type parameters whose values are found out when somebody asks (3.12)."""

from __future__ import annotations

import types
import typing
from typing import Any

from replay.interpreter.natives import natively, shows_as

_typing: Any = typing


class TypeAlias:
    """The alias that `type name = value` makes."""

    def __init__(self, name: str, parameters: tuple[Any, ...], evaluate: Any, module: str) -> None:
        self.__name__ = name
        self.__type_params__ = parameters
        self.__module__ = module
        self._evaluate = evaluate

    @property
    def __value__(self) -> Any:
        evaluate = self._evaluate
        if evaluate is not None:
            self._value = evaluate()
            self._evaluate = None
        return self._value

    @property
    def __parameters__(self) -> tuple[Any, ...]:
        return tuple([each for name in self.__type_params__ for each in (name if is_several(name) else (name,))])

    def __getitem__(self, arguments: Any) -> Any:
        if not self.__type_params__:
            raise TypeError("Only generic type aliases are subscriptable")
        return types.GenericAlias(self, arguments)  # type: ignore[arg-type]

    def __or__(self, other: Any) -> Any:
        return _typing.Union[self, other]

    def __ror__(self, other: Any) -> Any:
        return _typing.Union[other, self]

    def __repr__(self) -> str:
        return self.__name__


if hasattr(typing, "TypeAliasType"):
    shows_as(_typing.TypeAliasType)(TypeAlias)


@natively
def is_several(parameter: Any) -> bool:
    """Returns True for a parameter that stands for several types."""
    return isinstance(parameter, _typing.TypeVarTuple)


def parameter_of(kind: str, name: str, module: str) -> Any:
    """A type parameter without a bound."""
    return _declared({"TypeVar": name, "ParamSpec": f"**{name}", "TypeVarTuple": f"*{name}"}[kind], module)


def with_bound(name: str, evaluate: Any, module: str) -> Any:
    """A type variable whose bound is found out later."""
    return _declared(f"{name}: bound()", module, bound=evaluate)


def with_constraints(name: str, evaluate: Any, module: str) -> Any:
    """A type variable with constraints, which are found out now: their number must be known."""
    return _constrained(name, evaluate(), "", module)


def with_default(parameter: Any, evaluate: Any, module: str) -> Any:
    """Returns the parameter with a default, which is evaluated later."""
    kind, name = type(parameter).__name__, parameter.__name__
    if kind != "TypeVar":
        stars = "**" if kind == "ParamSpec" else "*"
        return _declared(f"{stars}{name} = default()", module, default=evaluate)
    if parameter.__constraints__:
        return _constrained(name, parameter.__constraints__, " = default()", module, default=evaluate)
    return _declared(f"{name}: bound() = default()", module, bound=lambda: parameter.__bound__, default=evaluate)


def _constrained(name: str, constraints: tuple[Any, ...], rest: str, module: str, **names: Any) -> Any:
    shown = "".join(f"constraints[{number}], " for number in range(len(constraints)))
    return _declared(f"{name}: ({shown}){rest}", module, constraints=constraints, **names)


def _declared(declaration: str, module: str, **names: Any) -> Any:
    """The parameter that Python makes of a declaration."""
    space = {"__name__": module, **names}
    exec(f"def made[{declaration}](): pass", space)
    return space["made"].__type_params__[0]
