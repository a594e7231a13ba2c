"""What thread objects are asked for and told besides being started and joined."""

from __future__ import annotations

import threading

import mcr
from mcr import Verdict


class Worker(threading.Thread):
    def __init__(self):
        threading.Thread.__init__(self)
        self.daemon = True
        self.done = False

    def run(self):
        self.done = threading.current_thread().ident == threading.get_ident()


def a_worker():
    worker = Worker()
    worker.start()
    worker.join()
    assert worker.done


def the_attributes_of_a_thread():
    thread = threading.Thread(target=lambda: None, name="idle")
    assert repr(thread) == "<Thread(idle, initial)>"
    thread.daemon = True
    assert thread.daemon
    assert thread.ident is None
    thread.start()
    assert thread.ident is not None
    assert thread.native_id is not None
    thread.join()
    assert repr(thread) == f"<Thread(idle, stopped daemon {thread.ident})>"
    try:
        thread.daemon = False
        said = ""
    except RuntimeError as error:
        said = str(error)
    assert said == "cannot set daemon status of active thread"


def test_a_thread_is_made_a_daemon_and_shown_and_has_a_number():
    the_attributes_of_a_thread()
    a_worker()
    assert mcr.check(the_attributes_of_a_thread).verdict is Verdict.VERIFIED
    assert mcr.check(a_worker).verdict is Verdict.VERIFIED


@mcr.program
def shared(p):
    worker = p.share(Worker())
    p.thread(Worker.start, worker)
    p.final(lambda: worker.done)


def test_a_thread_that_is_a_daemon_is_shared():
    assert mcr.check(shared).verdict is Verdict.VERIFIED
