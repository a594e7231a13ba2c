"""Bugs that the tests of other checkers contain, as classes of our own, with the clients that these checkers need.

Lincheck (JVM, 3.6), LTest (C++, dmitrii-artuhov/lincheck-cpp) and lincheck for Rust (SmnTin/lincheck) draw clients at
random or are given one; the number of calls beside each bug is that of the client that their test gives, or of the
smallest one that could show it to them. What needs coroutines or memory orders that are weaker than PSO's is not here:
Relinche's own failing tests (an exchange without release, stacks and queues that do not synchronise their users) are of
the second kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import mcr
from mcr.linearizability.search import Linearizability, linearizable
from tests.linearizability import structures


class Counter:
    """Reads, then writes."""

    def __init__(self) -> None:
        self.count = 0

    def increment_and_get(self) -> int:
        self.count += 1
        return self.count

    def get_and_increment(self) -> int:
        count = self.count
        self.count = count + 1
        return count

    def fails(self) -> None:
        raise ValueError("always")


class CountingInSteps(Counter):
    """What others have added in between is returned, too."""

    def increment_and_get(self) -> int:
        self.count = count = self.count + 1
        return max(count, self.count)


class CellCounter:
    """A volatile cell."""

    def __init__(self, p: mcr.Declarations) -> None:
        self.count = p.var("count", 0)

    def increment_and_get(self) -> int:
        count: int = self.count.load() + 1
        self.count.store(count)
        return count


class ArrayCounter:
    """A counter in a list."""

    def __init__(self) -> None:
        self.counters = [Counter()]

    def increment_and_get(self) -> int:
        return self.counters[0].increment_and_get()


class LockedCounter(Counter):
    """Right, but its specification never fails."""

    def __init__(self, p: mcr.Declarations) -> None:
        self.cell = p.var("cell", 0)

    def get_and_increment(self) -> int:
        count: int = self.cell.fetch_add(1)
        return count


class NeverFailing(Counter):
    def fails(self) -> None:
        pass


class Register:
    """Each writes its own cell and reads the other's."""

    def __init__(self, p: mcr.Declarations) -> None:
        self.x, self.y = p.var("x", 0), p.var("y", 0)

    def one(self) -> int:
        self.x.store(1)
        read: int = self.y.load()
        return read

    def two(self) -> int:
        self.y.store(1)
        read: int = self.x.load()
        return read


class Flags:
    """Two flags, written and read with nothing else."""

    def __init__(self, p: mcr.Declarations) -> None:
        self.x, self.y = p.var("x", False), p.var("y", False)

    def write_x(self) -> None:
        self.x.store(True)

    def write_y(self) -> None:
        self.y.store(True)

    def read_x(self) -> bool:
        read: bool = self.x.load()
        return read

    def read_y(self) -> bool:
        read: bool = self.y.load()
        return read


class ManySwitches:
    """Fails only if the two threads take turns ten times."""

    def __init__(self) -> None:
        self.first = self.second = self.third = self.fourth = self.fifth = False

    def foo(self) -> None:
        self.first = True
        self.first = False
        if self.second:
            self.third = True
            self.third = False
            if self.fourth:
                self.fifth = True
                self.fifth = False

    def bar(self) -> None:
        if self.first:
            self.second = True
            self.second = False
            if self.third:
                self.fourth = True
                self.fourth = False
                if self.fifth:
                    raise RuntimeError("nobody comes here")


class CrossedLocks:
    """Two spin locks, taken in two orders."""

    def __init__(self, p: mcr.Declarations) -> None:
        self.a, self.b = p.var("a", False), p.var("b", False)

    def both(self, first: Any, second: Any) -> None:
        for lock in (first, second):
            while not lock.compare_exchange(False, True):
                pass
        first.store(False)
        second.store(False)

    def one(self) -> int:
        self.both(self.a, self.b)
        return 1

    def two(self) -> int:
        self.both(self.b, self.a)
        return 2


