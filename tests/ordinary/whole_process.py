"""Functions that look at all threads, or at the process: true on CPython, and in every schedule."""

import _thread
import _threading_local
import faulthandler
import os
import sys
import threading


def main_thread():
    main, seen = threading.main_thread(), []
    assert main.name == "MainThread" and main.is_alive() and main is threading.current_thread()
    assert main.ident == threading.get_ident()

    def other():
        seen.append(threading.main_thread() is main)
        seen.append(threading.current_thread() is main)

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert seen == [True, False]


def waiting_threads():
    assert _thread._count() == 0 and threading.enumerate() == [threading.main_thread()]
    event = threading.Event()
    threads = [threading.Thread(target=event.wait) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert _thread._count() == 2 and threading.active_count() == 3
    assert threading.enumerate() == [threading.current_thread(), *threads]
    event.set()
    for thread in threads:
        thread.join()
    assert _thread._count() == 0 and threading.active_count() == 1
    assert threading.enumerate() == [threading.current_thread()]


def threads_without_objects():
    seen, lock = [], threading.Lock()
    lock.acquire()

    def run(one, *, two):
        seen.append((one, two, threading.get_ident()))
        lock.release()

    number = _thread.start_new_thread(run, (1,), {"two": 2})
    assert threading.active_count() == 1 and _thread._count() in (0, 1)
    lock.acquire()
    assert seen == [(1, 2, number)]
    for wrong in ((1, ()), (run, []), (run, (), 3)):
        try:
            _thread.start_new_thread(*wrong)
        except TypeError as error:
            seen.append(str(error))
    assert seen[1:] == [
        "first arg must be callable",
        "2nd arg must be a tuple",
        "optional 3rd arg must be a dictionary",
    ]


def switch_interval():
    seen, before = [], sys.getswitchinterval()
    for seconds in (0.25, 1.2345678e-3, 1):
        sys.setswitchinterval(seconds)
        thread = threading.Thread(target=lambda: seen.append(sys.getswitchinterval()))
        thread.start()
        thread.join()
    assert seen == [0.25, 1e-6 * 1234, 1.0]
    sys.setswitchinterval(before)
    assert sys.getswitchinterval() == before
    for wrong, expected in ((0, ValueError), (-1.5, ValueError), ("x", TypeError), (None, TypeError)):
        try:
            sys.setswitchinterval(wrong)
        except expected:
            seen.append(wrong)
    assert seen[3:] == [0, -1.5, "x", None]


def folder_children_and_dumps():
    assert os.path.isabs(os.getcwd())
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        pass
    else:
        raise AssertionError("there is a child")
    faulthandler.dump_traceback_later(1000)
    faulthandler.cancel_dump_traceback_later()


def thread_that_may_have_ended():
    thread = threading.Thread(target=int)
    thread.start()
    assert thread in threading.enumerate()


def process_that_a_dump_ends():
    faulthandler.dump_traceback_later(1000, exit=True)
    faulthandler.cancel_dump_traceback_later()


def attributes_of_each_thread():
    """`_threading_local` is the same in Python."""
    mine, seen = _threading_local.local(), []
    mine.x = 1

    def other():
        seen.append(hasattr(mine, "x"))
        mine.x = 2
        seen.append(mine.x)

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert seen == [False, 2] and mine.x == 1
