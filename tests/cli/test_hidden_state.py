"""Python objects that threads share behind the model: refused, whatever leads to them; what is harmless is not."""

from __future__ import annotations

import pytest

from tests.desk import Desk

HEAD = """
import array, collections, dataclasses, enum, fractions, functools, io, itertools, operator, random, types
import mcr

class Stack:
    count = 0
    log = []
    def __init__(self, x): self.x, self.seen = x, []
    def push(self): self.seen.append(self.x.load())
    def counted(self): Stack.count += self.x.load() + 1
    @classmethod
    def logged(cls, x): cls.log.append(x.load())
    @property
    def top(self): self.seen.append(self.x.load())

class Callable:
    def __init__(self, x): self.x, self.calls = x, 0
    def __call__(self): self.calls += self.x.load() + 1

class Slots:
    __slots__ = ("n",)
    def __init__(self): self.n = 0

class Items(list): pass

@dataclasses.dataclass(frozen=True)
class Frozen:
    key: int = 0
    log: list = dataclasses.field(default_factory=list, compare=False, repr=False)

class Node:
    def __init__(self): self.n = 0

def logged(x, *, log=[]): log.append(x.load())

def counted(x): counted.calls = getattr(counted, "calls", 0) + x.load() + 1

def bump(holder, x): holder.n += x.load() + 1

@functools.cache
def cached(): return []

def memoized(function):
    memo = dict()
    def wrapper(n):
        if n not in memo: memo[n] = function(n)
        return memo[n]
    return wrapper

def make_counter():
    n = 0
    def count():
        nonlocal n
        n += 1
        return n
    return count

class Lazy:
    @functools.cached_property
    def log(self): return []
    @functools.cached_property
    def value(self): return self.x.load()
    @functools.cached_property
    def size(self): return (1, frozenset("a"), Frozen)

NODE = Node()
CELL = Frozen()
NUMBERS = itertools.count()
TOTAL = 0
Point = collections.namedtuple("Point", "x y")

@mcr.program
def hidden(p):
    x, y = p.var("x", 0), p.var("y")
    {declared}
    {thread}
    p.thread({first})
    p.thread({second})
"""


def model(declared: str, thread: str, first: str = "thread", second: str = "") -> str:
    """A program with two threads; `thread` is the body of a function, "" for none."""
    body = f"def thread():\n        {thread}" if thread else ""
    return HEAD.format(declared=declared, thread=body, first=first, second=second or first)


