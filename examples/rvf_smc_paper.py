"""Programs of [agarwal-2021] whose classes stay few however many threads there are, after their public ancestors."""

import mcr


@mcr.program
def monabsex1(p, n=2):
    """n threads store one value and read it again. (45_monabsex1)

    Fails under: nothing
    """
    shared = p.var("s", 0)

    def thread():
        shared.store(4)
        assert shared.load() == 4, "somebody stored something else"

    for _ in range(n):
        p.thread(thread)


@mcr.program
def reorder(p, n=1):
    """n threads set both variables, and one looks at them. (reorder_5 has four)

    Fails under: SC, TSO, PSO
    """
    a, b = p.var("a", 0), p.var("b", 0)

    def set_both():
        a.store(1)
        b.store(-1)

    def look():
        seen = a.load(), b.load()
        assert seen in ((0, 0), (1, -1)), f"half of it was set: {seen}"

    for _ in range(n):
        p.thread(set_both)
    p.thread(look)


@mcr.program
def singleton(p, n=2):
    """n threads store one letter and one stores another; one of the two is there at the end.

    Fails under: nothing
    """
    letter = p.var("v", "")

    def main():
        writers = [p.spawn(letter.store, "Y") for _ in range(n)]
        writers.append(p.spawn(letter.store, "X"))
        for writer in writers:
            writer.join()
        assert letter.load() in ("X", "Y"), "nobody stored"

    p.thread(main)
