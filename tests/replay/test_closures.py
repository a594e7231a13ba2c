"""Functions that threads hand to operations are called where the thread stands, not where it has gone since."""

import mcr


def test_update_sees_the_variables_of_its_own_moment():
    @mcr.program
    def late(p):
        x = p.var("x", 0)

        def adder():
            amount = 1
            old = x.update(lambda value: value + amount, "add")
            amount = 100
            return old

        p.thread(x.store, 5)
        p.thread(adder)
        p.final(x.load)

    assert mcr.check(late, "sc").outcomes == ("5", "6")
