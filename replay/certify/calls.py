"""Clients of a class as a program that fails exactly if, for one of them, the class is not linearizable.

A certificate of that program shows what `mcr linearizable` says, or `mcr levels` of methods that are atomic. The file
of the program has the clients in plain text; the judge of what their calls return is here, and shares nothing with the
one by which they were explored. It has two parts: what calls return to one thread (`Alone`), and the orders of calls
that explain what was returned (`Judge`).
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from replay.code.terminals import Blocked, Cut, Ended, Failed
from replay.code.thread_run import ThreadRun
from replay.errors import CheckerError
from replay.frontend.history import CALLS, WRONG, History
from replay.frontend.program import Program, program
from replay.traces.loader import load_module
from replay.world.operation import UNWRITTEN, Kind, Operation
from replay.world.values import canonical_key

NO_MORE = "no more calls"
HOLDS = "what it holds"
"""The last operation of clients that look at the object in the end (`replay.frontend.ordinary.held`)."""
MOST_POINTS = 20_000
"""States in which calls of one thread may leave an object: to look at more would take too long."""
LONGEST = 100_000
"""Operations of all calls of one thread: what takes more is taken for a loop without end."""

Client = Callable[..., None]
Order = tuple[int, tuple[str | None, ...]]
"""Calls in an order that explains what was returned: where it leaves the object, and what it lets each thread's call
return that has not ended; None for a thread whose call is not in the order."""


class Alone:
    """Results of calls by one thread, one after the other: found by running them, in all sequences within a bound.

    A *point* is what calls leave behind. `steps` has for each point, by operation, what its call returns and the point
    then; nothing for a call that waits for ever.
    """

    def __init__(self, client: Client, make: Callable[..., Any], texts: Sequence[str], most: int) -> None:
        """Raises CheckerError where that is not determined, or takes too long."""
        self._operations = tuple(range(len(texts)))
        one = program(deadlocks=False)(client)
        calls = ((self._operations,) * (most + 1),)
        self._program: Program = one(make=make, history=History(_Records(), tuple(texts)), clients=calls).apart()
        self._most = most
        self.steps: list[dict[int, tuple[str, int]]] = []
        self._program.known(self._look)

    def _look(self) -> None:
        ways: list[tuple[int, ...]] = [()]
        self.steps = [{}]
        self._first = self._program.instance()
        numbers: dict[Hashable, int] = {self._run(())[1]: 0}
        for point, way in enumerate(ways):
            for operation in self._operations if len(way) < self._most else ():
                result, left = self._run((*way, operation))
                if result is None:
                    continue
                number = numbers.setdefault(left, len(ways))
                if number == len(ways):
                    ways.append((*way, operation))
                    self.steps.append({})
                self.steps[point][operation] = result, number
            if len(ways) > MOST_POINTS:
                raise CheckerError(f"calls of one thread leave more than {MOST_POINTS:,} states: ask for fewer calls")

    def _run(self, way: tuple[int, ...]) -> tuple[str | None, Hashable]:
        """Make these calls; returns what the last one returns, None if it waits for ever, and what they leave."""
        instance = self._program.instance(self._first)
        run = ThreadRun("0", instance.threads[0], checks_stores=True, heap=instance.heap)
        memory: dict[str, tuple[Any, Any]] = {}
        left: list[int] = [*way[::-1]]
        request: Any = run.start()
        for _ in range(LONGEST):
            match request:
                case Operation(kind=Kind.CHOOSE) if request.choices == (NO_MORE, *self._operations):
                    if not left:
                        told = memory.pop(CALLS, (None, None))[1]
                        return told, self._left(run, memory, way)
                    request = run.resume(left.pop())
                case Operation():
                    request = self._performed(run, request, memory)
                case Blocked():
                    request = None
                case Ended() | Failed() | Cut():
                    raise CheckerError(f"a call, made by one thread, ends the thread: {request}")
            if request is None:
                return None, None
        raise CheckerError(f"calls, made by one thread, take more than {LONGEST:,} operations")

    def _performed(self, run: ThreadRun, asked: Operation, memory: dict[str, tuple[Any, Any]]) -> Any:
        """Perform an operation; returns what the thread asks for next, None if it would wait for ever."""
        if asked.kind in (Kind.SPAWN, Kind.JOIN, Kind.START) or (asked.choices and len(asked.choices) > 1):
            raise CheckerError(
                f"a call, made by one thread, asks for: {asked.describe()}; its result is not determined"
            )
        if asked.location is None:
            return run.resume(asked.choices[0] if asked.choices else None)
        name, initial = asked.location
        value = memory.get(name, (initial, initial))[1]
        if asked.ready is not None and not asked.ready(value):
            return None
        request = run.resume(value)
        if asked.kind in (Kind.STORE, Kind.UNLOCK):
            memory[name] = initial, asked.value
        elif asked.kind in (Kind.UPDATE, Kind.NOTE) and run.wrote is not UNWRITTEN:
            memory[name] = initial, run.wrote
        return request

    def _left(self, run: ThreadRun, memory: dict[str, tuple[Any, Any]], way: tuple[int, ...]) -> Hashable:
        """Returns what calls leave behind: memory, and what the thread has counted. Two that are equal go on alike."""
        held = ((name, canonical_key(initial), canonical_key(value)) for name, (initial, value) in memory.items())
        changed = frozenset((name, value) for name, initial, value in held if value != initial)
        own = way if run.thread.locals else (*sorted(run.thread.counts.items()), *run.thread.held)
        return changed, own


class _Records:
    """An observer that keeps what the latest call returned."""

    first: object = None

    def called(self, seen: object, thread: int, operation: int) -> object:
        return None

    def returned(self, seen: object, thread: int, operation: int, result: str) -> object:
        if "⟨" in result:
            raise CheckerError(f"a call {result}: certificates compare no objects")
        return result


@dataclass(frozen=True)
class Thought:
    """The knowledge about a history: pending calls, by thread, and all orders that explain what was returned."""

    pending: tuple[int | None, ...]
    orders: frozenset[Order]
    alone: Alone = field(compare=False, repr=False)

    @property
    def may_wait(self) -> bool:
        """True if each pending call would wait for ever after some order that explains the rest."""
        return all(
            any(returns[thread] is None and operation not in self.alone.steps[point] for point, returns in self.orders)
            for thread, operation in enumerate(self.pending)
            if operation is not None
        )

    def __repr__(self) -> str:
        return "calls"


class Judge:
    """Keeps all orders of calls that explain a history so far (Wing and Gong 1993): each call in it has one moment
    between its begin and its return, and returns what it would to one thread. The set is empty if the history is not
    linearizable (Herlihy and Wing 1990)."""

    def __init__(self, alone: Alone, threads: int) -> None:
        self._alone = alone
        self.first: object = Thought((None,) * threads, frozenset({(0, (None,) * threads)}), alone)

    def called(self, seen: Any, thread: int, operation: int) -> object:
        return Thought(_with(seen.pending, thread, operation), seen.orders, self._alone)

    def returned(self, seen: Any, thread: int, operation: int, result: str) -> object:
        todo, orders = [*seen.orders], {*seen.orders}
        for point, returns in todo:  # it grows: any pending call may come next in an order
            for other, called in enumerate(seen.pending):
                if called is None or returns[other] is not None or called not in self._alone.steps[point]:
                    continue
                told, after = self._alone.steps[point][called]
                longer = after, _with(returns, other, told)
                if longer not in orders:
                    orders.add(longer)
                    todo.append(longer)
        left = frozenset(
            (point, _with(returns, thread, None)) for point, returns in orders if returns[thread] == result
        )
        return Thought(_with(seen.pending, thread, None), left, self._alone) if left else WRONG


def _with(items: tuple[Any, ...], place: int, item: Any) -> tuple[Any, ...]:
    return (*items[:place], item, *items[place + 1 :])


# -- the program -----------------------------------------------------------------------


def judged(
    client: Client,
    file: str,
    target: str,
    texts: Sequence[str],
    clients: Sequence[Any],
    before: Sequence[Any] | None = None,
) -> tuple[Any, History]:
    """Returns the class that is named, as seen from a file, and a history of calls of clients, which judges them."""
    make = named(target, Path(file).parent)
    alone = Alone(client, make, texts, sum(map(len, clients)) + len(before or ()) + (HOLDS in texts))
    return make, History(Judge(alone, len(clients) + (before is not None)), tuple(texts))


def named(target: str, folder: Path) -> Any:
    """Returns what "FILE.py::NAME", below a folder, or "package.module:NAME" names."""
    file, colons, name = target.partition("::")
    if colons:
        found: Any = load_module(folder / file)
    else:
        module, _, name = target.partition(":")
        sys.path.insert(0, str(Path.cwd()))
        try:
            found = import_module(module)
        finally:
            del sys.path[0]
    for part in name.split("."):
        found = getattr(found, part)
    return found


def source(
    target: str,
    texts: Sequence[str],
    clients: Sequence[Any],
    *,
    declares: bool,
    before: Sequence[Any] | None = None,
) -> str:
    """The text of the program; `declares` says whether the class declares its shared state on `p`. With `before`, one
    more thread makes such calls before the others begin, and looks in the end if the last call is to do so."""
    made = "make(p)" if declares else "p.share(make())"
    return "\n".join([
        *(f'"""Fails unless {_sentence(target, texts, clients, before)}."""', "", "import mcr"),
        "from replay.certify.calls import judged",
        *(["from replay.frontend.ordinary.held import held_by"] if HOLDS in texts else []),
        *("", f"CLASS, CALLS = {target!r}, {tuple(texts)!r}", f"CLIENTS = {tuple(clients)!r}", ""),
        '"""By thread, which calls it may make first, second, and so on."""',
        *([] if before is None else [f"BEFORE = {tuple(before)!r}", "", '"""The same of one that begins first."""']),
        *("", ""),
        *_lines(texts, made, before),
    ])  # fmt: skip


def _sentence(target: str, texts: Sequence[str], clients: Sequence[Any], before: Sequence[Any] | None) -> str:
    name, counts = target.rpartition(":")[2], [str(len(each)) for each in clients]
    if before is not None:
        one, other = (", ".join(texts[number] for number in each) for (each,) in clients)
        last = ", as to what it holds then, too" if HOLDS in texts else ""
        every = ", ".join(text for text in texts if text != HOLDS)
        return f"in {name} each of {one} is atomic with each of {other}, after up to {len(before)} of {every}{last}"
    calls = f"{counts[0]} calls each" if len({*counts}) == 1 else f"{' and '.join(counts)} calls"
    threads = f"{len(clients)} threads with up to {calls}"
    return f"{name} is linearizable for all clients of {threads}, of {', '.join(texts)}"


def _lines(texts: Sequence[str], made: str, before: Sequence[Any] | None) -> Iterator[str]:
    more, given = ("", "") if before is None else (", before=None", ", BEFORE")
    yield from (f"def client(p, make, history, clients{more}):", f"    thing = {made}", "")
    yield from ("    def thread(number, calls):", "        for each in calls:")
    yield from (f"            call = p.choose({NO_MORE!r}, *each)", f"            if call == {NO_MORE!r}:")
    yield from ("                return", "            with history.call(number, call) as told:")
    for number, text in enumerate(texts):
        call = "held_by(thing)" if text == HOLDS else f"thing.{text}"
        yield from (f"                if call == {number}:", f"                    told.returns({call})")
    if before is not None:
        yield from ("", "    def between(number, calls):", "        history.wait(1)", "        thread(number, calls)")
        yield from ("        p.fence()", "        history.pass_on()", "", "    def around(number):")
        yield from ("        thread(number, before)", "        p.fence()", "        history.pass_on()")
        yield "        history.wait(1 + number)"
        if HOLDS in texts:
            yield f"        thread(number, {((len(texts) - 1,),)!r})"
    which = "thread" if before is None else "thread if before is None else between"
    yield from ("", "    for number, calls in enumerate(clients):", f"        p.thread({which}, number, calls)")
    if before is not None:
        yield from ("    if before is not None:", "        p.thread(around, len(clients))")
    yield from ("", "", f"make, history = judged(client, __file__, CLASS, CALLS, CLIENTS{given})", "", "")
    yield from ("@mcr.program", "def clients(p):", f"    client(p, make, history, CLIENTS{given})", "")


def claim(file: Path) -> str:
    """Says what a program claims of a class if nothing fails in it; "" for a program that is none of these."""
    text = file.read_text()
    if "from replay.certify.calls import judged" not in text:
        return ""
    values = {ast.unparse(node.targets[0]): node.value for node in ast.parse(text).body if isinstance(node, ast.Assign)}
    target, texts = ast.literal_eval(values["(CLASS, CALLS)"])
    clients = ast.literal_eval(values["CLIENTS"])
    before = ast.literal_eval(values["BEFORE"]) if "BEFORE" in values else None
    if text not in [source(target, texts, clients, declares=declares, before=before) for declares in (False, True)]:
        return ""
    return _sentence(target, texts, clients, before)
