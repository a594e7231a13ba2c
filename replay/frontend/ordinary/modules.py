"""Global variables of a module as memory: `p.share(module)`.

A module outlives the runs of a program, and there is one for all of them. So its functions are compiled again to take
each variable that may change for an attribute of the module, and the module asks which model runs: where one does that
shares the module, a variable is what the memory of that model holds, and what it always was for others.
"""

from __future__ import annotations

import builtins
import functools
import gc
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, NoReturn

from greenlet import getcurrent

from replay.code.facts import facts
from replay.code.lines import frames_from, is_user_code
from replay.code.ordinary import MODULE_MARK
from replay.code.reachable import is_of_python
from replay.code.rewriting import WithoutGlobals
from replay.code.running_thread import refuse
from replay.frontend.ordinary.class_cells import can_be_cell, may_change
from replay.frontend.ordinary.lasting import LastingLocal, LastingLock
from replay.frontend.ordinary.past_classes import take_from_here
from replay.frontend.ordinary.publication import is_plain
from replay.frontend.ordinary.stores import changed_names, sources_of, stores_of
from replay.frontend.ordinary.values import UNSET


class ModuleCell:
    """A global variable that may change. `kind` is the module, as `ClassCell` has the class."""

    __slots__ = ("kind", "name")

    def __init__(self, kind: ModuleType, name: str) -> None:
        self.kind = kind
        self.name = name

    @property
    def original(self) -> Any:
        """What it holds where no model runs."""
        return vars(self.kind).get(self.name, UNSET)

    def __repr__(self) -> str:
        return f"{self.kind.__name__}.{self.name}"


class SharedModule(ModuleType):
    """The class of modules whose variables are memory where a model shares them."""

    def __getattribute__(self, name: str) -> Any:
        memory = _memory_of(self)
        if memory is None:
            return ModuleType.__getattribute__(self, name)
        if name == "__dict__":
            _refuse_all(f"vars({self.__name__})")
        cell = _cells[id(self)].get(name)
        value = ModuleType.__getattribute__(self, name) if cell is None else memory.load(cell)
        if value is UNSET:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return value

    def __setattr__(self, name: str, value: object) -> None:
        memory = _memory_of(self)
        if memory is None:
            ModuleType.__setattr__(self, name, value)
            return
        cell = _cells[id(self)].get(name)
        if cell is None or not memory.varies(cell):
            refuse(
                f"{self.__name__}.{name} is set by code that was not seen to set it: assign it as "
                f"`{self.__name__}.{name} = ...`, or in a function of the module that says `global {name}`"
            )
        memory.store(cell, value)

    def __delattr__(self, name: str) -> None:
        if _memory_of(self) is not None:
            refuse(f"{self.__name__}.{name} is deleted: a variable of a module cannot be deleted, let it hold None")
        ModuleType.__delattr__(self, name)


_cells: dict[int, dict[str, ModuleCell]] = {}
"""By the identity of modules, which live as long as Python: the variables that their functions ask them for."""


def _memory_of(module: SharedModule) -> Any:
    """What holds the variables of a module for the code that asks; None where that is the module itself."""
    heap = getattr(getcurrent(), "heap", None)
    if heap is None or not heap.classes.shares(module) or not is_user_code(sys._getframe(2).f_code.co_filename):
        return None
    return heap.classes


def _refuse_all(what: str) -> NoReturn:
    refuse(f"{what} has all variables of a module that is shared: name the variables, as in `module.name`")


def _looking_past(name: str) -> Callable[..., Any]:
    """What stands for a function of Python's that finds variables of the module by texts."""
    original = getattr(builtins, name)

    def instead(*args: Any) -> Any:
        frame = sys._getframe(1)
        heap = getattr(getcurrent(), "heap", None)
        if heap is not None and any(heap.classes.shares(each) for each in _shared if vars(each) is frame.f_globals):
            _refuse_all(f"{name}()")
        return frame.f_globals if name == "globals" else original(*(args or (frame.f_globals, frame.f_locals)))

    return instead


_shared: list[ModuleType] = []


def can_be_memory(module: ModuleType) -> bool:
    """Whether a module is written in Python, and none that models are made of."""
    is_written = str(getattr(module, "__file__", "")).endswith(".py")
    return is_written and type(module) in _KINDS and not f"{module.__name__}.".startswith(_OF_MODELS)


