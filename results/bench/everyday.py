"""What people write first: counters, locks, queues, caches. Nothing of it fails under any memory model."""

from __future__ import annotations

import mcr


@mcr.program
def counter(p, n=6, rounds=2):
    """Each adds so many times, atomically."""
    count = p.var("count", 0)

    def thread():
        for _ in range(rounds):
            count.fetch_add(1)

    for _ in range(n):
        p.thread(thread)

    @p.final
    def nothing_is_lost():
        assert count.load() == n * rounds


@mcr.program
def racy_counter(p, n=4, rounds=2):
    """Each loads and stores: additions are lost, but not all."""
    count = p.var("count", 0)

    def thread():
        for _ in range(rounds):
            count.store(count.load() + 1)

    for _ in range(n):
        p.thread(thread)

    @p.final
    def something_was_counted():
        assert min(rounds, 2) <= count.load() <= n * rounds


@mcr.program
def mutex_counter(p, n=5, rounds=3):
    count, mutex = p.var("count", 0), p.mutex("mutex")

    def thread():
        for _ in range(rounds):
            with mutex:
                count.store(count.load() + 1)

    for _ in range(n):
        p.thread(thread)

    @p.final
    def nothing_is_lost():
        assert count.load() == n * rounds


@mcr.program
def producers(p, n=3, items=2):
    """Producers, a queue of two places, and one who adds up what comes."""
    queue = p.queue(2)

    def producer(me):
        for item in range(items):
            queue.put(me * items + item)

    def consumer():
        total = 0
        for _ in range(n * items):
            total += queue.get()
        return total

    for number in range(n):
        p.thread(producer, number)
    adder = p.thread(consumer)

    @p.final
    def all_arrived():
        assert adder.join() == sum(range(n * items))


@mcr.program
def work_pool(p, workers=2, jobs=4):
    """Workers take numbers from a queue until nothing is left."""
    todo, done = p.queue(), p.var("done", 0)

    def boss():
        for _ in range(jobs):
            todo.put(1)
        for _ in range(workers):
            todo.put(0)

    def worker():
        while todo.get():
            done.fetch_add(1)

    p.thread(boss)
    for _ in range(workers):
        p.thread(worker)

    @p.final
    def all_is_done():
        assert done.load() == jobs


@mcr.program
def bank(p, accounts=3):
    """Everybody sends to the next account and locks in the order of the accounts."""
    money = p.array("money", [10] * accounts)
    locks = p.array("locks", [p.mutex() for _ in range(accounts)])

    def transfer(source, target):
        first, second = sorted((source, target))
        with locks[first], locks[second]:
            money[source].store(money[source].load() - 1)
            money[target].store(money[target].load() + 1)

    for number in range(accounts):
        p.thread(transfer, number, (number + 1) % accounts)

    @p.final
    def no_money_is_lost():
        assert sum(account.load() for account in money) == 10 * accounts


@mcr.program
def philosophers(p, n=3, meals=1):
    """Each takes the lower fork first."""
    forks = p.array("forks", [p.mutex() for _ in range(n)])
    eaten = p.array("eaten", [0] * n)

    def philosopher(me):
        first, second = sorted((me, (me + 1) % n))
        for _ in range(meals):
            with forks[first], forks[second]:
                eaten[me].store(eaten[me].load() + 1)

    for number in range(n):
        p.thread(philosopher, number)

    @p.final
    def all_have_eaten():
        assert all(each.load() == meals for each in eaten)


@mcr.program
def rate_limiter(p, clients=3, tokens=2):
    """Tokens are taken by compare-and-swap; who finds none goes away."""
    left, served = p.var("left", tokens), p.var("served", 0)

    def client():
        while (found := left.load()) > 0:
            if left.compare_exchange(found, found - 1):
                served.fetch_add(1)
                return

    for _ in range(clients):
        p.thread(client)

    @p.final
    def no_more_than_tokens():
        assert served.load() == min(tokens, clients)


@mcr.program
def seqlock(p, readers=1, rounds=2):
    """Readers begin again while a writer is there."""
    number, x, y = p.var("number", 0), p.var("x", 0), p.var("y", 0)

    def writer():
        for value in range(1, rounds + 1):
            number.store(2 * value - 1)
            p.store_fence()
            x.store(value)
            y.store(value)
            p.store_fence()
            number.store(2 * value)

    def reader():
        while True:
            before = number.load()
            point = x.load(), y.load()
            if before % 2 == 0 and number.load() == before:
                assert point[0] == point[1], "half a write was read"
                return

    p.thread(writer)
    for _ in range(readers):
        p.thread(reader)


