"""Why an instance is inconsistent: a shortest cycle in po, ppo, rf, fr, co, fence.

Two graphs must be free of cycles (docs/semantics.md 4, in the manner of
[alglave-2013]): *coherence*, per location, of po, rf, co and fr; and
*propagation*, of ppo (with fences), external rf, co and fr. Where co is not
recorded, it holds only what is forced: closure in reverse, so to say, with
the reasons kept. If that is not enough, both orders of two writes are tried,
and each gets its own cycle.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

from mcr.consistency.cycle import ActionCycle, ActionGraph, CycleEdge, Reason
from mcr.consistency.instance import INITIAL, Instance, InstanceAction
from mcr.executions.relations import Pair, preceding
from replay.world.memory_model import Access, MemoryModel


class ActionOrder:
    """ppo of a thread between its actions other than fences, by position.

    pairs      as few as imply the rest
    shortcuts  pairs that others imply, and that are preserved by themselves or by a fence
    """

    def __init__(self, line: Sequence[InstanceAction], model: MemoryModel, awaited: Set[int]) -> None:
        """`awaited` are the ends of threads that others wait for; they are no fences."""
        self._line = line
        self._model = model
        self._fences = {place for place, action in enumerate(line) if _is_fence(action) and action.id not in awaited}
        self.pairs: list[Pair] = []
        self.shortcuts: list[Pair] = []
        before: list[int] = []
        kept = {pair for pair in combinations(range(len(line)), 2) if self._is_preserved(*pair)}
        for later in range(len(line)):
            ordered = [earlier for earlier in range(later - 1, -1, -1) if (earlier, later) in kept]
            direct, implied = preceding(before, ordered.__contains__)
            self.pairs.extend((earlier, later) for earlier in direct)
            self.shortcuts.extend((earlier, later) for earlier in ordered if earlier not in direct)
            before.append(implied)

    def name(self, earlier: int, later: int) -> str:
        """The relation of a pair: fence where the model by itself does not preserve it."""
        if not self._keeps(earlier, later):
            return "fence"
        return "ppo" if self._model.buffers else "po"

    def _is_preserved(self, earlier: int, later: int) -> bool:
        if earlier in self._fences or later in self._fences:
            return False
        return self._keeps(earlier, later) or any(
            self._keeps(earlier, fence) and self._keeps(fence, later)
            for fence in sorted(self._fences)
            if earlier < fence < later
        )

    def _keeps(self, earlier: int, later: int) -> bool:
        one, two = self._line[earlier], self._line[later]
        return self._model.keeps(one.access, two.access, one.where, two.where)


def _is_fence(action: InstanceAction) -> bool:
    """A fence; a join, which waits for other threads, is none."""
    if action.reads or action.writes or action.after:
        return False
    return action.access in (Access.BARRIER, Access.STORE_BARRIER)


MAX_CYCLES = 16
"""Where both orders of many pairs of writes have to be refuted, no more than so many cycles are listed."""


@dataclass(frozen=True)
class ConsistencyExplanation:
    """Why there is no execution: one cycle, or one for each way to order some writes.

    is_whole  whether the cycles cover all ways to order the writes
    """

    cycles: tuple[ActionCycle, ...]
    is_whole: bool = True


def explain(
    instance: Instance, model: MemoryModel, coherence: tuple[Pair, ...] = (), *, fenced: tuple[Pair, ...] = ()
) -> ConsistencyExplanation | None:
    """Why the instance, with one source per read, is inconsistent; None if the axioms do not forbid it.

    `coherence` are pairs of writes in the order in which they are known to have reached memory; with some,
    no other order is tried. `fenced` are pairs of actions of one thread to be kept in order as if a fence
    stood between them.
    """
    base = _Axioms(instance, model, fenced)
    if coherence:
        cycle = base.saturate(coherence)
        return ConsistencyExplanation((cycle,)) if cycle else None
    found = _Refutation(instance).of_all_orders(base)
    return found if isinstance(found, ConsistencyExplanation) else None


def arrange(
    instance: Instance, model: MemoryModel, recorded: tuple[Pair, ...]
) -> ConsistencyExplanation | tuple[int, ...]:
    """The actions in an order of their moments, in which each of these pairs of writes, of whatever locations, is.

    Why there is none, if there is none.
    """
    base = _Axioms(instance, model, ())
    cycle = base.saturate(recorded)
    if cycle is not None:
        return ConsistencyExplanation((cycle,))
    return _Refutation(instance).of_all_orders(base)


class _Refutation:
    """Case distinction over orders of writes.

    order  the actions in an order of their moments, if not all orders of writes are refuted
    """

    def __init__(self, instance: Instance) -> None:
        self.cycles: list[ActionCycle] = []
        self.is_whole = True
        self.order: tuple[int, ...] = ()
        self._instance = instance

    def of_all_orders(self, axioms: _Axioms) -> ConsistencyExplanation | tuple[int, ...]:
        """Why no order of writes is possible; if one is, the actions in an order of their moments."""
        return ConsistencyExplanation(tuple(self.cycles), self.is_whole) if self.refute(axioms, ()) else self.order

    def refute(self, axioms: _Axioms, assumed: tuple[Pair, ...]) -> bool:
        """Returns whether every order of writes that is still open has a cycle."""
        if len(self.cycles) >= MAX_CYCLES:
            self.is_whole = False
            return True
        cycle = axioms.saturate(assumed[-1:])
        if cycle is not None:
            self.cycles.append(replace(cycle, assumed=assumed))
            return True
        pair = self._open_pair(axioms)
        if pair is None:
            self.order = axioms.propagation.sorted()
            return False
        return all(self.refute(axioms.copy(), (*assumed, way)) for way in (pair, pair[::-1]))

    def _open_pair(self, axioms: _Axioms) -> Pair | None:
        """Two writes to one location whose order is open; None if co is total, and with it all is decided."""
        for writes in self._instance.writers.values():
            for one, two in combinations(writes, 2):
                if not axioms.knows(one, two) and not axioms.knows(two, one):
                    return one, two
        return None


class _Axioms:
    """The graph of each axiom for one instance, growing with what is forced."""

    def __init__(self, instance: Instance, model: MemoryModel, fenced: tuple[Pair, ...]) -> None:
        self._instance = instance
        self._names = model.axioms
        self.coherence = ActionGraph(len(instance.actions))
        self.propagation = ActionGraph(len(instance.actions))
        self._reasons: dict[CycleEdge, Reason] = {}
        self._is_cyclic = False
        self._awaited = {end for action in instance.actions for end in action.after}
        for line in instance.threads:
            self._add_line([instance.actions[id] for id in line], model)
        for one, two in fenced:
            self.propagation.add(CycleEdge(one, "fence", two))
        for action in instance.actions:
            for earlier in action.after:
                self.propagation.add(CycleEdge(earlier, "end", action.id))
        for read in instance.good:
            self._add_source(read, instance.source(read))

    def copy(self) -> _Axioms:
        twin: _Axioms = object.__new__(_Axioms)
        twin._instance, twin._names = self._instance, self._names
        twin.coherence, twin.propagation = self.coherence.copy(), self.propagation.copy()
        twin._awaited = self._awaited
        twin._reasons = self._reasons.copy()
        twin._is_cyclic = self._is_cyclic
        return twin

    def knows(self, one: int, two: int) -> bool:
        """Returns whether `one` is known to be before `two` in co; both write one location."""
        return self.coherence.reaches(one, two) or self.propagation.reaches(one, two)

    def saturate(self, coherence: tuple[Pair, ...]) -> ActionCycle | None:
        """Add these pairs of co and what they force; a shortest cycle if there is one."""
        for one, two in coherence:
            self._add_coherence(one, two)
        while True:
            cycle = self._cycle()
            if cycle is not None or not self._force_all():
                return cycle

    def _cycle(self) -> ActionCycle | None:
        graphs = zip(self._names, (self.coherence, self.propagation), strict=True)
        cycles = ((axiom, cycle) for axiom, graph in graphs if (cycle := graph.shortest_cycle()))
        found = min(cycles, key=lambda each: len(each[1]), default=None)
        if found is None:
            return None
        axiom, edges = found
        return ActionCycle(tuple(edges), axiom, reasons=self._why(edges))

    def _why(self, edges: list[CycleEdge]) -> tuple[Reason, ...]:
        """The reasons of these edges, and of the edges in them."""
        reasons: dict[CycleEdge, Reason] = {}
        todo = edges[::-1]
        while todo:
            edge = todo.pop()
            reason = self._reasons.get(edge)
            if reason is not None and edge not in reasons:
                reasons[edge] = reason
                todo.extend(reversed(reason.path))
        return tuple(reasons.values())

    def _path(self, source: int, target: int) -> tuple[CycleEdge, ...]:
        """A shortest path in either graph."""
        graphs = [graph for graph in (self.coherence, self.propagation) if graph.reaches(source, target)]
        return min((graph.shortest_path(source, target) for graph in graphs), key=len)

    # -- edges -----------------------------------------------------------------

    def _add_line(self, line: list[InstanceAction], model: MemoryModel) -> None:
        """Program order of one thread; fences are no part of the graphs, but edges between what they order."""
        order = ActionOrder(line, model, self._awaited)
        for earlier, later in order.pairs:
            self.propagation.add(CycleEdge(line[earlier].id, order.name(earlier, later), line[later].id))
        for earlier, later in order.shortcuts:
            self.propagation.add(CycleEdge(line[earlier].id, order.name(earlier, later), line[later].id), shortcut=True)
        by_location: dict[int, list[int]] = {}
        for action in line:
            if action.reads or action.writes:
                by_location.setdefault(action.location, []).append(action.id)
        for ids in by_location.values():
            for one, two in pairwise(ids):
                self.coherence.add(CycleEdge(one, "po", two))
            for one, two in combinations(ids, 2):
                self.coherence.add(CycleEdge(one, "po", two), shortcut=True)

    def _add_source(self, read: int, source: int) -> None:
        actions = self._instance.actions
        if source == INITIAL:
            for write in self._instance.writers.get(actions[read].location, ()):
                self._add_from_read(read, write)
            return
        self.coherence.add(CycleEdge(source, "rf", read))
        if actions[source].thread != actions[read].thread:
            self.propagation.add(CycleEdge(source, "rf", read))

    def _add_coherence(self, one: int, two: int) -> bool:
        actions = self._instance.actions
        if actions[one].location != actions[two].location:
            return self.propagation.add(CycleEdge(one, "commit", two))
        return self._add_to_both(CycleEdge(one, "co", two))

    def _add_from_read(self, read: int, write: int) -> bool:
        return read != write and self._add_to_both(CycleEdge(read, "fr", write))

    def _add_to_both(self, edge: CycleEdge) -> bool:
        is_new = self.coherence.add(edge)
        is_new |= self.propagation.add(edge)
        self._is_cyclic |= is_new and self.knows(edge.target, edge.source)
        return is_new

    # -- what is forced ----------------------------------------------------------

    def _force_all(self) -> bool:
        """Closure rules 2 and 3 at every read, once, but nothing on top of a cycle; whether they add anything."""
        added = False
        for read in self._instance.good:
            added |= not self._is_cyclic and self._force(read)
        return added

    def _force(self, read: int) -> bool:
        """Closure rules 2 and 3 of [bui-2021] section 4.3 at one read; whether they add anything."""
        source = self._instance.source(read)
        if source == INITIAL:
            return False
        added = False
        for rival in self._instance.writers[self._instance.actions[read].location]:
            if rival in (source, read) or self._is_cyclic:
                continue
            if self.knows(rival, read) and not self.knows(rival, source):
                edge = CycleEdge(rival, "co", source)
                self._reasons[edge] = Reason(edge, self._path(rival, read), read)
                added |= self._add_coherence(rival, source)
            if self.knows(source, rival):
                added |= self._from_read(read, source, rival)
        return added

    def _from_read(self, read: int, source: int, rival: int) -> bool:
        """fr to a write that is known to follow the source in co."""
        if read == rival or self.propagation.has(read, rival):
            return self._add_from_read(read, rival)
        path = self._path(source, rival)
        self._add_from_read(read, rival)
        if len(path) > 1 or path[0] in self._reasons:
            self._reasons[CycleEdge(read, "fr", rival)] = Reason(CycleEdge(read, "fr", rival), path, read)
        return True
