"""How safe known classes are: `mcr levels` of the standard library and of packages, `mcr linearizable` of structures.

    .venv/bin/pip install boltons cacheout cachetools jinja2 kombu pylru sortedcontainers sqlalchemy zict
    .venv/bin/python -m results.levels

Writes `levels.md`. Seconds are of the processor.
"""

from __future__ import annotations

import collections
import queue
import sys
import time
from collections.abc import Callable, Iterator
from copy import copy
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import mcr
from mcr.linearizability.levels import Levels
from replay.errors import CheckerError
from tests.linearizability import structures
from tests.ordinary.corpus import standard_library

PATIENCE = 600
"""Seconds for each class and model."""


class SimpleQueue:
    """An object of C, with one attribute around it."""

    def __init__(self) -> None:
        self.queue = queue.SimpleQueue()  # type: ignore[type-arg]

    def put(self, item: int) -> None:
        self.queue.put(item)

    def get_nowait(self) -> int:
        return self.queue.get_nowait()

    def qsize(self) -> int:
        return self.queue.qsize()

    def empty(self) -> bool:
        return self.queue.empty()


def lru_cache() -> Any:
    """`functools.lru_cache` as Python has it in its own text."""
    return standard_library._functools.lru_cache(maxsize=1)(_double)


def _double(number: int) -> int:
    return 2 * number


def _of(module: str, name: str, *arguments: Any) -> Callable[[], Any]:
    known = import_module(module) if find_spec(module.partition(".")[0]) else None  # before anything runs

    def make() -> Any:
        return getattr(known, name)(*map(copy, arguments))

    make.__name__ = name
    return make


ITEMS = ["put_nowait", "get_nowait", "qsize", "empty", "full", "put", "get", "task_done", "join"]
ITEM = [(each, 1) if each.startswith("put") else each for each in ITEMS]
MAPPING = [("__setitem__", 1, 2), ("__getitem__", 1), ("__delitem__", 1), ("__contains__", 1), "__len__", ("get", 1)]
DICT = [*MAPPING, ("setdefault", 1, 3), ("pop", 1), "popitem", "clear"]
SEQUENCE = ["pop", ("remove", 1), ("insert", 0, 3), "reverse", "clear", ("count", 1), ("index", 1), "__len__"]

STANDARD: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "queue.Queue": (_of("queue", "Queue", 1), ITEM),
    "queue.LifoQueue": (_of("queue", "LifoQueue", 1), ITEM),
    "queue.PriorityQueue": (_of("queue", "PriorityQueue", 1), ITEM),
    "queue.SimpleQueue": (SimpleQueue, [("put", 1), "get_nowait", "qsize", "empty"]),
    "collections.deque": (
        _of("collections", "deque"),
        [("append", 1), ("appendleft", 2), "popleft", ("extend", [1, 2]), ("rotate", 1), *SEQUENCE],
    ),
    "collections.defaultdict": (_of("collections", "defaultdict", int), DICT),
    "collections.OrderedDict": (_of("collections", "OrderedDict"), [*DICT, ("move_to_end", 1)]),
    "collections.Counter": (
        _of("collections", "Counter"),
        [("update", "a"), ("subtract", "a"), ("__getitem__", "a"), "total", "most_common"],
    ),
    "collections.ChainMap": (_of("collections", "ChainMap", {}, {}), DICT),
    "collections.UserDict": (collections.UserDict, DICT),
    "collections.UserList": (collections.UserList, [("append", 1), *SEQUENCE]),
    "collections.UserString": (
        _of("collections", "UserString", "ab"),
        ["isalpha", ("count", "a"), ("find", "b"), "__len__"],
    ),
    "functools.lru_cache": (lru_cache, [("__call__", 1), ("__call__", 2), "cache_clear", "cache_parameters"]),
}

PACKAGES: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "cachetools.Cache": (_of("cachetools", "Cache", 2), MAPPING),
    "cachetools.LRUCache": (_of("cachetools", "LRUCache", 2), MAPPING),
    "cachetools.FIFOCache": (_of("cachetools", "FIFOCache", 2), MAPPING),
    "pylru.lrucache": (_of("pylru", "lrucache", 1), MAPPING),
    "zict.LRU": (_of("zict", "LRU", 2, {}), MAPPING),
    "jinja2.utils.LRUCache": (_of("jinja2.utils", "LRUCache", 1), MAPPING),
    "kombu.utils.functional.LRUCache": (_of("kombu.utils.functional", "LRUCache", 1), MAPPING),
    "sqlalchemy.util.LRUCache": (_of("sqlalchemy.util", "LRUCache", 1), MAPPING),
    "sortedcontainers.SortedList": (_of("sortedcontainers", "SortedList"), [("add", 1), ("remove", 1), "__len__"]),
    "boltons.cacheutils.ThresholdCounter": (
        _of("boltons.cacheutils", "ThresholdCounter"),
        [("add", 1), ("__getitem__", 1), "__len__"],
    ),
    "threading.Semaphore": (_of("threading", "Semaphore", 1), [("acquire", False), "release"]),
    "threading.Event": (_of("threading", "Event"), ["set", "clear", "is_set"]),
}