@mcr.program
def readers_writers(p, readers=2, writers=1):
    lock, x, y = p.rwlock("lock"), p.var("x", 0), p.var("y", 0)

    def writer():
        with lock.writer:
            x.store(x.load() + 1)
            y.store(y.load() + 1)

    def reader():
        with lock.reader:
            assert x.load() == y.load(), "half a write was read"

    for _ in range(writers):
        p.thread(writer)
    for _ in range(readers):
        p.thread(reader)


@mcr.program
def spsc_ring(p, capacity=2, items=4):
    """One puts, one takes; who finds it full or empty tries again."""
    slots = p.array("slots", [None] * capacity)
    first, last = p.var("first", 0), p.var("last", 0)

    def producer():
        for item in range(items):
            while item - first.load() == capacity:
                pass
            slots[item % capacity].store(item)
            p.store_fence()
            last.store(item + 1)

    def consumer():
        for item in range(items):
            while last.load() == item:
                pass
            assert slots[item % capacity].load() == item, "not what was put"
            first.store(item + 1)

    p.thread(producer)
    p.thread(consumer)


@mcr.program
def ring_of_several(p, n=2, size=8):
    """FreeBSD's `buf_ring`, of which GenMC's suite has a copy: each thread puts a message there and takes one."""
    put_from, put_to = p.var("put_from", 0), p.var("put_to", 0)
    taken_from, taken_to = p.var("taken_from", 0), p.var("taken_to", 0)
    ring, messages = p.array("ring", [None] * size), p.array("messages", [""] * n)

    def put(item):
        place = put_from.load()
        following = (place + 1) % size
        if following == taken_to.load():
            return False
        p.assume(put_from.compare_exchange(place, following))
        ring[place].store(item)
        p.wait_until(lambda: put_to.load() == place)
        p.store_fence()
        put_to.store(following)
        return True

    def take():
        place = taken_from.load()
        if place == put_to.load():
            return None
        following = (place + 1) % size
        p.assume(taken_from.compare_exchange(place, following))
        item = ring[place].load()
        p.wait_until(lambda: taken_to.load() == place)
        taken_to.store(following)
        return item

    def thread(me):
        messages[me].store("written")
        put(me)
        found = take()
        assert found is None or messages[found].load() == "written"

    for me in range(n):
        p.thread(thread, me)


@mcr.program
def work_stealing(p, thieves=1, tasks=3):
    """The deque of Chase and Lev: its owner works at the bottom, thieves at the top."""
    top, bottom = p.var("top", 0), p.var("bottom", 0)
    deque = p.array("deque", [None] * tasks)
    done = p.array("done", [0] * tasks)

    def take():
        place = bottom.load() - 1
        bottom.store(place)
        p.fence()
        first = top.load()
        if first > place:
            bottom.store(first)
            return None
        task = deque[place].load()
        if first == place:
            won = top.compare_exchange(first, first + 1)
            bottom.store(first + 1)
            return task if won else None
        return task

    def owner():
        for task in range(tasks):
            deque[task].store(task)
            p.store_fence()
            bottom.store(task + 1)
        for _ in range(tasks):
            task = take()
            if task is not None:
                done[task].fetch_add(1)

    def thief():
        first = top.load()
        if first < bottom.load():
            task = deque[first].load()
            if top.compare_exchange(first, first + 1):
                done[task].fetch_add(1)

    p.thread(owner)
    for _ in range(thieves):
        p.thread(thief)

    @p.final
    def nothing_is_done_twice():
        assert all(each.load() == 1 for each in done)


@mcr.program
def tickets(p, n=2, rounds=2):
    """A ticket lock."""
    following, now, count = p.var("following", 0), p.var("now", 0), p.var("count", 0)

    def thread():
        for _ in range(rounds):
            mine = following.fetch_add(1)
            while now.load() != mine:
                pass
            count.store(count.load() + 1)
            p.store_fence()
            now.store(mine + 1)

    for _ in range(n):
        p.thread(thread)

    @p.final
    def nothing_is_lost():
        assert count.load() == n * rounds


@mcr.program
def lru_cache(p, n=2, capacity=2):
    """Under a mutex: the keys in order of their use, the latest last."""
    keys, mutex = p.var("keys", ()), p.mutex("mutex")

    def use(key):
        with mutex:
            held = tuple(each for each in keys.load() if each != key)
            keys.store((*held[len(held) >= capacity :], key))

    def thread(me):
        for key in (me, me + 1):
            use(key)

    for number in range(n):
        p.thread(thread, number)

    @p.final
    def no_more_than_fit():
        held = keys.load()
        assert len(held) == len(set(held)) == min(capacity, n + 1)


