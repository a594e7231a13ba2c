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

FIRST_OBJECT = 1
"""The object that cell a holds in the beginning, where cells hold objects; 0 stands for None."""


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


def random_object_kind(seed: int) -> Kind:
    """A class whose methods keep, make and return objects."""
    rng = random.Random(f"objects {seed}")

    def instruction() -> Instruction:
        register, cell = rng.choice("xy"), rng.choice(CELLS)
        choices = [("load", register, cell)] * 2 + [("store", cell, register, 0)] * 2
        return rng.choice([*choices, ("make", register), ("ensure", register)])

    return tuple((*(instruction() for _ in range(rng.randint(1, 4))), ("return", rng.choice("xy"))) for _ in range(2))


def object_source(kind: Kind) -> str:
    """A class of `random_object_kind` as ordinary Python."""
    lines = ["class Token:", "    pass", "", "", "class Thing:", "    def __init__(self):"]
    lines += ["        self.a = Token()", "        self.b = None"]
    for number, method in enumerate(kind):
        lines += ["", f"    def m{number}(self):", "        x = y = None"]
        lines += [f"        {_ordinary(each)}" for each in method]
    return "\n".join(lines) + "\n"


def _ordinary(instruction: Instruction) -> str:
    match instruction:
        case ("load", register, cell):
            return f"{register} = self.{cell}"
        case ("store", cell, register, _):
            return f"self.{cell} = {register}"
        case ("make", register):
            return f"{register} = Token()"
        case ("ensure", register):
            return f"{register} = Token() if {register} is None else {register}"
    return f"return {instruction[1]}"


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

    number: int
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


def judge(kind: Kind, threads: int, calls: int, model: str, *, objects: bool = False) -> str:
    """The level that holds for all clients of so many threads with so many calls each: which weaker ones do, if not
    the strongest; "" for none. With `objects`, cells hold objects, which are compared by their identity."""
    holding = list(LEVELS)
    one = list(product(range(len(kind)), repeat=calls))
    for client in combinations_with_replacement(one, threads):
        for events in _histories(kind, client, model, objects):
            history = _calls(client, events)
            holding = [level for level in holding if _explained(kind, history, level, objects)]
    return holding[0] if LEVELS[0] in holding else " and ".join(holding)


def _initial(objects: bool) -> dict[str, int]:
    return {"a": FIRST_OBJECT if objects else 0, "b": 0}


def _fresh(thread: int, call: int, at: int) -> int:
    """The number of the object that an instruction makes, which runs once in a call."""
    return FIRST_OBJECT + 1 + at + 10 * call + 100 * thread


def _histories(kind: Kind, client: tuple[tuple[int, ...], ...], model: str, objects: bool) -> set[Any]:
    return {events for events, _ in _ends(kind, client, model, tuple(_initial(objects).items()))}


def _ends(kind: Kind, client: tuple[tuple[int, ...], ...], model: str, memory: _Memory) -> set[Any]:
    """The histories of a client that begins with this memory, each with the memory in the end."""
    moves = [cache(partial(_moves, kind, methods, model)) for methods in client]
    first: _State = (tuple(_Thread(number) for number in range(len(client))), memory, ())
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
            found.add((events, memory))
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
        case ("make", register):
            registers[register] = _fresh(thread.number, thread.call, thread.at)
        case ("ensure", register):
            registers[register] = registers[register] or _fresh(thread.number, thread.call, thread.at)
    return [*found, (new._replace(registers=(registers["x"], registers["y"])), tuple(now.items()), None)]


def _calls(client: tuple[tuple[int, ...], ...], events: tuple[tuple[int, str, int], ...]) -> list[_Call]:
    found = []
    for number, methods in enumerate(client):
        own = [(place, result) for place, (thread, _, result) in enumerate(events) if thread == number]
        for method, (begins, _), (ends, result) in zip(methods, own[::2], own[1::2], strict=True):
            found.append(_Call(number, method, begins, ends, result))
    return found


def _explained(kind: Kind, history: list[_Call], level: str, objects: bool) -> bool:
    return any(
        _is_allowed(order, level) and _agree(_returned(kind, order, objects), [each.result for each in order], objects)
        for order in permutations(history)
    )


def _agree(expected: list[int], seen: list[int], objects: bool) -> bool:
    """Whether results are the same; objects are the same if one is always where the other is."""
    if not objects:
        return expected == seen
    pairs = {(0, 0), *zip(expected, seen, strict=True)}
    return len(pairs) == len({one for one, _ in pairs}) == len({other for _, other in pairs})


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


def _returned(kind: Kind, order: tuple[_Call, ...], objects: bool) -> list[int]:
    """What the calls return, one after the other."""
    memory = _initial(objects)
    return [_called(kind[call.method], memory, number) for number, call in enumerate(order)]


def _called(method: Method, memory: dict[str, int], number: int) -> int:
    """What a call returns that nobody else disturbs, `number` of one thread; memory is changed."""
    registers = {"x": 0, "y": 0}
    for at, instruction in enumerate(method):
        match instruction:
            case ("return", register):
                return registers[register]
            case ("load", register, cell):
                registers[register] = memory[cell]
            case ("store", cell, register, more):
                memory[cell] = registers[register] + more
            case ("add", register, cell):
                registers[register], memory[cell] = memory[cell], memory[cell] + 1
            case ("swap", register, cell, value):
                registers[register], memory[cell] = memory[cell], value
            case ("make", register):
                registers[register] = _fresh(0, number, at)
            case ("ensure", register):
                registers[register] = registers[register] or _fresh(0, number, at)
    raise AssertionError("a method ends with what it returns")


EARLIER, LATER = 50, 60
"""The numbers of the first call before two concurrent ones, and of the one after them: objects are known by them."""


def is_atomic(kind: Kind, pair: tuple[int, int], before: int, model: str, *, objects: bool = False) -> bool:
    """Whether two methods are, called at once after up to so many calls: an order of the two returns what they and any
    one call after them return; with `objects`, one also leaves the same, whatever the objects are called."""
    client = tuple((each,) for each in pair)
    for earlier in (each for number in range(before + 1) for each in product(range(len(kind)), repeat=number)):
        memory = _initial(objects)
        known = [_called(kind[method], memory, EARLIER + number) for number, method in enumerate(earlier)]
        for events, left in _ends(kind, client, model, tuple(memory.items())):
            orders = [each for each in permutations(_calls(client, events)) if _is_allowed(each, LEVELS[0])]
            if not _is_pair_explained(kind, known, memory, orders, dict(left), objects):
                return False
    return True


def _is_pair_explained(
    kind: Kind,
    known: list[int],
    memory: dict[str, int],
    orders: list[tuple[_Call, ...]],
    left: dict[str, int],
    objects: bool,
) -> bool:
    """Whether calls that left this memory are explained by orders, after calls that returned what is known."""
    runs = []
    for order in orders:
        after = dict(memory)
        expected = [_called(kind[call.method], after, number) for number, call in enumerate(order)]
        runs.append(([*known, *expected], [*known, *(each.result for each in order)], after))
    looks = not objects or any(
        _agree(expected, seen, objects) and _shape(after) == _shape(left) for expected, seen, after in runs
    )
    return looks and all(
        any(
            _agree([*expected, _called(method, {**after}, LATER)], [*seen, _called(method, {**left}, LATER)], objects)
            for expected, seen, after in runs
        )
        for method in kind
    )


def _shape(memory: dict[str, int]) -> tuple[bool, bool, bool]:
    """What cells hold, but for the names of objects."""
    return memory["a"] == 0, memory["b"] == 0, memory["a"] == memory["b"]
