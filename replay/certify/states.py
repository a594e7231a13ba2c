"""Global states of a certificate: an inductive invariant, by the semantics of docs/semantics.md, read anew.

A global state says of each thread in which local state it is and what waits in its store buffers, and of each location
what it holds. The first state must be there, and with each state whatever a step makes of it; and none is a deadlock.
A state is one number, of which each component has some bits. What is left out, and why that is right, is checked too:

- *Unseen* steps are taken at once: a store into a buffer, a store fence, a fence where the own buffers are empty, a
  load of what nobody ever writes. Nobody sees them, nothing keeps the thread from them, and they commute with all that
  others do and with the commits of their thread. A thread that comes round by such steps alone stops there, so no step
  of others is put off for ever.
- Of threads that are interchangeable (`LocalGraphs`) one order is there: the numbers of their components fall.

Where runs are asked about (`replay.certify.runs`), nothing is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any, NamedTuple

from replay.certify.calls import Thought
from replay.certify.form import RUNS, Rejected
from replay.certify.local_graphs import ASSUMED, END, NONE, READS, WAITS, Edge, LocalGraphs, Node
from replay.frontend.history import CALLS
from replay.world.operation import LOCK

DRAINS = ("rmw", "fence", "unlock", "spawn", "start", "join", "final")
"""Kinds that wait until the buffers of their thread are empty (docs/semantics.md 2)."""

LOOKS = ("load", "rmw", "fence", "store fence", "choose", "join", "start", "final", END, ASSUMED, WAITS)
"""What a thread is at that may be stuck: it has nothing to do that others can see, perhaps."""

Buffers = tuple[tuple[tuple[tuple[int, int], ...], ...], ...]
"""Groups that store fences separate, the oldest first; in each the queues; in each location and value of its stores."""


def stored(model: str, buffers: Buffers, loc: int, value: int) -> Buffers:
    """One queue for each thread under TSO, for each thread and location under PSO (docs/semantics.md 3)."""
    queues = {queue[0][0] if model == "pso" else NONE: queue for queue in (buffers[-1] if buffers else ())}
    key = loc if model == "pso" else NONE
    queues[key] = (*queues.get(key, ()), (loc, value))
    return (*buffers[:-1], tuple(queue for _, queue in sorted(queues.items())))


def separated(buffers: Buffers) -> Buffers:
    """After a store fence."""
    return (*buffers, ()) if buffers and buffers[-1] else buffers


def commits(buffers: Buffers) -> Iterator[tuple[int, int, Buffers]]:
    """The stores that may reach memory next, and what is left then."""
    for queue in buffers[0] if buffers else ():
        group = tuple(rest for each in buffers[0] if (rest := each[1:] if each is queue else each))
        left = (group, *buffers[1:]) if group else buffers[1:]
        yield *queue[0], () if left == ((),) else left


def newest(buffers: Buffers, loc: int) -> int:
    """Returns what a load finds in the buffers of its own thread; NONE if that is nothing (store forwarding)."""
    return next((v for group in buffers[::-1] for q in group for at, v in q[::-1] if at == loc), NONE)


class Process(NamedTuple):
    """A thread in a local state, with what waits in its store buffers."""

    node: Node
    buffers: Buffers

    @property
    def has_ended(self) -> bool:
        return self.node.kind == END and not self.buffers


class Component:
    """A part of all global states: which process a thread is, or what a location holds."""

    def __init__(self, shift: int, bits: int, items: list[Any]) -> None:
        self.shift, self.mask, self.items = shift, (1 << bits) - 1, items
        self.numbers = {item: number for number, item in enumerate(items)}

    def number(self, state: int) -> int:
        return (state >> self.shift) & self.mask

    def of(self, state: int) -> Any:
        return self.items[self.number(state)]


class Action(NamedTuple):
    """A step that a process may take next: run its operation, with an input perhaps, or let a store reach memory.

    looks_at  the component that it depends on, and may change: of a location, or of a thread whose end it asks for
    """

    thread: int
    process: Process
    looks_at: Component
    chosen: int = NONE
    commit: tuple[int, int, Buffers] | None = None


Row = tuple[bool, list[tuple[int, int, dict[int, int | None], Action]]]
"""Whether a process may be stuck, and its actions: where they look, and what they add to a state for what they find;
None if they have to wait."""


class Invariant:
    """The states of a certificate. `confirm` raises Rejected if they are no invariant, or one is a deadlock.

    states   the numbers of all states
    threads  by number, the component that says which process a thread is
    rows     the rows of these processes; their tables are full once it is confirmed
    """

    def __init__(self, graphs: LocalGraphs, said: dict[str, Any]) -> None:
        self._graphs, self._model, self._bound = graphs, said["model"], said["buffer"]
        self._deadlocks: bool = said["deadlocks"]
        self._leaves_out = said["format"] != RUNS
        self._constant = frozenset(said["constant"])
        for node in graphs.nodes:
            if node.loc in self._constant and any(edge.wrote != NONE for edge in node.edges.values()):
                raise Rejected(f"{node}: it writes to a location that is said to be constant")
        self.threads: dict[int, Component] = {}
        self._cells: dict[int, Component] = {}
        shift = 0
        for what, number, bits, items in said["components"]:
            of_thread = what == "thread"
            found = [Process(graphs.nodes[node], self._read(waits)) for node, waits in items] if of_thread else items
            (self.threads if of_thread else self._cells)[number] = Component(shift, bits, found)
            shift += bits
        if len(self.threads) + len(self._cells) < len(said["components"]) or [
            *map(self.threads.get, range(len(graphs.threads)))
        ].count(None):
            raise Rejected("a component is there twice, or a thread is none")
        self.states = list(accumulate(said["states"]))
        self._known = frozenset(self.states)
        self.rows = {number: [self._row(number, each) for each in part.items] for number, part in self.threads.items()}
        self._sort = self._sorting()

    def _read(self, waits: list[Any]) -> Buffers:
        """Reads what waits in buffers, as the certificate says; queues in order."""
        found: Buffers = ()
        for number, group in enumerate(waits):
            found = separated(found) if number else found
            for loc, value in (store for queue in group for store in queue):
                found = stored(self._model, found, loc, value)
        return found

    def _sorting(self) -> Callable[[int], int]:
        """From a state to the one that stands for it."""
        likes = [thread.like for thread in self._graphs.threads]
        if likes != [*range(len(likes))] and not self._leaves_out:
            raise Rejected("threads are said to be interchangeable where runs are asked about")
        groups = [[self.threads[n] for n, each in enumerate(likes) if each == like] for like in {*likes}]
        groups = [parts for parts in groups if len(parts) > 1]
        if any((part.mask, part.items) != (parts[0].mask, parts[0].items) for parts in groups for part in parts):
            raise Rejected("interchangeable threads have different components")
        bits = sum(part.mask << part.shift for parts in groups for part in parts)
        known: dict[int, int] = {}

        def sort(state: int) -> int:
            held = state & bits
            if held not in known:
                known[held] = 0
                for parts in groups:
                    falling = sorted((part.number(held) for part in parts), reverse=True)
                    for part, number in zip(parts, falling, strict=True):
                        known[held] += number - part.number(held) << part.shift
            return state + known[held]

        return sort if groups else lambda state: state

    # -- the invariant -----------------------------------------------------------

    def confirm(self) -> int:
        """Returns how many states there are."""
        known, sort, graphs = self._known, self._sort, self._graphs
        parts: list[tuple[Component, Any]]
        parts = [(part, self._at_once(Process(graphs.threads[n].root, ()))) for n, part in self.threads.items()]
        parts += [(part, graphs.first[loc]) for loc, part in self._cells.items()]
        if sort(sum(self._number(part, item) << part.shift for part, item in parts)) not in known:
            raise Rejected("the first global state is missing")
        order = sorted(self.threads, key=lambda thread: (graphs.threads[thread].like, thread))
        threads = [
            (self.threads[n].shift, self.threads[n].mask, self.rows[n], graphs.threads[n].like != n) for n in order
        ]
        for state in self.states:
            may_be_stuck, last = True, NONE
            for shift, mask, rows, is_like_last in threads:
                number = (state >> shift) & mask
                if is_like_last and number == last:
                    continue  # what it does leads to states that stand for those of the one before
                last = number
                is_stuck, actions = rows[number]
                may_be_stuck &= is_stuck
                for at, looked, table, action in actions:
                    value = (state >> at) & looked
                    try:
                        added = table[value]
                    except KeyError:
                        added = table[value] = self._added(action, value)
                    if added and sort(state + added) not in known:
                        raise Rejected(f"of state {state} what comes after it is missing: {action.process.node}")
            if may_be_stuck:
                self._look_at_end(state)
        return len(self.states)

    def _number(self, part: Component, item: Any) -> int:
        if item not in part.numbers:
            what = f"{item.node} with {item.buffers} waiting" if isinstance(item, Process) else self._graphs.texts[item]
            raise Rejected(f"no state has what a step leads to: {what}")
        return part.numbers[item]

    # -- steps -----------------------------------------------------------------------

    def _row(self, thread: int, process: Process) -> Row:
        node, buffers = process
        if not node.kind or node.thread != self._graphs.threads[thread].like:
            raise Rejected(f"{node}: nothing leads there, in thread {thread}")
        found = [Action(thread, process, self._cell(each[0]), commit=each) for each in commits(buffers)]
        if not (node.has_come_to_end or node.kind == "final" or (node.kind in DRAINS and buffers)):
            looks_at = Component(0, 0, [NONE])
            if node.loc in self._graphs.ends:
                looks_at = self.threads[self._graphs.ends[node.loc]]
            elif (
                node.loc != NONE and (node.kind != "store" or self._model == "sc") and newest(buffers, node.loc) == NONE
            ):
                looks_at = self._cell(node.loc)
            found += [Action(thread, process, looks_at, each) for each in node.choices or (NONE,)]
        rows = [(action.looks_at.shift, action.looks_at.mask, dict[int, int | None](), action) for action in found]
        return not buffers and node.kind in LOOKS, rows

    def _cell(self, loc: int) -> Component:
        if loc not in self._cells:
            raise Rejected(f"no state says what {self._graphs.names[loc]} holds")
        return self._cells[loc]

    def _added(self, action: Action, value: int) -> int | None:
        """Returns what an action adds to a global state in which it finds `value`; None if it has to wait."""
        thread, process, looks_at, _, commit = action
        if commit is not None:
            after, wrote = Process(process.node, commit[2]), commit[1]
        else:
            read = self.read_by(action, value)
            if process.node.kind in READS and not self._graphs.may_execute(process.node, read):
                return None
            after, wrote = self._run(process, read)
        part = self.threads[thread]
        added = self._number(part, self._at_once(after)) - self._number(part, process) << part.shift
        return added if wrote == NONE else added + (self._number(looks_at, wrote) - value << looks_at.shift)

    def read_by(self, action: Action, value: int) -> int:
        """Returns what the operation of an action reads, or takes as its input, where it finds `value`."""
        node, buffers = action.process
        if node.kind not in READS:
            return action.chosen
        read = self._held(node, action.looks_at.items[value])
        return newest(buffers, node.loc) if read == NONE else read

    def _held(self, node: Node, held: Any) -> int:
        """The value that a location holds, or that of the end of a thread, which is such a process."""
        if isinstance(held, Process):
            held = held.node.value if held.has_ended else self._graphs.first[node.loc]
        return int(held)

    def _run(self, process: Process, read: int) -> tuple[Process, int]:
        """The process after an operation that reads this, and what memory then holds; NONE if it is what it was."""
        node, buffers = process
        edge = self._graphs.step(node, read)
        if node.kind == "store" and self._model != "sc":
            if sum(len(queue) for group in buffers for queue in group) >= self._bound:
                raise Rejected(f"{node}: more stores may wait than the {self._bound} of the certificate")
            return Process(edge.after, stored(self._model, buffers, node.loc, node.value)), NONE
        return Process(edge.after, separated(buffers) if node.kind == "store fence" else buffers), edge.wrote

    def _at_once(self, process: Process) -> Process:
        """Returns the process after the steps that no other can see."""
        if not self._leaves_out:
            return process
        passed = set[Process]()
        after = process
        while after not in passed:
            process, (node, buffers) = after, after
            passed.add(process)
            constant = node.kind == "load" and node.loc in self._constant and node.loc not in self._graphs.ends
            stores, fence = node.kind == "store" and self._model != "sc", node.kind == "fence" and not buffers
            if constant or stores or fence or node.kind == "store fence":
                after, _ = self._run(process, self._graphs.first[node.loc] if constant else NONE)
        return process

    # -- ends ------------------------------------------------------------------------

    def begun(self, state: int) -> dict[int, Process]:
        """Returns the threads that are declared or were spawned, the final function aside."""
        graphs, found = self._graphs, dict[int, Process]()
        for number, part in self.threads.items():
            start = next((loc for loc in self._cells if graphs.names[loc] == graphs.threads[number].start.name), NONE)
            spawned = start != NONE and self._cells[start].of(state) != graphs.first[start]
            if graphs.threads[number].is_declared or spawned:
                found[number] = part.of(state)
        return found

    def _look_at_end(self, state: int) -> None:
        """A state in which all threads have ended, wait or look: the final function begins, or it may be a deadlock."""
        found = self.begun(state)
        if not all(process.has_ended for process in found.values()):
            if self._deadlocks:
                self._check_no_deadlock(state, found)
            return
        for part in self.threads.values():
            process = part.of(state)
            if process.node.kind == "final":
                after = self._number(part, self._at_once(self._run(process, NONE)[0]))
                if self._sort(state + (after - part.number(state) << part.shift)) not in self._known:
                    raise Rejected(f"state {state} is the end, and the final function does not begin")

    def _check_no_deadlock(self, state: int, processes: dict[int, Process]) -> None:
        """docs/semantics.md 6: who waits, waits for one that stopped at an assumption, directly or through others."""
        left = {number: process.node for number, process in processes.items() if not process.has_ended}
        hopeful = {number for number, node in left.items() if node.kind == ASSUMED}
        waiting = {number: node for number, node in left.items() if number not in hopeful}
        if not all(self._waits(state, node) for node in waiting.values()):
            return
        awaited = {number: self._awaited(node, processes) for number, node in waiting.items()}
        while found := {
            n for n, who in awaited.items() if n not in hopeful and (hopeful if who is None else hopeful & who)
        }:
            hopeful |= found
        left_over = [self._graphs.threads[number] for number in waiting if number not in hopeful]
        if not all(thread.is_daemon for thread in left_over) and not self._may_wait(state):
            raise Rejected(f"state {state} is a deadlock, of threads {', '.join(thread.name for thread in left_over)}")

    def _may_wait(self, state: int) -> bool:
        """Returns whether calls that have not returned have to wait, says their judge (`replay.certify.calls`)."""
        thoughts = [
            self._graphs.value(c.of(state)) for loc, c in self._cells.items() if self._graphs.names[loc] == CALLS
        ]
        return any(type(thought) is Thought and thought.may_wait for thought in thoughts)

    def _waits(self, state: int, first: Node) -> bool:
        """Returns whether a thread, while no other moves, has to wait, or only looks and comes back to where it was."""
        node, passed = first, set[int]()
        while node.number not in passed:
            passed.add(node.number)
            if node.has_come_to_end or len(node.choices) > 1:
                return node.kind == WAITS and node is first
            read = node.choices[0] if node.choices else NONE
            if node.kind in READS:
                parts = self._cells if node.loc not in self._graphs.ends else self.threads
                part = parts.get(self._graphs.ends.get(node.loc, node.loc))
                read = self._graphs.first[node.loc] if part is None else self._held(node, part.of(state))
                if not self._graphs.may_execute(node, read):
                    return node is first
            edge: Edge = self._graphs.step(node, read)
            if not edge.only_looks:
                return False
            node = edge.after
        return True

    def _awaited(self, node: Node, processes: dict[int, Process]) -> set[int] | None:
        """For whom a thread waits; None for anybody."""
        if node.kind == "join":
            return {self._graphs.ends[node.loc]}
        if node.tag != LOCK or self._graphs.is_given_back(node.loc):
            return None
        owners = {number for number, process in processes.items() if node.loc in process.node.holds}
        return None if not owners or any(processes[number].has_ended for number in owners) else owners