class Announcing:
    """`late` waits for what `starts` has announced; `reads` should see what was called before that."""

    def __init__(self, p: mcr.Declarations) -> None:
        self.p = p
        self.started = p.var("started", False)

    def early(self) -> None:
        pass

    def starts(self) -> None:
        self.started.store(True)

    def late(self) -> None:
        self.p.wait_until(lambda: self.started.load())

    def reads(self) -> int:
        return 0


class Announced(Announcing):
    """Its specification: `reads` gives 1 after `early`."""

    def __init__(self, p: mcr.Declarations) -> None:
        super().__init__(p)
        self.called = p.var("called", 0)

    def early(self) -> None:
        self.called.store(1)

    def reads(self) -> int:
        read: int = self.called.load()
        return read


class SnapshotSet:
    """A list of keys that are never taken out, only marked; a snapshot is two equal looks at it."""

    def __init__(self, p: mcr.Declarations) -> None:
        self.p = p
        self.first = p.record("first", key=0, next=None, deleted=True)

    def find(self, key: int) -> tuple[Any, Any]:
        """The node of a key, or None, and the last one that was seen."""
        node: Any = self.first
        while True:
            after: Any = node.next.load()
            if after is None:
                return None, node
            node = after
            if node.key.load() == key:
                return node, node

    def add(self, key: int) -> bool:
        while True:
            node, last = self.find(key)
            if node is not None:
                added: bool = node.deleted.compare_exchange(True, False)
                return added
            if last.next.compare_exchange(None, self.p.record("node", key=key, next=None, deleted=False)):
                return True

    def remove(self, key: int) -> bool:
        node, _ = self.find(key)
        removed: bool = node is not None and node.deleted.compare_exchange(False, True)
        return removed

    def look(self) -> tuple[int, ...]:
        found: tuple[int, ...] = ()
        node: Any = self.first.next.load()
        while node is not None:
            if not node.deleted.load():
                found += (node.key.load(),)
            node = node.next.load()
        return found

    def snapshot(self) -> list[int]:
        while True:
            found = self.look()
            if found == self.look():
                return sorted(found)


class RemovingQueue:
    """A Michael-Scott queue from which any element can be removed: the last one is still the tail then."""

    def __init__(self, p: mcr.Declarations) -> None:
        self.p = p
        node = p.record("first", value=None, next=None, gone=False)
        self.head, self.tail = p.var("head", node), p.var("tail", node)

    def enqueue(self, value: int) -> None:
        new = self.p.record("node", value=value, next=None, gone=False)
        while True:
            tail = self.tail.load()
            if tail.gone.load():
                before = self.before(tail)
                if before.next.compare_exchange(tail, new):
                    self.tail.compare_exchange(tail, new)
                    return
            elif tail.next.compare_exchange(None, new):
                self.tail.compare_exchange(tail, new)
                return
            else:
                self.tail.compare_exchange(tail, tail.next.load())

    def before(self, node: Any) -> Any:
        each = self.head.load()
        while each is not None and each.next.load() != node:
            each = each.next.load()
        if each is None:
            raise LookupError("nobody refers to it")
        return each

    def remove(self, value: int) -> bool:
        node = self.head.load()
        while True:
            node = node.next.load()
            if node is None:
                return False
            if node.value.load() == value and node.gone.compare_exchange(False, True):
                before = self.before(node)
                before.next.compare_exchange(node, node.next.load())
                return True


class Bag:
    """What `RemovingQueue` should be."""

    def __init__(self, p: mcr.Declarations) -> None:
        self.held = p.var("held", ())

    def enqueue(self, value: int) -> None:
        self.held.store((*self.held.load(), value))

    def remove(self, value: int) -> bool:
        held = list(self.held.load())
        there = value in held
        if there:
            held.remove(value)
            self.held.store(tuple(held))
        return there


