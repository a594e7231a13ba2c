"""Work-stealing deque of Chase and Lev: the owner works at the bottom, thieves at the top."""

import mcr


class Deque:
    """Holds tasks[top] up to tasks[bottom - 1]; `size` is large enough for all that are ever pushed."""

    def __init__(self, p, size, fence=lambda: None, store_fence=lambda: None):
        self.fence = fence
        self.store_fence = store_fence
        self.top, self.bottom = p.var("top", 0), p.var("bottom", 0)
        self.tasks = p.array("tasks", [None] * size)

    def push(self, task):
        bottom = self.bottom.load()
        self.tasks[bottom].store(task)
        self.store_fence()
        self.bottom.store(bottom + 1)

    def take(self):
        """The owner's newest task; None if thieves took them all."""
        bottom = self.bottom.load() - 1
        self.bottom.store(bottom)
        self.fence()
        top = self.top.load()
        if top > bottom:
            self.bottom.store(top)
            return None
        if top == bottom:
            won = self.top.compare_exchange(top, top + 1)
            self.bottom.store(top + 1)
            if not won:
                return None
        return self.tasks[bottom].load()

    def steal(self):
        """The oldest task; None if there is none, or if another thread was faster."""
        top = self.top.load()
        if top >= self.bottom.load():
            return None
        task = self.tasks[top].load()
        return task if self.top.compare_exchange(top, top + 1) else None


def work_and_steal(p, fence=lambda: None, store_fence=lambda: None):
    """The owner pushes two tasks and takes until nothing is left, a thief steals twice."""
    tasks = [1, 2]
    deque = Deque(p, len(tasks), fence, store_fence)

    def owner():
        for task in tasks:
            deque.push(task)
        return tuple(deque.take() for _ in tasks)

    def thief():
        return tuple(deque.steal() for _ in tasks)

    workers = [p.thread(owner), p.thread(thief)]

    @p.final
    def every_task_is_done_once():
        done = [task for worker in workers for task in worker.join() if task]
        assert sorted(done) == tasks, f"the tasks that were done are {done}"


@mcr.program
def chase_lev_deque(p):
    """Without fences owner and thief take the same task, since `bottom` still waits in the owner's store buffer.

    Fails under: TSO, PSO
    """
    work_and_steal(p)


@mcr.program
def chase_lev_deque_x86(p):
    """With a full fence in `take`; under PSO a thief may see `bottom` before the task.

    Fails under: PSO
    """
    work_and_steal(p, fence=p.fence)


@mcr.program
def chase_lev_deque_fenced(p):
    """With a store fence in `push` as well.

    Fails under: nothing
    """
    work_and_steal(p, fence=p.fence, store_fence=p.store_fence)
