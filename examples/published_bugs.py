"""Bugs of lock-free code from public reports, each beside its repair: what goes wrong, and under which memory models.

Modelled after the texts of the reports. Where a report is about a weaker processor, TSO and PSO verify the program.
"""

import mcr

# -- a permit is given while the old one is still being taken ------------------------------------


def park_and_unpark(p, fence=lambda: None):
    """LockSupport.park takes a permit that is there by a plain store, without the mutex, and looks at the condition."""
    condition, permit = p.var("condition", False), p.var("permit", 1)
    mutex = p.mutex("mutex")

    def waiter():
        while not condition.load():
            p.wait_until(lambda: permit.load() > 0)
            permit.store(0)
            fence()

    def notifier():
        condition.store(True)
        p.fence()
        with mutex:
            permit.store(1)

    p.thread(waiter)
    p.thread(notifier)


@mcr.program
def parker(p):
    """HotSpot, JDK-6822370: the store that takes the old permit comes late, and takes the new one.

    Fails under: TSO, PSO
    """
    park_and_unpark(p)


@mcr.program
def parker_mended(p):
    """With a fence behind that store.

    Fails under: nothing
    """
    park_and_unpark(p, fence=p.fence)


# -- a reader enters an epoch that is long over ---------------------------------------------------


def enter_and_advance(p, marks_first):
    """A reader says in which epoch it is; a writer goes on to the next one when nobody is in an older one."""
    epoch, active, own_epoch = p.var("epoch", 0), p.var("active", False), p.var("own_epoch", 0)

    def reader():
        if marks_first:
            active.store(True)
            p.fence()
            own_epoch.store(epoch.load())
        else:
            own_epoch.store(epoch.load())
            active.store(True)
        p.fence()
        assert epoch.load() - own_epoch.load() <= 1, "memory that the reader looks at may be given back"

    def writer():
        for now in range(2):
            if active.load() and own_epoch.load() != now:
                return
            epoch.compare_exchange(now, now + 1)

    p.thread(reader)
    p.thread(writer)


@mcr.program
def epoch_begin(p):
    """Concurrency Kit, ck#63: the epoch is read before the reader is seen, so the writer may be two ahead.

    Fails under: SC, TSO, PSO
    """
    enter_and_advance(p, marks_first=False)


@mcr.program
def epoch_begin_mended(p):
    """The reader is seen first, and a fence follows.

    Fails under: nothing
    """
    enter_and_advance(p, marks_first=True)


# -- a process is woken while it is still in the queue --------------------------------------------


def release_lock(p, store_fence=lambda: None):
    """Whoever releases a lock takes the waiter out of the queue and wakes it; the woken one waits elsewhere at once."""
    link, waits = p.var("link", "next"), p.var("waits", True)

    def release():
        link.store(None)
        store_fence()
        waits.store(False)

    def woken():
        p.wait_until(lambda: not waits.load())
        link.store("of another queue")

    p.thread(release)
    p.thread(woken)

    @p.final
    def is_queued():
        assert link.load() == "of another queue", "the other queue is cut"


@mcr.program
def lwlock_release(p):
    """PostgreSQL before 2014 (4c853646): the late store of the link cuts the queue in which the woken one waits next.

    Fails under: PSO
    """
    release_lock(p)


@mcr.program
def lwlock_release_mended(p):
    """With a write barrier between both stores.

    Fails under: nothing
    """
    release_lock(p, store_fence=p.store_fence)


def wake_queue(p, leaves_first, store_fence=lambda: None):
    """A process waits without a lock until its state says that the wait is over, and must be in no queue then."""
    state, queued = p.var("state", "waiting"), p.var("queued", True)

    def waker():
        if leaves_first:
            queued.store(False)
            store_fence()
            state.store("complete")
        else:
            state.store("complete")
            queued.store(False)

    def waiter():
        p.wait_until(lambda: state.load() == "complete")
        assert not queued.load(), "the process is still in the queue"

    p.thread(waker)
    p.thread(waiter)


@mcr.program
def sync_rep_wake_queue(p):
    """PostgreSQL 9.5, bug 14721: the state is set before the process leaves the queue.

    Fails under: SC, TSO, PSO
    """
    wake_queue(p, leaves_first=False)


@mcr.program
def sync_rep_wake_queue_in_order(p):
    """The other order alone.

    Fails under: PSO
    """
    wake_queue(p, leaves_first=True)


@mcr.program
def sync_rep_wake_queue_mended(p):
    """The other order, and a write barrier between (49a3360).

    Fails under: nothing
    """
    wake_queue(p, leaves_first=True, store_fence=p.store_fence)


# -- a node of a queue is used again, and its tag begins anew -------------------------------------


class TaggedQueue:
    """Michael and Scott's queue of nodes that are used again; each pointer has a tag that tells uses apart."""

    def __init__(self, p, keeps_tags):
        self.keeps_tags = keeps_tags
        self.head, self.tail = p.var("head", ("a", 0)), p.var("tail", ("a", 0))
        self.following = {node: p.var(f"next of {node}", (None, 1)) for node in "abc"}
        self.values = {node: p.var(f"value of {node}", None) for node in "abc"}

    def push(self, node, value):
        """Make a node anew, and hang it on the last one."""
        self.values[node].store(value)
        tag = self.following[node].load()[1] if self.keeps_tags else 0
        self.following[node].store((None, tag + 1))
        while True:
            tail = self.tail.load()
            after = self.following[tail[0]].load()
            if self.tail.load() != tail:
                continue
            if after[0] is not None:
                self.tail.compare_exchange(tail, (after[0], tail[1] + 1))
            elif self.following[tail[0]].compare_exchange(after, (node, after[1] + 1)):
                self.tail.compare_exchange(tail, (node, tail[1] + 1))
                return

    def pop(self):
        """Returns the first value and the node that is free then, or None."""
        while True:
            head, tail = self.head.load(), self.tail.load()
            after = self.following[head[0]].load()
            if self.head.load() != head:
                continue
            if head[0] != tail[0]:
                value = self.values[after[0]].load()
                if self.head.compare_exchange(head, (after[0], head[1] + 1)):
                    return value, head[0]
            elif after[0] is None:
                return None
            else:
                self.tail.compare_exchange(tail, (after[0], tail[1] + 1))


