"""Ordinary classes, as users have them: nothing here knows of the checker."""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict, deque
from functools import cached_property


class Account:
    def __init__(self, balance=0):
        self.balance = balance
        self.lock = threading.Lock()

    def deposit(self, amount):
        self.balance += amount

    def deposit_locked(self, amount):
        with self.lock:
            self.balance += amount

    def withdraw(self, amount):
        if self.balance >= amount:
            self.deposit_locked(-amount)
            return True
        return False


class Slotted:
    __slots__ = ("_first", "_second")

    def __init__(self):
        self._first = 0
        self._second = None

    @property
    def first(self):
        return self._first

    @first.setter
    def first(self, value):
        self._first = value

    def swap(self):
        self._first, self._second = self._second, self._first

    def drop(self):
        del self._second


class Counter:
    count = 0

    def __init__(self):
        self.__secret = 0
        self._lock = threading.RLock()

    def up(self):
        self.count += 1

    def up_twice(self):
        with self._lock, self._lock:
            self.__secret += 1
            self.__secret += 1

    @property
    def secret(self):
        return self.__secret


class Node:
    def __init__(self, value, following):
        self.value = value
        self.following = following


class Chain:
    """A linked list."""

    def __init__(self):
        self.head = None
        self._lock = threading.Lock()

    def push(self, value):
        self.head = Node(value, self.head)

    def push_locked(self, value):
        with self._lock:
            self.push(value)

    def values(self):
        found, node = [], self.head
        while node is not None:
            found.append(node.value)
            node = node.following
        return found


class Stores:
    """One of each container."""

    def __init__(self):
        self.items = [1, 2, 3]
        self.table = {"a": 1}
        self.members = {1, 2}
        self.line = deque([1], maxlen=3)
        self.groups = defaultdict(list)
        self.order = OrderedDict(a=1, b=2)

    def note(self, key):
        if key not in self.table:
            self.table[key] = []
        self.table[key].append(1)

    def note_well(self, key):
        self.groups[key].append(1)

    def walk(self):
        return [key.upper() for key in self.table]

    def walk_copy(self):
        return [key.upper() for key in list(self.table)]

    def take(self):
        if self.items:
            return self.items.pop()
        return None


class Lazy:
    def __init__(self):
        self.made = 0
        self._value = None

    def value(self):
        if self._value is None:
            self.made += 1
            self._value = object()
        return self._value


class Report:
    @cached_property
    def text(self):
        return "text"
