"""How safe known classes are: `mcr levels` of the standard library and of packages, `mcr linearizable` of structures
and of the bugs that other checkers' tests contain.

    .venv/bin/pip install boltons cacheout cachetools jinja2 kombu pylru sortedcontainers sqlalchemy zict
    .venv/bin/python -m results.levels

Writes `levels.md`; rows are kept in `levels.jsonl`, and a run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import argparse
import collections
import queue
import re
import time
from collections.abc import Callable, Iterator
from copy import copy
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import mcr
from mcr.bench.environment import sentence
from mcr.bench.rows import Row, Rows, as_markdown
from mcr.linearizability.levels import Levels
from mcr.linearizability.observers import LINEARIZABLE, SEQUENTIAL
from mcr.linearizability.search import Linearizability
from replay.errors import CheckerError
from replay.files import write_atomically
from results.known import Known, known
from results.rows import add_rows, kept_row
from tests.linearizability import structures
from tests.linearizability.published import BUGS, Bug
from tests.ordinary.corpus import standard_library

PATIENCE = 900
"""Seconds for each class and model, far more than any needs: counts must not depend on the machine."""


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
    "collections.UserString": (
        _of("collections", "UserString", "ab"),
        ["isalpha", ("count", "a"), ("find", "b"), "__len__"],
    ),
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
    "functools.lru_cache": (lru_cache, [("__call__", 1), ("__call__", 2), "cache_clear", "cache_parameters"]),
}

PACKAGES: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "threading.Semaphore": (_of("threading", "Semaphore", 1), [("acquire", False), "release"]),
    "threading.Event": (_of("threading", "Event"), ["set", "clear", "is_set"]),
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
}


STACK = [("push", 1), ("push", 2), "pop"]
DEQUE = [("push", 1), "take", "steal"], {"push": 0, "take": 0}, SEQUENTIAL
RING = [("put", 1), ("put", 2), "get"], {"put": 0, "get": 1}, SEQUENTIAL
QUEUE = [("enqueue", 1), ("enqueue", 2), "dequeue"]
STRUCTURES: dict[Any, tuple[list[Any], dict[str, int], str]] = {
    structures.ChaseLevDeque: DEQUE,
    structures.UnfencedDeque: DEQUE,
    structures.RingBuffer: RING,
    structures.UnfencedRing: RING,
    structures.TreiberStack: (STACK, {}, LINEARIZABLE),
    structures.LosingStack: (STACK, {}, LINEARIZABLE),
    structures.TwiceTakingStack: (STACK, {}, LINEARIZABLE),
    structures.ReusingStack: (STACK, {}, LINEARIZABLE),
    structures.EliminationStack: (STACK, {}, LINEARIZABLE),
    structures.MichaelScottQueue: (QUEUE, {}, LINEARIZABLE),
    structures.LosingQueue: (QUEUE, {}, LINEARIZABLE),
    structures.LazyList: (structures.SETS, {}, LINEARIZABLE),
    structures.TrustingList: (structures.SETS, {}, LINEARIZABLE),
    structures.HarrisList: (structures.SETS, {}, LINEARIZABLE),
    structures.UnmarkedList: (structures.SETS, {}, LINEARIZABLE),
    structures.SkipList: (structures.SETS, {}, LINEARIZABLE),
    structures.TrustingSkipList: (structures.SETS, {}, LINEARIZABLE),
}
"""What is asked of structures: operations, which thread alone calls a method, and the level; one that stores without
waiting is asked for the level that it has under TSO."""

THREE = {
    structures.TreiberStack: STACK[1:], structures.EliminationStack: STACK[1:],
    structures.BlindEliminationStack: STACK[1:], structures.MichaelScottQueue: QUEUE[1:],
    structures.LosingQueue: QUEUE[1:],
}  # fmt: skip
"""Three threads with two calls each: elimination takes three."""


Cells = tuple[str, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fresh", action="store_true", help="forget what was measured before")
    add_rows(parser)
    options = parser.parse_args()
    file = Path(__file__)
    stored = _stored(fresh=options.fresh)
    parts, rows = ["# Levels of known classes", (__doc__ or "").partition("\n\n")[0]], []
    for title, columns, asked in _parts():
        found = [_row(stored, title, *each) for each in islice(asked, options.rows)]
        parts += [f"## {title}", as_markdown(columns, [row["cells"] for row in found])]
        rows += found
    parts.append(f"{sentence(rows)} Seconds are of the processor.")
    parts.append("Written by `.venv/bin/python -m results.levels`.")
    write_atomically(file.with_suffix(".md"), "\n\n".join([*parts]) + "\n")


def _row(stored: Rows, title: str, key: Cells, measure: Callable[[], Cells]) -> Row:
    """A row; what is stored is not measured again."""

    def timed(_: Row) -> Row:
        began = time.process_time()
        return {"cells": [*key, *measure(), f"{time.process_time() - began:.1f}"]}

    asked = {"table": title, "row": ", ".join(key)}
    return kept_row(stored, asked, timed, lambda row: [" | ".join(row["cells"])])


_LEVELS = "class", "word", "not atomic", "pairs", "global states", "s"
_STRUCTURES = (
    "class",
    "calls",
    "model",
    "asked",
    "answer",
    "clients",
    "global states",
    "smallest client that fails",
    "s",
)
_BUGS = "test", "model", "answer", "smallest client", "calls", "calls of the test's client", "s"

Asked = Iterator[tuple[Cells, Callable[[], Cells]]]
"""Rows: by what they begin with, and what measures the rest."""


def _stored(*, fresh: bool = False) -> Rows:
    return Rows(Path(__file__).with_suffix(".jsonl"), ("table", "row"), fresh=fresh)


def _parts() -> Iterator[tuple[str, Cells, Asked]]:
    """The tables: title, columns, rows."""
    yield "standard", _LEVELS, _tables(STANDARD)
    yield "packages", _LEVELS, _tables(PACKAGES)
    yield "structures", _STRUCTURES, _structures()
    yield "bugs of the tests of other checkers", _BUGS, _bugs()


def known_rows() -> Iterator[Known]:
    """The rows that were measured, without those of packages that are not installed."""
    stored = _stored()
    for title, _, asked in _parts():
        for key, measure in asked:
            row = stored.get(title, ", ".join(key))
            if row is not None and (title != "packages" or find_spec(key[0].partition(".")[0])):
                *cells, seconds = row["cells"][len(key) :]
                yield known(" ".join(key), float(seconds), cells, measure)


def _tables(classes: dict[str, tuple[Callable[..., Any], list[Any]]]) -> Asked:
    yield from (((name,), partial(_levels, *asked)) for name, asked in classes.items())


def _levels(make: Callable[..., Any], operations: list[Any]) -> Cells:
    try:
        found: Levels = mcr.levels(make, operations, before=1, after=1, options=mcr.Options(timeout=PATIENCE))
    except CheckerError as error:
        return "refused", shown_without_path(str(error)), "", ""
    worse = [
        f"{' and '.join(pair.methods)}: {pair.level or pair.stop}" for pair in found.pairs if pair.level != "atomic"
    ]
    return found.word or "incomplete", "; ".join(worse), str(len(found.pairs)), str(found.states)


def shown_without_path(text: str) -> str:
    """The same without the folders that are only on this machine."""
    return re.sub(r"\S*/site-packages/", "", text)


def _structures() -> Asked:
    asked = [(make, *how, (3, 3)) for make, how in STRUCTURES.items()]
    asked += [(make, operations, {}, LINEARIZABLE, (2, 2, 2)) for make, operations in THREE.items()]
    for make, operations, only, level, calls in asked:
        for model in ("tso", "pso"):
            key = make.__name__, "+".join(map(str, calls)), model, level
            yield key, partial(_structure, make, operations, only, level, calls, model)


def _structure(
    make: Any, operations: list[Any], only: dict[str, int], level: str, calls: tuple[int, ...], model: str
) -> Cells:
    found = mcr.linearizable(
        make, operations, calls=calls, only=only, model=model, level=level, options=mcr.Options(timeout=PATIENCE)
    )
    return _answer(found), str(found.clients), str(found.states), _client(found)


def _bugs() -> Asked:
    yield from (((bug.where, bug.model), partial(_bug, bug)) for bug in BUGS)


def _bug(bug: Bug) -> Cells:
    found = bug.found(mcr.Options(timeout=PATIENCE))
    assert found.counterexample is not None
    return _answer(found), _client(found), str(sum(map(len, found.counterexample.calls))), str(bug.published)


def _answer(found: Linearizability) -> str:
    no = "" if found.verdict is not mcr.Verdict.BUG else f"not {found.asked}"
    return "; ".join(filter(None, (no, found.level, str(found.stop or ""))))


def _client(found: Linearizability) -> str:
    if found.counterexample is None:
        return ""
    return " ‖ ".join(", ".join(call.split(".", 1)[1] for call in calls) for calls in found.counterexample.calls)


if __name__ == "__main__":
    main()
