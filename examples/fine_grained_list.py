"""A sorted list with a lock in each node, and what it takes to free a node that was taken out."""

import mcr


class Set:
    """Numbers in order. Threads go from node to node hand over hand: they lock the next before they leave one."""

    def __init__(self, p, values=()):
        self.p = p
        following = None
        for value in reversed(values):
            following = p.record("node", value=value, next=following, lock=p.mutex())
        self.first = p.record("node", value=None, next=following, lock=p.mutex())

    def find(self, value):
        """The last node before the place of `value`, locked, and the node after it, locked too if there is one."""
        node = self.first
        node.lock.acquire()
        while (following := node.next.load()) is not None:
            following.lock.acquire()
            if following.value.load() >= value:
                break
            node.lock.release()
            node = following
        return node, following

    def add(self, value):
        node, following = self.find(value)
        node.next.store(self.p.record("node", value=value, next=following, lock=self.p.mutex()))
        for each in (node, following):
            if each is not None:
                each.lock.release()

    def remove(self, value):
        """Nobody waits for the lock of the node that is freed: to come there takes that of the node before."""
        node, following = self.find(value)
        if following is not None:
            found = following.value.load() == value
            if found:
                node.next.store(following.next.load())
            following.lock.release()
            if found:
                self.p.free(following)
        node.lock.release()

    def contains(self, value):
        """Looks without locking."""
        node = self.first.next.load()
        while node is not None and node.value.load() < value:
            node = node.next.load()
        return node is not None and node.value.load() == value


@mcr.program
def locked_list(p, values=(1, 2)):
    """Nodes are made, locked, taken out and freed; who is in the list holds a lock in it.

    Fails under: nothing
    """
    numbers = Set(p, values)
    p.thread(numbers.remove, values[0])
    p.thread(numbers.add, values[-1] + 1)

    @p.final
    def numbers_are_in_order():
        assert not numbers.contains(values[0]) and numbers.contains(values[-1] + 1)


@mcr.program
def locked_list_lock_free_reader(p):
    """A reader that takes no locks stands on a node that another thread frees.

    Fails under: SC, TSO, PSO
    """
    numbers = Set(p, (1,))
    p.thread(numbers.contains, 1)
    p.thread(numbers.remove, 1)