class ClaimingDeque:
    """A linked deque whose elements are claimed one by one: who polls the first one may claim what is no longer first.

    (java.util.concurrent.ConcurrentLinkedDeque, of which one element was there before.)
    """

    def __init__(self, p: mcr.Declarations) -> None:
        self.p = p
        node = p.record("last", value=1, before=None, after=None, taken=False)
        self.head, self.tail = p.var("head", node), p.var("tail", node)

    def add_first(self, value: int) -> None:
        node = self.p.record("node", value=value, before=None, after=None, taken=False)
        while True:
            head = self.head.load()
            node.after.store(head)
            if self.head.compare_exchange(head, node):
                head.before.store(node)
                self.p.fence()
                return

    def poll_first(self) -> int | None:
        node = self.head.load()
        while node is not None:
            if not node.taken.load() and node.taken.compare_exchange(False, True):
                value: int = node.value.load()
                return value
            node = node.after.load()
        return None

    def peek_last(self) -> int | None:
        node = self.tail.load()
        while node is not None:
            if not node.taken.load():
                value: int = node.value.load()
                return value
            node = node.before.load()
        return None


class SegmentQueue:
    """A queue of segments of two elements, taken by counting (fetch-and-add): nobody looks whether there is a next
    segment before an element goes to this one."""

    def __init__(self, p: mcr.Declarations) -> None:
        self.p = p
        segment = self.segment(None)
        self.head, self.tail = p.var("head", segment), p.var("tail", segment)

    def segment(self, value: int | None) -> Any:
        return self.p.record("segment", next=None, added=int(value is not None), taken=0, element0=value, element1=None)

    @staticmethod
    def element(segment: Any, number: int) -> Any:
        return segment.element1 if number else segment.element0

    def enqueue(self, value: int) -> None:
        while True:
            tail = self.tail.load()
            number = tail.added.fetch_add(1)
            if number < 2:
                if self.element(tail, number).compare_exchange(None, value):
                    return
                continue
            tail = self.tail.load()
            after = tail.next.load()
            if after is not None:
                self.tail.compare_exchange(tail, after)
            elif tail.next.compare_exchange(None, self.segment(value)):
                return

    def dequeue(self) -> int | None:
        while True:
            head = self.head.load()
            if head.taken.load() >= 2:
                after = head.next.load()
                if after is None:
                    return None
                self.head.compare_exchange(head, after)
                continue
            number = head.taken.fetch_add(1)
            if number < 2:
                value = self.element(head, number).exchange("done")
                if value is not None:
                    found: int = value
                    return found


class CheckedQueue:
    """What queues should be."""

    def __init__(self, p: mcr.Declarations) -> None:
        self.held = p.var("held", ())

    def enqueue(self, value: int) -> None:
        self.held.store((*self.held.load(), value))

    def dequeue(self) -> int | None:
        held = self.held.load()
        if not held:
            return None
        self.held.store(held[1:])
        value: int = held[0]
        return value


class HashTable:
    """Open addressing for one writer, used by several: a key is there before its value."""

    def __init__(self, p: mcr.Declarations) -> None:
        self.keys, self.values = p.array("keys", [None] * 2), p.array("values", [None] * 2)

    def slot(self, key: int) -> int | None:
        """Where the key is, or would be put."""
        for number in (key % 2, (key + 1) % 2):
            if self.keys[number].load() in (None, key):
                return number
        return None

    def put(self, key: int, value: int) -> int | None:
        number = self.slot(key)
        if number is None:
            raise OverflowError("full")
        if self.keys[number].load() is None:
            self.keys[number].store(key)
            self.values[number].store(value)
            return None
        old: int | None = self.values[number].load()
        self.values[number].store(value)
        return old

    def get(self, key: int) -> int | None:
        number = self.slot(key)
        found: int | None = None if number is None else self.values[number].load()
        return found


class ChainedMap:
    """Buckets of pairs, as in java.util.HashMap: each who puts makes a pair if there was none."""

    def __init__(self) -> None:
        self.buckets: list[list[list[int]]] = [[], []]

    def put(self, key: int, value: int) -> int | None:
        bucket = self.buckets[key % 2]
        for pair in bucket:
            if pair[0] == key:
                old = pair[1]
                pair[1] = value
                return old
        bucket.append([key, value])
        return None

    def get(self, key: int) -> int | None:
        for pair in self.buckets[key % 2]:
            if pair[0] == key:
                return pair[1]
        return None


