"""Classes and modules, which there are once for all runs: memory where threads may change what they hold.

Nothing is ever written to a class or module: a cell has what it holds at first, and memory what it holds later. What
they hold and nobody knows to be constant is refused.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from logging import Logger
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from replay.code.ordinary import HAS_MODELS
from replay.code.reachable import is_user_class
from replay.code.running_thread import refuse
from replay.frontend.ordinary.class_cells import ClassCell, can_be_memory, cells_of
from replay.frontend.ordinary.class_memory import ClassMemory
from replay.frontend.ordinary.modules import ModuleCell, variables_of
from replay.frontend.ordinary.modules import can_be_memory as can_be_module
from replay.frontend.ordinary.publication import is_plain
from replay.frontend.ordinary.values import UNSET
from replay.interpreter.copying import is_of_module
from replay.interpreter.lookup import ATOMS, mro_of
from replay.world.shown import shown
from replay.world.values import NoValue


class Homes:
    """The cells of classes and modules in one instance of a program."""

    def __init__(self, program: Callable[..., object], classes: ClassMemory) -> None:
        """`classes` has what they hold."""
        self._program = program
        self._classes = classes
        self._of_classes: dict[tuple[Any, str], ClassCell | None] = {}
        self._of_modules: dict[tuple[Any, str], ModuleCell | None] = {}
        self._has_cell: dict[tuple[Any, str], bool] = {}

    def cell_of_class(self, kind: Any, name: str) -> ClassCell | None:
        """The cell of an attribute of a class, None if it is what it is. Refuses what nobody knows."""
        key = (kind, name)
        if key not in self._of_classes:
            self._of_classes[key] = None
            if can_be_memory(kind) and is_of_module(kind):
                held = vars(kind).get(name, UNSET)
                if name in cells_of(kind, self._program) or type(held) in HAS_MODELS:
                    self._of_classes[key] = ClassCell(kind, name, held)
                else:
                    _check_known(held, f"{kind.__qualname__}.{name}")
        return self._of_classes[key]

    def has_cell(self, kind: Any, name: str) -> bool:
        """Returns whether an attribute of a class or one of its bases is memory."""
        key = (kind, name)
        found = self._has_cell.get(key)
        if found is None:
            found = self._has_cell[key] = any(self.cell_of_class(base, name) is not None for base in mro_of(kind))
        return found

    def cell_of_module(self, module: Any, name: str) -> ModuleCell | None:
        """The cell of a global variable of a module, None if it is what it is. Refuses what nobody knows."""
        key = (module, name)
        if key not in self._of_modules:
            self._of_modules[key] = None
            if can_be_module(module) and not is_of_tests(module.__name__):
                held = vars(module).get(name, UNSET)
                if name in variables_of(module, self._program) or type(held) in HAS_MODELS:
                    self._of_modules[key] = ModuleCell(module, name)
                    if not self._classes.shares(module):
                        self._classes.share_module(module)
                else:
                    _check_known(held, name)
        return self._of_modules[key]

    def module_of(self, variables: dict[str, Any]) -> ModuleType | None:
        """The module that has these global variables; None if none has."""
        module = sys.modules.get(variables.get("__name__", ""))
        return module if module is not None and vars(module) is variables else None

    def check_whole(self, thing: Any) -> None:
        """Refuse to hand out all that a class or module holds."""
        if isinstance(thing, ModuleType):
            if can_be_module(thing):
                refuse(f"{thing.__name__}.__dict__ has all variables of a module: name the variables")
        elif isinstance(thing, type) and is_of_module(thing) and any(map(can_be_memory, mro_of(thing))):
            refuse(f"{thing.__name__}.__dict__ has all attributes of a class: name the attributes")


def is_of_tests(module: str) -> bool:
    """Returns whether a module is of what runs tests."""
    return module.partition(".")[0] in _OF_TESTS


_OF_TESTS = frozenset({"_pytest", "pytest", "pluggy"})
"""Packages of what runs tests: code that they have rewritten asks them, and they tell threads nothing."""


def _check_known(held: Any, name: str) -> None:
    """Refuse what a class or module has if nobody knows whether it can change, and who would see that."""
    kind = type(held)
    if held is UNSET or kind in ATOMS or isinstance(held, _KNOWN) or is_plain(held) or hasattr(kind, "__get__"):
        return
    if isinstance(held, tuple | frozenset):
        for each in held:
            _check_known(each, name)
    elif is_user_class(kind) or kind.__module__.partition(".")[0] in ("mcr", "replay"):
        return
    else:
        refuse(
            f"{name} is {shown(held)}, a {kind.__name__} of which there is one for all runs, and whose changes mcr "
            "cannot see: let the program function make it, or use a list, a dict, or an object of a class"
        )


_KNOWN = (FunctionType, type, ModuleType, BuiltinFunctionType, BaseException, NoValue, MethodType, partial, Logger)
