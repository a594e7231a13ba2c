"""Concurrent data structures as they are published, and their known errors, as classes that declare what they share.

Sets hold the keys 1 and 2; `None` stands for "there is nothing". Each error is a subclass that leaves out what the
algorithm is known to need.
"""

from __future__ import annotations

from typing import Any

import mcr


class TreiberStack:
    """Treiber 1986."""

    def __init__(self, p: mcr.Declarations) -> None:
        self.p = p
        self.top = p.var("top", None)

    def push(self, value: int) -> None:
        node = self.p.record("node", value=value, next=None)
        while not self.puts(node):
            pass

    def puts(self, node: Any) -> bool:
        """One try to put a node on top."""
        old = self.top.load()
        node.next.store(old)
        put: bool = self.top.compare_exchange(old, node)
        return put

    def pop(self) -> int | None:
        while True:
            old: Any = self.top.load()
            if old is None:
                return None
            if self.takes(old, old.next.load()):
                value: int = old.value.load()
                return value

    def takes(self, node: Any, after: Any) -> bool:
        """One try to take a node from the top."""
        taken: bool = self.top.compare_exchange(node, after)
        return taken


class LosingStack(TreiberStack):
    """The new top is put in place in two steps: what is pushed in between is lost."""

    def puts(self, node: Any) -> bool:
        node.next.store(self.top.load())
        self.top.store(node)
        self.p.fence()
        return True


class TwiceTakingStack(TreiberStack):
    """The top is taken in two steps: two who pop at once get the same, and one pop is lost."""

    def takes(self, node: Any, after: Any) -> bool:
        self.top.store(after)
        self.p.fence()
        return True


class ReusingStack(TreiberStack):
    """Nodes that were taken are used again, the first one first: one on top may be another one below (ABA)."""

    def __init__(self, p: mcr.Declarations) -> None:
        super().__init__(p)
        self.lock = p.mutex("lock")
        self.free = p.var("free", (self.node(), self.node()))

    def node(self) -> Any:
        return self.p.record("node", value=0, next=None)

    def push(self, value: int) -> None:
        with self.lock:
            node, *free = self.free.load() or (self.node(),)
            self.free.store(tuple(free))
        node.value.store(value)
        while not self.puts(node):
            pass

    def pop(self) -> int | None:
        while True:
            old: Any = self.top.load()
            if old is None:
                return None
            if self.takes(old, old.next.load()):
                value: int = old.value.load()
                with self.lock:
                    self.free.store((*self.free.load(), old))
                return value


class EliminationStack(TreiberStack):
    """Hendler, Shavit and Yerushalmi 2004, with one place to meet: who loses at the top offers what it pushes there."""

    def __init__(self, p: mcr.Declarations) -> None:
        super().__init__(p)
        self.offer = p.var("offer", None)

    def push(self, value: int) -> None:
        node = self.p.record("node", value=value, next=None)
        while not self.puts(node):
            if self.offer.compare_exchange(None, node) and self.was_taken(node):
                return

    def was_taken(self, node: Any) -> bool:
        """Take an offer back, unless somebody took it."""
        if self.offer.compare_exchange(node, None):
            return False
        self.offer.exchange(None)  # it says that it was taken
        return True

    def pop(self) -> int | None:
        while True:
            node: Any = self.top.load()
            if node is None:
                return None
            if not self.takes(node, node.next.load()):
                node = self.offer.load()
                if node in (None, "taken") or not self.offer.compare_exchange(node, "taken"):
                    continue
            value: int = node.value.load()
            return value


class BlindEliminationStack(EliminationStack):
    """An offer is taken back without looking whether somebody took it: it is pushed once more."""

    def was_taken(self, node: Any) -> bool:
        self.offer.exchange(None)
        return False


class MichaelScottQueue:
    """Michael and Scott 1996."""

    def __init__(self, p: mcr.Declarations) -> None:
        self.p = p
        node = p.record("first", value=None, next=None)
        self.head, self.tail = p.var("head", node), p.var("tail", node)

    def enqueue(self, value: int) -> None:
        node = self.p.record("node", value=value, next=None)
        while True:
            tail = self.tail.load()
            after = tail.next.load()
            if after is not None:
                self.tail.compare_exchange(tail, after)
            elif self.links(tail, node):
                self.tail.compare_exchange(tail, node)
                return

    def links(self, tail: Any, node: Any) -> bool:
        linked: bool = tail.next.compare_exchange(None, node)
        return linked

    def dequeue(self) -> int | None:
        while True:
            head = self.head.load()
            tail, after = self.tail.load(), head.next.load()
            if head != self.head.load():
                continue
            if head == tail:
                if after is None:
                    return None
                self.tail.compare_exchange(tail, after)
            elif self.head.compare_exchange(head, after):
                value: int = after.value.load()
                return value