def push_and_pop(p, keeps_tags):
    """One thread uses a node again while another one is about to hang its own on it."""
    queue = TaggedQueue(p, keeps_tags)

    def one():
        queue.push("b", 1)
        assert queue.pop() is not None, "two values were pushed and one was popped, and the queue is empty"

    def other():
        queue.push("c", 2)
        popped = queue.pop()
        if popped is not None:
            queue.push(popped[1], 3)

    p.thread(one)
    p.thread(other)


@mcr.program
def lockfree_queue(p):
    """Boost.Lockfree 1.71, lockfree#59: `next` of a node that is used again is the same as before, tag and all.

    Fails under: SC, TSO, PSO
    """
    push_and_pop(p, keeps_tags=False)


@mcr.program
def lockfree_queue_mended(p):
    """The tag of a node's last use is counted on.

    Fails under: nothing
    """
    push_and_pop(p, keeps_tags=True)


# -- two sides that look whether the other one needs them ------------------------------------------


def device_and_driver(p, device_fence=lambda: None, driver_fence=lambda: None):
    """The device moves its index and looks whether an interrupt is wanted; the driver asks for one, and looks again."""
    used, wants, interrupt = p.var("used", 0), p.var("wants", False), p.var("interrupt", False)

    def device():
        used.store(1)
        device_fence()
        if wants.load():
            interrupt.store(True)

    def driver():
        wants.store(True)
        driver_fence()
        if used.load() == 0:
            p.wait_until(interrupt.load)

    p.thread(device)
    p.thread(driver)


@mcr.program
def virtio_queue(p):
    """ACRN, SPDK and cloud-hypervisor: both look before their stores are seen, and the disk stalls.

    Fails under: TSO, PSO
    """
    device_and_driver(p)


@mcr.program
def virtio_queue_on_one_side(p):
    """A barrier on one side alone.

    Fails under: TSO, PSO
    """
    device_and_driver(p, device_fence=p.fence)


@mcr.program
def virtio_queue_mended(p):
    """A barrier on both sides.

    Fails under: nothing
    """
    device_and_driver(p, device_fence=p.fence, driver_fence=p.fence)


def poll_and_notify(p, announce):
    """The poller announces itself and looks for work before it waits; the notifier has its barrier."""
    notify_me, work, event = p.var("notify_me", 0), p.var("work", False), p.var("event", False)

    def poller():
        announce(notify_me)
        if not work.load():
            p.wait_until(event.load)

    def notifier():
        work.store(True)
        p.fence()
        if notify_me.load():
            event.store(True)

    p.thread(poller)
    p.thread(notifier)


@mcr.program
def aio_notify_me(p):
    """QEMU, as on x86, where the announcement is one atomic addition, and so a fence (LP 1805256: only ARM hangs).

    Fails under: nothing
    """
    poll_and_notify(p, lambda notify_me: notify_me.fetch_add(2))


@mcr.program
def aio_notify_me_stored(p):
    """The announcement is a plain store.

    Fails under: TSO, PSO
    """
    poll_and_notify(p, lambda notify_me: notify_me.store(2))


@mcr.program
def aio_notify_me_mended(p):
    """A plain store and a barrier (5710a3e0).

    Fails under: nothing
    """

    def announce(notify_me):
        notify_me.store(2)
        p.fence()

    poll_and_notify(p, announce)


@mcr.program
def exchange_on_both_sides(p):
    """Folly #2649 and brpc #3539: both sides announce by an atomic exchange. What is wrong there needs ARM.

    Fails under: nothing
    """
    one, two = p.var("one", 0), p.var("two", 0)
    saw = p.array("saw", [0, 0])

    def side(me, mine, other):
        mine.exchange(1)
        saw[me].store(other.load())

    p.thread(side, 0, one, two)
    p.thread(side, 1, two, one)

    @p.final
    def is_seen():
        assert saw[0].load() or saw[1].load(), "each side has missed the other one"


# -- a page that is read while it is written ---------------------------------------------------------


def write_and_read_page(p, store_fence=lambda: None):
    """The writer makes the version odd, writes a page and its checksum, and makes it even; the reader looks twice."""
    version, page, checksum = p.var("version", 0), p.array("page", [0, 0]), p.var("checksum", 0)

    def writer():
        version.store(1)
        store_fence()
        page[0].store(1)
        page[1].store(1)
        checksum.store(2)
        store_fence()
        version.store(2)

    def reader():
        before = version.load()
        words, found = (page[0].load(), page[1].load()), checksum.load()
        if before % 2 == 0 and version.load() == before:
            assert sum(words) == found, f"a torn page: {words} with checksum {found}"

    p.thread(writer)
    p.thread(reader)


@mcr.program
def page_seqlock(p):
    """Typhon #579: without barriers the words may be stored before the version is odd, or after it is even.

    Fails under: PSO
    """
    write_and_read_page(p)


@mcr.program
def page_seqlock_mended(p):
    """With a store fence on both sides of the page.

    Fails under: nothing
    """
    write_and_read_page(p, store_fence=p.store_fence)
