"""Small random programs with everything that threads can ask for."""

import random

import mcr


def random_program(seed, kinds=("load", "store", "rmw", "fence"), threads=3, length=4, locations=2):
    """A program that depends on `seed` alone. `kinds` may repeat, to make some operations more frequent."""
    rng = random.Random(seed)
    count = rng.randint(2, threads)
    codes = [[_operation(rng, kinds, locations) for _ in range(rng.randint(1, length))] for _ in range(count)]
    with_final = rng.random() < 0.3

    @mcr.program
    def generated(p):
        world = World(p, locations)
        for code in codes:
            p.thread(world.run, code)
        if with_final:
            p.final(world.read_all)

    return generated


def _operation(rng, kinds, locations):
    kind = rng.choice(kinds)
    return (kind, rng.randrange(locations), rng.randint(0, 2), rng.randint(0, 2), rng.random() < 0.35)


class World:
    """The shared state of a random program, and how its threads run their code."""

    def __init__(self, p, locations):
        self.p = p
        self.cells = [p.var(f"x{i}", 0) for i in range(locations)]
        self.mutexes = [p.mutex(f"m{i}") for i in range(2)]
        self.condition = p.condition("c", self.mutexes[0])

    def read_all(self):
        return tuple(cell.load() for cell in self.cells)

    def run(self, code):
        last = 0
        for kind, place, value, other, depends in code:
            if depends and last != value:
                continue
            seen = getattr(self, f"do_{kind}")(self.cells[place], place, value, other, last)
            last = last if seen is None else seen
        return last

    def do_load(self, cell, place, value, other, last):
        return cell.load()

    def do_store(self, cell, place, value, other, last):
        cell.store(value)

    def do_copy(self, cell, place, value, other, last):
        cell.store(last)

    def do_rmw(self, cell, place, value, other, last):
        if other == 0:
            return cell.fetch_add(1) if cell.name == "x0" else cell.exchange(value)
        return int(cell.compare_exchange(value, other))

    def do_fence(self, cell, place, value, other, last):
        self.p.fence()

    def do_store_fence(self, cell, place, value, other, last):
        self.p.store_fence()

    def do_lock(self, cell, place, value, other, last):
        """A region that stores and loads; regions do not nest."""
        with self.mutexes[place % 2]:
            cell.store(value)
            return self.cells[other % len(self.cells)].load()

    def do_assume_in_lock(self, cell, place, value, other, last):
        """A region that may never be left."""
        with self.mutexes[place % 2]:
            seen = cell.load()
            self.p.assume(seen != value)
            return seen

    def do_try_lock(self, cell, place, value, other, last):
        mutex = self.mutexes[place % 2]
        if not mutex.try_lock():
            return 0
        cell.store(value)
        if other:
            mutex.unlock()
        return 1

    def do_nested(self, cell, place, value, other, last):
        """Two mutexes, in whichever order: may deadlock."""
        first, second = self.mutexes if place % 2 else reversed(self.mutexes)
        with first, second:
            return cell.load()

    def do_wait(self, cell, place, value, other, last):
        with self.mutexes[0]:
            self.condition.wait()
            return cell.load()

    def do_notify(self, cell, place, value, other, last):
        with self.mutexes[0]:
            cell.store(value)
            self.condition.notify() if other else self.condition.notify_all()

    def do_wait_until(self, cell, place, value, other, last):
        self.p.wait_until(lambda: cell.load() == value or self.cells[0].load() == other)

    def do_choose(self, cell, place, value, other, last):
        return self.p.choose(value, other)

    def do_spawn(self, cell, place, value, other, last):
        """A child that stores what its parent read last; joined at once, or never."""
        child = self.p.spawn(self.child, cell, value, last)
        return child.join() if other else None

    def child(self, cell, value, last):
        cell.store(last)
        return self.cells[value % len(self.cells)].load()