class LosingQueue(MichaelScottQueue):
    """Two who enqueue behind the same node: the first one is lost."""

    def links(self, tail: Any, node: Any) -> bool:
        tail.next.exchange(node)
        return True


class ChaseLevDeque:
    """Chase and Lev 2005, with the fence that x86 needs, and one for stores that PSO needs besides (Lê et al. 2013).

    Only the owner pushes and takes.
    """

    fenced = True

    def __init__(self, p: mcr.Declarations) -> None:
        self.p = p
        self.top, self.bottom = p.var("top", 0), p.var("bottom", 0)
        self.tasks = p.array("tasks", [0] * 4)

    def push(self, task: int) -> None:
        bottom = self.bottom.load()
        self.tasks[bottom].store(task)
        self.p.store_fence()
        self.bottom.store(bottom + 1)

    def take(self) -> int | None:
        bottom = self.bottom.load() - 1
        self.bottom.store(bottom)
        if self.fenced:
            self.p.fence()
        top = self.top.load()
        if top > bottom:
            self.bottom.store(top)
            return None
        task = self.tasks[bottom].load()
        if top == bottom:
            won = self.top.compare_exchange(top, top + 1)
            self.bottom.store(top + 1)
            if not won:
                return None
        return task

    def steal(self) -> int | None:
        while True:
            top = self.top.load()
            if top >= self.bottom.load():
                return None
            task = self.tasks[top].load()
            if self.top.compare_exchange(top, top + 1):
                return task


class UnfencedDeque(ChaseLevDeque):
    """The owner and a thief get the same task."""

    fenced = False


class RingBuffer:
    """Lamport 1983: one thread puts, one gets, each told if that cannot be; a fence for stores, as PSO needs."""

    fenced = True

    def __init__(self, p: mcr.Declarations, size: int = 2) -> None:
        self.p, self.size = p, size
        self.slots = p.array("slots", [0] * size)
        self.head, self.tail = p.var("head", 0), p.var("tail", 0)

    def put(self, item: int) -> bool:
        tail = self.tail.load()
        if tail == self.head.load() + self.size:
            return False
        self.slots[tail % self.size].store(item)
        if self.fenced:
            self.p.store_fence()
        self.tail.store(tail + 1)
        return True

    def get(self) -> int | None:
        head = self.head.load()
        if head == self.tail.load():
            return None
        item: int = self.slots[head % self.size].load()
        self.head.store(head + 1)
        return item


class UnfencedRing(RingBuffer):
    """The tail moves before the slot is filled."""

    fenced = False


class LazyList:
    """Heller et al. 2005: a sorted list whose nodes have a lock and a mark each."""

    validates = True

    def __init__(self, p: mcr.Declarations) -> None:
        self.p = p
        last = self.node("last", 9, None)
        self.first = self.node("first", 0, last)

    def node(self, name: str, key: int, after: Any) -> Any:
        return self.p.record(name, key=key, next=after, marked=False, lock=self.p.mutex())

    def find(self, key: int) -> tuple[Any, Any]:
        """The last node before the key, and the one after that."""
        node: Any = self.first
        after = node.next.load()
        while after.key.load() < key:
            node, after = after, after.next.load()
        return node, after

    def change(self, key: int, *, adds: bool) -> bool:
        while True:
            node, after = self.find(key)
            with node.lock, after.lock:
                if self.validates and not self.is_valid(node, after):
                    continue
                there = after.key.load() == key
                if there == adds:
                    return False
                if adds:
                    node.next.store(self.node("node", key, after))
                else:
                    after.marked.store(True)
                    node.next.store(after.next.load())
                return True

    def is_valid(self, node: Any, after: Any) -> bool:
        return not node.marked.load() and not after.marked.load() and node.next.load() == after

    def add(self, key: int) -> bool:
        return self.change(key, adds=True)

    def remove(self, key: int) -> bool:
        return self.change(key, adds=False)

    def contains(self, key: int) -> bool:
        _, node = self.find(key)
        return node.key.load() == key and not node.marked.load()


class TrustingList(LazyList):
    """What was found before the locks were taken is taken for what is there."""

    validates = False


