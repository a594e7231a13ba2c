"""Programs that are functions which start threads: tests and scripts as they are, without `p`.

The function runs as the main thread, `threading` is what it is in Python, and what it makes belongs to the run. Where
a method of a class is named, the object is made and prepared as unittest, or pytest, does it.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

from replay.code.ordinary import MAIN_THREAD
from replay.errors import ModelError
from replay.frontend.declarations import Declarations
from replay.frontend.ordinary.all_threads import MAIN
from replay.frontend.ordinary.threads import object_for
from replay.frontend.program import Program
from replay.interpreter.lookup import is_a
from replay.interpreter.natives import natively
from replay.world.memory_models.sc import SC


class ThreadedFunction(Program):
    """A function that starts threads. Its parameters are the function's own, and every object is an ordinary one.

    kind   the class whose method it is, of which an object is made for each run; None for a function
    given  values of parameters that no file can say, as those of fixtures
    """

    has_main = True

    def __init__(
        self, function: Callable[..., object], kind: type | None = None, given: dict[str, object] | None = None
    ) -> None:
        super().__init__(function)
        self.kind = kind
        self.given = given or {}
        if kind is not None:
            self.name = self.__name__ = f"{kind.__name__}.{function.__name__}"
            self._look_for_class(kind)

    def _look_for_class(self, kind: type) -> None:
        """Let file and line be those of the class, if it has the method from a class of another file."""
        with contextlib.suppress(OSError, TypeError):  # it was not written in a file
            file, line = inspect.getsourcefile(kind), inspect.getsourcelines(kind)[1]
            if file is not None and file != self.file:
                self.file, self.line = file, line

    @property
    def parameters(self) -> list[inspect.Parameter]:
        """The parameters of the function, without what is given, and without the object whose method it is."""
        own = [*inspect.signature(self.function).parameters.values()][0 if self.kind is None else 1 :]
        return [parameter for parameter in own if parameter.name not in self.given]

    @property
    def values(self) -> dict[str, object]:
        """The arguments with those that are given."""
        return {**self.given, **self.arguments}

    def set_up(self, p: Declarations, arguments: dict[str, Any]) -> None:
        """Declare the main thread."""
        lacking = self.lacking()
        if lacking:
            hint = f", or @mcr.program above it if threads are declared on {lacking[0]}" if len(lacking) == 1 else ""
            if is_test(self.name):
                hint = f"; fixtures and parameters are known to pytest: `pytest --mcr=all {self.file}`"
            raise ModelError(f"{self.name} needs a value for {', '.join(lacking)}: --set, a default{hint}", self.place)
        heap: Any = p.heap
        if MAIN in heap.changing:
            heap.main = p.share(object_for(MAIN_THREAD, "MainThread"), "MainThread")
        main = self.main()
        p.thread(partial(main, **arguments) if arguments else main, name=self.main_title)

    def main(self) -> Callable[..., object]:
        """Returns the code of the main thread."""
        return self.function if self.kind is None else partial(run_method, self.kind, self.function.__name__)

    @property
    def main_title(self) -> str:
        """The main thread in reports."""
        return f"{self.name}()"

    @property
    def shares(self) -> bool:
        """It can have no memory but that of ordinary objects."""
        return True

    def models(self) -> tuple[str, ...]:
        """SC, as CPython has no other."""
        return (SC.name,)


natively(Program.lacking)


def run_method(kind: Any, name: str, **arguments: Any) -> None:
    """Make an object, prepare it, call its method, and clean up: interpreted, as the main thread."""
    if hasattr(kind, "setUpClass"):
        run_case(kind, name)
        return
    thing = kind()
    if hasattr(thing, "setup_method"):
        thing.setup_method()
    try:
        getattr(thing, name)(**arguments)
    finally:
        if hasattr(thing, "teardown_method"):
            thing.teardown_method()


def run_case(kind: Any, name: str) -> None:
    """Do what unittest does with a method of a TestCase."""
    kind.setUpClass()
    case = kind(name)
    try:
        case.setUp()
        try:
            getattr(case, name)()
        finally:
            case.tearDown()
    finally:
        case.doCleanups()
        kind.tearDownClass()


def program_of(thing: object) -> Program | None:
    """The program that something is, or makes; None if it is neither a program nor a Python function."""
    if is_a(thing, Program):
        return thing  # type: ignore[return-value]
    return ThreadedFunction(thing) if type(thing) is FunctionType else None


def program_named(names: dict[str, Any], name: str) -> Program | None:
    """The program that a module has under NAME, CLASS.METHOD or CLASS::METHOD; None if there is none."""
    first, _, method = name.replace("::", ".").partition(".")
    thing = names.get(first)
    if not method:
        return program_of(thing)
    function = getattr(thing, method, None) if isinstance(thing, type) else None
    if type(function) is FunctionType and isinstance(thing, type):
        return ThreadedFunction(function, thing)
    return None


def is_test(name: str) -> bool:
    """Returns whether a function, or the method of a class, has a name by which it is taken for a test."""
    return name.rpartition(".")[2].startswith("test")


def functions_of(tree: ast.Module) -> list[str]:
    """The functions, and methods of tests, that a file defines and that need no arguments."""
    found = []
    for thing in tree.body:
        if isinstance(thing, ast.FunctionDef) and _is_callable(thing, 0):
            found.append(thing.name)
        elif isinstance(thing, ast.ClassDef):
            methods = (each for each in thing.body if isinstance(each, ast.FunctionDef) and is_test(each.name))
            found += [f"{thing.name}.{each.name}" for each in methods if _is_callable(each, 1)]
    return found


def _is_callable(function: ast.FunctionDef, given: int) -> bool:
    """Returns whether a function needs no arguments but those that are given, and is no other thing once decorated."""
    arguments = function.args
    needed = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    is_itself = all(ast.unparse(each).startswith("pytest.mark.") for each in function.decorator_list)
    return is_itself and needed == given and None not in arguments.kw_defaults and not function.name.startswith("_")
