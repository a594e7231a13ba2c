"""Ordinary classes that keep something in the class: counters, registries, single instances."""

# ruff: noqa: RUF012

from __future__ import annotations

import itertools
import threading
from abc import ABC, abstractmethod
from collections import defaultdict


class Account:
    total = 0
    opened = 0
    limit = 100
    rates = {"normal": 2}
    _lock = threading.Lock()
    __audits = 0

    def __init__(self, balance=0):
        self.balance = balance
        Account.opened += 1

    def deposit(self, amount):
        Account.total += amount * self.rates["normal"]

    def deposit_locked(self, amount):
        with self._lock:
            type(self).total += amount

    def withdraw(self, amount):
        self.__class__.total -= amount

    @classmethod
    def audit(cls):
        cls.__audits += 1
        return cls.__audits

    @staticmethod
    def reset():
        setattr(Account, "total", 0)  # noqa: B010

    def forget(self):
        try:
            del Account.total
        except AttributeError as error:
            return str(error)
        return hasattr(self, "total")


class Saving(Account):
    def save(self):
        type(self).total += 1


class Missing:
    def __repr__(self):
        return "missing"


class Choosing:
    MISSING = Missing()

    def __init__(self):
        self.count = 0

    def chosen(self, value=MISSING):
        self.count += 1
        return value is self.MISSING


class Tabled:
    table = {}

    def put(self):
        Tabled.table["x"] = 1


TABLE = Tabled.table


class Registry:
    names = []
    groups = defaultdict(list)
    everybody = {}

    def __init__(self, name):
        Registry.everybody[name] = self
        self.name = name
        self.friends = 0

    def enter(self):
        if self.name not in self.names:
            self.names.append(self.name)

    @classmethod
    def group(cls, kind, name):
        cls.groups[kind].append(name)
        return len(cls.groups[kind])

    @classmethod
    def find(cls, name):
        found = cls.everybody.get(name)
        return None if found is None else found.name


class Lazy:
    _instance = None

    @classmethod
    def instance(cls):
        if cls._instance is None:
            cls._instance = cls()
        return cls._instance


class New:
    _instance = None

    def __new__(cls):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __init__(self):
        self.count = 0

    def up(self):
        self.count += 1
        return self.count


class Asked:
    def __new__(cls):
        if not hasattr(cls, "_it"):
            cls._it = object.__new__(cls)
        return cls._it


class Checked:
    _instance = None
    _lock = threading.Lock()

    @classmethod
    def instance(cls):
        if cls._instance is None:
            with cls._lock:
                if cls._instance is None:
                    cls._instance = cls()
        return cls._instance


class Meta(type):
    _instances = {}

    def __call__(cls, *args):
        if cls not in cls._instances:
            cls._instances[cls] = super().__call__(*args)
        return cls._instances[cls]


class Made(metaclass=Meta):
    def __init__(self):
        self.ready = True


class Plugin(ABC):
    known = []

    @abstractmethod
    def run(self): ...

    @classmethod
    def register(cls, name):
        cls.known = [*cls.known, name]


class Loud(Plugin):
    def run(self):
        return self.known


class Numbered:
    _numbers = itertools.count(1)

    def __init__(self):
        self.number = next(self._numbers)

    @classmethod
    def of_one_more(cls):
        return next(cls._numbers)


class Gate:
    is_open = False
    passed = set()

    @classmethod
    def wait(cls):
        while not cls.is_open:
            pass
        return len(set(cls.passed))

    def open(self):
        self.passed.add(1)
        Gate.is_open = True


class Settings:
    class Default:
        def __init__(self):
            self.colour = "red"

    default = Default()
    debug = False

    def paint(self, colour):
        self.default.colour = colour

    def turn_on(self):
        kind = Settings
        kind.debug = True

    def turn_by_name(self, name):
        setattr(Settings, name, True)