class HarrisList:
    """Harris 2001: a reference and the mark of the node that it is in are one word, unless `marks` is false."""

    marks = True

    def __init__(self, p: mcr.Declarations) -> None:
        self.p = p
        last = p.record("last", key=9, next=(None, False))
        self.first = p.record("first", key=0, next=(last, False))

    def find(self, key: int) -> tuple[Any, Any]:
        """The last node before the key and the one after that, neither of them marked then; takes out what is."""
        while True:
            node: Any = self.first
            after: Any = node.next.load()[0]
            while True:
                following, marked = after.next.load()
                if marked:
                    if not node.next.compare_exchange((after, False), (following, False)):
                        break
                    after = following
                elif after.key.load() >= key:
                    return node, after
                else:
                    node, after = after, following

    def add(self, key: int) -> bool:
        while True:
            node, after = self.find(key)
            if after.key.load() == key:
                return False
            new = self.p.record("node", key=key, next=(after, False))
            if node.next.compare_exchange((after, False), (new, False)):
                return True

    def remove(self, key: int) -> bool:
        while True:
            node, after = self.find(key)
            if after.key.load() != key:
                return False
            following, marked = after.next.load()
            if marked:
                continue
            if not self.marks:
                if node.next.compare_exchange((after, False), (following, False)):
                    return True
            elif after.next.compare_exchange((following, False), (following, True)):
                node.next.compare_exchange((after, False), (following, False))
                return True

    def contains(self, key: int) -> bool:
        node: Any = self.first
        marked = False
        while node.key.load() < key:
            node = node.next.load()[0]
        marked = node.next.load()[1] if node.key.load() == key else True
        return not marked


class UnmarkedList(HarrisList):
    """What is added behind a node that is taken out is lost."""

    marks = False


class SkipList:
    """A lazy skip list (Herlihy et al. 2007) of two levels: odd keys stand on both, even ones below only."""

    validates = True

    def __init__(self, p: mcr.Declarations) -> None:
        self.p = p
        last = self.node("last", 9, None, None)
        self.first = self.node("first", 0, last, last)

    def node(self, name: str, key: int, below: Any, above: Any) -> Any:
        return self.p.record(
            name, key=key, below=below, above=above, marked=False, linked=key in (0, 9), lock=self.p.mutex()
        )

    def find(self, key: int) -> tuple[Any, Any, Any, Any]:
        """On the upper level and on the lower one, the last node before the key and the one after that."""
        upper: Any = self.first
        over = upper.above.load()
        while over.key.load() < key:
            upper, over = over, over.above.load()
        lower = upper
        under = lower.below.load()
        while under.key.load() < key:
            lower, under = under, under.below.load()
        return upper, over, lower, under

    def add(self, key: int) -> bool:
        while True:
            upper, over, lower, under = self.find(key)
            if under.key.load() == key:
                if under.marked.load():
                    continue
                self.p.wait_until(lambda under=under: under.linked.load())
                return False
            with lower.lock:
                if upper == lower or key % 2 == 0:
                    done = self.link(key, upper, over, lower, under)
                else:
                    with upper.lock:
                        done = self.link(key, upper, over, lower, under)
            if done:
                return True

    def link(self, key: int, upper: Any, over: Any, lower: Any, under: Any) -> bool:
        if self.validates and not self.is_valid(lower, under, lower.below.load()):
            return False
        if key % 2:
            if self.validates and not self.is_valid(upper, over, upper.above.load()):
                return False
            new = self.node("node", key, under, over)
            lower.below.store(new)
            upper.above.store(new)
        else:
            new = self.node("node", key, under, None)
            lower.below.store(new)
        new.linked.store(True)
        return True

    def is_valid(self, node: Any, after: Any, found: Any) -> bool:
        return not node.marked.load() and not after.marked.load() and found == after

    def remove(self, key: int) -> bool:
        _, _, _, victim = self.find(key)
        if victim.key.load() != key or not victim.linked.load():
            return False
        with victim.lock:
            if victim.marked.load():
                return False
            victim.marked.store(True)
            while True:
                upper, over, lower, _ = self.find(key)
                with lower.lock:
                    if upper == lower or key % 2 == 0:
                        done = self.unlink(victim, upper, over, lower)
                    else:
                        with upper.lock:
                            done = self.unlink(victim, upper, over, lower)
                if done:
                    return True

    def unlink(self, victim: Any, upper: Any, over: Any, lower: Any) -> bool:
        if lower.marked.load() or lower.below.load() != victim:
            return False
        if over == victim:
            if upper.marked.load() or upper.above.load() != victim:
                return False
            upper.above.store(victim.above.load())
        lower.below.store(victim.below.load())
        return True

    def contains(self, key: int) -> bool:
        _, _, _, node = self.find(key)
        return node.key.load() == key and node.linked.load() and not node.marked.load()


class TrustingSkipList(SkipList):
    """What was found before the locks were taken is taken for what is there."""

    validates = False


SETS = [("add", 1), ("add", 2), ("remove", 1), ("contains", 2)]
