"""Random programs that compute: arithmetic, branches, loops, indices, tables and inputs between the accesses."""

import operator
import random

import mcr

NUMBERS = ("+", "-", "*", "//", "%", "&", "|", "^", "max", "min", "<<", ">>", "**")
CONDITIONS = ("<", "<=", "==", "!=", ">", ">=")

_DO = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod,
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "max": lambda a, b: max(a, b),
    "min": lambda a, b: min(a, b), "<<": lambda a, b: a << (b & 1), ">>": lambda a, b: a >> (b & 1),
    "**": lambda a, b: a ** (b & 1), "<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne,
    ">": operator.gt, ">=": operator.ge,
}  # fmt: skip

SIMPLE = ("load", "load", "load", "store", "store", "add", "cas", "exchange", "update", "fence", "store_fence")
OTHERS = ("if", "if", "loop", "check", "index", "table", "wait", "assume", "lock", "choose", "integer", "pair", "spawn")


def random_program(seed, length=2, threads=3):
    """A program that depends on `seed` alone."""
    rng = random.Random(seed)
    make = Maker(rng)
    count = 2 if rng.random() < 0.7 else threads
    codes = [make.statements(rng.randint(1, length)) for _ in range(count)]
    final = make.condition(1) if rng.random() < 0.5 else None

    @mcr.program
    def computing(p):
        world = World(p)
        for code in codes:
            p.thread(world.run, code)

        @p.final
        def look():
            found = [cell.load() for cell in world.cells]
            if final is not None:
                values = [value if isinstance(value, int) else 0 for value in found]
                assert world.truth(final, values), "what is left is wrong"
            return tuple(found)

    return computing


class Maker:
    """Makes code, as nested tuples."""

    def __init__(self, rng):
        self.rng = rng

    def statements(self, length, depth=1):
        return tuple(self.statement(depth) for _ in range(length))

    def statement(self, depth):
        rng = self.rng
        kind = rng.choice(SIMPLE + OTHERS if depth else SIMPLE)
        body = self.statements(rng.randint(1, 2), depth - 1) if depth else ()
        other = self.statements(rng.randint(0, 1), depth - 1) if depth else ()
        return (
            kind, rng.randrange(3), rng.randrange(3), self.number(2), self.number(1), self.condition(1), body, other,
            rng.randrange(4),
        )  # fmt: skip

    def number(self, depth):
        rng = self.rng
        if depth == 0 or rng.random() < 0.3:
            return ("local", rng.randrange(3)) if rng.random() < 0.6 else ("constant", rng.randint(-1, 3))
        if rng.random() < 0.15:
            return ("if", self.condition(0), self.number(0), self.number(0))
        return (rng.choice(NUMBERS), self.number(depth - 1), self.number(depth - 1))

    def condition(self, depth):
        rng = self.rng
        if depth and rng.random() < 0.3:
            return (rng.choice(("and", "or", "not", "both", "either")), self.condition(0), self.condition(0))
        return (rng.choice(CONDITIONS), self.number(1), self.number(0))


class World:
    """The shared state of a random program, and how its threads run their code."""

    def __init__(self, p):
        self.p = p
        self.cells = [p.var("x", 3), p.var("y", 1), *p.array("a", [-2, 5])]
        self.mutex = p.mutex("m")

    def run(self, code):
        values = [0, 1, 2]
        self.statements(code, values)
        return values[0]

    def statements(self, code, values):
        for statement in code:
            getattr(self, f"do_{statement[0]}")(values, *statement[1:])

    def number(self, expression, values):
        kind, *parts = expression
        if kind == "local":
            return values[parts[0]]
        if kind == "constant":
            return parts[0]
        if kind == "if":
            return self.number(parts[1 if self.truth(parts[0], values) else 2], values)
        return _DO[kind](*(self.number(part, values) for part in parts))

    def truth(self, expression, values):
        kind, one, other = expression
        if kind == "and":
            return self.truth(one, values) and self.truth(other, values)
        if kind == "or":
            return self.truth(one, values) or self.truth(other, values)
        if kind == "both":
            return self.truth(one, values) & self.truth(other, values)
        if kind == "either":
            return self.truth(one, values) | self.truth(other, values)
        if kind == "not":
            return not self.truth(one, values)
        return _DO[kind](self.number(one, values), self.number(other, values))

    def loaded(self, cell):
        """Some stores leave a pair, of which the first is taken."""
        found = cell.load()
        return found[0] if isinstance(found, tuple) else found

    def do_load(self, values, cell, local, *_):
        values[local] = self.loaded(self.cells[cell])

    def do_store(self, values, cell, local, number, *_):
        self.cells[cell].store(self.number(number, values))

    def do_add(self, values, cell, local, number, *_):
        if cell != 1:
            values[local] = self.cells[cell].fetch_add(self.number(number, values))

    def do_cas(self, values, cell, local, number, other, *_):
        done = self.cells[cell].compare_exchange(self.number(other, values), self.number(number, values))
        values[local] = 1 if done else 0

    def do_exchange(self, values, cell, local, number, *_):
        found = self.cells[cell].exchange(self.number(number, values))
        values[local] = found[0] if isinstance(found, tuple) else found

    def do_update(self, values, cell, local, number, other, condition, body, orelse, choice):
        """Writes nothing for some values, something else for others; may raise what the thread catches."""
        new, limit = self.number(number, values), self.number(other, values)

        def change(old):
            if isinstance(old, tuple):
                return new
            if old < limit:
                return old + new
            if choice == 0:
                raise ValueError
            return mcr.UNWRITTEN if old == limit else new

        try:
            self.cells[cell].update(change)
        except ValueError:
            values[local] = -1

    def do_fence(self, *_):
        self.p.fence()

    def do_store_fence(self, *_):
        self.p.store_fence()

    def do_if(self, values, cell, local, number, other, condition, body, orelse, choice):
        self.statements(body if self.truth(condition, values) else orelse, values)

    def do_loop(self, values, cell, local, number, other, condition, body, *_):
        for _ in range(self.number(number, values) & 1):
            self.statements(body, values)

    def do_check(self, values, cell, local, number, other, condition, *_):
        assert self.truth(condition, values), "a check fails"

    def do_index(self, values, cell, local, number, *_):
        values[local] = self.loaded(self.cells[self.number(number, values) % 3])

    def do_table(self, values, cell, local, number, *_):
        values[local] = {0: 2, 1: 0, 2: 1}[self.number(number, values) % 3]

    def do_wait(self, values, cell, local, number, other, condition, body, orelse, choice):
        self.p.wait_until(lambda: self.loaded(self.cells[cell]) >= choice - 1)

    def do_assume(self, values, cell, local, number, other, condition, *_):
        self.p.assume(self.truth(condition, values))

    def do_lock(self, values, cell, local, number, other, condition, body, *_):
        with self.mutex:
            values[local] = self.loaded(self.cells[cell])
            self.cells[cell].store(values[local] + 1)

    def do_choose(self, values, cell, local, *_):
        values[local] = self.p.choose(0, 2)

    def do_integer(self, values, cell, local, *_):
        values[local] = self.p.integer(-1, 1)

    def do_pair(self, values, cell, local, number, *_):
        """What is no number; only x holds it."""
        self.cells[1].store((self.number(number, values), 7))

    def do_spawn(self, values, cell, local, number, other, condition, body, orelse, choice):
        child = self.p.spawn(self.child, cell, self.number(number, values))
        if choice:
            values[local] = child.join()

    def child(self, cell, number):
        self.cells[cell].store(number)
        return self.loaded(self.cells[2])
