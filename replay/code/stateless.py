"""Functions and classes of Python that keep nothing between their calls, but in objects that one can see.

This is a list of what is known, by identity: whatever is not on it may keep
something (a context, a level of logging, a registry), and a thread that may
come to it depends on more than what it holds.
"""

from __future__ import annotations

import _thread
import sys
import types
from abc import ABCMeta
from typing import Any

from replay.code.belonging import is_user_class
from replay.code.lines import is_of_library
from replay.interpreter.natives import STANDS_FOR as SHOWN_AS
from replay.world.anatomy import HEAP_TYPE, is_written_in_python

_WHOLE = frozenset({
    "_bisect", "_collections", "_collections_abc", "_functools", "_heapq", "_operator", "_queue", "_statistics",
    "_struct", "_thread", "_weakrefset", "abc", "array", "bisect", "builtins", "cmath", "collections",
    "collections.abc", "concurrent.futures._base", "concurrent.futures.thread", "contextlib", "copy", "dataclasses",
    "enum", "fractions", "functools", "graphlib", "heapq", "itertools", "json", "json.decoder", "json.encoder",
    "keyword", "math", "numbers", "operator", "queue", "reprlib", "statistics", "string", "struct", "textwrap",
    "threading", "types", "typing",
})  # fmt: skip
"""Modules of which nothing keeps anything, but for what is named below."""

_PARTS: dict[str, tuple[str, ...]] = {
    "datetime": ("date", "datetime", "time", "timedelta", "timezone", "tzinfo"),
    "decimal": ("Decimal",),
    "re": (*("compile", "escape", "findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn"),
           "Pattern", "Match"),
    "sys": ("exc_info", "exception", "intern"),
    "time": ("sleep", "time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns",
             "localtime", "gmtime", "ctime", "asctime", "strftime"),
    "unittest.case": (
        "TestCase", "_AssertRaisesContext", "_AssertRaisesContext.__enter__", "_AssertRaisesContext.__exit__",
        *(f"TestCase.{name}" for name in ("assertTrue", "assertFalse", "assertRaises", "assertRaisesRegex", "fail")),
        *(f"TestCase.assert{no}{name}" for no in ("", "Not") for name in ("Equal", "In", "IsInstance", "Regex")),
        *(f"TestCase.assert{name}" for name in ("Is", "IsNot", "IsNone", "IsNotNone")),
        *(f"TestCase.assert{name}" for name in ("Greater", "GreaterEqual", "Less", "LessEqual")),
        *(f"TestCase.assert{name}Equal" for name in ("Sequence", "List", "Tuple", "Set", "Dict", "Count", "Almost")),
    ),
    "weakref": ("ReferenceType",),
}  # fmt: skip
"""Modules of which only these do not."""

_NOT = {
    "builtins": ("__import__", "breakpoint", "compile", "dir", "eval", "exec", "globals", "help", "input", "locals",
                 "open", "vars", "copyright", "credits", "exit", "license", "quit"),
    "contextlib": ("redirect_stdout", "redirect_stderr", "chdir"),
    "threading": ("setprofile", "settrace", "setprofile_all_threads", "settrace_all_threads", "stack_size"),
}  # fmt: skip
"""What looks into frames, runs texts, or changes what the whole process uses."""

_LOCKS = (type(_thread.allocate_lock()), type(_thread.RLock()))
"""Types that their module has under other names than their own."""

LOOKS_BEHIND = frozenset({
    "_getframe", "f_back", "f_builtins", "f_globals", "f_lasti", "f_lineno", "f_locals", "f_trace", "gi_frame",
    "ag_frame", "cr_frame", "gi_yieldfrom", "tb_frame", "tb_next", "__builtins__", "__globals__", "__subclasses__",
    "__loader__", "__spec__",
})  # fmt: skip
"""Attributes that show frames, modules and classes to code that was not given them."""


def looks_behind(names: frozenset[str]) -> str:
    """An attribute among names that shows more than what code was given; "" if there is none."""
    return min(names & LOOKS_BEHIND, default="")


def is_stateless(thing: Any) -> bool:
    """Returns whether something that code can name keeps nothing of what is done with it."""
    kind = type(thing)
    if isinstance(thing, types.ModuleType):
        return False  # whoever has it has all that it holds
    if isinstance(thing, type):
        if thing in SHOWN_AS or thing in _LOCKS:
            return True
        if is_user_class(thing):
            return is_written_in_python(thing)
        return thing.__module__.startswith(("replay.", "mcr.")) or _is_known(thing)
    if kind is types.BuiltinFunctionType:
        owner = thing.__self__
        if owner is None or isinstance(owner, types.ModuleType):
            return _is_known(thing)
        return is_stateless(owner if isinstance(owner, type) else type(owner))
    if kind is types.FunctionType:
        return not is_of_library(thing.__code__) or _is_known(thing)
    if kind is types.MethodType:  # `register` lets an abstract class count others among its subclasses
        return thing.__func__ is not ABCMeta.register and is_stateless(thing.__func__)
    if kind in (types.MethodDescriptorType, types.WrapperDescriptorType):
        return is_stateless(thing.__objclass__)
    if kind is types.MethodWrapperType:
        return is_stateless(type(thing.__self__))
    return is_stateless(kind)


def is_known_module(module: types.ModuleType) -> bool:
    """Returns whether nothing in a module keeps anything."""
    return module.__name__ in _WHOLE and module.__name__ not in _NOT


def _is_known(thing: Any) -> bool:
    """Returns whether a function or class of Python's is on the list, by itself or with the module that defines it."""
    home, name = str(thing.__module__), str(thing.__qualname__)
    if isinstance(thing, types.FunctionType):  # a decorator may have given it other names
        home, name = str(thing.__globals__.get("__name__")), thing.__code__.co_qualname
    elif isinstance(thing, type):
        is_of_python_itself = thing.__module__ == "builtins" and not thing.__flags__ & HEAP_TYPE
        if is_of_python_itself or issubclass(thing, BaseException):
            return True
    if name in _NOT.get(home, ()) or not (home in _WHOLE or name in _PARTS.get(home, ())):
        return False
    namespace = vars(sys.modules[home]) if home in sys.modules else {}
    if isinstance(thing, types.FunctionType):
        return thing.__globals__ is namespace or _are_of_one_file(thing.__globals__, namespace)
    return namespace.get(name) is thing or ("." in name and name.partition(".")[0] in namespace)


def _are_of_one_file(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Returns whether two modules were made of one file: that of Python's library, and a copy of it."""
    return one.get("__file__") is not None and one.get("__file__") == other.get("__file__")
