"""A class whose methods do what no model can: each in the line after its name."""

# ruff: noqa

import multiprocessing
import signal
import socket
import subprocess
import urllib.request
import asyncio  # by no thread: two that import something at once are no model
import copy
import datetime
import heapq
import os
import pickle
import random
import secrets
import threading
import time
import uuid
import weakref
from array import array

_made_with_the_module = [threading.Condition()]


_base = object


class OfModule:
    def lock_of_module(self):
        _made_with_the_module[0].notify()


class Keyed:
    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return self.number == other.number

    def __hash__(self):
        return self.number

    def change(self):
        self.number += 1


class Whimsical:
    def __getattribute__(self, name):
        return object.__getattribute__(self, name)


class Outside:
    count = 0

    def __init__(self):
        self.x = None
        self.table = {}
        self.members = {1}
        self.items = [1]

    def clock_of_processor(self):
        self.x = time.process_time()

    def luck(self):
        self.x = random.random()

    def secret(self):
        self.x = secrets.token_hex()

    def unique(self):
        self.x = uuid.uuid4()

    def entropy(self):
        self.x = os.urandom(1)

    def read_file(self):
        self.x = open("file").read()

    def ask(self):
        self.x = input()

    def remove_file(self):
        os.remove("file")

    def connect(self):
        socket.create_connection(("localhost", 1))

    def fetch(self):
        urllib.request.urlopen("http://localhost:1")

    def run_process(self):
        subprocess.run(["true"])

    def fork(self):
        os.fork()

    def shell(self):
        os.system("true")

    def process(self):
        self.x = os.getppid()

    def processes(self):
        multiprocessing.Process(target=print).start()

    def signals(self):
        signal.signal(10, print)

    def coroutines(self):
        asyncio.new_event_loop()

    def address(self):
        self.x = id("".join(["a", "b"]))

    def all_threads(self):
        self.x = threading.active_count()

    def keep_generator(self):
        self.x = (n for n in range(3))

    def keep_iterator(self):
        self.x = iter([1])

    def keep_bytes(self):
        self.x = memoryview(bytearray(b"1"))

    def keep_array(self):
        self.x = array("i", [1])

    def keep_nan(self):
        self.x = float("nan")

    def keep_weakly(self):
        self.x = weakref.WeakValueDictionary()

    def keep_local_class(self):
        self.x = type("Local", (), {"__qualname__": "f.<locals>.Local", "__module__": __name__})()

    def keep_whimsical(self):
        self.x = Whimsical()

    def key_with_code(self):
        self.table[Keyed(1)] = 1

    def set_by_computed_name(self):
        setattr(self, "na" + "me", 1)

    def set_method(self):
        self.ask = 1

    def set_behind_the_back(self):
        _base.__setattr__(self, "x", 1), self.x

    def set_past_class(self):
        object.__setattr__(self, "x", 1)

    def give_dictionary(self):
        self.__dict__ = {}

    def set_unnoticed(self):
        _base.__setattr__(self, "x", 1)

    def read_past_class(self):
        return object.__getattribute__(self, "x")

    def delete_past_class(self):
        object.__delattr__(self, "x")

    def list_attributes(self):
        return list(vars(self))

    def copy_whole(self):
        copy.copy(self)

    def pickle_whole(self):
        pickle.dumps(self)

    def add_past_class(self):
        set.symmetric_difference_update(self.members, {2})

    def look_into(self):
        self.x = heapq._heapreplace_max(self.items, 0)

    def count_for_class(self):
        (kind := Outside) and setattr(kind, "count", 1)
