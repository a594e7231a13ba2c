"""The treatment of a native callable: interpret its Python version, run it natively, or refuse it.

Callables are known by identity: of the function, of the descriptor of a method, or of the type whose methods are all
meant. `model_of` is asked first, then `is_pure`; a callable that is in neither table is refused. Rows of a module are
loaded when a program that has imported the module is asked about.
"""

from __future__ import annotations

import importlib
import sys
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    CodeType,
    FunctionType,
    MethodDescriptorType,
    WrapperDescriptorType,
)
from typing import Any, NamedTuple, TypeVar

from replay.interpreter.lookup import identity, is_a, is_derived
from replay.interpreter.rewritten import as_written

Model = Callable[..., Any]
Condition = Callable[[Sequence[Any], Mapping[str, Any]], bool]
"""Returns whether a call with these arguments calls no Python code back, whatever they hold."""

F = TypeVar("F", bound=Callable[..., Any])
K = TypeVar("K", bound=type)


class _Row(NamedTuple):
    """A native callable, which the row keeps alive, and its model."""

    native: object
    model: Model
    natively_if: Condition | None


STANDS_FOR: dict[type, type] = {}
"""By class of a model the native class which `type`, `isinstance` and `__class__` show instead."""

_ROOM = "replay.interpreter.library"

_ALWAYS = (
    *("checks", "copies", "dictionaries", "formatting", "indexing", "iterators", "keyed", "numeric", "objects"),
    *("ordering", "reductions", "sequences", "sets", "shown", "texts", "views"),
)
"""Files with the models of what `builtins` holds, and a few more."""

_PENDING: dict[str, tuple[str, ...]] = {
    "builtins": _ALWAYS,
    "_bisect": ("bisection",),
    "_collections": ("collection_types",),
    "_functools": ("function_tools",),
    "_heapq": ("heaps",),
    "_operator": ("operators",),
    "_pickle": ("pickles",),
    "_pytest.debugging": ("debuggers",),
    "_pytest.python_api": ("pytest_raises",),
    "_pytest.raises": ("pytest_raises",),
    "collections": ("collection_types",),
    "functools": ("function_tools",),
    "itertools": ("combinatorics", "iterator_tools"),
    "operator": ("operators",),
    "pdb": ("debuggers",),
    "re": ("patterns",),
    "reprlib": ("guarded_texts",),
}
"""By the module that callables name as theirs the files with their models, which are not loaded yet."""

_MODELS: dict[int, _Row] = {}
_REPLACED: dict[int, tuple[CodeType, CodeType]] = {}
_PURE: dict[int, object] = {}
_VOUCHED: dict[int, tuple[object, str]] = {}


def model_of(native: object) -> Model | None:
    """The function or class of Python which is interpreted in place of a native callable; None if there is none."""
    row = _MODELS.get(identity(native))
    if row is None and _load_models(_home(native), of_builtins=type(native) is not FunctionType):
        row = _MODELS.get(identity(native))
    return None if row is None else row.model


def condition_of(native: object) -> Condition | None:
    """The condition under which a callable that has a model runs natively all the same; None if it never does."""
    return _MODELS[identity(native)].natively_if


