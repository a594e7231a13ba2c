"""Local graphs of a certificate, confirmed edge by edge: each by running thread code from the history that it names.

A node is a local state of a thread, an edge a step: what its operation reads, what it then writes, and where that
leads. The history of a node is the way by the edges that come to each node first. Values and locations are numbered;
what a number stands for is bound where code shows it first, and must be the same ever after.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from replay.certify.form import Rejected
from replay.certify.likeness import Different, Unknown, compare
from replay.code.fences import NO_FENCES
from replay.code.terminals import Blocked, Ended, Failed, Request
from replay.code.thread_run import ThreadRun
from replay.frontend.program import Program
from replay.frontend.threads import end_location, start_location
from replay.world.operation import FREE, LOCK, UNWRITTEN, WAKE, Operation
from replay.world.shown import shown
from replay.world.values import canonical_key

NONE = -1
"""Stands for "no value" and "no location" in certificates."""

READS = ("load", "rmw", "start", "join", "note")
END, ASSUMED, WAITS = "end", "assume", "wait"
KEPT = 64
"""Suspended runs that are kept; others are run again from the beginning."""


class Edge:
    """A step of a thread, as the certificate says."""

    __slots__ = ("after", "before", "read", "wrote")

    def __init__(self, before: Node, read: int, wrote: int, after: Node) -> None:
        self.before, self.read, self.wrote, self.after = before, read, wrote, after

    @property
    def only_looks(self) -> bool:
        """True if no other thread can see it: it leaves memory as it is (docs/semantics.md 1, spinning)."""
        kind, one = self.before.kind, len(self.before.choices) == 1
        looks = kind in ("load", "rmw", "fence", "store fence") or (kind == "choose" and one)
        return looks and self.before.tag != WAKE and self.wrote in (NONE, self.read)


class Node:
    """A local state. What the certificate says of it is compared with what code asks for.

    kind   of its operation; or END, ASSUMED (stopped for good), WAITS (for what no memory gives); "" if nobody came yet
    facts  what the first history asked for, so that others can be compared with it
    holds  the mutexes that its thread has taken
    entry  the edge that leads to it first, None for the first of a thread
    """

    def __init__(self, number: int, said: list[Any]) -> None:
        self.number = number
        self.thread, self.asks, self.loc, self.value, choices = said
        self.choices = tuple(choices)
        self.kind = self.tag = ""
        self.request: Any = None
        self.facts: Hashable = None
        self.holds: frozenset[int] = frozenset()
        self.entry: Edge | None = None
        self.depth = 0
        self.edges: dict[int, Edge] = {}

    @property
    def has_come_to_end(self) -> bool:
        return self.kind in (END, ASSUMED, WAITS)

    def way(self) -> list[Edge]:
        """The history of the node."""
        found, entry = list[Edge](), self.entry
        while entry is not None:
            found.append(entry)
            entry = entry.before.entry
        return found[::-1]

    def __str__(self) -> str:
        return f"state {self.number}, thread {self.thread} at '{self.asks}'"


class Thread:
    """A thread: its first node, and the thread whose nodes it has: itself, or one that it is interchangeable with."""

    def __init__(self, name: str, root: Node, like: int) -> None:
        self.name, self.root, self.like = name, root, like
        self.start, self.end = start_location(name), end_location(name)
        self.is_declared = name.isdigit()
        self.is_daemon: bool | None = None  # nobody has spawned it yet


class LocalGraphs:
    """All that a certificate says of threads alone. `confirm` raises Rejected if code says something else.

    on_trust  how many histories that join others could not be compared with these
    """

    def __init__(self, program: Program, said: dict[str, Any]) -> None:
        self._program = program.apart(said["changing"])
        self._first = self._program.instance()
        self.texts: list[str] = said["values"]
        self._numbers: dict[Hashable, int] = {}
        self._objects: dict[int, object] = {}
        self.names: list[str] = [name for name, _ in said["locations"]]
        self.first: list[int] = [value for _, value in said["locations"]]
        self._frees: bool = said["frees"]
        self.nodes = [Node(number, each) for number, each in enumerate(said["nodes"])]
        self.threads = [Thread(name, self.nodes[root], like) for name, root, like in said["threads"]]
        self._edges = said["edges"]
        self._kept: dict[tuple[int, int], ThreadRun] = {}
        self.on_trust = 0
        self.ends = {
            loc: n for loc, name in enumerate(self.names) for n, t in enumerate(self.threads) if t.end.name == name
        }
        """The thread whose end a location tells."""

    def is_given_back(self, loc: int) -> bool:
        """Returns whether a thread may release a lock that another one has."""
        return any(node.loc == loc and getattr(node.request, "gives_back", False) for node in self.nodes)

    def may_execute(self, node: Node, value: int) -> bool:
        """Returns whether the operation of a node may execute where it reads that (docs/semantics.md 2)."""
        held = self.value(value)
        if node.kind in ("start", "join"):
            return held is not None
        return node.request.ready is None or bool(node.request.ready(held))

    def step(self, node: Node, read: int) -> Edge:
        if read not in node.edges:
            raise Rejected(f"{node}: nothing says how it goes on" + (f" after {self.texts[read]}" if read >= 0 else ""))
        return node.edges[read]

    # -- confirming ------------------------------------------------------------

    def confirm(self) -> None:
        declared = [str(number) for number in range(len(self._first.threads))]
        names = [thread.name for thread in self.threads]
        if [name for name in names if name.isdigit()] != declared:
            raise Rejected(f"the program declares {len(declared)} threads, and the certificate has others")
        if (self._first.final_code is not None) != ("final" in names):
            raise Rejected("either the program or the certificate has a final function")
        for number, thread in enumerate(self.threads):
            self._begin(number, thread)
        for number, (before, read, wrote, after) in enumerate(self._edges):
            try:
                self._confirm(Edge(self.nodes[before], read, wrote, self.nodes[after]))
            except Rejected as wrong:
                raise Rejected(f"edge {number}, {self.nodes[before]}: {wrong}") from None
        self._check_interchangeable()

    def _begin(self, number: int, thread: Thread) -> None:
        first, root = self.threads[thread.like], thread.root
        if first.like != thread.like or root is not first.root or root.thread != thread.like:
            raise Rejected(f"thread {thread.name} begins where another thread does")
        if thread.is_declared:
            thread.is_daemon = self._first.threads[int(thread.name)].daemon
            self._settle(root, self._declared(number).start(), None)
        else:
            kind = "final" if thread.name == "final" else "start"
            self._compare(root, kind, kind, None if kind == "final" else thread.start, ())

    def _confirm(self, edge: Edge) -> None:
        before = edge.before
        if not before.kind or before.has_come_to_end or edge.read in before.edges:
            raise Rejected("nothing leads there, or nothing leads on, or there are two edges for what it reads")
        if (edge.read != NONE) != (before.kind in (*READS, "choose")):
            raise Rejected("it reads something, and should not, or the other way round")
        if before.kind == "choose" and edge.read not in before.choices:
            raise Rejected("it takes what there is not to choose")
        if before.kind in READS and not self.may_execute(before, edge.read):
            raise Rejected(f"it would wait where it reads {self.texts[edge.read]}")
        if before.thread != edge.after.thread:
            raise Rejected("it leads to another thread")
        members = [number for number, thread in enumerate(self.threads) if thread.like == before.thread]
        for member in members:
            run = self._run_on(member, before, edge.read)
            if run.thread.is_told_apart and len(members) > 1:
                raise Rejected(f"thread {member} asks who it is, and is said to be like another")
            self._confirm_of(member, edge, run)
        before.edges[edge.read] = edge

    def _confirm_of(self, member: int, edge: Edge, run: ThreadRun) -> None:
        """Confirms what the code of a thread does that goes on like this."""
        before, after = edge.before, edge.after
        if before.kind in ("rmw", "note") and run.wrote is not UNWRITTEN:
            self._bind(edge.wrote, run.wrote)
        elif edge.wrote != (before.value if before.kind in ("store", "unlock", "spawn") else NONE):
            raise Rejected("it writes something else, or nothing")
        request = run.pending
        if isinstance(request, Blocked) and request.wait_from >= 0:
            way = [*before.way(), edge]
            if request.wait_from < len(way):
                if after is not way[request.wait_from].before:
                    raise Rejected("a wait that fails begins again, and leads nowhere else")
                return
        self._settle(after, request, edge)
        if isinstance(request, Operation) and (after.entry is not edge or member != before.thread):
            self._compare_runs(after, run)
        if isinstance(request, Operation) and after.entry is edge:  # else it has another history
            self._kept[member, after.number] = run
            if len(self._kept) > KEPT:
                del self._kept[next(iter(self._kept))]

    def _compare_runs(self, node: Node, run: ThreadRun) -> None:
        """Another history leads to a node: its thread must stand there as that of the first one does."""
        first = self._run_on(node.thread, node)
        self._kept[node.thread, node.number] = first
        if first.interpreted is None or run.interpreted is None:
            self.on_trust += 1
            return
        try:
            compare(first.interpreted.execution, run.interpreted.execution, first.pending, run.pending)
        except Unknown:
            self.on_trust += 1
        except Different as different:
            raise Rejected(f"another history leads to {node}, where the thread stands otherwise: {different}") from None

    def _settle(self, node: Node, request: Request, edge: Edge | None) -> None:
        """A history leads to a node: it must ask for what the certificate says, and what others asked for there."""
        is_first = not node.kind
        match request:
            case Operation():
                self._look_at(node, request)
            case Ended():
                self._bind(node.value, ("returned", request.value))
                self._compare(node, END, END, None, ())
            case Blocked():
                kind = WAITS if request.wait_from >= 0 else ASSUMED
                self._compare(node, kind, kind, None, request.source)
            case Failed():
                raise Rejected(f"the thread fails: {request}")
            case _:
                raise Rejected("the thread was cut there")
        if is_first:
            node.request, node.entry = request, edge
            node.depth = edge.before.depth + 1 if edge else 0
        if is_first and edge is not None:
            taken, held = edge.before.tag == LOCK, edge.before.holds
            node.holds = held if edge.wrote == NONE else held | {edge.before.loc} if taken else held - {edge.before.loc}

    def _look_at(self, node: Node, asked: Operation) -> None:
        kind = asked.kind.value
        if kind in ("store", "unlock"):
            self._bind(node.value, asked.value)
        elif kind == "spawn":
            self._bind(node.value, ("spawned by state", node.number))
            child = [thread for thread in self.threads if thread.name == asked.target]
            if not child:
                raise Rejected(f"thread {asked.target} is missing")
            is_daemon = bool(getattr(asked.code, "daemon", False))
            if child[0].is_daemon not in (None, is_daemon):
                raise Rejected(f"thread {asked.target} is a daemon on one way, and none on another")
            child[0].is_daemon = is_daemon
        inputs: Any = asked.choices[0] if asked.spans else asked.choices
        inputs = {canonical_key(value): value for value in inputs}
        if len(inputs) != len(node.choices):
            raise Rejected("there are other values to choose from")
        for number, value in zip(node.choices, inputs.values(), strict=True):
            self._bind(number, value)
        if asked.tag == FREE and not self._frees:
            raise Rejected("it frees something, and the certificate says that no thread does")
        facts = asked.tag, asked.label, asked.target, asked.ready, asked.wait_from >= 0, asked.completes
        self._compare(node, kind, asked.describe(), asked.location, facts)
        node.tag = asked.tag

    def _compare(self, node: Node, kind: str, text: str, location: Any, facts: Hashable) -> None:
        """Say what a node is; it must be what the certificate says, and what was said before."""
        name = None if node.loc == NONE else self.names[node.loc]
        if (text, location and location.name) != (node.asks, name) or node.facts not in (None, (kind, facts)):
            raise Rejected(f"the code asks for '{text}' there, and not for '{node.asks}' ({node})")
        if location is not None:
            self._bind(self.first[node.loc], location.initial)
        node.kind, node.facts = kind, (kind, facts)

    def _check_interchangeable(self) -> None:
        """Nobody may know by its name a thread that is taken for another one."""
        alike = {thread.like for number, thread in enumerate(self.threads) if thread.like != number}
        for thread in (thread for thread in self.threads if thread.like in alike):
            known = any(getattr(node.request, "target", "") == thread.name for node in self.nodes)
            known |= any(
                self.names[node.loc] in (thread.start.name, thread.end.name) for node in self.nodes if node.loc >= 0
            )
            if known or not thread.is_declared or thread.is_daemon != self.threads[thread.like].is_daemon:
                raise Rejected(f"thread {thread.name} is known by its name, and said to be like another")

    # -- values ------------------------------------------------------------------

    def _bind(self, number: int, value: object) -> None:
        """A number stands for a value from now on, or did so before."""
        key = canonical_key(value)
        if number not in self._objects and key not in self._numbers:
            if not 0 <= number < len(self.texts) or self.texts[number] != shown(value):
                raise Rejected(f"value {number} is {shown(value)}, and not what the certificate says")
            self._objects[number], self._numbers[key] = value, number
        if self._numbers.get(key) != number:
            raise Rejected(f"value {number} is not {shown(value)}")

    def value(self, number: int) -> Any:
        """Returns the object of a value; None for no value."""
        if number != NONE and number not in self._objects:
            raise Rejected(f"value {number} is read, and nothing has written it")
        return None if number == NONE else self._objects[number]

    # -- running code ------------------------------------------------------------

    def _run_on(self, member: int, node: Node, *read: int) -> ThreadRun:
        """A run of a thread in a node, or if it is said what that reads after its operation."""
        kept = self._kept.pop((member, node.number), None)
        if kept is not None:
            for value in read:
                kept.resume(self.value(value))
            return kept
        steps = [(edge.before.request, self.value(edge.read)) for edge in node.way()]
        steps += [(node.request, self.value(value)) for value in read]
        root = self.threads[node.thread].root
        begins = root.kind in ("start", "final")
        run = self._first_step(root, steps.pop(0)[1]) if begins else self._declared(member)
        if run.repeat(steps[::-1]):
            raise Rejected("thread code is not deterministic: run again, it asks for something else")
        return run

    def _declared(self, member: int) -> ThreadRun:
        name, instance = self.threads[member].name, self._program.instance(self._first)
        run = self._new_run(name, instance.threads[int(name)], 0, None, instance.heap)
        run.thread.owner = self.threads[self.threads[member].like].name
        return run

    def _first_step(self, root: Node, spawned: Any) -> ThreadRun:
        """The code behind the first step of a thread that is spawned, or of the final function."""
        name = self.threads[root.thread].name
        if root.kind == "final":
            instance = self._program.instance(self._first)
            assert instance.final_code is not None
            return self._new_run(name, instance.final_code, 1, None, instance.heap)
        place = self.nodes[spawned[1]]
        spawner = self._run_on(self.threads[place.thread].like, place)
        asked: Any = spawner.pending
        if asked.target != name:
            raise Rejected(f"{place} does not spawn thread {name}")
        return self._new_run(name, asked.code, 1, spawner, spawner.thread.heap)

    def _new_run(self, name: str, code: Any, performed: int, spawner: ThreadRun | None, heap: Any) -> ThreadRun:
        fences = NO_FENCES if name == "final" else self._program.fences
        return ThreadRun(name, code, performed, spawner, fences=fences, checks_stores=self._frees, heap=heap)
