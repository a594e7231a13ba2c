"""Classes as they are written for `threading`, checked as they are: each with a race, most with the repair beside it.

Nothing in the classes knows of the checker; `p.share` makes one object of theirs shared memory.
"""

import threading
from collections import deque

import mcr

# -- lost updates --------------------------------------------------------------


class Account:
    def __init__(self, balance=0):
        self.balance = balance

    def deposit(self, amount):
        self.balance += amount


@mcr.program
def deposits(p, threads=2):
    """Two deposits at once: both read the balance before either writes it.

    Fails under: SC, TSO, PSO
    """
    account = p.share(Account())
    for _ in range(threads):
        p.thread(account.deposit, 10)

    @p.final
    def all_is_there():
        assert account.balance == 10 * threads, "a deposit was lost"


class LockedAccount(Account):
    def __init__(self, balance=0):
        super().__init__(balance)
        self._lock = threading.Lock()

    def deposit(self, amount):
        with self._lock:
            super().deposit(amount)


@mcr.program
def locked_deposits(p, threads=2):
    """The same with a lock.

    Fails under: nothing
    """
    account = p.share(LockedAccount())
    for _ in range(threads):
        p.thread(account.deposit, 10)

    @p.final
    def all_is_there():
        assert account.balance == 10 * threads, "a deposit was lost"


class Statistics:
    def __init__(self):
        self.counts = {}

    def count(self, word):
        self.counts[word] = self.counts.get(word, 0) + 1


@mcr.program
def word_counts(p, threads=2):
    """Each method of a dict is atomic, a `get` and an assignment together are not.

    Fails under: SC, TSO, PSO
    """
    statistics = p.share(Statistics())
    for _ in range(threads):
        p.thread(statistics.count, "word")

    @p.final
    def every_word_counts():
        assert statistics.counts == {"word": threads}, "a word was not counted"


class Ledger:
    def __init__(self):
        self.entries = []

    def record(self, entry):
        self.entries.append(entry)


@mcr.program
def ledger(p, threads=2):
    """One `append` needs no lock.

    Fails under: nothing
    """
    book = p.share(Ledger())
    for number in range(threads):
        p.thread(book.record, number)

    @p.final
    def every_entry_is_there():
        assert sorted(book.entries) == list(range(threads))


# -- check, then act -----------------------------------------------------------


class Inventory:
    def __init__(self, stock):
        self.stock = stock
        self._lock = threading.Lock()

    def take(self):
        if self.stock > 0:
            with self._lock:
                self.stock -= 1
            return True
        return False


@mcr.program
def inventory(p, threads=2):
    """The last one is sold twice: the lock is around the act, and not around the check.

    Fails under: SC, TSO, PSO
    """
    shop = p.share(Inventory(stock=1))
    for _ in range(threads):
        p.thread(shop.take)

    @p.final
    def nothing_is_sold_twice():
        assert shop.stock >= 0, "sold what was not there"


class ObjectPool:
    def __init__(self, objects):
        self._free = deque(objects)

    def acquire(self):
        if self._free:
            return self._free.popleft()
        return None

    def release(self, thing):
        self._free.append(thing)


@mcr.program
def object_pool(p, threads=2):
    """Two find one free object: the second gets IndexError instead of None.

    Fails under: SC, TSO, PSO
    """
    pool = p.share(ObjectPool(["connection"]))

    def client():
        if (thing := pool.acquire()) is not None:
            pool.release(thing)

    for _ in range(threads):
        p.thread(client)


class PatientPool:
    def __init__(self, objects):
        self._free = deque(objects)
        self._available = threading.Semaphore(len(self._free))

    def acquire(self):
        self._available.acquire()
        return self._free.popleft()

    def release(self, thing):
        self._free.append(thing)
        self._available.release()


@mcr.program
def patient_pool(p, threads=2):
    """A semaphore counts what is free: who waits finds one.

    Fails under: nothing
    """
    pool = p.share(PatientPool(["connection"]))

    def client():
        pool.release(pool.acquire())

    for _ in range(threads):
        p.thread(client)


class RateLimiter:
    """So many calls in a window of the clock that is passed in."""

    def __init__(self, calls, clock):
        self._calls = calls
        self._clock = clock
        self._window = clock()
        self._used = 0

    def allow(self):
        now = self._clock()
        if now != self._window:
            self._window = now
            self._used = 0
        if self._used >= self._calls:
            return False
        self._used += 1
        return True