@mcr.program
def hash_chain(p, n=2):
    """A table of two chains: what is inserted comes first, by compare-and-swap."""
    heads = p.array("heads", [None, None])

    def insert(key):
        node = p.record("node", key=key, next=None)
        head = heads[key % 2]
        while True:
            first = head.load()
            node.next.store(first)
            if head.compare_exchange(first, node):
                return

    for number in range(n):
        p.thread(insert, number)
        p.thread(insert, number + n)

    @p.final
    def all_are_found():
        found = []
        for head in heads:
            node = head.load()
            while node is not None:
                found.append(node.key.load())
                node = node.next.load()
        assert sorted(found) == list(range(2 * n))


@mcr.program
def treiber_stack(p, n=2, rounds=1):
    """Each pushes and pops."""
    top = p.var("top", None)

    def thread(me):
        for _ in range(rounds):
            node = p.record("node", next=None)
            while True:
                first = top.load()
                node.next.store(first)
                if top.compare_exchange(first, node):
                    break
            while True:
                first = top.load()
                assert first is not None, "somebody took more than was there"
                if top.compare_exchange(first, first.next.load()):
                    break

    for number in range(n):
        p.thread(thread, number)

    @p.final
    def empty():
        assert top.load() is None


@mcr.program
def michael_scott_queue(p, producers=2, consumers=1):
    dummy = p.record("dummy", value=None, next=None)
    head, tail = p.var("head", dummy), p.var("tail", dummy)

    def put(value):
        node = p.record("node", value=value, next=None)
        while True:
            last = tail.load()
            following = last.next.load()
            if following is not None:
                tail.compare_exchange(last, following)
            elif last.next.compare_exchange(None, node):
                tail.compare_exchange(last, node)
                return

    def take():
        while True:
            first, last = head.load(), tail.load()
            following = first.next.load()
            if following is None:
                return None
            if first == last:
                tail.compare_exchange(last, following)
            elif head.compare_exchange(first, following):
                return following.value.load()

    for number in range(producers):
        p.thread(put, number + 1)
    takers = [p.thread(take) for _ in range(consumers)]

    @p.final
    def nothing_is_lost():
        taken = [value for taker in takers if (value := taker.join()) is not None]
        node = head.load()
        while (node := node.next.load()) is not None:
            taken.append(node.value.load())
        assert sorted(taken) == list(range(1, producers + 1))


@mcr.program
def barrier_rounds(p, n=2, rounds=2):
    """Nobody begins a round before all have ended the one before."""
    barrier, at = p.barrier(n), p.array("at", [0] * n)

    def thread(me):
        for number in range(1, rounds + 1):
            at[me].store(number)
            barrier.wait()
            assert all(each.load() >= number for each in at)
            barrier.wait()

    for number in range(n):
        p.thread(thread, number)


@mcr.program
def pool(p, n=3, places=2):
    """No more than fit have a place at once."""
    semaphore, inside = p.semaphore(places), p.var("inside", 0)

    def thread():
        with semaphore:
            assert inside.fetch_add(1) < places, "too many are inside"
            inside.fetch_add(-1)

    for _ in range(n):
        p.thread(thread)


@mcr.program
def initialised_once(p, n=3):
    """Double-checked: who finds it made looks no further."""
    thing, made, mutex = p.var("thing", 0), p.var("made", False), p.mutex("mutex")

    def thread():
        if not made.load():
            with mutex:
                if not made.load():
                    thing.store(thing.load() + 1)
                    p.store_fence()
                    made.store(True)
        assert thing.load() == 1, "half made, or made twice"

    for _ in range(n):
        p.thread(thread)


@mcr.program
def fork_join(p, n=3):
    """A thread starts others, waits for them and adds up."""
    cells = p.array("cells", [0] * n)

    def child(me):
        cells[me].store(me)
        return me

    def parent():
        children = [p.spawn(child, number) for number in range(n)]
        assert sum(each.join() for each in children) == sum(cell.load() for cell in cells)

    p.thread(parent)


@mcr.program
def pipeline(p, stages=2, items=2):
    """Each stage adds one to what comes, and hands it on."""
    queues = [p.queue(1) for _ in range(stages + 1)]

    def source():
        for item in range(items):
            queues[0].put(item)

    def stage(number):
        for _ in range(items):
            queues[number + 1].put(queues[number].get() + 1)

    def sink():
        for item in range(items):
            assert queues[stages].get() == item + stages

    p.thread(source)
    for number in range(stages):
        p.thread(stage, number)
    p.thread(sink)


@mcr.program
def event_and_condition(p, n=2):
    """Threads wait until a door is open."""
    mutex = p.mutex("mutex")
    opened, door = p.condition("opened", mutex), p.var("door", False)

    def visitor():
        with mutex:
            while not door.load():
                opened.wait()
        assert door.load()

    def porter():
        with mutex:
            door.store(True)
            opened.notify_all()

    for _ in range(n):
        p.thread(visitor)
    p.thread(porter)
