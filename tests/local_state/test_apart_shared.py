"""Things that are shared and values, and what threads made themselves: what tells them apart is in the key."""

from __future__ import annotations

import pytest

from tests.local_state.pairs import Meeting, Trap, meeting_of, trap_of

TRAPS: dict[str, Trap] = {}
trap = trap_of(TRAPS)
MEETINGS: dict[str, Meeting] = {}
meeting = meeting_of(MEETINGS)


@trap([0], [1], [0])
def reference_to_one_cell_or_another(p):
    x, y = p.var(0), p.var(0)

    def thread():
        pointer = x.ref if x.load() else y.ref
        x.load()
        return pointer == x.ref

    return thread


@trap([0], [1], [0])
def cell_or_reference_to_it(p):
    x = p.var(0)

    def thread():
        held = x.ref if x.load() else x
        x.load()
        return repr(held)

    return thread


@trap([0], [1], [0])
def reference_to_cells_of_one_name(p):
    """Two histories made other things, and gave them one name and number."""
    x = p.var(0)

    def thread():
        cell = p.var("c", x.load())
        x.load()
        return cell.load()

    return thread


@trap([0], [1], [0])
def cell_inside_or_lock_inside(p):
    x = p.var(0)

    def thread():
        node = p.record("n", part=p.mutex() if x.load() else 0)
        x.load()
        return type(node.part).__name__

    return thread


@trap([0], [1], [0, None])
def mutexes_made_by_two_histories(p):
    x = p.var(0)

    def thread():
        lock = p.mutex("m") if x.load() else p.mutex("n")
        x.load()
        with lock:
            return lock.name

    return thread


@trap([1], [2], [0])
def arrays_of_one_name_and_two_sizes(p):
    x = p.var(0)

    def thread():
        cells = p.array("a", [0] * x.load())
        x.load()
        return len(cells)

    return thread


@trap([1], [2], [0])
def arrays_of_one_name_that_hold_other_values(p):
    x = p.var(0)

    def thread():
        cells = p.array("a", [x.load()])
        x.load()
        return cells[0].load()

    return thread


@trap([0], [1], [0])
def condition_of_one_mutex_or_another(p):
    x, m, n = p.var(0), p.mutex(), p.mutex()

    def thread():
        changed = p.condition("c", m if x.load() else n)
        x.load()
        return changed.mutex == m

    return thread


@trap([0], [1], [0])
def number_of_things_made(p):
    x = p.var(0)

    def thread():
        if x.load():
            p.mutex()
        x.load()
        return p.mutex("m").name

    return thread


@trap([0], [1], [0])
def what_compare_exchange_saw(p):
    x = p.var(0)

    def thread():
        _done, seen = x.compare_exchange_seen(2, 3)
        x.load()
        return seen

    return thread


@trap([0], [1], [0])
def state_of_the_thread_itself(p):
    x, own = p.var(0), p.local(kept=0)

    def thread():
        own.kept = x.load()
        x.load()
        return own.kept

    return thread


@trap([0], [1], [0])
def state_of_the_thread_itself_that_is_one_list_or_two(p):
    x, own = p.var(0), p.local()

    def thread():
        own.a = own.b = []
        if x.load():
            own.b = []
        x.load()
        own.a.append(1)
        return len(own.b)

    return thread


@trap([0], [1], [0])
def one_state_of_the_thread_or_another(p):
    x, one, two = p.var(0), p.local(kept=1), p.local(kept=2)

    def thread():
        chosen = one if x.load() else two
        x.load()
        return chosen.kept

    return thread


@trap([1], [2], [0])
def semaphores_of_one_name_that_began_otherwise(p):
    x = p.var(0)

    def thread():
        sem = p.semaphore(x.load(), name="s")
        x.load()
        return sem.acquire()

    return thread


@trap([1], [2], [0])
def queues_of_one_name_and_two_sizes(p):
    x = p.var(0)

    def thread():
        queue = p.queue(x.load(), name="q")
        x.load()
        return queue.maxsize

    return thread


@trap([0], [1], [0, ("filling", 0), None])
def barriers_of_one_name_with_other_actions(p):
    x = p.var(0)

    def thread():
        gate = p.barrier(1, x.fetch_add if x.load() else p.fence, name="g")
        x.load()
        gate.wait()

    return thread


@trap([0], [1], [0, (False, 0)])
def one_side_of_a_lock_or_the_other(p):
    x, lock = p.var(0), p.rwlock()

    def thread():
        side = lock.writer if x.load() else lock.reader
        x.load()
        side.acquire()
        p.fence()
        return repr(side)

    return thread


@trap([None, 0], [None, 1], [0])
def how_often_a_lock_is_held(p):
    x, lock = p.var(0), p.rlock()

    def thread():
        lock.lock()
        if x.load():
            lock.lock()
        x.load()
        lock.unlock()
        p.fence()

    return thread


@meeting([0], [1])
def what_compare_exchange_saw_and_nobody_uses(p):
    x = p.var(0)

    def thread():
        done, _ = x.compare_exchange_seen(2, 3)
        x.load()
        return done

    return thread


@meeting([0], [1])
def reference_to_the_same_cell(p):
    x = p.var(0)

    def thread():
        pointer = x.ref if x.load() else x.ref.ref
        x.load()
        return pointer.load()

    return thread


@meeting([0], [1])
def alike_made_on_two_ways(p):
    x = p.var(0)

    def thread():
        if x.load():
            node = p.record("n", lock=p.mutex(), slots=p.array([0]))
        else:
            node = p.record("n", lock=p.mutex(), slots=p.array([0]))
        x.load()
        with node.lock:
            return node.slots[0].load()

    return thread


@pytest.mark.parametrize("trap", TRAPS.values(), ids=TRAPS)
def test_other_futures_have_other_keys(trap: Trap) -> None:
    trap.check()


@pytest.mark.parametrize("meeting", MEETINGS.values(), ids=MEETINGS)
def test_one_future_has_one_key(meeting: Meeting) -> None:
    meeting.check()
