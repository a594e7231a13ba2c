"""Random programs, each written as an ordinary class and as a model."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import NamedTuple

from tests.ordinary.statements import (
    ATTRIBUTES,
    CLASSES,
    DEQUES,
    DICTS,
    GIVEN,
    LISTS,
    LOCKS,
    MADE,
    MEMORY,
    OBJECTS,
    SETS,
    WAITING,
    Twin,
)

PROFILES: dict[str, tuple[Twin, ...]] = {
    "memory": MEMORY,
    "attributes": MEMORY + ATTRIBUTES * 2,
    "objects": MEMORY + OBJECTS * 2,
    "lists": MEMORY + LISTS,
    "dicts": MEMORY + DICTS * 2,
    "deques": MEMORY + DEQUES * 2,
    "sets": MEMORY + SETS * 2,
    "locks": MEMORY + LOCKS * 2,
    "waiting": MEMORY + WAITING,
    "given": MEMORY + GIVEN,
    "classes": MEMORY + CLASSES * 2,
    "made": MEMORY + MADE,
    "all": MEMORY + ATTRIBUTES + CLASSES + OBJECTS + LISTS + DICTS + DEQUES + SETS + LOCKS * 3,
}
"""Kinds of programs, by the statements that they are made of."""


class Field(NamedTuple):
    """An attribute of the object: how it begins in both languages, and what the outcome has of it."""

    ordinary: str
    model: str
    seen: str = ""
    model_seen: str = ""


def _container(kind: str, ordinary: str, seen: str) -> Field:
    record = f'p.record("{kind}", content=frozen({ordinary}))'
    return Field(ordinary, f'p.var("{{name}}", {record})', seen, f"{seen.replace('_', 'value({name}.load())')}")


FIELDS: dict[str, Field] = {
    "x": Field("0", 'p.var("x", 0)', "_", "x.load()"),
    "y": Field("0", 'p.var("y", 0)', "_", "y.load()"),
    "late": Field("", 'p.var("late", MISSING)', 'getattr(shared, "late", 0)', "either(late.load(), 0)"),
    "head": Field(
        "None",
        'p.var("head", None)',
        "0 if _ is None else _.value",
        "0 if head.load() is None else head.load().value.load()",
    ),
    "items": _container("list", "{items}", "tuple(_)"),
    "table": _container("dict", "{table}", "tuple(_.items())"),
    "ring": _container("deque", "deque({ring})", "tuple(_)"),
    "tags": _container("set", "{tags}", "tuple(sorted(_))"),
    "keyed": _container("dict", "{table}", "tuple(_.items())")._replace(
        ordinary="Table({keyed})", seen="tuple((key.number, held) for key, held in _.items())"
    ),
    "puts": Field("", 'p.var("puts", 0)', "shared.keyed.puts", "puts.load()"),
    "mine": _container("list", "{items}", "tuple(_)")._replace(ordinary="Items({items})"),
    "last": Field("", 'p.var("last", 0)', "shared.mine.last", "last.load()"),
    "made": Field("0", 'p.var("made", 0)', "_", "made.load()"),
    "known": _container("list", "{items}", "tuple(_)"),
    "sole": Field(
        "None",
        'p.var("sole", None)',
        "0 if _ is None else _.value",
        "0 if sole.load() is None else sole.load().value.load()",
    ),
    "lock": Field("threading.Lock()", "p.mutex()"),
    "other": Field("threading.Lock()", "p.mutex()"),
    "again": Field("threading.RLock()", "p.rlock()"),
    "room": Field("threading.Semaphore(1)", "p.semaphore(1)"),
    "changed": Field("threading.Condition(threading.Lock())", "p.condition()"),
    "go": Field("threading.Event()", "p.event()"),
    "jobs": Field("queue.Queue(1)", "p.queue(1)"),
    "meeting": Field("threading.Barrier(2)", "p.barrier(2)"),
}

OF_CLASS = ("made", "known", "sole")
"""Attributes that the class has."""

ORDINARY = """\
import queue
import threading
from collections import deque

import mcr


class Node:
    def __init__(self, value, next):
        self.value = value
        self.next = next


{classes}class Shared:
    def __init__(self):
{fields}

    def helper(self, r):
        self.y = r

{threads}

def seen(shared):
    return ({seen},)


@mcr.program
def generated(p):
    shared = p.share(Shared())
    threads = [p.thread(method) for method in ({methods},)]

    @p.final
    def outcome():
        return (*[thread.join() for thread in threads], *seen(shared))


def alone():
    shared = Shared()
    methods = ({methods},)
    returned = [None] * len(methods)

    def run(number):
        returned[number] = methods[number]()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(methods))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return (*returned, *seen(shared))
"""

CLASSES_MADE = """\
class Key:
    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return self.number == other.number

    def __hash__(self):
        return hash(self.number)


class Table(dict):
    def __init__(self, given):
        super().__init__(given)
        self.puts = 0

    def put(self, key, value):
        dict.__setitem__(self, key, value)
        self.puts += 1

    def look(self, key, get=dict.get):
        return get(self, key, 0)


class Items(list):
    last = 0

    def add(self, item):
        super().append(item)
        self.last = item

    def take(self):
        return list.pop(self, 0)


"""
"""What is made from containers, with attributes and a key that is compared by code."""

MODEL = """\
import queue
from collections import deque

import mcr
from tests.ordinary.model_side import (
    MISSING, assigned, change, counted, defaulted, each_step, either, frozen, has, place, present, removed, taken,
    value, whole
)