class ShufflingQueue(CheckedQueue):
    """Gives any element."""

    def __init__(self, p: mcr.Declarations) -> None:
        super().__init__(p)
        self.p = p
        self.lock = p.mutex("lock")

    def enqueue(self, value: int) -> None:
        with self.lock:
            super().enqueue(value)

    def dequeue(self) -> int | None:
        with self.lock:
            held = self.held.load()
            if not held:
                return None
            number = self.p.choose(*range(len(held))) if len(held) > 1 else 0
            self.held.store(held[:number] + held[number + 1 :])
            value: int = held[number]
            return value


class ImpatientQueue(structures.MichaelScottQueue):
    """Gives up when it has lost three times: then it returns what somebody else took."""

    def dequeue(self) -> int | None:
        value: int | None = None
        for _ in range(3):
            head, tail = self.head.load(), self.tail.load()
            after = head.next.load()
            if head == tail:
                if after is None:
                    return None
                self.tail.compare_exchange(tail, after)
            else:
                value = after.value.load()
                if self.head.compare_exchange(head, after):
                    return value
        return value


class ScanningQueue:
    """Herlihy and Wing 1990, but who finds nothing in one look says so; a place is taken before it is filled."""

    def __init__(self, p: mcr.Declarations) -> None:
        self.end = p.var("end", 0)
        self.places = p.array("places", [None] * 6)

    def enqueue(self, value: int) -> None:
        self.places[self.end.fetch_add(1)].exchange(value)

    def dequeue(self) -> int | None:
        for number in range(self.end.load()):
            value: int | None = self.places[number].load()
            if value is not None and self.places[number].compare_exchange(value, None):
                return value
        return None


class SlotSet:
    """Open addressing, of which removed keys leave an empty place."""

    def __init__(self, p: mcr.Declarations) -> None:
        self.slots = p.array("slots", [0, 0])

    def insert(self, key: int) -> bool:
        for number in range(2):
            slot = self.slots[(key + number) % 2]
            found = slot.load()
            if found == key:
                return False
            if found == 0:
                if slot.compare_exchange(0, key):
                    return True
                if slot.load() == key:
                    return False
        return False

    def erase(self, key: int) -> bool:
        for number in range(2):
            slot = self.slots[(key + number) % 2]
            found = slot.load()
            if found == key and slot.compare_exchange(key, 0):
                return True
            if found == 0:
                return False
        return False


class HastyStack(structures.TreiberStack):
    """A push gives up when it has lost three times."""

    def push(self, value: int) -> None:
        node = self.p.record("node", value=value, next=None)
        if not self.puts(node) and not self.puts(node):
            self.puts(node)


class BoundedQueue:
    """Vyukov's queue for several producers and consumers: a place that is not filled yet hides those behind it."""

    def __init__(self, p: mcr.Declarations) -> None:
        self.head, self.tail = p.var("head", 0), p.var("tail", 0)
        self.turns, self.values = p.array("turns", [0, 1]), p.array("values", [0, 0])

    def push(self, value: int) -> bool:
        while True:
            head = self.head.load()
            turn = self.turns[head % 2].load()
            if turn < head:
                return False
            if turn == head and self.head.compare_exchange(head, head + 1):
                self.values[head % 2].store(value)
                self.turns[head % 2].fetch_add(1)
                return True

    def pop(self) -> int | None:
        while True:
            tail = self.tail.load()
            turn = self.turns[tail % 2].load()
            if turn < tail + 1:
                return None
            if turn == tail + 1 and self.tail.compare_exchange(tail, tail + 1):
                value: int = self.values[tail % 2].load()
                self.turns[tail % 2].fetch_add(1)
                return value


@dataclass(frozen=True)
class Bug:
    """A bug of another checker's tests.

    where      the test that contains it
    published  calls of its client
    slow       it takes more than three seconds
    """

    where: str
    make: Callable[..., Any]
    operations: list[Any]
    published: int
    spec: Callable[..., Any] | None = None
    threads: int = 2
    calls: int | tuple[int, ...] = 1
    only: Mapping[str, int] = field(default_factory=dict)
    model: str = "sc"
    level: str = "linearizable"
    slow: bool = False

    def found(self, options: mcr.Options | None = None) -> Linearizability:
        return linearizable(
            self.make, self.operations, spec=self.spec, threads=self.threads, calls=self.calls, only=self.only,
            model=self.model, level=self.level, options=options,
        )  # fmt: skip