@mcr.program
def rate_limiter(p, threads=2):
    """More calls are let in than the limit, since nobody holds a lock between the check and the count.

    Fails under: SC, TSO, PSO
    """
    limiter = p.share(RateLimiter(1, clock=lambda: 0))
    callers = [p.thread(limiter.allow) for _ in range(threads)]

    @p.final
    def the_limit_holds():
        assert sum(caller.join() for caller in callers) <= 1, "more calls than allowed"


# -- initialised twice ---------------------------------------------------------


class Connection:
    def __init__(self):
        self.is_open = False
        self.is_open = True


class Registry:
    def __init__(self):
        self._connection = None
        self._lock = threading.Lock()

    def connection(self):
        if self._connection is None:
            self._connection = Connection()
        return self._connection

    def checked_connection(self):
        if self._connection is None:
            with self._lock:
                if self._connection is None:
                    self._connection = Connection()
        return self._connection


@mcr.program
def lazy_connection(p, threads=2):
    """Both find no connection, and each makes one.

    Fails under: SC, TSO, PSO
    """
    registry = p.share(Registry())
    clients = [p.thread(registry.connection) for _ in range(threads)]

    @p.final
    def there_is_one():
        first, *others = [client.join() for client in clients]
        assert all(other is first for other in others), "two connections were made"


@mcr.program
def checked_lazy_connection(p, threads=2):
    """Checked again under the lock.

    Fails under: nothing
    """
    registry = p.share(Registry())
    clients = [p.thread(registry.checked_connection) for _ in range(threads)]

    @p.final
    def there_is_one():
        first, *others = [client.join() for client in clients]
        assert all(other is first for other in others), "two connections were made"


class Settings:
    def __init__(self):
        self._values = None
        self.loads = 0

    def load(self):
        values = {}
        self._values = values
        values["colour"] = "red"

    def get(self, name):
        if self._values is None:
            self.load()
        return self._values[name]


@mcr.program
def unfilled_settings(p, threads=2):
    """The dict is published before it is filled.

    Fails under: SC, TSO, PSO
    """
    shared = p.share(Settings())
    for _ in range(threads):
        p.thread(shared.get, "colour")


# -- waiting and waking --------------------------------------------------------


class Mailbox:
    """One letter at a time."""

    def __init__(self):
        self._changed = threading.Condition()
        self._letter = None

    def put(self, letter):
        with self._changed:
            self._letter = letter
            self._changed.notify()

    def put_in_a_hurry(self, letter):
        self._letter = letter
        self._changed.notify()

    def take(self):
        with self._changed:
            while self._letter is None:
                self._changed.wait()
            letter, self._letter = self._letter, None
            return letter

    def take_once_woken(self):
        with self._changed:
            if self._letter is None:
                self._changed.wait()
            letter, self._letter = self._letter, None
            return letter


@mcr.program
def mailbox(p):
    """A loop around the wait, and the notification under the lock.

    Fails under: nothing
    """
    box = p.share(Mailbox())
    p.thread(box.put, "letter")
    reader = p.thread(box.take)

    @p.final
    def it_arrives():
        assert reader.join() == "letter"


@mcr.program
def notify_without_lock(p):
    """`notify` is for who holds the lock.

    Fails under: SC, TSO, PSO
    """
    box = p.share(Mailbox())
    p.thread(box.put_in_a_hurry, "letter")
    p.thread(box.take)


@mcr.program
def if_instead_of_while(p):
    """Who was woken finds that another reader was quicker.

    Fails under: SC, TSO, PSO
    """
    box = p.share(Mailbox())
    readers = [p.thread(box.take_once_woken) for _ in range(2)]
    p.thread(box.put, "first")
    p.thread(box.put, "second")

    @p.final
    def everybody_got_one():
        assert all(reader.join() for reader in readers), "woken, and nothing was there"


class Gate:
    """Opens for a moment."""

    def __init__(self):
        self._open = threading.Event()

    def pulse(self):
        self._open.set()
        self._open.clear()

    def enter(self):
        self._open.wait()


@mcr.program
def pulsed_gate(p):
    """An event that is cleared at once may be missed: who comes late waits for ever.

    Fails under: SC, TSO, PSO
    """
    gate = p.share(Gate())
    p.thread(gate.pulse)
    p.thread(gate.enter)


class Latch:
    def __init__(self, count):
        self._count = count
        self._zero = threading.Condition()

    def count_down(self):
        with self._zero:
            self._count -= 1
            if self._count == 0:
                self._zero.notify_all()

    def wait(self):
        with self._zero:
            self._zero.wait_for(lambda: self._count == 0)
            return self._count


@mcr.program
def latch(p, threads=2):
    """Who waits goes on when all have counted down.

    Fails under: nothing
    """
    shared = p.share(Latch(threads - 1))
    for _ in range(threads - 1):
        p.thread(shared.count_down)
    waiting = p.thread(shared.wait)

    @p.final
    def all_have_counted():
        assert waiting.join() == 0