@mcr.program
def generated(p):
    def listed(held):
        return p.record("list", content=frozen(held))

{fields}

    def helper(r):
        y.store(r)

{threads}
    threads = [p.thread(method) for method in ({methods},)]

    @p.final
    def outcome():
        return (*[thread.join() for thread in threads], {seen})
"""


class Generated(NamedTuple):
    """One program, twice."""

    ordinary: str
    model: str


Line = tuple[int, str, str]
"""Depth, and the line in both languages."""


def generate(profile: str, seed: int) -> Generated:
    """The program of a seed: two or three threads with few statements each."""
    rng = random.Random(f"{profile} {seed}")
    sizes = rng.choice(((1, 1), (2, 1), (2, 2), (2, 3), (3, 3), (1, 1, 1), (2, 1, 1), (2, 2, 1)))
    threads = [_block(PROFILES[profile], rng, size, 0) for size in sizes]
    holes = {
        "items": rng.choice(("[]", "[1]", "[1, 2]")),
        "table": rng.choice(("{}", "{1: 1}", "{1: 1, 2: 2}")),
        "ring": rng.choice(("[]", "[1]", "[1, 2]")),
        "tags": rng.choice(("set()", "{1}", "{1, 2}")),
    }
    return written(threads, holes)


def written(threads: Sequence[list[Line]], holes: dict[str, str]) -> Generated:
    """The program with these threads; `holes` says how containers begin."""
    holes = {**holes, "keyed": re.sub(r"(\d):", r"Key(\1):", holes["table"])}
    text = "\n".join(f"{ordinary} # {model}" for lines in threads for _, ordinary, model in lines)
    used = [
        name
        for name in FIELDS
        if name in "xy" or f".{name}" in text or f'"{name}"' in text or f" {name}.store(" in text
    ]
    names = [f"thread_{number}" for number in range(len(threads))]
    return Generated(_ordinary(names, threads, used, holes), _model(names, threads, used, holes))


def _ordinary(names: Sequence[str], threads: Sequence[list[Line]], used: Sequence[str], holes: dict[str, str]) -> str:
    return ORDINARY.format(
        classes=CLASSES_MADE if {"keyed", "mine"} & set(used) else "",
        fields="\n".join(
            f"        {'Shared' if name in OF_CLASS else 'self'}.{name} = {FIELDS[name].ordinary.format(**holes)}"
            for name in used
            if FIELDS[name].ordinary
        ),
        threads="\n".join(_method(name, lines) for name, lines in zip(names, threads, strict=True)),
        seen=", ".join(FIELDS[name].seen.replace("_", f"shared.{name}") for name in used if FIELDS[name].seen),
        methods=", ".join(f"shared.{name}" for name in names),
    )


def _model(names: Sequence[str], threads: Sequence[list[Line]], used: Sequence[str], holes: dict[str, str]) -> str:
    return MODEL.format(
        fields="\n".join(f"    {name} = {FIELDS[name].model.format(name=name, **holes)}" for name in used),
        threads="\n".join(_function(name, lines) for name, lines in zip(names, threads, strict=True)),
        seen=", ".join(FIELDS[name].model_seen.format(name=name) for name in used if FIELDS[name].seen),
        methods=", ".join(names),
    )


def _method(name: str, lines: Sequence[Line]) -> str:
    body = [f"        {'    ' * depth}{ordinary}" for depth, ordinary, _ in lines]
    return "\n".join([f"    def {name}(self):", "        r = 0", *body, "        return r", ""])


def _function(name: str, lines: Sequence[Line]) -> str:
    body = [f"        {'    ' * depth}{model}" for depth, _, model in lines]
    return "\n".join([f"    def {name}():", "        r = 0", *body, "        return r", ""])


def _block(catalogue: Sequence[Twin], rng: random.Random, size: int, depth: int) -> list[Line]:
    return [line for _ in range(size) for line in _statement(catalogue, rng, depth)]


def _statement(catalogue: Sequence[Twin], rng: random.Random, depth: int) -> list[Line]:
    twin = rng.choice(catalogue)
    if twin.has_block:
        return _with_block(twin, catalogue, rng, depth)
    holes = {"e": rng.choice(("1", "2", "r", "r + 1")), "v": rng.choice("123"), "k": rng.choice("12")}
    line = (depth, twin.ordinary.format(**holes), twin.model.format(**holes))
    if twin.catches and rng.random() < 0.8:
        inner = (depth + 1, *line[1:])
        handler = f"except {twin.catches}:"
        return [(depth, "try:", "try:"), inner, (depth, handler, handler), (depth + 1, "r = 9", "r = 9")]
    if rng.random() < 0.1:
        condition = rng.choice(("if r == 0:", "if r:"))
        return [(depth, condition, condition), (depth + 1, *line[1:])]
    return [line]


def _with_block(twin: Twin, catalogue: Sequence[Twin], rng: random.Random, depth: int) -> list[Line]:
    """What a loop goes through must not grow in it."""
    if twin.ordinary.startswith("for"):
        body = [(depth + 1, "r += each", "r += each"), *_block(MEMORY, rng, rng.choice((0, 0, 1)), depth + 1)]
    else:
        body = _block(catalogue if depth < 1 else MEMORY, rng, rng.choice((1, 1, 2)), depth + 1)
    return [(depth, twin.ordinary, twin.model), *body]