def runs_natively(native: object, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """Returns whether this call of a callable which has a model may run natively all the same.

    So it is if the arguments are such that nothing of Python is called back: `sorted` of a list of numbers.
    """
    condition = _MODELS[identity(native)].natively_if
    return condition is not None and condition(arguments, keywords)


def is_pure(native: object) -> bool:
    """Returns whether a callable runs natively: by itself, or as a method of a type all of whose methods do."""
    if identity(native) in _VOUCHED or _is_listed(native):
        return True
    from replay.interpreter.pure import load_rows

    return load_rows(_PURE) and _is_listed(native)


def stands_for(*natives: object, natively_if: Condition | None = None) -> Callable[[F], F]:
    """Registers a function or class of Python as the model of native callables."""

    def register(model: F) -> F:
        for native in natives:
            _MODELS[identity(native)] = _Row(native, model, natively_if)
            if isinstance(native, type) and isinstance(model, type):
                _show_as(model, native)
        return model

    return register


def shows_as(native: type) -> Callable[[K], K]:
    """Registers a class of a model whose objects are seen as those of a native class."""

    def register(model: K) -> K:
        _show_as(model, native)
        return model

    return register


def _show_as(model: type, native: type) -> None:
    """Let a class be seen as a native one. Native code takes the name for its messages from the class itself."""
    STANDS_FOR[model] = native
    qualified = native.__name__ if native.__module__ == "builtins" else f"{native.__module__}.{native.__name__}"
    model.__name__, model.__qualname__, model.__module__ = qualified, native.__qualname__, native.__module__


def replace_code(original: CodeType, model: CodeType) -> None:
    """Registers code which is interpreted in place of that of functions of Python's library, with the same names."""
    _REPLACED[identity(original)] = original, model


def code_of(code: CodeType) -> CodeType:
    """The code that is interpreted for a code object: itself as it is written, or what was registered for it."""
    if code.co_name == "wrapper":  # so are the functions called whose code is replaced
        _load_models("reprlib")
    return _REPLACED[identity(code)][1] if identity(code) in _REPLACED else as_written(code)


def natively(function: F) -> F:
    """Registers a function of mcr as one that runs natively: it must call nothing of the user's."""
    _PURE[identity(function)] = function
    return function


natively(is_a)
natively(is_derived)


@natively
def call_natively(function: Any, /, *arguments: Any, **keywords: Any) -> Any:
    """Calls something of C natively, also where a model stands for it: it must call nothing of the user's."""
    return function(*arguments, **keywords)


def is_of_checker(native: object) -> bool:
    """Returns whether a function or class is one of the checker's own, which call nothing of users natively."""
    return str(getattr(native, "__module__", "")).startswith(("replay.", "mcr.", "solvers."))


STEPS: dict[int, tuple[object, Callable[[Any], bool]]] = {}
"""By the identity of a `__next__` of Python, of this package: that method, and of which iterators it calls nothing."""


def steps_natively(method: object, condition: Callable[[Any], bool] = lambda iterator: True) -> None:
    """Lets a loop over iterators of which the condition holds run their `__next__` natively."""
    STEPS[identity(method)] = method, condition


def vouch(function: object, name: str) -> None:
    """Lets a function of the user run natively: on values and own objects, and without calling Python code back."""
    _VOUCHED[identity(function)] = function, name


def name_of_vouched(native: object) -> str:
    """The name of a function that the user vouched for; "" for any other."""
    return _VOUCHED[identity(native)][1] if identity(native) in _VOUCHED else ""


def is_vouched(native: object) -> bool:
    """Returns True for a function that the user vouched for."""
    return identity(native) in _VOUCHED


def all_vouched() -> list[str]:
    """The names of all functions that the user vouched for, sorted."""
    return sorted(name for _, name in _VOUCHED.values())


def _is_listed(native: object) -> bool:
    if identity(native) in _PURE:
        return True
    kind = type(native)
    if kind in _DESCRIPTORS:
        return identity(native.__objclass__) in _PURE  # type: ignore[attr-defined]
    if kind is BuiltinFunctionType:
        owner = native.__self__  # type: ignore[attr-defined]
        return isinstance(owner, type) and identity(owner) in _PURE
    return False


_DESCRIPTORS = (MethodDescriptorType, WrapperDescriptorType, ClassMethodDescriptorType)


def _home(native: object) -> object:
    """The module that a callable of C, a class or a function of Python names as its own; None for other objects."""
    kind = type(native)
    if kind in _DESCRIPTORS:
        native = native.__objclass__  # type: ignore[attr-defined]
        if native in _VIEWS_OF_ORDERED:
            return OrderedDict.__module__
    elif kind is BuiltinFunctionType and isinstance(native.__self__, type):  # type: ignore[attr-defined]
        native = native.__self__  # type: ignore[attr-defined]
    elif kind is BuiltinFunctionType or kind is FunctionType:
        return native.__module__
    return _module_of(native) if is_a(native, type) else None


_VIEWS_OF_ORDERED = frozenset(map(type, (OrderedDict().keys(), OrderedDict().values(), OrderedDict().items())))
"""Classes that name `builtins` as their module."""

_module_of = type.__dict__["__module__"].__get__


def _load_models(module: object, *, of_builtins: bool = False) -> bool:
    """Import the models of a module that the program has imported; returns whether there were any to import.

    With those of `builtins`, if it is so said: none of what they stand for is a function of Python.
    """
    files = _PENDING.pop("builtins", ()) if of_builtins else ()
    if type(module) is str and module in sys.modules:
        files += _PENDING.pop(module, ())
    for file in files:
        importlib.import_module(f"{_ROOM}.{file}")
    return bool(files)