STACK = [("push", 1), ("push", 2), "pop"]
DEQUE = [("push", 1), ("push", 2), "take", "steal"], {"push": 0, "take": 0}
RING = [("put", 1), ("put", 2), "get"], {"put": 0, "get": 1}
QUEUE = [("enqueue", 1), ("enqueue", 2), "dequeue"]
STRUCTURES: dict[Any, tuple[list[Any], dict[str, int]]] = {
    structures.TreiberStack: (STACK, {}),
    structures.LosingStack: (STACK, {}),
    structures.EliminationStack: (STACK, {}),
    structures.BlindEliminationStack: (STACK, {}),
    structures.MichaelScottQueue: (QUEUE, {}),
    structures.LosingQueue: (QUEUE, {}),
    structures.ChaseLevDeque: DEQUE,
    structures.UnfencedDeque: DEQUE,
    structures.RingBuffer: RING,
    structures.UnfencedRing: RING,
    structures.LazyList: (structures.SETS, {}),
    structures.TrustingList: (structures.SETS, {}),
    structures.HarrisList: (structures.SETS, {}),
    structures.UnmarkedList: (structures.SETS, {}),
    structures.SkipList: (structures.SETS, {}),
    structures.TrustingSkipList: (structures.SETS, {}),
}


def main() -> None:
    lines = [(__doc__ or "").partition("\n")[0], ""]
    lines += ["Made by `.venv/bin/python -m results.levels`; seconds are of the processor.", ""]
    chosen = sys.argv[1:] or ["standard", "packages", "structures"]
    for title, classes in (("standard", STANDARD), ("packages", PACKAGES)):
        if title in chosen:
            lines += [
                f"## {title}",
                "",
                "| class | word | not atomic | pairs | global states | s |",
                "|---|---|---|---|---|---|",
            ]
            for name, (make, operations) in classes.items():
                lines.append(_levels(name, make, operations))
                print(lines[-1], flush=True)
            lines.append("")
    if "structures" in chosen:
        lines += [
            "## structures",
            "",
            "| class | threads x calls | model | level | clients | global states | s | smallest client that fails |",
        ]
        lines.append("|---|---|---|---|---|---|---|---|")
        for line in _structures():
            lines.append(line)
            print(line, flush=True)
        lines.append("")
    Path(__file__).with_name("levels.md").write_text("\n".join(["# Levels of known classes", "", *lines]))


def _levels(name: str, make: Callable[..., Any], operations: list[Any]) -> str:
    began = time.process_time()
    try:
        found: Levels = mcr.levels(make, operations, before=1, after=1, options=mcr.Options(timeout=PATIENCE))
    except CheckerError as error:
        return f"| {name} | refused | {error} | | | |"
    worse = [
        f"{' and '.join(pair.methods)}: {pair.level or pair.stop}" for pair in found.pairs if pair.level != "atomic"
    ]
    return (
        f"| {name} | {found.word or 'incomplete'} | {'; '.join(worse)} | {len(found.pairs)} | {found.states} | "
        f"{time.process_time() - began:.1f} |"
    )


def _structures() -> Iterator[str]:
    for make, (operations, only) in STRUCTURES.items():
        for threads, calls in ((2, 3), (3, 2)):
            if threads == 3 and (only or operations is structures.SETS):
                continue
            for model in ("sc", "tso", "pso"):
                began = time.process_time()
                found = mcr.linearizable(
                    make, operations, threads=threads, calls=calls, only=only, model=model,
                    options=mcr.Options(timeout=PATIENCE),
                )  # fmt: skip
                example = found.counterexample
                client = (
                    ""
                    if example is None
                    else " ‖ ".join(", ".join(each.split(".", 1)[1] for each in calls) for calls in example.calls)
                )
                yield (
                    f"| {make.__name__} | {threads}x{calls} | {model} | {found.stop or found.level or 'none'} | "
                    f"{found.clients} | {found.states} | {time.process_time() - began:.1f} | {client} |"
                )


if __name__ == "__main__":
    main()
