"""Hazard pointers: a reader announces the node that it uses, and nobody frees a node that is announced."""

import mcr


def replace_while_reading(p, fence=lambda: None):
    """One thread replaces a node and frees it, unless the other thread announced that it reads it."""
    current = p.var("current", p.record("first", value=1))
    hazard = p.var("hazard")

    def reader():
        while True:
            node = current.load()
            hazard.store(node)
            fence()
            if node == current.load():
                break
        assert node.value.load() != "freed", "a node was freed while it was read"
        hazard.store(None)

    def writer():
        node = current.exchange(p.record("second", value=2))
        if hazard.load() != node:
            node.value.store("freed")

    p.thread(reader)
    p.thread(writer)


@mcr.program
def hazard_pointer(p):
    """The node is freed under the reader, whose announcement waits in its store buffer.

    Fails under: TSO, PSO
    """
    replace_while_reading(p)


@mcr.program
def hazard_pointer_fenced(p):
    """With a full fence between the announcement and the second look.

    Fails under: nothing
    """
    replace_while_reading(p, fence=p.fence)
