"""Programs by which maximal causality reduction was measured, for comparison with the published figures.

Each is modelled after a description of the original, with the same shared
accesses; loops are bounded as there. What "the first bug" means was not always
published; where no check is known, mutual exclusion is checked.
"""

import mcr


def critical_section(p, x, me, check):
    """Write who is inside, and look whether it still says so."""
    x.store(me)
    inside = x.load()
    assert not check or inside == me, "two threads in the critical section"


class Spin:
    """A loop that gives up: `goes_on()` says True at most n+1 times."""

    def __init__(self, n):
        self.left = n + 1

    def goes_on(self):
        self.left -= 1
        return self.left >= 0


@mcr.program
def figure_3a(p):
    """Store buffering: three classes under SC, four under TSO and PSO.

    Fails under: TSO, PSO
    """
    x, y = p.var("x", 0), p.var("y", 0)

    def thread(mine, other):
        mine.store(1)
        return other.load()

    threads = [p.thread(thread, x, y), p.thread(thread, y, x)]

    @p.final
    def somebody_saw():
        assert any(thread.join() for thread in threads), "both loads missed the other's store"


@mcr.program
def figure_6(p, n=1, check=True):
    """Publication of a two-field object, n times: the flag may overtake the fields under PSO.

    Fails under: PSO
    """
    x, y, z = p.var("x", 1), p.var("y", 2), p.var("z", 0)

    def publish():
        for _ in range(n):
            z.store(0)
            x.store(0)
            y.store(0)
            x.store(2)
            y.store(3)
            z.store(1)

    def look():
        for _ in range(n):
            if z.load() == 1:
                made = x.load() + 1 == y.load()
                assert made or not check, "a half-made object was seen"

    p.thread(publish)
    p.thread(look)


@mcr.program
def dekker(p, n=1, check=True):
    """Dekker's lock with bounded waiting: who has waited long enough enters all the same.

    Fails under: SC, TSO, PSO
    """
    flag, turn, x = p.array("flag", [0, 0]), p.var("turn", 1), p.var("x", 0)

    def thread(me, other):
        outer, inner = Spin(n), Spin(n)
        flag[me].store(1)
        while flag[other].load() == 1 and outer.goes_on():
            if turn.load() != me + 1:
                flag[me].store(0)
                while turn.load() != me + 1 and inner.goes_on():
                    pass
                flag[me].store(1)
        critical_section(p, x, me + 1, check)
        turn.store(other + 1)
        flag[me].store(0)

    p.thread(thread, 0, 1)
    p.thread(thread, 1, 0)


@mcr.program
def lamport(p, n=1, check=True):
    """Lamport's fast mutex with bounded waiting: who has waited long enough enters all the same.

    Fails under: SC, TSO, PSO
    """
    flag, x, y, shared = p.array("flag", [0, 0]), p.var("x", 0), p.var("y", 0), p.var("shared", 0)

    def enter(me, other, number):
        attempts, busy, slow, taken = Spin(n), Spin(n), Spin(n), Spin(n)
        while attempts.goes_on():
            flag[me].store(1)
            x.store(number)
            if y.load() != 0:
                flag[me].store(0)
                while y.load() != 0 and busy.goes_on():
                    pass
                continue
            y.store(number)
            if x.load() != number:
                flag[me].store(0)
                while flag[other].load() >= 1 and slow.goes_on():
                    pass
                if y.load() != number:
                    while y.load() != 0 and taken.goes_on():
                        pass
                    continue
            return

    def thread(me, other):
        enter(me, other, me + 1)
        critical_section(p, shared, me + 1, check)
        y.store(0)
        flag[me].store(0)

    p.thread(thread, 0, 1)
    p.thread(thread, 1, 0)


@mcr.program
def bakery(p, n=1, check=True):
    """Lamport's bakery without the tie-break by thread: two with the same number enter together.

    Fails under: SC, TSO, PSO
    """
    enter, number, x = p.array("enter", [0, 0]), p.array("number", [0, 0]), p.var("x", 0)

    def highest():
        best = 0
        for cell in number:
            if cell.load() > best:
                best = cell.load()
        return best

    def thread(me):
        choosing, waiting = Spin(n), Spin(n)
        enter[me].store(1)
        number[me].store(1 + highest())
        enter[me].store(0)
        for other in range(2):
            while enter[other].load() == 1 and choosing.goes_on():
                pass
            while (seen := number[other].load()) != 0 and seen < number[me].load() and waiting.goes_on():
                pass
        critical_section(p, x, me + 1, check)
        number[me].store(0)

    p.thread(thread, 0)
    p.thread(thread, 1)