SHARED = [
    ("log = []; add = functools.partial(log.append, 1)", "x.load(); add()"),
    ("seen = []; add = functools.partial(lambda seen: seen.append(x.load()), seen)", "", "add"),
    ("seen = []; add = functools.partial(lambda *, s: s.append(x.load()), s=seen)", "", "add"),
    ("log = []; add = log.append", "add(x.load())"),
    ("stack = Stack(x)", "stack.push()"),
    ("stack = Stack(x)", "", "stack.push"),
    ("stack = Stack(x)", "stack.top"),
    ("pass", "Stack(x).counted()"),
    ("pass", "Stack.logged(x)"),
    ("call = Callable(x)", "", "call"),
    ("pass", "counted(x)"),
    ("pass", "logged(x)"),
    ("pass", "cached().append(x.load())"),
    ("log = functools.cache(lambda: [])", "log().append(x.load())"),
    ("log = functools.cache(list)", "x.load(); log().append(1)"),
    ("log = functools.lru_cache(maxsize=2)(lambda: {})", "log()[x.load()] = 1"),
    ("log = functools.lru_cache(maxsize=2)(lambda n: (n, [Slots()]))", "bump(log(1)[1][0], x)"),
    ("log = functools.cache(lambda: Frozen())", "log().log.append(x.load())"),
    ("log = functools.cache(lambda: itertools.count())", "x.load(); next(log())"),
    ("read = functools.cache(lambda cell: cell.load())", "y.store(read(x.ref))"),
    ("read = functools.cache(functools.partial(lambda cell: x.load()))", "read(x.ref)"),
    ("read = functools.cache(x.load)", "read()"),
    ("read = functools.cache(Stack.push)", "read(Stack(x))"),
    ("lazy = Lazy(); lazy.x = x", "y.store(lazy.value)"),
    ("count = functools.cache(make_counter)", "x.load(); count()()"),
    ("log = functools.cache(lambda n: n)", "log(1); y.store(log.cache_info().hits)"),
    ("jobs = p.queue('jobs')", "node = Node(); jobs.put(node); bump(node, x)"),
    ("log = functools.cache(lambda: 1); log.n = 0", "bump(log, x)"),
    ("power = memoized(lambda n: [n])", "power(1).append(x.load())"),
    ("lazy = Lazy()", "lazy.log.append(x.load())"),
    ("numbers = array.array('i', [0])", "numbers[0] += x.load() + 1"),
    ("raw = bytearray(1)", "raw[0] += x.load() + 1"),
    ("raw = bytearray(1); view = memoryview(raw)", "view[0] += x.load() + 1"),
    ("numbers = itertools.count()", "x.load(); next(numbers)"),
    ("numbers = iter([1, 2, 3, 4, 5, 6, 7, 8, 9])", "x.load(); next(numbers)"),
    ("numbers = enumerate(range(100))", "x.load(); next(numbers)"),
    ("numbers = (n for n in range(100))", "x.load(); next(numbers)"),
    ("pass", "x.load(); next(NUMBERS)"),
    ("dice = random.Random(1)", "x.load(); dice.random()"),
    ("text = io.StringIO()", "text.write(str(x.load()))"),
    ("space = types.SimpleNamespace(n=0)", "bump(space, x)"),
    ("slots = Slots()", "bump(slots, x)"),
    ("items = Items()", "items.append(x.load())"),
    ("items = Items()", "items.n = x.load()"),
    ("queue = collections.deque([1])", "queue.rotate(); queue.append(x.load())"),
    ("counts = collections.Counter()", "counts[x.load()] += 1"),
    ("owner = types.SimpleNamespace(me=None)", "owner.me = (1,); x.load(); owner.me = None; x.load()"),
    ("box = [NODE]", "bump(box[0], x)"),
    ("frozen = Frozen()", "frozen.log.append(x.load())"),
    ("read = types.MappingProxyType({'a': []})", "read['a'].append(x.load())"),
    ("get = operator.methodcaller('append', 1); log = []", "x.load(); get(log)"),
    ("pass", "y.store(NODE); bump(y.load(), x)"),
    ("pass", "y.exchange(CELL); y.load().log.append(x.load())"),
    ("pass", "y.compare_exchange(None, CELL); y.load().log.append(x.load())"),
    ("pass", "f = Frozen(); y.store((f,)); x.load(); f.log.append(1); x.load()"),
    ("pass", "f = Frozen(); y.exchange(f); x.load(); f.log.append(1); x.load()"),
]


@pytest.mark.parametrize("case", SHARED, ids=[f"{case[0]}; {case[1]}" for case in SHARED])
def test_what_threads_share_behind_the_model(desk: Desk, case: tuple[str, ...]) -> None:
    desk.write("hidden.py", model(*case))
    answer = desk.mcr("check", "hidden.py")
    assert answer.status == 2, answer.out
    assert answer.err.startswith("error: hidden.py:")
    known = ("the Python object ", " the cache '", "native code has called this line back")  # a cache written in C
    assert any(each in answer.err for each in known), answer.err
    assert answer.err.count("\n") == 1


def test_what_one_thread_keeps_from_run_to_run(desk: Desk) -> None:
    """It would see what its other executions did."""
    text = model("pass", "global TOTAL; TOTAL += x.load() + 1", second="x.store, 1")
    desk.write("hidden.py", text)
    answer = desk.mcr("check", "hidden.py")
    assert answer.status == 2, answer.out
    assert "changes the Python object 'TOTAL'" in answer.err


SPAWNING = """
import mcr

@mcr.program
def spawning(p):
    x = p.var("x", 0)
    log = [0]

    def child():
        x.store(1)
        {child}

    def parent():
        {parent}
        x.load()

    p.thread(parent)
"""


@pytest.mark.parametrize(
    ("parent", "child"),
    [
        ("p.spawn(child); log.append(1)", "assert len(log) == 1"),
        ("one, two = p.spawn(child), p.spawn(child); one.join(); log[0] = 1", "x.store(log[0])"),
        ("p.spawn(p.spawn, child).join(); log[0] = 1", "x.store(log[0])"),
        ("a = p.spawn(child); a.join(); b = p.spawn(child); log[0] += 1", "x.store(log[0])"),
        ("for i in 1, 2: p.spawn(lambda: x.store(i))", "pass"),
    ],
)
def test_what_changes_after_a_spawn(desk: Desk, parent: str, child: str) -> None:
    """The child finds things as they were when it began, and would not see the change."""
    desk.write("spawning.py", SPAWNING.format(parent=parent, child=child))
    answer = desk.mcr("check", "spawning.py")
    assert answer.status == 2, answer.out
    assert "thread 0 changes the Python object '" in answer.err


