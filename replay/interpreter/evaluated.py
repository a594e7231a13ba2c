"""`eval`, `exec` and `compile`: what they compile is interpreted like all other code. Modules that code imports."""

from __future__ import annotations
import __future__

import builtins
import dis
import importlib
from types import CodeType, FunctionType, ModuleType
from typing import Any

from replay.interpreter import protocols
from replay.interpreter.calls import intrinsic, intrinsic_of_objects, refuse_here
from replay.interpreter.execution import SWITCH
from replay.interpreter.frame import Frame
from replay.interpreter.natives import natively
from replay.interpreter.views import kept_locals

_FEATURES = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})
"""The flags of code that say under which features of `__future__` it was compiled."""

natively(importlib.import_module)
natively(__import__)


@intrinsic_of_objects(importlib.import_module)
def _import_module(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> None:
    frame.stack.append(a_module(frame, importlib.import_module(*arguments, **keywords)))


def a_module(frame: Frame, found: Any) -> Any:
    """Returns what an import found. Refuses what is no module: it would be taken for an object that the run made."""
    if frame.execution.objects is not None and not isinstance(found, ModuleType):
        kind = type(found).__name__
        refuse_here(
            f"thread code imports a {kind}, which stands in sys.modules: import it at the beginning of the file"
        )
    return found


@intrinsic(compile)
def _compile(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> None:
    frame.stack.append(_compiled(frame.execution.outside(), *arguments, **keywords))


def _compiled(
    caller: Frame,
    source: Any,
    filename: Any,
    mode: Any,
    flags: int = 0,
    dont_inherit: bool = False,
    optimize: int = -1,
    **more: Any,
) -> Any:
    if not dont_inherit:
        flags |= caller.code.co_flags & _FEATURES
    return compile(source, filename, mode, flags, True, optimize, **more)


@intrinsic(eval)
def _eval(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int:
    body, names = _prepared(frame.execution.outside(), eval, arguments, keywords)
    frame.execution.push(body, [], {}).names = names
    return SWITCH


@intrinsic(exec)
def _exec(frame: Frame, arguments: list[Any], keywords: dict[str, Any]) -> int:
    frame.execution.push(
        protocols.run_and_forget, [*_prepared(frame.execution.outside(), exec, arguments, keywords)], {}
    )
    return SWITCH


def _prepared(caller: Frame, native: Any, arguments: list[Any], keywords: dict[str, Any]) -> tuple[FunctionType, Any]:
    """A function with the code that is to run, and its namespace if that is not the one of its global variables."""
    source, names, local = _bound(*arguments, **keywords) if arguments else native()
    is_watched = caller.execution.objects is None and caller.execution.owner is not None
    if names is None:
        if is_watched:
            refuse_here(
                f"{native.__name__} is given no variables, so that threads may share what mcr cannot see: {_GIVE}"
            )
        names = caller.globals
        local = kept_locals(caller) if local is None else local
    else:
        native("0", names, local)  # it refuses what cannot be a namespace, and adds `__builtins__`
        local = names if local is None else local
    code = source
    if type(source) is not CodeType:
        if type(source) is str and native is eval:
            source = source.lstrip(" \t")
        try:
            code = compile(source, "<string>", native.__name__, caller.code.co_flags & _FEATURES, True)
        except TypeError:
            native(source, {})  # for its message
            raise
    elif code.co_freevars:
        raise TypeError(f"code object passed to {native.__name__}() may not contain free variables")
    if is_watched and _imports(code):
        refuse_here(f"what {native.__name__} runs imports a module, which threads may share: {_GIVE}")
    names.setdefault("__builtins__", builtins)
    return FunctionType(code, names), None if local is names else local


_GIVE = "give it a dict with what the text names"


def _imports(code: CodeType) -> bool:
    """Returns whether some code, or code inside it, imports anything."""
    inside = (each for each in code.co_consts if type(each) is CodeType)
    return any(each.opname == "IMPORT_NAME" for each in dis.get_instructions(code)) or any(map(_imports, inside))


def _bound(source: Any, globals: Any = None, locals: Any = None, /, **keywords: Any) -> tuple[Any, Any, Any]:
    return source, keywords.get("globals", globals), keywords.get("locals", locals)
