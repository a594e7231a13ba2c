"""A native callable and its model, called with the same arguments: results, exceptions, and calls in between."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from replay.interpreter import natives
from replay.interpreter.execution import Execution
from tests.interpreter import spies

MOST = 40
"""Items that are taken of an iterator."""

Outcome = tuple[Any, ...]
Call = Callable[[Any], Any]
"""Makes fresh arguments, and calls what it is given with them."""


def agree(native: Any, call: Call) -> None:
    """Assert that a native callable does the same in CPython as in the interpreter, where its model is called."""
    assert natives.model_of(native) is not None, native
    expected = _outcome(lambda: _shown(call, native))
    found = _outcome(lambda: Execution().call(_shown, call, native))
    if found != expected:
        raise AssertionError(f"{native}\nmodel:  {found}\nnative: {expected}")


def same(run: Callable[[], Any]) -> None:
    """Assert that code has the same result in CPython as in the interpreter."""
    expected = _outcome(lambda: show(run()))
    found = _outcome(lambda: Execution().call(_run, run))
    if found != expected:
        raise AssertionError(f"{run}\ninterpreted: {found}\nCPython:     {expected}")


def _run(run: Callable[[], Any]) -> Any:
    return show(run())


def _shown(call: Call, native: Any) -> Any:
    return show(call(native))


def _outcome(run: Callable[[], Any]) -> Outcome:
    """What a call results in, its exception, its changes of arguments, and the log."""
    spies.LOG.clear()
    try:
        shown: Any = ("returned", run())
    except Exception as error:
        shown = ("raised", type(error).__name__, str(error), *_contexts(error))
    return shown, list(spies.LOG)


def show(value: Any) -> Any:
    """A result in a form that can be compared: of iterators their items."""
    kind = natives.STANDS_FOR.get(type(value), type(value))
    if hasattr(type(value), "__next__"):
        return kind.__name__, list(_taken(value))
    if isinstance(value, list | tuple):
        return kind.__name__, [show(each) for each in value]
    if isinstance(value, set | frozenset):
        return kind.__name__, list(map(show, value))
    return kind.__name__, re.sub(" at 0x[0-9a-f]+", "", repr(value))


def _taken(iterator: Any) -> Iterator[Any]:
    for _ in range(MOST):
        try:
            yield show(next(iterator))
        except StopIteration as stop:
            yield ("end", stop.args)
            for _ in range(2):
                yield show(next(iterator, "nothing more"))
            return
        except Exception as error:
            yield type(error).__name__, str(error), *_contexts(error)


def _contexts(error: BaseException) -> list[str]:
    found = []
    context = error.__context__
    while context is not None:
        found.append(repr(context))
        context = context.__context__
    return [*found, repr(error.__cause__)]
