"""Small classes, and whether they are linearizable: all interleavings of their steps, and all orders of their calls.

Nothing here is the checker's: memory and store buffers are those of docs/semantics.md, written down once more.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache, partial
from itertools import combinations, combinations_with_replacement, permutations, product
from typing import Any, NamedTuple

Instruction = tuple[Any, ...]
Method = tuple[Instruction, ...]
"""Ends with ("return", register)."""

Kind = tuple[Method, ...]
"""A class: method number n is called m{n}."""

LEVELS = ("linearizable", "sequentially consistent", "quiescently consistent")

CELLS = ("a", "b")


def random_kind(seed: int) -> Kind:
    """A class of two methods, always the same for the same seed."""
    rng = random.Random(seed)
    return tuple(_random_method(rng) for _ in range(2))


def _random_method(rng: random.Random) -> Method:
    def register() -> str:
        return rng.choice("xy")

    def cell() -> str:
        return rng.choice(CELLS)

    makers: list[Callable[[], Instruction]] = [
        lambda: ("load", register(), cell()),
        lambda: ("load", register(), cell()),
        lambda: ("store", cell(), register(), rng.randrange(2)),
        lambda: ("store", cell(), register(), rng.randrange(1, 3)),
        lambda: ("add", register(), cell()),
        lambda: ("swap", register(), cell(), rng.randrange(3)),
        lambda: ("fence",),
    ]
    return (*(rng.choice(makers)() for _ in range(rng.randint(1, 3))), ("return", register()))


def source(kind: Kind) -> str:
    """A class as Python."""
    lines = ["class Thing:", "    def __init__(self, p):"]
    lines += ["        self.p = p", *(f"        self.{cell} = p.var('{cell}', 0)" for cell in CELLS)]
    for number, method in enumerate(kind):
        lines += [
            "",
            f"    def m{number}(self):",
            "        x = y = 0",
            *(f"        {_python(each)}" for each in method),
        ]
    return "\n".join(lines) + "\n"


def _python(instruction: Instruction) -> str:
    match instruction:
        case ("load", register, cell):
            return f"{register} = self.{cell}.load()"
        case ("store", cell, register, more):
            return f"self.{cell}.store({register} + {more})"
        case ("add", register, cell):
            return f"{register} = self.{cell}.fetch_add(1)"
        case ("swap", register, cell, value):
            return f"{register} = self.{cell}.exchange({value})"
        case ("fence",):
            return "self.p.fence()"
    return f"return {instruction[1]}"


class _Thread(NamedTuple):
    """Where a thread is: which call, which instruction in it (-1 before it was called), registers and stores."""

    call: int = 0
    at: int = -1
    registers: tuple[int, int] = (0, 0)
    stores: tuple[tuple[str, int], ...] = ()


class _Call(NamedTuple):
    thread: int
    method: int
    begins: int
    ends: int
    result: int


_Memory = tuple[tuple[str, int], ...]

_State = tuple[tuple[_Thread, ...], _Memory, tuple[tuple[int, str, int], ...]]
"""Threads, memory, and the events of calls: thread, what, result."""


def judge(kind: Kind, threads: int, calls: int, model: str) -> str:
    """The level that holds for all clients of so many threads with so many calls each: which weaker ones do, if not
    the strongest; "" for none."""
    holding = list(LEVELS)
    one = list(product(range(len(kind)), repeat=calls))
    for client in combinations_with_replacement(one, threads):
        for events in _histories(kind, client, model):
            history = _calls(client, events)
            holding = [level for level in holding if _explained(kind, history, level)]
    return holding[0] if LEVELS[0] in holding else " and ".join(holding)


def _histories(kind: Kind, client: tuple[tuple[int, ...], ...], model: str) -> set[Any]:
    moves = [cache(partial(_moves, kind, methods, model)) for methods in client]
    first: _State = (tuple(_Thread() for _ in client), tuple((cell, 0) for cell in CELLS), ())
    waiting, known, found = [first], {first}, set()
    while waiting:
        threads, memory, events = waiting.pop()
        stuck = True
        for number, thread in enumerate(threads):
            for new, now, event in moves[number](thread, memory):
                stuck = False
                told = events if event is None else (*events, (number, *event))
                after = (*threads[:number], new, *threads[number + 1 :]), now, told
                if after not in known:
                    known.add(after)
                    waiting.append(after)
        if stuck:
            found.add(events)
    return found


def _moves(
    kind: Kind, methods: tuple[int, ...], model: str, thread: _Thread, memory: _Memory
) -> list[tuple[_Thread, _Memory, tuple[str, int] | None]]:
    """What a thread may do next, with memory then, and what it tells of its calls."""
    held, found = dict(memory), list[tuple[_Thread, _Memory, tuple[str, int] | None]]()
    for place, (cell, value) in enumerate(thread.stores):
        first = place == 0 if model == "tso" else cell not in [each for each, _ in thread.stores[:place]]
        if first:
            rest = thread.stores[:place] + thread.stores[place + 1 :]
            found.append((thread._replace(stores=rest), tuple({**held, cell: value}.items()), None))
    if thread.call == len(methods):
        return found
    if thread.at < 0:
        return [*found, (thread._replace(at=0, registers=(0, 0)), memory, ("call", 0))]
    instruction = kind[methods[thread.call]][thread.at]
    what, registers = instruction[0], dict(zip("xy", thread.registers, strict=True))
    if what in ("add", "swap", "fence") and thread.stores:
        return found
    new, now = thread._replace(at=thread.at + 1), dict(held)
    match instruction:
        case ("return", register):
            ended = thread._replace(call=thread.call + 1, at=-1)
            return [*found, (ended, memory, ("return", registers[register]))]
        case ("load", register, cell):
            own = [value for name, value in thread.stores if name == cell]
            registers[register] = own[-1] if own else held[cell]
        case ("store", cell, register, more):
            if model == "sc":
                now[cell] = registers[register] + more
            else:
                new = new._replace(stores=(*thread.stores, (cell, registers[register] + more)))
        case ("add", register, cell):
            registers[register], now[cell] = held[cell], held[cell] + 1
        case ("swap", register, cell, value):
            registers[register], now[cell] = held[cell], value
    return [*found, (new._replace(registers=(registers["x"], registers["y"])), tuple(now.items()), None)]


def _calls(client: tuple[tuple[int, ...], ...], events: tuple[tuple[int, str, int], ...]) -> list[_Call]:
    found = []
    for number, methods in enumerate(client):
        own = [(place, result) for place, (thread, _, result) in enumerate(events) if thread == number]
        for method, (begins, _), (ends, result) in zip(methods, own[::2], own[1::2], strict=True):
            found.append(_Call(number, method, begins, ends, result))
    return found


def _explained(kind: Kind, history: list[_Call], level: str) -> bool:
    return any(_is_allowed(order, level) and _returns(kind, order) for order in permutations(history))


def _is_allowed(order: tuple[_Call, ...], level: str) -> bool:
    return not any(
        later.ends < earlier.begins and _matters(later, earlier, order, level)
        for earlier, later in combinations(order, 2)
    )


def _matters(first: _Call, second: _Call, history: tuple[_Call, ...], level: str) -> bool:
    """Whether it matters to a level that one call has ended before another one began."""
    if level == "sequentially consistent":
        return first.thread == second.thread
    moments = range(first.ends, second.begins)
    return level == "linearizable" or any(
        not any(call.begins <= moment < call.ends for call in history) for moment in moments
    )


def _returns(kind: Kind, order: tuple[_Call, ...]) -> bool:
    memory = dict.fromkeys(CELLS, 0)
    for call in order:
        registers = {"x": 0, "y": 0}
        for instruction in kind[call.method]:
            match instruction:
                case ("return", register) if registers[register] != call.result:
                    return False
                case ("load", register, cell):
                    registers[register] = memory[cell]
                case ("store", cell, register, more):
                    memory[cell] = registers[register] + more
                case ("add", register, cell):
                    registers[register], memory[cell] = memory[cell], memory[cell] + 1
                case ("swap", register, cell, value):
                    registers[register], memory[cell] = memory[cell], value
    return True