class Till:
    def __init__(self, cash):
        self.cash = cash
        self.lock = threading.Lock()

    def transfer(self, other, amount):
        with self.lock, other.lock:
            self.cash -= amount
            other.cash += amount


@mcr.program
def transfers(p):
    """Each holds its own lock and waits for the other's.

    Fails under: SC, TSO, PSO
    """
    left, right = p.share(Till(1)), p.share(Till(1))
    p.thread(left.transfer, right, 1)
    p.thread(right.transfer, left, 1)


# -- while others change it ----------------------------------------------------


class Emitter:
    def __init__(self):
        self._listeners = []

    def subscribe(self, listener):
        self._listeners.append(listener)

    def unsubscribe(self, listener):
        self._listeners.remove(listener)

    def emit(self):
        told = []
        for listener in self._listeners:
            told.append(listener)
        return told


@mcr.program
def leaving_listener(p):
    """A listener leaves while others are told: the next one is passed over.

    Fails under: SC, TSO, PSO
    """
    emitter = Emitter()
    emitter.subscribe("first")
    emitter.subscribe("second")
    shared = p.share(emitter)
    told = p.thread(shared.emit)
    p.thread(shared.unsubscribe, "first")

    @p.final
    def second_is_told():
        assert "second" in told.join(), "a listener that stays was not told"


class Sessions:
    def __init__(self):
        self._sessions = {"first": 1}

    def login(self, name):
        self._sessions[name] = 1

    def total(self):
        total = 0
        for name in self._sessions:
            total += self._sessions[name]
        return total


@mcr.program
def growing_sessions(p):
    """A dict changes its size while it is gone through.

    Fails under: SC, TSO, PSO
    """
    shared = p.share(Sessions())
    p.thread(shared.total)
    p.thread(shared.login, "second")


class CopyOnWriteList:
    """Readers see one list, whatever writers do."""

    def __init__(self, items):
        self._items = items
        self._lock = threading.Lock()

    def add(self, item):
        with self._lock:
            self._items = [*self._items, item]

    def add_in_a_hurry(self, item):
        self._items = [*self._items, item]

    def snapshot(self):
        return tuple(item for item in self._items)


@mcr.program
def copy_on_write(p, threads=2):
    """Writers take turns; the reader needs no lock.

    Fails under: nothing
    """
    shared = p.share(CopyOnWriteList([0]))
    for number in range(1, threads):
        p.thread(shared.add, number)
    reader = p.thread(shared.snapshot)

    @p.final
    def it_grows():
        assert reader.join()[0] == 0
        assert len(shared.snapshot()) == threads


@mcr.program
def copy_on_write_in_a_hurry(p, threads=2):
    """Without the lock one copy replaces the other.

    Fails under: SC, TSO, PSO
    """
    shared = p.share(CopyOnWriteList([0]))
    for number in range(threads):
        p.thread(shared.add_in_a_hurry, number)

    @p.final
    def it_grows():
        assert len(shared.snapshot()) == threads + 1, "an item was lost"


class LeastRecentlyUsed:
    """A cache that forgets what was not asked for the longest time; dicts keep the order of insertion."""

    def __init__(self, size, is_locked):
        self._size = size
        self._items = {}
        self._lock = threading.RLock() if is_locked else Unlocked()

    def get(self, key):
        with self._lock:
            if key not in self._items:
                return None
            self._items[key] = self._items.pop(key)
            return self._items[key]

    def put(self, key, value):
        with self._lock:
            self._items.pop(key, None)
            if len(self._items) >= self._size:
                del self._items[next(iter(self._items))]
            self._items[key] = value


class Unlocked:
    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None


@mcr.program
def lru_cache(p, threads=2):
    """With a lock around each method.

    Fails under: nothing
    """
    cache = p.share(LeastRecentlyUsed(1, is_locked=True))
    p.thread(cache.put, "a", 1)
    for _ in range(threads - 1):
        p.thread(cache.get, "a")

    @p.final
    def it_is_there():
        assert cache.get("a") == 1


@mcr.program
def lru_cache_without_lock(p, threads=2):
    """An item that is moved to the end is not there in between.

    Fails under: SC, TSO, PSO
    """
    cache = LeastRecentlyUsed(2, is_locked=False)
    cache.put("a", 1)
    cache = p.share(cache)
    getters = [p.thread(cache.get, "a") for _ in range(threads)]

    @p.final
    def everybody_finds_it():
        assert all(getter.join() == 1 for getter in getters), "what was there was not found"
