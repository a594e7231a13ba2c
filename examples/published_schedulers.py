"""Bugs of task schedulers from public reports: a work-stealing deque whose buffer shrinks, and an idle processor.

Modelled after the reports and the mended versions. Neither needs a weak memory model.
"""

import mcr

# -- a thief goes on with a buffer that the owner has replaced ------------------------------------


class Deque:
    """Tasks from `front` up to `back` - 1, in a buffer that becomes smaller when few are left (Chase and Lev)."""

    def __init__(self, p, tasks, looks_again):
        self.p, self.looks_again = p, looks_again
        self.front, self.back = p.var("front", 0), p.var("back", len(tasks))
        self.buffers = [p.array("large", tasks + [None] * (8 - len(tasks))), p.array("small", [None] * 4)]
        self.buffer = p.var("buffer", 0)

    def slot(self, buffer, index):
        cells = self.buffers[buffer]
        return cells[index % len(cells)]

    def push(self, task):
        back = self.back.load()
        self.slot(self.buffer.load(), back).store(task)
        self.p.store_fence()
        self.back.store(back + 1)

    def pop_newest(self):
        """LIFO: the owner's end is that of `push`."""
        back = self.back.load()
        if back <= self.front.load():
            return None
        self.back.store(back - 1)
        self.p.fence()
        front = self.front.load()
        left = back - 1 - front
        task = self.slot(self.buffer.load(), back - 1).load() if left >= 0 else None
        if left > 0:
            self.shrink(left)
            return task
        if left == 0 and not self.front.compare_exchange(front, front + 1):
            task = None
        self.back.store(back)
        return task

    def pop_oldest(self):
        """FIFO: the owner's end is that of the thieves."""
        back = self.back.load()
        left = back - self.front.load() - 1
        if left < 0:
            return None
        front = self.front.fetch_add(1)
        if front == back:
            self.front.store(front)
            return None
        task = self.slot(self.buffer.load(), front).load()
        self.shrink(left)
        return task

    def shrink(self, left):
        back, front = self.back.load(), self.front.load()
        if self.buffer.load() == 0 and left < 2:
            for index in range(front, back):
                self.slot(1, index).store(self.slot(0, index).load())
            self.buffer.exchange(1)

    def steal_half(self, one_by_one):
        """A thief loads the buffer once, also where it takes one task after the other (LIFO)."""
        front = self.front.load()
        self.p.fence()
        length = self.back.load() - front
        if length <= 0:
            return ()
        half, buffer = (length + 1) // 2, self.buffer.load()
        if not one_by_one:
            return self.steal_from(buffer, front, half)
        stolen = self.steal_from(buffer, front, 1)
        while stolen and len(stolen) < half:
            self.p.fence()
            following = front + len(stolen)
            if self.back.load() <= following or not (task := self.steal_from(buffer, following, 1)):
                break
            stolen += task
        return stolen

    def steal_from(self, buffer, front, count):
        tasks = tuple(self.slot(buffer, front + place).load() for place in range(count))
        is_replaced = self.looks_again and self.buffer.load() != buffer
        return tasks if not is_replaced and self.front.compare_exchange(front, front + count) else ()


def work_and_steal(p, newest_first, looks_again):
    """The owner does two tasks of three, gets a fourth one and does what is left; a thief steals once."""
    deque = Deque(p, [1, 2, 3], looks_again)
    pop = deque.pop_newest if newest_first else deque.pop_oldest

    def owner():
        done = [pop(), pop()]
        deque.push(4)
        while task := pop():
            done.append(task)
        return tuple(done)

    def thief():
        return deque.steal_half(one_by_one=newest_first)

    workers = [p.thread(owner), p.thread(thief)]

    @p.final
    def every_task_is_done_once():
        done = [task for worker in workers for task in worker.join() if task]
        assert sorted(done) == [1, 2, 3, 4], f"the tasks that were done are {done}"


@mcr.program
def deque_lifo(p):
    """crossbeam-deque 0.8.0, RUSTSEC-2021-0093, says that a task is done twice and another one never, but not how.

    This is how: half of a LIFO deque is stolen one by one, from the buffer that the thief loaded first. Before the
    second theft the owner has taken that task itself, moved to another buffer, and pushed a new task there.

    Fails under: SC, TSO, PSO
    """
    work_and_steal(p, newest_first=True, looks_again=False)


