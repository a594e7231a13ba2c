"""Programs of [bui-2021] table 1. Its files are not public: these have the same ancestors and the same classes."""

import mcr


@mcr.program
def boop4(p, u=1, openers=1):
    """Openers take a device, if it is not locked; its owner gives it up, once it was opened. (27_Boop4 has three.)

    Fails under: nothing
    """
    use_count, locked, opened = p.var("use count", 0), p.var("locked", 0), p.var("opened", 0)

    def owner():
        for _ in range(u):
            if opened.load():
                break
        else:
            return
        for _ in range(u):
            use_count.store(use_count.load() - 1)
            locked.store(0)
        use_count.load()

    def opener():
        use_count.store(use_count.load() + 1)
        if locked.load() == 0:
            locked.store(1)
            opened.store(1)

    p.thread(owner)
    for _ in range(openers):
        p.thread(opener)


@mcr.program
def eratosthenes(p, n=4):
    """Two threads cross out multiples up to n.

    Fails under: nothing
    """
    marked = p.array("marked", [0] * (n + 1))

    def sieve():
        for number in range(2, n + 1):
            if marked[number].load() == 0:
                for multiple in range(2 * number, n + 1, number):
                    marked[multiple].store(2)

    p.thread(sieve)
    p.thread(sieve)


@mcr.program
def fillarray(p, u=1):
    """Two threads fill an array from an index that they share, without a lock.

    Fails under: nothing
    """
    index, cells = p.var("index", 0), p.array("cells", [0] * (2 * u + 2))

    def fill(mark):
        index.load()
        for _ in range(u):
            index.store(index.load() + 1)
            cells[index.load()].store(mark)
            index.load()

    p.thread(fill, 1)
    p.thread(fill, 2)
