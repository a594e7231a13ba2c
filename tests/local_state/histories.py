"""All histories of a program's threads up to a depth, whether other threads could bring them about or not.

What has one key must have one future. So each history is led through the
code, and what follows it, for every result that it may be given, is compared
with what follows the others that have its key.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field

from replay.code.terminals import Blocked, Failed
from replay.code.thread_run import ThreadRun
from replay.errors import CheckerError
from replay.frontend.program import Program
from replay.frontend.threads import FINAL
from replay.local_state.keys import LocalStateKeys
from replay.world.operation import Kind, Operation

RESULTS = (0, 1, True)
"""What a location may hold in whose initial value there is nothing special."""

Begin = Callable[[], ThreadRun]
"""Makes a run of a thread that has not begun."""

REFUSED = "the program was refused"
"""Stands where there is no local state."""

LARGEST = 250
"""Histories of a thread that are looked at."""


@dataclass
class Node:
    """A thread after a history.

    wrote  what the last operation, an update, wrote
    shown  what it asks for, or how it ended, in words that say all that others can see of it
    key    of its local state, None in doubt
    after  the histories that are one result longer, by that result's name; none where nobody looked
    """

    history: tuple[object, ...]
    wrote: str
    shown: str
    key: Hashable | None
    doubt: str
    after: dict[str, Node] = field(default_factory=dict)


class Histories:
    """The histories of the threads of one program, each thread's with a root."""

    def __init__(self, program: Program, depth: int) -> None:
        self._program = program
        self._depth = depth
        self._keys = LocalStateKeys(self._program.instance())
        self.nodes: list[Node] = []
        declared = program.instance()
        for number in range(len(declared.threads)):
            self._explore(functools.partial(self._declared, number), 0)
        if declared.final_code is not None:
            self._explore(self._final, 0)

    def groups(self) -> Iterator[list[Node]]:
        """Histories that share a key, two or more."""
        found: dict[Hashable, list[Node]] = {}
        for node in self.nodes:
            if node.key is not None:
                found.setdefault(node.key, []).append(node)
        return (group for group in found.values() if len(group) > 1)

    def wrong(self) -> Iterator[tuple[Node, Node]]:
        """Histories that share a key and have different futures."""
        for first, *others in self.groups():
            yield from ((first, other) for other in others if not same_future(first, other))

    # -- running -----------------------------------------------------------------

    def _declared(self, number: int) -> ThreadRun:
        return ThreadRun(str(number), self._program.instance().threads[number])

    def _final(self) -> ThreadRun:
        code = self._program.instance().final_code
        assert code is not None
        return ThreadRun(FINAL, code, performed=1)

    def _explore(self, begin: Begin, generation: int) -> None:
        """Breadth first, so that all short histories are looked at."""
        root = self._node((), begin(), lambda run: run.start())
        waiting, count = [root], 1
        for node in waiting:
            if len(node.history) >= self._depth or count > LARGEST or node.doubt == REFUSED:
                continue
            for value in self._results(begin, node):
                run = self._at(begin, node.history)
                after = self._node((*node.history, value), run, functools.partial(_give, value))
                node.after[_name(value)] = after
                waiting.append(after)
                count += 1
            self._explore_child(begin, node, generation)

    def _explore_child(self, begin: Begin, node: Node, generation: int) -> None:
        run = self._at(begin, node.history)
        if isinstance(run.pending, Operation) and run.pending.kind is Kind.SPAWN and generation < 1:

            def child() -> ThreadRun:
                parent = self._at(begin, node.history)
                assert isinstance(parent.pending, Operation) and parent.pending.code is not None
                return ThreadRun(parent.pending.target, parent.pending.code, 1, parent)

            self._explore(child, generation + 1)

    def _at(self, begin: Begin, history: tuple[object, ...]) -> ThreadRun:
        run = begin()
        run.start()
        for value in history:
            run.resume(value)
        return run

    def _node(self, history: tuple[object, ...], run: ThreadRun, go_on: Callable[[ThreadRun], object]) -> Node:
        updates = isinstance(run.pending, Operation) and run.pending.update is not None
        try:
            go_on(run)
        except (CheckerError, KeyboardInterrupt) as error:
            node = Node(history, "", f"refused: {error}", None, REFUSED)
        else:
            key = self._keys.key_of(run)
            node = Node(history, _name(run.thread.wrote) if updates else "", _shown(run), key, self._keys.doubt)
        self.nodes.append(node)
        return node

    def _results(self, begin: Begin, node: Node) -> list[object]:
        request = self._at(begin, node.history).pending
        if not isinstance(request, Operation):
            return []
        match request.kind:
            case Kind.CHOOSE:
                return list(request.choices)
            case Kind.JOIN:
                return [("returned", 0), ("returned", (1, None))]
            case Kind.LOAD | Kind.UPDATE if request.location is not None:
                initial = request.location.initial
                return list(RESULTS) if type(initial) in (int, bool, float) else [initial]
        return [None]


def _name(value: object) -> str:
    return f"{type(value).__name__} {_ADDRESS.sub('', repr(value))}"


_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def _give(value: object, run: ThreadRun) -> None:
    run.resume(value)


def _shown(run: ThreadRun) -> str:
    """All that others can see of a request; how long the thread waits, not since when."""
    request, performed = run.pending, run.thread.performed
    match request:
        case Operation():
            parts = _name([request.kind, request.location, request.label, request.target, request.source])
            waited = performed - request.wait_from if request.wait_from >= 0 else None
            return f"{parts} {_name(request.value)} {list(map(_name, request.choices))} {waited}"
        case Blocked():
            return f"{request.reason} {request.source}"
        case Failed():
            return f"{request.error}: {request.message} {request.stack}"
    return _name(request)


def same_future(first: Node, second: Node) -> bool:
    """Whether two threads do the same as far as both were looked at."""
    if first.shown != second.shown:
        return False
    pairs = [(first.after[name], second.after[name]) for name in first.after if name in second.after]
    return all(left.wrote == right.wrote and same_future(left, right) for left, right in pairs)
