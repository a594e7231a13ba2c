"""APScheduler 3: MemoryJobStore.

Package: apscheduler==3.11.0
"""

from apscheduler.jobstores.memory import MemoryJobStore

import mcr


class Job:
    def __init__(self, id, next_run_time):
        self.id = id
        self.next_run_time = next_run_time


@mcr.program
def apscheduler_add(p):
    """Two add a job of one name: both find that there is none.

    Fails: AssertionError
    """
    store = p.share(MemoryJobStore())

    def add(job):
        try:
            store.add_job(job)
        except Exception:
            return False
        return True

    p.thread(add, Job("id", None))
    p.thread(add, Job("id", None))

    @p.final
    def one_job():
        assert len(store._jobs) == 1, "two jobs of one name"