@pytest.mark.parametrize(
    ("parent", "child"),
    [
        ("log.append(1); p.spawn(child)", "assert len(log) == 2"),
        ("a = p.spawn(child); a.join(); log[0] = 1", "x.store(log[0])"),
        ("a = p.spawn(child); a.join(); log[0] += 1; p.spawn(child)", "x.store(log[0])"),
        ("a, b = p.spawn(child), p.spawn(child); a.join(); b.join(); log[0] += 1", "x.store(log[0])"),
        ("kids = []; kids.append(p.spawn(child)); kids.append(p.spawn(child))", "x.store(log[0])"),
    ],
)
def test_what_changes_while_no_child_runs(desk: Desk, parent: str, child: str) -> None:
    desk.write("spawning.py", SPAWNING.format(parent=parent, child=child))
    assert desk.mcr("check", "spawning.py").status == 0


HARMLESS = [
    ("table = {0: 'zero'}; names = ['a']", "y.store((table[x.load() % 1], names[0]))"),
    ("pass", "stack = Stack(x); stack.push(); y.store(tuple(stack.seen))"),
    ("pass", "numbers = itertools.count(); next(numbers); x.load(); y.store(next(numbers))"),
    ("pass", "dice = random.Random(x.load()); y.store(dice.randrange(6)); y.store(dice.randrange(6))"),
    ("pass", "call = Callable(x); call(); y.store(call.calls)"),
    ("pass", "y.store(NODE); assert y.load() is NODE"),
    ("pass", "y.store(Frozen(1)); assert y.load().key == 1"),
    ("pass", "f = Frozen(); f.log.append(x.load()); y.store(f)"),
    ("color = enum.Enum('color', 'red green')", "y.store(color.red.value); x.load(); color(2)"),
    ("power = functools.cache(lambda n: 2**n)", "y.store(power(x.load()))"),
    ("power = functools.lru_cache(maxsize=1)(lambda n: (2**n, fractions.Fraction(n)))", "y.store(power(x.load())[0])"),
    ("adder = functools.cache(lambda n: lambda v: v + n)", "y.store(adder(1)(x.load()))"),
    ("color = enum.Enum('color', 'red'); get = functools.cache(lambda n: color(n))", "x.load(); get(1)"),
    ("cell = functools.cache(lambda n: (x, y)[n])", "cell(1).store(x.load())"),
    ("point = functools.cache(Point)", "y.store(point(x.load(), 1))"),
    ("lazy = Lazy()", "y.store(lazy.size[0] + x.load())"),
    ("pass", "log = functools.cache(lambda: []); log().append(x.load()); y.store(len(log()))"),
    ("show = functools.singledispatch(lambda v: 1)", "y.store(show(x.load())); x.load()"),
    ("get = operator.itemgetter(0)", "y.store(get((x.load(), 1)))"),
    ("pass", "y.store(Point(x.load(), 1)); x.load()"),
    ("read = types.MappingProxyType({'a': 1})", "y.store(read['a'] + x.load())"),
    ("pass", "print(x.load(), end='')"),
]


@pytest.mark.parametrize(("declared", "thread"), HARMLESS, ids=[f"{case[0]}; {case[1]}" for case in HARMLESS])
def test_what_is_nobody_elses(desk: Desk, declared: str, thread: str) -> None:
    desk.write("hidden.py", model(declared, thread))
    answer = desk.mcr("check", "hidden.py")
    assert answer.status == 0, answer.err + answer.out


FOREIGN_HEAD = """
import concurrent.futures, datetime, os, queue, random, secrets, threading, time, uuid
from queue import Queue
from random import randrange
from time import sleep as nap
import mcr

LOCK = threading.Lock()
DICE = random.Random(1)

def careful(x):
    with LOCK:
        return x.load()

@mcr.program
def foreign(p):
    x = p.var("x", 0)
    lock, event, jobs = threading.Lock(), threading.Event(), Queue()
    def thread():
        {line}
    p.thread(thread)
    p.thread(thread)
"""

