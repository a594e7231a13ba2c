"""Running what a file of the user says: it is user code like that of threads, and passes the same gate."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NoReturn

from replay.code.user_code import UserCode, exploring, same_recursion_limit
from replay.code.watchdog import own_watch
from replay.errors import CheckerError, ModelError
from replay.world.shown import shown_error


def run_file(run: Callable[[], object], what: str, place: Callable[[BaseException], str], where: str) -> None:
    """Run a file, which may take its time. Raises ModelError for an exception of any type that leaves it.

    The sentence is `what` and the exception, at the line that `place` names; Ctrl-C raises KeyboardInterrupt.
    `where` is "file:line" of the file, for errors that know no better.
    """
    try:
        with exploring(where), same_recursion_limit():
            UserCode(partial(_patiently, run), partial(_failed, what, place)).go()
    except ModelError as error:
        # Without its traceback nobody holds code that was stopped: it is unwound at once, and leaves no half modules.
        raise error.with_traceback(None) from None


def _patiently(run: Callable[[], object]) -> None:
    own_watch().rest()
    run()


def _failed(what: str, place: Callable[[BaseException], str], error: BaseException) -> NoReturn:
    if isinstance(error, CheckerError):
        reason = str(error)
    elif isinstance(error, SystemExit):
        reason = "it ends the program"
    else:
        reason = f"{type(error).__name__}: {shown_error(error)}"
    raise ModelError(f"{what}: {reason}", place(error))