UPDATES = [("add", 1), ("remove", 1), ("add", 2), ("remove", 2)]
ITEMS = [("enqueue", 1), ("enqueue", 2), "dequeue"]
FLAGS = ["write_x", "write_y", "read_x", "read_y"]
BUGS = [
    Bug("Lincheck, CounterWrong0Test", Counter, ["increment_and_get"], 2),
    Bug("Lincheck, CounterWrong1Test", CountingInSteps, ["increment_and_get"], 2),
    Bug("Lincheck, CounterWrong2Test", CellCounter, ["increment_and_get"], 2, model="tso"),
    Bug("Lincheck, CounterWithArrayWrongTest", ArrayCounter, ["increment_and_get"], 2),
    Bug("Lincheck, MinimizationTest", Counter, ["get_and_increment"], 2),
    Bug("Lincheck, MinimizationWithExceptionTest, wrong results", Counter, ["get_and_increment", "fails"], 2),
    Bug(
        "Lincheck, MinimizationWithExceptionTest, an exception",
        LockedCounter, ["get_and_increment", "fails"], 1, spec=NeverFailing,
    ),
    Bug("Lincheck, AddCustomScenarioTest", Register, ["one", "two"], 2, model="tso"),
    Bug("Lincheck, ManySwitchBugTest", ManySwitches, ["foo", "bar"], 2),
    Bug("Lincheck, SpinlockEventsCut tests", CrossedLocks, ["one", "two"], 2, model="tso"),
    Bug(
        "Lincheck, SpinlockInIncorrectResultsWithClocksTest",
        Announcing, ["early", "starts", "late", "reads"], 4, spec=Announced, calls=2,
    ),
    Bug(
        "Lincheck, LockFreeSetTest", SnapshotSet, ["snapshot", *UPDATES], 19,
        calls=(1, 7), only={"snapshot": 0, "add": 1, "remove": 1}, slow=True,
    ),
    Bug(
        "Lincheck, IncorrectQueueWithValidationFunctionsTest",
        RemovingQueue, [("enqueue", 1), ("remove", 1)], 3, spec=Bag, calls=3, threads=1,
    ),
    Bug(
        "Lincheck, ConcurrentLinkedDequeTest",
        ClaimingDeque, [("add_first", 0), "poll_first", "peek_last"], 3, calls=2,
    ),
    Bug("Lincheck, FaaQueueTest", SegmentQueue, ITEMS, 7, spec=CheckedQueue, calls=3, slow=True),
    Bug(
        "Lincheck, SingleWriterHashTableTest",
        HashTable, [("put", 1, 1), ("put", 1, 2), ("get", 1)], 7, model="tso",
    ),
    Bug("Lincheck, DataStructuresTests.incorrectHashMap", ChainedMap, [("put", 1, 1), ("get", 1)], 2),
    Bug("Lincheck, SerializableQueueTest", ShufflingQueue, ITEMS, 4, spec=CheckedQueue, calls=2),
    Bug("LTest, nonlinear_ms_queue", ImpatientQueue, [("enqueue", 1), "dequeue"], 8, calls=3, slow=True),
    Bug("LTest, nonlinear_queue", ScanningQueue, ITEMS, 4, calls=2),
    Bug("LTest, nonlinear_set", SlotSet, [("insert", 1), ("erase", 1)], 4, calls=2),
    Bug("LTest, nonlinear_treiber_stack", HastyStack, [("push", 1), "pop"], 8, calls=(2, 4), slow=True),
    Bug("LTest, race_register", Counter, ["get_and_increment"], 2),
    Bug("LTest, fast_queue", BoundedQueue, [("push", 1), ("push", 2), "pop"], 4, calls=2),
    Bug("lincheck for Rust, its tutorial", Flags, FLAGS, 4, calls=2, model="tso", level="sequentially consistent"),
]  # fmt: skip