FOREIGN = [
    ("with lock: x.store(1)", "lock of Python's _thread", "p.mutex()"),
    ("careful(x)", "LOCK of Python's _thread", "p.mutex()"),
    ("event.wait()", "event of Python's threading", "p.mutex()"),
    ("jobs.get()", "jobs of Python's queue", "p.queue() is that of a model"),
    ("mine = threading.RLock(); x.store(1)", "threading.RLock of Python's", "p.mutex()"),
    ("threading.Thread(target=x.load).start()", "threading.Thread of Python's threading", "p.spawn()"),
    ("mine = Queue(); x.store(1)", "Queue of Python's queue", "p.queue()"),
    ("concurrent.futures.ThreadPoolExecutor()", "of Python's concurrent", "p.spawn()"),
    ("import gc; gc.disable()", "gc.disable of Python's gc", "leave it out"),
    ("time.sleep(1); x.store(1)", "time.sleep of Python's time", "p.wait_until()"),
    ("nap(1); x.store(1)", "nap of Python's time", "p.wait_until()"),
    ("import time as t; t.sleep(1)", "time.sleep of Python's time", "p.wait_until()"),
    ("from time import sleep; (lambda: sleep(1))()", "time.sleep of Python's time", "p.wait_until()"),
    ("x.store(time.monotonic())", "time.monotonic of Python's time", "p.wait_until()"),
    ("x.store(random.choice([1, 2]))", "random.choice of Python's random", "p.choose()"),
    ("x.store(randrange(2))", "randrange of Python's random", "p.choose()"),
    ("x.store([randrange(2) for _ in range(3)][0])", "randrange of Python's random", "p.choose()"),
    ("x.store(secrets.randbelow(2))", "secrets.randbelow of Python's", "p.choose()"),
    ("x.store(uuid.uuid4())", "uuid.uuid4 of Python's uuid", "p.choose()"),
    ("x.store(datetime.datetime.now())", "datetime.datetime.now of Python's datetime", "p.wait_until()"),
    ("x.store(os.urandom(1))", "os.urandom of Python's posix", "p.choose()"),
]


@pytest.mark.parametrize(("line", "said", "advice"), FOREIGN, ids=[line for line, _, _ in FOREIGN])
def test_what_a_model_cannot_have(desk: Desk, line: str, said: str, advice: str) -> None:
    desk.write("foreign.py", FOREIGN_HEAD.format(line=line))
    answer = desk.mcr("check", "foreign.py")
    assert answer.status == 2, answer.out
    assert answer.err.startswith("error: foreign.py:")
    assert said in answer.err
    assert advice in answer.err


@pytest.mark.parametrize(
    "line",
    [
        "dice = random.Random(1); x.store(dice.randrange(3))",
        "x.store(datetime.date(2020, 1, 1))",
        "x.store(uuid.UUID(int=1))",
        "x.store(os.path.join('a', 'b'))",
        "x.store(1 if isinstance(x.load(), queue.Empty) else 2)",
    ],
)
def test_what_is_as_deterministic_as_its_arguments(desk: Desk, line: str) -> None:
    desk.write("foreign.py", FOREIGN_HEAD.format(line=line))
    assert desk.mcr("check", "foreign.py").status == 0


def test_what_only_the_program_function_uses(desk: Desk) -> None:
    desk.write(
        "foreign.py", FOREIGN_HEAD.format(line="x.store(1)").replace("def thread", "time.monotonic()\n    def thread")
    )
    assert desk.mcr("check", "foreign.py").status == 0


WITH_MORE = """
import threading
import mcr

class Stack:
    def __init__(self, x):
        self.x = x

    def push(self):
        {line}

    def push_for_real(self):
        threading.Thread(target=self.push).start()

    def main(self):
        self.push_for_real()

@mcr.program
def stack(p):
    made = Stack(p.var("x", 0))
    p.thread(made.push)
    p.thread(lambda: made.push())
"""


def test_methods_that_no_thread_calls_may_use_anything(desk: Desk) -> None:
    desk.write("foreign.py", WITH_MORE.format(line="self.x.store(1)"))
    answer = desk.mcr("check", "foreign.py")
    assert answer.status == 0, answer.err


@pytest.mark.parametrize("line", ["self.push_for_real()", "self.main()", "getattr(self, 'main')()"])
def test_methods_that_threads_call_may_not(desk: Desk, line: str) -> None:
    desk.write("foreign.py", WITH_MORE.format(line=line))
    answer = desk.mcr("check", "foreign.py")
    assert answer.status == 2, answer.out
    assert "which a model cannot have" in answer.err
