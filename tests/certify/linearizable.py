"""Classes that are linearizable, each with operations: `mcr linearizable --certificate` has a proof of each."""

from __future__ import annotations

import collections
import itertools
import queue
import threading
from collections.abc import Callable
from typing import Any

from tests.linearizability import structures


class Counter:
    def __init__(self) -> None:
        self.count = 0
        self.lock = threading.Lock()

    def add(self) -> int:
        with self.lock:
            self.count += 1
            return self.count

    def get(self) -> int:
        return self.count


class Flag:
    """Reads and writes of one attribute."""

    def __init__(self) -> None:
        self.raised = False

    def raise_it(self) -> None:
        self.raised = True

    def is_raised(self) -> bool:
        return self.raised


class Register:
    def __init__(self) -> None:
        self.value = 0

    def write(self, value: int) -> None:
        self.value = value

    def read(self) -> int:
        return self.value


class Stack:
    """A list does this in one step each."""

    def __init__(self) -> None:
        self.items: list[int] = []

    def push(self, item: int) -> None:
        self.items.append(item)

    def pop(self) -> int:
        return self.items.pop()


class Deque:
    def __init__(self) -> None:
        self.items: collections.deque[int] = collections.deque()

    def append(self, item: int) -> None:
        self.items.append(item)

    def popleft(self) -> int:
        return self.items.popleft()


class Table:
    def __init__(self) -> None:
        self.table: dict[int, int] = {}

    def put(self, key: int, value: int) -> None:
        self.table[key] = value

    def get(self, key: int) -> int | None:
        return self.table.get(key)


class First:
    """The first value that is proposed stays."""

    def __init__(self) -> None:
        self.table: dict[str, int] = {}

    def propose(self, value: int) -> int:
        return self.table.setdefault("first", value)


class Account:
    def __init__(self) -> None:
        self.balance = 1
        self.lock = threading.RLock()

    def withdraw(self) -> bool:
        with self.lock:
            if self.balance < 1:
                return False
            self.balance -= 1
            return True

    def deposit(self) -> None:
        with self.lock:
            self.balance += 1


class Latch:
    """A call waits until another one was made: that it waits for ever alone is as it should be."""

    def __init__(self) -> None:
        self.event = threading.Event()

    def open(self) -> None:
        self.event.set()

    def wait(self) -> bool:
        return self.event.wait()


class Mailbox:
    def __init__(self) -> None:
        self.condition = threading.Condition()
        self.letters: list[int] = []

    def send(self, letter: int) -> None:
        with self.condition:
            self.letters.append(letter)
            self.condition.notify()

    def receive(self) -> int:
        with self.condition:
            while not self.letters:
                self.condition.wait()
            return self.letters.pop(0)


class Tickets:
    def __init__(self) -> None:
        self.numbers = itertools.count()

    def take(self) -> int:
        return next(self.numbers)


class Once:
    def __init__(self) -> None:
        self.lock, self.value = threading.Lock(), None

    def get(self) -> int | None:
        with self.lock:
            if self.value is None:
                self.value = 7
        return self.value


class Permits:
    def __init__(self) -> None:
        self.permits = threading.Semaphore(1)

    def take(self) -> bool:
        return self.permits.acquire(blocking=False)

    def give(self) -> None:
        self.permits.release()


Case = tuple[Callable[..., Any], list[Any], str, tuple[int, ...]]

CLASSES: dict[str, Case] = {
    "counter": (Counter, ["add", "get"], "sc", (2, 2)),
    "flag": (Flag, ["raise_it", "is_raised"], "sc", (3, 2)),
    "register": (Register, [("write", 1), ("write", 2), "read"], "sc", (2, 2)),
    "stack": (Stack, [("push", 1), ("push", 2), "pop"], "sc", (2, 2)),
    "deque": (Deque, [("append", 1), ("append", 2), "popleft"], "sc", (2, 2)),
    "table": (Table, [("put", 1, 1), ("put", 1, 2), ("get", 1)], "sc", (2, 2)),
    "first": (First, [("propose", 1), ("propose", 2)], "sc", (2, 1)),
    "account": (Account, ["withdraw", "deposit"], "sc", (2, 2)),
    "latch": (Latch, ["open", "wait"], "sc", (1, 1)),
    "mailbox": (Mailbox, [("send", 1), "receive"], "sc", (1, 1)),
    "tickets": (Tickets, ["take"], "sc", (2, 2)),
    "once": (Once, ["get"], "sc", (2, 1)),
    "permits": (Permits, ["take", "give"], "sc", (1, 1)),
    "queue": (queue.Queue, [("put", 1), "get_nowait"], "sc", (1, 1)),
    "last in, first out": (queue.LifoQueue, [("put", 1), "get_nowait"], "sc", (1, 1)),
    "Treiber's stack": (structures.TreiberStack, [("push", 1), "pop"], "tso", (2, 2)),
    "elimination": (structures.EliminationStack, [("push", 1), "pop"], "pso", (2, 1)),
    "Michael and Scott": (structures.MichaelScottQueue, [("enqueue", 1), "dequeue"], "tso", (2, 1)),
    "lazy list": (structures.LazyList, [("add", 1), ("remove", 1), ("contains", 1)], "tso", (1, 1)),
    "Harris's list": (structures.HarrisList, [("add", 1), ("remove", 1)], "pso", (2, 1)),
    "skip list": (structures.SkipList, [("add", 1), ("contains", 1)], "tso", (1, 1)),
}