@mcr.program
def deque_lifo_mended(p):
    """0.8.1 looks again whether that is still the buffer (PR 726).

    Fails under: nothing
    """
    work_and_steal(p, newest_first=True, looks_again=True)


@mcr.program
def deque_fifo(p):
    """A batch of a FIFO deque is stolen at once. The mend changed that too; here the tasks are right without it.

    Fails under: nothing
    """
    work_and_steal(p, newest_first=False, looks_again=False)


# -- a processor goes idle beside a goroutine that waits for one -----------------------------------


def start_two_goroutines(p, asks=False, keeps_flag=False):
    """Goroutines that only end together, on three processors; a worker without work gives its processor back.

    `searching` counts the workers that look for work. A new goroutine wakes a worker only if that is zero, and such
    workers look once more after they have given their processor back. A worker that sees enough others search does not
    look at all. With `asks`, a thread that found work and no processor raises a flag for these. Every worker that
    begins to search lowers the flag; with `keeps_flag`, only the worker that was asked does.
    """
    lock, asked = p.mutex("scheduler"), p.var("asked", False)
    idle, searching, woken = p.var("idle", 0), p.var("searching", 1), p.var("woken", False)
    queue, running = p.var("queue", 0), p.var("running", 0)

    def all_run():
        return running.load() == 2

    def take_processor(gives_up_searching):
        with lock:
            left = idle.load()
            if left:
                idle.store(left - 1)
                return True
            if asks:
                asked.store(True)
            if gives_up_searching:
                searching.fetch_add(-1)
            return False

    def begin_to_search():
        searching.fetch_add(1)
        if asks and not keeps_flag:
            asked.store(False)

    def wake_worker():
        if searching.compare_exchange(0, 1) and take_processor(gives_up_searching=True):
            woken.store(True)

    def take_goroutine():
        while work := queue.load():
            if queue.compare_exchange(work, work - 1):
                return True
        return False

    def give_processor_back(is_searching):
        """Returns False if the worker is asked to search instead."""
        with lock:
            if asks and not is_searching and asked.load():
                asked.store(False)
                return False
            idle.store(idle.load() + 1)
            return True

    def find_goroutine(is_searching):
        """Returns True if there is one, False if the worker has no processor any more."""
        while True:
            if not is_searching and 2 * searching.load() < 3 - idle.load():
                begin_to_search()
                is_searching = True
            if is_searching and take_goroutine():
                searching.fetch_add(-1)
                wake_worker()
                return True
            if not give_processor_back(is_searching):
                begin_to_search()
                is_searching = True
                continue
            if not is_searching:
                return False
            searching.fetch_add(-1)
            if not queue.load() or not take_processor(gives_up_searching=False):
                return False
            begin_to_search()

    def worker(is_searching, sleeps=False):
        while sleeps or not find_goroutine(is_searching):
            p.wait_until(lambda: woken.load() or all_run())
            if all_run():
                return
            is_searching = woken.compare_exchange(True, False)
            sleeps = not is_searching
        running.fetch_add(1)
        p.wait_until(all_run)

    def main():
        for _ in range(2):
            queue.fetch_add(1)
            wake_worker()
        p.wait_until(all_run)

    p.thread(main)
    p.thread(worker, True)
    p.thread(worker, False)
    p.thread(worker, False, True)


@mcr.program
def idle_processor(p):
    """golang/go#45867: the last worker that searches finds work and no processor, and gives up.

    The worker that did not search gives its own one back just then, and does not look once more.

    Fails under: SC, TSO, PSO
    """
    start_two_goroutines(p)


@mcr.program
def idle_processor_asked_for(p):
    """With the flag of the mend, needspinning, one schedule is left, in this model at least.

    A thread that has raised the flag still counts as one that searches. So a worker that began to search meanwhile, and
    lowered the flag, wakes no other one for the second goroutine.

    Fails under: SC, TSO, PSO
    """
    start_two_goroutines(p, asks=True)


@mcr.program
def idle_processor_mended(p):
    """Only the worker that has seen the flag lowers it.

    Fails under: nothing
    """
    start_two_goroutines(p, asks=True, keeps_flag=True)
