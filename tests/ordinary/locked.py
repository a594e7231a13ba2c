"""`threading` and `queue` upon a lock whose waiting the schedule of `tests.ordinary.real` sees, and lists in steps."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import queue  # noqa: F401  it is what is replaced
import sys
import threading
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.ordinary.real import Stage, Worker

here = threading.local()
"""Of a thread of a run: its `worker`, and the `stage` of the run."""


class Lock:
    """`_thread.lock`, with waiting that the schedule sees; a timeout may be over at any moment."""

    def __init__(self) -> None:
        self._is_held = False

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        stage: Stage | None = getattr(here, "stage", None)
        if stage is None or stage.abandoned:
            self._is_held = True
            return True
        if self._is_held or not stage.keeps_lock:
            stage.stop(None if not blocking or timeout >= 0 else lambda: not self._is_held)
        if self._is_held:
            return False
        self._is_held = True
        return True

    def release(self) -> None:
        stage: Stage | None = getattr(here, "stage", None)
        if stage is not None and stage.abandoned:
            return
        if stage is not None and not stage.keeps_lock:
            stage.stop()
        if not self._is_held:
            raise RuntimeError("release unlocked lock")
        self._is_held = False

    def locked(self) -> bool:
        return self._is_held

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *exception: object) -> None:
        self.release()


class ReentrantLock(Lock):
    """`_thread.RLock`, which is written in C."""

    def __init__(self) -> None:
        super().__init__()
        self._owner: Worker | None = None
        self._count = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        if not self._is_owned() and not super().acquire(blocking, timeout):
            return False
        self._owner, self._count = getattr(here, "worker", None), self._count + 1
        return True

    def release(self) -> None:
        if not self._is_owned():
            raise RuntimeError("cannot release un-acquired lock")
        self._count -= 1
        if not self._count:
            self._owner = None
            super().release()

    def _is_owned(self) -> bool:
        return self._count > 0 and self._owner is getattr(here, "worker", None)


class List(list[Any]):
    """A list that is sorted as without a global lock: empty for those who take no lock of it; all others wait."""

    _is_sorted = False

    def sort(self) -> None:  # type: ignore[override]
        self._wait()
        held = list(self)
        if not held:
            return
        list.clear(self)
        self._is_sorted = True
        here.stage.stop()
        list.extend(self, sorted(held))
        self._is_sorted = False

    def _wait(self) -> None:
        if self._is_sorted:
            here.stage.stop(lambda: not self._is_sorted)


def _with_lock(name: str) -> Callable[..., Any]:
    native = getattr(list, name)

    def method(self: List, *arguments: Any) -> Any:
        if name != "__getitem__" or isinstance(arguments[0], slice):
            self._wait()
        return native(self, *arguments)

    return method


for _name in (
    *("append", "clear", "copy", "extend", "insert", "pop", "remove", "reverse"),
    *("__add__", "__delitem__", "__getitem__", "__iadd__", "__setitem__"),
):
    setattr(List, _name, _with_lock(_name))


class _Thread:
    """`threading.Thread`, as far as random programs use it."""

    def __init__(self, target: Callable[..., Any], args: tuple[Any, ...] = ()) -> None:
        self._code = functools.partial(target, *args)
        self._worker: Worker | None = None

    def start(self) -> None:
        self._worker = here.stage.add(self._code)

    def join(self) -> None:
        worker = self._worker
        assert worker is not None
        here.stage.stop(lambda: worker.is_over)


def _upon_our_lock(name: str, **instead: ModuleType) -> ModuleType:
    """A module of the standard library, run anew, where it imports others instead."""
    specification = importlib.util.find_spec(name)
    assert specification is not None
    assert specification.origin is not None
    with open(specification.origin, encoding="utf-8") as file:
        text = file.read()
    module = ModuleType(name)
    module.__file__ = specification.origin
    with imports(instead):
        exec(compile(text, specification.origin, "exec"), module.__dict__)
    return module


@contextlib.contextmanager
def imports(instead: dict[str, ModuleType]) -> Iterator[None]:
    """Imports within find these modules."""
    before = {name: sys.modules[name] for name in instead}
    sys.modules.update(instead)
    try:
        yield
    finally:
        sys.modules.update(before)


@functools.cache
def library(*, keeps_lock: bool = False) -> dict[str, ModuleType]:
    """`threading` and `queue` upon our lock. A lock that may be taken again is one step under the global lock."""
    ours = _upon_our_lock("threading")
    again = ReentrantLock if keeps_lock else ours.__dict__["_PyRLock"]
    ours.__dict__.update(Lock=Lock, _allocate_lock=Lock, RLock=again, _CRLock=None, Thread=_Thread)
    return {"threading": ours, "queue": _upon_our_lock("queue", threading=ours)}
