"""Random programs as text, right under SC by construction: the final function admits what SC does."""

from __future__ import annotations

import random
from pathlib import Path

import mcr
from replay.frontend.program import Program
from replay.traces.loader import programs_in

_HEAD = """\
import mcr


@mcr.program
def random_program(p):
    x, y, z = p.var("x", 0), p.var("y", 0), p.var("z", 0)
"""


def write(rng: random.Random, file: Path) -> Program:
    """A program in a file of its own."""
    threads = [_thread(rng, number) for number in range(rng.choice((2, 2, 3)))]
    text = _HEAD + "".join(threads)
    results = ", ".join(f"t{number}.join()" for number in range(len(threads)))
    final = f"\n    @p.final\n    def outcome():\n        return ({results}, x.load(), y.load(), z.load())\n"
    file.write_text(text + final)
    allowed = _outcomes(file)
    final = final.replace("return ", "found = ") + f"        assert repr(found) in {sorted(allowed)!r}\n"
    file.write_text(text + final)
    return _load(file)


def _load(file: Path) -> Program:
    (program,) = programs_in(file)
    return program


def _outcomes(file: Path) -> tuple[str, ...]:
    return mcr.check(_load(file), "sc", objective="outcomes").outcomes


def _thread(rng: random.Random, number: int) -> str:
    lines = [f"\n    def thread_{number}():", "        r = 0"]
    for _ in range(rng.randint(2, 5)):
        lines += _statement(rng)
    return "\n".join([*lines, "        return r", f"\n    t{number} = p.thread(thread_{number})\n"])


def _statement(rng: random.Random) -> list[str]:
    cell = rng.choice("xyz")
    match rng.randint(0, 19):
        case 0:
            return ["        p.fence()"]
        case 1:
            return ["        p.store_fence()"]
        case 2:
            return [f"        r = 4 * r + {cell}.fetch_add(1)"]
        case 3:
            return [f"        if {cell}.load():", f"            {rng.choice('xyz')}.store({rng.randint(1, 2)})"]
        case 4:
            return ["        for again in range(2):", f"            {cell}.store({rng.randint(1, 2)} + again)"]
        case n if n < 13:
            return [f"        {cell}.store({rng.randint(1, 2)})"]
    return [f"        r = 4 * r + {cell}.load()"]
