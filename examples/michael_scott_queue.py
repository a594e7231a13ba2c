"""The two queues of Michael and Scott: linked lists with a dummy node in front."""

import mcr


class LockFreeQueue:
    """Enqueues by compare-and-swap; a thread that finds the tail lagging behind moves it on."""

    def __init__(self, p):
        self.p = p
        dummy = p.record("dummy", value=None, next=None)
        self.head, self.tail = p.var("head", dummy), p.var("tail", dummy)

    def enqueue(self, value):
        node = self.p.record("node", value=None, next=None)
        node.value.store(value)
        while True:
            last = self.tail.load()
            following = last.next.load()
            if last != self.tail.load():
                continue
            if following is not None:
                self.tail.compare_exchange(last, following)
            elif last.next.compare_exchange(None, node):
                self.tail.compare_exchange(last, node)
                return

    def dequeue(self):
        """The oldest value; None if the queue is empty."""
        while True:
            first = self.head.load()
            last = self.tail.load()
            following = first.next.load()
            if first != self.head.load():
                continue
            if following is None:
                return None
            if first == last:
                self.tail.compare_exchange(last, following)
            elif self.head.compare_exchange(first, following):
                return following.value.load()


class TwoLockQueue:
    """One lock for each end.

    As published, a node is filled before the lock is taken, which drains the store buffer; here it is filled after.
    """

    def __init__(self, p, store_fence=lambda: None):
        self.p = p
        self.store_fence = store_fence
        dummy = p.record("dummy", value=None, next=None)
        self.head, self.tail = p.var("head", dummy), p.var("tail", dummy)
        self.head_lock, self.tail_lock = p.mutex("head lock"), p.mutex("tail lock")

    def enqueue(self, value):
        node = self.p.record("node", value=None, next=None)
        with self.tail_lock:
            node.value.store(value)
            self.store_fence()
            self.tail.load().next.store(node)
            self.tail.store(node)

    def dequeue(self):
        """The oldest value; None if the queue is empty."""
        with self.head_lock:
            following = self.head.load().next.load()
            if following is None:
                return None
            self.head.store(following)
            return following.value.load()


def produce_and_consume(p, queue, producers):
    """Every producer enqueues one value; one consumer dequeues once."""
    values = list(range(1, producers + 1))
    for value in values:
        p.thread(queue.enqueue, value)
    consumer = p.thread(queue.dequeue)

    @p.final
    def nothing_is_lost():
        taken = [consumer.join()]
        while (value := queue.dequeue()) is not None:
            taken.append(value)
        assert sorted(filter(None, taken)) == values, f"the queue gave {taken}"


@mcr.program
def lock_free_queue(p, producers=2):
    """Nothing is lost or seen half-made; the compare-and-swap drains the store buffer.

    Fails under: nothing
    """
    produce_and_consume(p, LockFreeQueue(p), producers)


@mcr.program
def two_lock_queue(p, producers=1):
    """The two ends share no lock: under PSO a node may be linked before its value is stored.

    Fails under: PSO
    """
    produce_and_consume(p, TwoLockQueue(p), producers)


@mcr.program
def two_lock_queue_fenced(p, producers=1):
    """With a store fence before the node is linked.

    Fails under: nothing
    """
    produce_and_consume(p, TwoLockQueue(p, store_fence=p.store_fence), producers)
