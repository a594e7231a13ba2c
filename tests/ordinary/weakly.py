"""Functions whose threads share weak containers: `bug_`, `right_`, and `unknown_` where an object may be gone."""

from __future__ import annotations

import queue
import threading
import weakref

from tests.ordinary.threaded import together


class Key:
    pass


class Compared:
    def __eq__(self, other):
        return isinstance(other, Compared)

    def __hash__(self):
        return 1


def bug_made_twice():
    """Both find none, and one that is made is lost."""
    known, made = weakref.WeakValueDictionary(), []

    def get():
        if "key" not in known.data:
            known["key"] = key = Key()
            made.append(key)

    together(get, get)
    assert len(made) == 1


def right_what_the_thread_has():
    known = weakref.WeakValueDictionary()

    def put(name):
        key = Key()
        known[name] = key
        assert known[name] is key
        assert name in known
        assert known.get(name) is key

    together(lambda: put("a"), lambda: put("b"))


def right_values_of_keys():
    counts = weakref.WeakKeyDictionary()
    keys, lock = [Key(), Key()], threading.Lock()

    def count(key):
        with lock:
            counts[key] = counts.get(key, 0) + 1

    together(lambda: count(keys[0]), lambda: count(keys[0]))
    assert counts[keys[0]] == 2
    assert keys[1] not in counts


def bug_values_of_keys_without_a_lock():
    counts = weakref.WeakKeyDictionary()
    key = Key()
    counts[key] = 0

    def count():
        counts[key] += 1

    together(count, count)
    assert counts[key] == 2


def right_members_of_a_set():
    seen = weakref.WeakSet()
    keys = [Key(), Key()]
    together(lambda: seen.add(keys[0]), lambda: seen.add(keys[1]))
    assert keys[0] in seen
    assert keys[1] in seen
    seen.discard(keys[0])
    assert keys[0] not in seen


def unknown_what_another_thread_has():
    known = weakref.WeakValueDictionary()

    def put():
        known["key"] = Key()

    together(put, lambda: known.get("key"))


def unknown_how_many_there_are():
    seen, keys = weakref.WeakSet(), [Key()]
    seen.add(keys[0])
    together(keys.clear, lambda: len(seen))


def unknown_how_many_another_thread_has():
    """The set is the thread's own, and the object is not."""
    keys = [Key()]

    def count():
        seen = weakref.WeakSet()
        seen.update(keys)
        return len(seen)

    together(keys.clear, count)


class Ended:
    def __init__(self, ended):
        self.ended = ended

    def __del__(self):
        self.ended.append(1)


def right_end_that_is_not_told():
    """What `__del__` does is no step, which is said; nothing is printed when what was shared goes."""
    ended = []
    one = Ended(ended)
    together(lambda: Ended([]), lambda: one.ended)
    assert ended == []


def refused_compared_by_code():
    seen, keys = weakref.WeakSet(), [Compared()]
    together(lambda: seen.add(keys[0]), lambda: None)


def unknown_entries_that_code_looks_at():
    known = weakref.WeakValueDictionary()
    keys = [Key()]
    known["key"] = keys[0]
    seen = []
    together(keys.clear, lambda: seen.append(len(known.data)))


def right_entries_that_the_thread_has():
    known, seen = weakref.WeakValueDictionary(), []

    def put():
        key = Key()
        known["key"] = key
        seen.append("key" in known.data and key is not None)

    together(put, lambda: None)
    assert seen == [True]


def bug_two_locks_of_one_name():
    """Locks by names, which last as long as threads use them: two threads make one each."""
    locks, used = weakref.WeakValueDictionary(), []

    def use():
        lock = locks.get("name")
        if lock is None:
            lock = locks["name"] = threading.Lock()
        used.append(lock)

    together(use, use)
    assert used[0] is used[1]


def unknown_locks_of_one_name_under_a_lock():
    locks, guard = weakref.WeakValueDictionary(), threading.Lock()

    def use():
        with guard:
            lock = locks.get("name")
            if lock is None:
                lock = locks["name"] = threading.Lock()
        with lock:
            pass

    together(use, use)


def right_what_python_has_in_c():
    things = [threading.Lock(), threading.RLock(), threading.local(), queue.SimpleQueue()]
    known = [weakref.ref(each) for each in things]
    together(lambda: None, lambda: None)
    assert all(one() is other for one, other in zip(known, things, strict=True))
