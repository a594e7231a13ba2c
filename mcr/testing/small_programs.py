"""Small random programs as source text: what an explorer under test is tried on."""

from __future__ import annotations

import random
from collections.abc import Iterator

_LOCATIONS = ("x", "y")
_HEAD = """\
import mcr


@mcr.program
def random_program(p):
    x, y = p.var("x", 0), p.var("y", 0)
"""
_TAIL = """\
    threads = [{threads}]

    @p.final
    def final():
        returned = [thread.join() for thread in threads]
        return tuple(returned), x.load(), y.load()
"""


def source(seed: int, operations: int) -> str:
    """A program of two or three threads, of so many operations together; always the same one for a seed."""
    rng = random.Random(seed)
    count = min(operations, rng.choice((2, 2, 3)))
    lengths = [operations // count + (number < operations % count) for number in range(count)]
    threads = [_thread(f"thread_{number}", length, rng) for number, length in enumerate(lengths)]
    names = ", ".join(f"p.thread(thread_{number})" for number in range(count))
    return "\n".join([_HEAD, *threads, _TAIL.format(threads=names)])


def _thread(name: str, length: int, rng: random.Random) -> str:
    lines = [f"    def {name}():"]
    known: list[str] = []
    for number in range(length):
        lines += [f"        {line}" for line in _statement(f"r{number}", known, rng)]
    lines.append(f"        return ({''.join(f'{name}, ' for name in known)})")
    return "\n".join(lines) + "\n"


def _statement(register: str, known: list[str], rng: random.Random) -> Iterator[str]:
    """One operation, its result in the register; perhaps only if an earlier result is so, or with an assertion."""
    where, value = rng.choice(_LOCATIONS), rng.choice((1, 2))
    kind = rng.choice(("load", "load", "load", "store", "store", "store", "add", "exchange", "fence"))
    if kind in ("store", "fence"):
        text = f"{where}.store({value})" if kind == "store" else "p.fence()"
        yield f"if {rng.choice(known)} == {value - 1}: {text}" if known and rng.random() < 0.2 else text
        return
    call = {"load": "load()", "add": "fetch_add(1)", "exchange": f"compare_exchange({value - 1}, {value})"}[kind]
    yield f"{register} = {where}.{call}"
    known.append(register)
    if rng.random() < 0.1:
        yield f"assert {register} != {value}"
