"""Executions as a formula, by docs/semantics.md 4 read anew: one that leaves the local graphs of a certificate, or ends
in a deadlock. If it has no solution (`replay.certify.proofs`), nothing fails.

It has one if there is such an execution: the run up to its first step that is no edge, after which all stores reach
memory. Operations of one thread, depth, kind and location are one *event*, as one of them at most is executed. An event
that is not has a moment, too: right after all that is before it in any case. An edge that leads back is not taken:
whoever takes it has come by where it leads, and only looked since; that can be struck out.
"""

from __future__ import annotations

from collections.abc import Iterator

from replay.certify.form import Rejected
from replay.certify.local_graphs import ASSUMED, END, NONE, READS, WAITS, Edge, LocalGraphs, Node
from replay.world.operation import LOCK

TRUE = 1
"""The literal that holds."""

BARRIERS = ("rmw", "fence", "unlock", "spawn", "start", "join", "final", END)
WRITES = ("store", "rmw", "unlock", "spawn", END)
PROGRAM, FINAL, LAST = range(3)
"""Who comes first in any case: the threads, the final function, who looks at memory when all is over."""


class PhasedEvent:
    """An event at a moment. Its literals: that it happens, that it writes, the bits of what it reads and writes.

    ways     the literals of the steps that write
    sources  from whom it reads, None for the first value, and the literal that it does
    """

    def __init__(self, number: int, phase: int, thread: int, depth: int, kind: str, loc: int) -> None:
        self.number, self.phase, self.thread, self.depth, self.kind, self.loc = number, phase, thread, depth, kind, loc
        self.done, self.writes = TRUE, -TRUE
        self.read, self.wrote, self.ways = list[int](), list[int](), list[int]()
        self.sources = list[tuple[PhasedEvent | None, int]]()