_OF_MODELS = ("replay.", "mcr.", "solvers.", "threading.", "queue.", "concurrent.", "logging.", "weakref.")

_KINDS = (ModuleType, SharedModule)


def make_memory(module: ModuleType, function: Callable[..., object]) -> bool:
    """Let a module ask which model runs, where a program of this function may change its variables.

    Returns whether code that is running now was changed, and has to be called again.
    """
    cells = _cells.setdefault(id(module), {})
    names = [name for name in variables_of(module, function) if name not in cells]
    if not names and _looked_at.get(id(module)) == len(sys.modules):
        return False
    _looked_at[id(module)] = len(sys.modules)
    cells.update((name, ModuleCell(module, name)) for name in names)
    if module not in _shared:
        _shared.append(module)
        for name in ("globals", "eval", "exec"):
            vars(module).setdefault(name, _looking_past(name))
        module.__class__ = SharedModule
    return sum(_compile_again(each, module, known) for each, known in _homes(module, cells)) > 0


_looked_at: dict[int, int] = {}
"""By the identity of modules: how many modules there were when others that use their variables were looked for."""


def _homes(module: ModuleType, cells: dict[str, ModuleCell]) -> Iterator[tuple[ModuleType, dict[str, str]]]:
    """The modules whose functions use the variables, with the names that each has for them."""
    held = {id(cell.original): name for name, cell in cells.items() if not stands_for_itself(cell.original)}
    yield module, {name: name for name in cells}
    for other in list(sys.modules.values()):
        if isinstance(other, ModuleType) and other is not module and not is_of_python(other):
            aliases = {name: held[id(value)] for name, value in list(vars(other).items()) if id(value) in held}
            if aliases:
                yield other, aliases


def stands_for_itself(value: Any) -> bool:
    """Whether something is the same in all runs, or says itself which run it is in."""
    return value is UNSET or isinstance(value, LastingLock | LastingLocal) or is_plain(value)


_at_first: dict[CodeType, CodeType] = {}
"""By the code that a function has now, the one that it had at first."""


def _compile_again(home: ModuleType, module: ModuleType, names: dict[str, str]) -> bool:
    """Let the functions of a module ask another one for these variables; whether one of them is running."""
    owner = f"{module.__name__}{MODULE_MARK}"
    asked = _asked.setdefault(id(home), {})
    if all(name in asked for name in names):
        return False
    asked.update((name, (owner, attribute)) for name, attribute in names.items())
    vars(home)[owner] = module
    running = {id(frame.f_code) for frame in frames_from(sys._getframe())}
    is_running = False
    changed: dict[str, WithoutGlobals] = {}
    for function in [each for each in gc.get_referrers(vars(home)) if type(each) is FunctionType]:
        before = _at_first.get(function.__code__, function.__code__)
        if function.__globals__ is vars(home) and not asked.keys().isdisjoint(facts(before).of_module):
            file = before.co_filename
            if file not in changed:
                changed[file] = WithoutGlobals(file, asked)
            is_running = is_running or id(function.__code__) in running
            function.__code__ = changed[file].changed(before)
            take_from_here(function)
            _at_first[function.__code__] = before
    return is_running


_asked: dict[int, dict[str, tuple[str, str]]] = {}
"""By the identity of modules: the variables that their functions ask a module for, with who is asked, and for what."""


@functools.lru_cache(1024)
def variables_of(module: ModuleType, function: Callable[..., object]) -> dict[str, bool]:
    """The variables of a module that are memory in a program of this function; whether some code assigns them."""
    stores = stores_of([*sources_of(type(None), function), module])
    changed = stores.changed | changed_names(module)
    functions = [each for each in gc.get_referrers(vars(module)) if type(each) is FunctionType]
    codes = [_at_first.get(each.__code__, each.__code__) for each in functions]
    assigned = {each.attribute for each in stores.classes}.union(*(facts(each).set_globals for each in codes))
    found = {}
    for name, value in vars(module).items():
        if not name.startswith("__") and not isinstance(value, LastingLock | LastingLocal):
            if name in assigned:
                found[name] = True
            elif can_be_cell(value) and may_change(value, is_changed=name in changed):
                found[name] = False
    return found
