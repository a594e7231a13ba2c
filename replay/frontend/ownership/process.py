"""The process in which a model runs: one without children, whose working directory no thread changes.

Functions that look at it are answered here; those that change it are refused. How often Python switches threads
matters to no schedule, so threads may change that, and find what they have set.
"""

from __future__ import annotations

import _socket
import errno
import faulthandler
import math
import os
import sys
from collections.abc import Callable
from typing import Any

from replay.code.outside import PROCESSES
from replay.code.running_thread import perform, refuse
from replay.frontend.shared import Variable, cell
from replay.interpreter.natives import natively
from replay.world.operation import Kind

_PROCESS = os.getpid()
_NO_CHILDREN = errno.ECHILD, os.strerror(errno.ECHILD)


@natively
def _getpid() -> int:
    """A model is one process, whichever process of ours runs it."""
    return _PROCESS


@natively
def _getcwd() -> str:
    return os.getcwd()


@natively
def _default_timeout() -> None:
    """No thread sets it: that is refused, as all other functions of sockets are."""
    if _socket.getdefaulttimeout() is not None:
        refuse("thread code uses socket.getdefaulttimeout, which was set before the program began: pass in the value")


def _wait_for_child(pid: int, options: int, /) -> None:
    """`os.waitpid`: there are no children."""
    raise ChildProcessError(*_NO_CHILDREN)


def _switch_interval() -> Any:
    return perform(Kind.LOAD, switch_interval().location)


def _set_switch_interval(interval: float, /) -> None:
    seconds = math.ldexp(interval, 0)  # refuses what is no number, as Python does
    if seconds <= 0.0:
        raise ValueError("switch interval must be strictly positive")
    # Python keeps whole microseconds
    perform(Kind.STORE, switch_interval().location, value=1e-6 * int(1e6 * seconds))


@natively
def switch_interval() -> Variable[float]:
    """The cell of the switch interval, which holds that of the process at first."""
    return cell("the switch interval", sys.getswitchinterval())


def _dump_traceback(file: Any = None, all_threads: bool = True) -> None:
    """`faulthandler.dump_traceback`: it writes past Python, and nothing depends on it."""


def _dump_traceback_later(timeout: Any, repeat: bool = False, file: Any = None, exit: bool = False) -> None:
    if exit:
        refuse(f"thread code uses faulthandler.dump_traceback_later(exit=True), which ends the process: {PROCESSES}")
    if timeout <= 0:
        raise ValueError("timeout must be greater than 0")


def _cancel() -> None:
    """`faulthandler.cancel_dump_traceback_later`."""


INSTEAD: dict[Any, Callable[..., Any]] = {
    os.getpid: _getpid,
    os.getcwd: _getcwd,
    _socket.getdefaulttimeout: _default_timeout,
    os.waitpid: _wait_for_child,
    sys.getswitchinterval: _switch_interval,
    sys.setswitchinterval: _set_switch_interval,
    faulthandler.dump_traceback: _dump_traceback,
    faulthandler.dump_traceback_later: _dump_traceback_later,
    faulthandler.cancel_dump_traceback_later: _cancel,
}
"""Functions of Python, and what is interpreted in their place."""