@mcr.program
def peterson(p, n=1, check=True):
    """Peterson's lock with bounded waiting: who has waited long enough enters all the same.

    Fails under: SC, TSO, PSO
    """
    flag, turn, x = p.array("flag", [0, 0]), p.var("turn", 0), p.var("x", 0)

    def thread(me, other):
        count = Spin(n)
        flag[me].store(1)
        turn.store(other + 1)
        while flag[other].load() == 1 and turn.load() == other + 1 and count.goes_on():
            pass
        critical_section(p, x, me + 1, check)
        flag[me].store(0)

    p.thread(thread, 0, 1)
    p.thread(thread, 1, 0)


@mcr.program
def stack_unsafe(p, n=2, check=True):
    """A stack whose test "not empty" and whose pop are apart: both threads pop the last element.

    Fails under: SC, TSO, PSO
    """
    top, cells = p.var("top", 0), p.array("cells", [0] * (n + 1))

    def push_then_pop(value):
        place = top.load()
        cells[place].store(value)
        top.store(place + 1)
        if top.load() > 0:
            place = top.load() - 1
            if place < 0:
                assert not check, "stack underflow"
                return
            top.store(place)
            cells[place].load()

    for i in range(n):
        p.thread(push_then_pop, i + 1)


@mcr.program
def rv_example(p, n=2, check=True):
    """Three threads, one lock, and an error that takes a long chain of reads to reach.

    Fails under: SC, TSO, PSO
    """
    x, y, lock = p.var("x", 0), p.var("y", 0), p.mutex("lock")

    def first():
        for _ in range(n):
            with lock:
                x.store(0)
            if x.load() > 0:
                y.store(y.load() + 1)
                x.store(2)

    def second():
        for _ in range(n):
            if x.load() > 1:
                if y.load() == 3:
                    assert not check, "the error that is hard to reach"
                else:
                    y.store(2)

    def third():
        for _ in range(n):
            with lock:
                x.store(1)
                y.store(1)

    p.thread(first)
    p.thread(second)
    p.thread(third)


@mcr.program
def account(p, pairs=2, check=True):
    """Deposits without the lock that withdrawals take.

    Fails under: SC, TSO, PSO
    """
    amount, lock = p.var("amount", 100), p.mutex("account")

    def deposit():
        amount.store(amount.load() + 100)

    def withdraw():
        with lock:
            amount.store(amount.load() - 100)

    for _ in range(pairs):
        p.thread(deposit)
        p.thread(withdraw)

    @p.final
    def nothing_is_lost():
        seen = amount.load()
        assert not check or seen == 100, "an update was lost"


@mcr.program
def airline(p, tickets=3):
    """Sellers that sell under a lock, and stop when all seats are taken.

    Fails under: nothing
    """
    capacity = tickets - max(1, tickets // 10)
    sold, stop, lock = p.var("sold", 0), p.var("stop", False), p.mutex("airline")

    def seller():
        with lock:
            if sold.load() >= capacity:
                stop.store(True)
            else:
                sold.store(sold.load() + 1)

    def main():
        sellers = [p.spawn(seller) for _ in range(tickets) if not stop.load()]
        for each in sellers:
            each.join()
        assert sold.load() >= capacity, "too few tickets were sold"

    p.thread(main)


@mcr.program
def allocation(p, size=4, blocks=1, check=True):
    """Finding a free block and marking it are two critical sections: both threads get the same block.

    Fails under: SC, TSO, PSO
    """
    vector, lock = p.array("vector", ["F"] * size), p.mutex("lock")

    def find():
        with lock:
            return next((k for k in range(size) if vector[k].load() == "F"), None)

    def thread():
        for _ in range(blocks):
            place = find()
            if place is None:
                return
            with lock:
                if vector[place].load() == "A":
                    assert not check, "a block was allocated twice"
                    return
                vector[place].store("A")

    p.thread(thread)
    p.thread(thread)


@mcr.program
def ping_pong(p, n=3, check=True):
    """Each thread takes the player away for a moment; another one then finds none.

    Fails under: SC, TSO, PSO
    """
    player = p.var("player", "ball")

    def thread():
        if player.load() is None:
            assert not check, "there is no player"
            return
        mine = player.load()
        player.store(None)
        player.store(mine)

    for _ in range(n):
        p.thread(thread)


@mcr.program
def string_buffer(p, check=True):
    """append() asks another buffer for its length, then copies that much: it may have shrunk in between.

    Fails under: SC, TSO, PSO
    """
    count, lock = p.var("count", 5), p.mutex("buffer")

    def append():
        with lock:
            length = count.load()
        with lock:
            still = count.load()
            assert not check or length <= still, "copied beyond the end"

    def delete():
        with lock:
            end = count.load()
        with lock:
            count.store(count.load() - end)

    p.thread(append)
    p.thread(delete)