class Executions:
    """The clauses of the formula; literals are numbers, negative for what does not hold.

    orders  by the numbers of two events, the literal that the first is before the second
    """

    def __init__(self, graphs: LocalGraphs, model: str, *, deadlocks: bool) -> None:
        self._graphs, self._model = graphs, model
        self.clauses: list[list[int]] = [[TRUE]]
        self.literals = TRUE
        self.events: list[PhasedEvent] = []
        self.orders: dict[tuple[int, int], int] = {}
        self._places = range(len(graphs.texts).bit_length())
        self._nodes = [node for node in graphs.nodes if node.kind]
        self._steps: dict[Node, list[Edge]] = {node: [] for node in self._nodes}
        self._entries: dict[Node, list[Edge]] = {node: [] for node in self._nodes}
        self._begin_turns = self._sort_edges()
        self._ends = {thread: loc for loc, thread in graphs.ends.items()}
        alike = any(thread.like != number for number, thread in enumerate(graphs.threads))
        if alike or len(self._ends) < len(graphs.ends) or any(node.kind == "note" for node in self._nodes):
            raise Rejected("threads share a graph or an end, or tell a history of calls: only states show that")
        self._may_hold = [{first: None} for first in graphs.first]
        """By location, which values."""
        self._writers: list[list[PhasedEvent]] = [[] for _ in graphs.names]
        self._event_of: dict[Node, PhasedEvent] = {}
        self._reached = {node: self._new() for node in self._nodes}
        self._taken: dict[Edge, int] = {}
        self._stuck: dict[Node, int] = {}
        self._at_end: dict[int, PhasedEvent] = {}
        known: dict[tuple[int, int, str, int], PhasedEvent] = {}
        for node in self._nodes:
            if node.kind not in (ASSUMED, WAITS):
                self._event_of[node] = self._event(node, known)
                self._add_steps(node)
        for node, entries in self._entries.items():
            if node.entry is not None:
                self._add(-self._reached[node], *(self._taken[edge] for edge in entries))
        for event in self.events:
            self._add(-event.writes, *event.ways)
            if event.read and event.loc != NONE:
                self._add_sources(event)
        for final in (event for event in self.events if event.kind == "final"):
            for number, thread in enumerate(graphs.threads):  # those that are declared, or were spawned, have ended
                for born in self._born(number) if thread.name != "final" else ():
                    self._add(-final.done, -born, *self._ended(number))
        goals = (goal for node in self._nodes for goal in self._goals(node))
        self._add(*goals, *(self._deadlock() if deadlocks else ()))

    def _sort_edges(self) -> dict[Node, None]:
        """Finds the edges that lead on; returns the nodes to which others lead back."""
        back = list[Edge]()
        for edge in (edge for node in self._nodes for edge in node.edges.values()):
            if edge.after.depth == edge.before.depth + 1:
                self._steps[edge.before].append(edge)
                self._entries[edge.after].append(edge)
            else:
                back.append(edge)
        for last in back:
            inside, turn = {last.after}, [last]
            for edge in turn:
                if not edge.only_looks or (edge.before.entry is None and edge.before not in inside):
                    raise Rejected(f"{last.before}: it leads back to {last.after}, and that is no turn that only looks")
                if edge.before not in inside:
                    inside.add(edge.before)
                    turn += self._entries[edge.before]
        return dict.fromkeys(edge.after for edge in back)

    # -- literals ------------------------------------------------------------------------

    def _new(self) -> int:
        self.literals += 1
        return self.literals

    def _add(self, *literals: int) -> None:
        """One of the literals holds."""
        if TRUE not in literals:
            self.clauses.append([literal for literal in literals if literal != -TRUE])

    def _is(self, bits: list[int], value: int) -> list[int]:
        return [bit if value >> place & 1 else -bit for place, bit in zip(self._places, bits, strict=True)]

    def _is_not(self, bits: list[int], value: int) -> list[int]:
        return [-bit for bit in self._is(bits, value)]

    def _set(self, condition: int, bits: list[int], value: int) -> None:
        for bit in self._is(bits, value):
            self._add(-condition, bit)

    def before(self, one: PhasedEvent, other: PhasedEvent) -> int:
        """Returns that one event is before another: in the program if they are of one thread, else in time."""
        if one.phase != other.phase or one.thread == other.thread:
            return TRUE if (one.phase, one.depth) < (other.phase, other.depth) else -TRUE
        key = one.number, other.number
        if key not in self.orders:
            self.orders[key] = self._new()
            self.orders[key[::-1]] = -self.orders[key]
        return self.orders[key]

    def kept(self, one: PhasedEvent, other: PhasedEvent) -> int:
        """Returns that one event is in time before another to which its thread comes later (ppo)."""
        if self._model == "sc" or one.kind in BARRIERS:
            return TRUE
        if one.kind == "load":
            return -TRUE if other.kind == "store fence" else TRUE
        if other.kind in BARRIERS or other.kind == "store fence":
            return other.done
        stores = other.kind == "store" and (one.kind == "store fence" or one.loc == other.loc or self._model == "tso")
        return TRUE if stores else -TRUE

    def forbidden(self, cycle: list[int]) -> list[int]:
        """The clause that not each of these events is in time before the next, and the last before the first."""
        found = list[int]()
        for one, other in zip(cycle, cycle[1:] + cycle[:1], strict=True):
            first, second = self.events[one], self.events[other]
            in_order = first.thread == second.thread and first.depth < second.depth
            found.append(-self.kept(first, second) if in_order else -self.orders[one, other])
        if not found or TRUE in found:
            raise Rejected(f"events {cycle} are no cycle")
        return [literal for literal in found if literal != -TRUE]

    # -- threads -------------------------------------------------------------------------

    def _event(self, node: Node, known: dict[tuple[int, int, str, int], PhasedEvent]) -> PhasedEvent:
        loc = self._ends[node.thread] if node.kind == END else node.loc
        key = node.thread, node.depth, node.kind, loc
        if key not in known:
            phase = FINAL if self._graphs.threads[node.thread].name == "final" else PROGRAM
            event = known[key] = PhasedEvent(len(self.events), phase, *key)
            self.events.append(event)
            event.done = self._new()
            if node.kind in READS or node.choices:
                event.read = [self._new() for _ in self._places]
            if node.kind in WRITES:
                event.writes, event.wrote = self._new(), [self._new() for _ in self._places]
                self._writers[loc].append(event)
        return known[key]

    def _add_steps(self, node: Node) -> None:
        """A step is taken where the thread is, by an event that reads and writes what the step does."""
        event = self._event_of[node]
        if node.kind == END:
            self._steps[node].append(Edge(node, NONE, node.value, node))
        for edge in self._steps[node]:
            taken = self._taken[edge] = self._new()
            self._add(-taken, self._reached[node])
            self._add(-taken, event.done)
            if edge.read != NONE:
                self._set(taken, event.read, edge.read)
            if edge.wrote != NONE:
                self._add(-taken, event.writes)
                self._set(taken, event.wrote, edge.wrote)
                event.ways.append(taken)
                self._may_hold[event.loc][edge.wrote] = None

    def _goals(self, node: Node) -> Iterator[int]:
        """Yields that a thread takes a step from a node that is no edge, if it may."""
        reached = self._reached[node]
        if node.kind not in READS:
            known = [choice in node.edges for choice in node.choices or (NONE,)]
            if not (node.has_come_to_end or all(known)):
                yield self._event_of[node].done if node.kind == "final" else reached
            return
        event, values = self._event_of[node], self._may_hold[node.loc]
        known = [value for value in values if value in node.edges or not self._graphs.may_execute(node, value)]
        if len(known) < len(values):
            goal = self._new()
            self._add(-goal, reached)
            self._add(-goal, event.done)
            for value in known:
                self._add(-goal, *self._is_not(event.read, value))
            yield goal

    # -- memory --------------------------------------------------------------------------

    def _add_sources(self, reader: PhasedEvent) -> None:
        """rf and fr: who reads from a store is before what comes after that, and own stores are before it."""
        writers = [event for event in self._writers[reader.loc] if event is not reader]
        for source in (None, *writers):
            if source and source.thread == reader.thread and source.depth > reader.depth:
                continue
            reads = self._new()
            reader.sources.append((source, reads))
            if source is None:
                self._set(reads, reader.read, self._graphs.first[reader.loc])
            else:
                self._add(-reads, source.writes)
                self._add(-reads, self.before(source, reader))
                for mine, its in zip(reader.read, source.wrote, strict=True):
                    self._add(-reads, -mine, its)
                    self._add(-reads, mine, -its)
            for other in writers:
                if other is not source:
                    earlier = TRUE if source is None else self.before(source, other)
                    self._add(-reads, -other.writes, -earlier, self.before(reader, other))
        self._add(-reader.done, *(reads for _, reads in reader.sources))

    def _born(self, thread: int) -> list[int]:
        """The literals each of which says that there is such a thread."""
        found = self._graphs.threads[thread]
        return [TRUE] if found.is_declared else [event.writes for event in self._writers[found.root.loc]]

    def _ended(self, thread: int) -> list[int]:
        """The literals one of which holds if a thread has come to its end."""
        return [event.writes for event in self._writers[self._ends[thread]]]

    # -- deadlocks (docs/semantics.md 6) ----------------------------------------------------

    def _deadlock(self) -> Iterator[int]:
        """Yields that threads wait for ever, each for others of them or, with all that have not ended, for any
        thread."""
        threads = {n: thread for n, thread in enumerate(self._graphs.threads) if thread.name != "final"}
        waits, unborn = {n: self._new() for n in threads}, {n: self._new() for n in threads}
        all_wait, some_wait = self._new(), self._new()
        ways = {n: [-waits[n]] for n in threads}
        for node in [node for node in self._nodes if node.thread in threads and self._may_wait(node)]:
            way = self._new()
            ways[node.thread].append(way)
            self._add(-way, self._reached[node])
            self._add(-way, self._stuck_at(node))
            for edge in self._steps[node]:
                self._add(-way, -self._taken[edge])
            if node.kind == "join":
                target = self._graphs.ends[node.loc]
                self._add(-way, waits[target], unborn[target])
            elif node.tag == LOCK and not self._graphs.is_given_back(node.loc):
                for source, reads in self._last(node.loc).sources:
                    owner = [waits[source.thread]] if source and source.thread in threads else []
                    self._add(-way, -reads, all_wait, *owner)
            else:
                self._add(-way, all_wait)
        for n in threads:
            self._add(*ways[n])
            self._add(-all_wait, waits[n], unborn[n], *self._ended(n))
            for born in self._born(n):
                self._add(-unborn[n], -born)
        self._add(-some_wait, *(waits[n] for n, thread in threads.items() if not thread.is_daemon))
        yield some_wait

    def _may_wait(self, node: Node) -> bool:
        guarded = node.kind == "rmw" and node.request.ready is not None
        return guarded or node.kind in (WAITS, "join") or node in self._begin_turns

    def _stuck_at(self, first: Node) -> int:
        """Returns that a thread, with what memory holds in the end, only looks for ever, or comes to what it waits
        for."""
        todo = [] if first in self._stuck else [first]
        self._stuck.setdefault(first, self._new())
        for node in todo:
            stuck = self._stuck[node]
            ways = [(node.choices[0] if node.choices else NONE, list[int]())]
            if node.kind in READS:
                values = [value for value in self._may_hold[node.loc] if self._graphs.may_execute(node, value)]
                ways = [(value, self._is_not(self._last(node.loc).read, value)) for value in values]
            for read, unless in ways if node.kind != WAITS else ():
                edge = node.edges.get(read)
                after = edge.after if edge and edge.only_looks and len(node.choices) < 2 else None
                if after and after not in self._stuck:
                    self._stuck[after] = self._new()
                    todo.append(after)
                self._add(-stuck, *unless, self._stuck[after] if after else -TRUE)
        return self._stuck[first]

    def _last(self, loc: int) -> PhasedEvent:
        """Returns an event that looks at a location when all is over."""
        if loc not in self._at_end:
            event = self._at_end[loc] = PhasedEvent(NONE, LAST, NONE, 0, "load", loc)
            event.read = [self._new() for _ in self._places]
            self._add_sources(event)
        return self._at_end[loc]
