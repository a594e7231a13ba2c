"""Treiber's stack: a linked list whose top is replaced by compare-and-swap."""

import mcr


class Stack:
    """A stack of records that have a field `next`."""

    def __init__(self, p, top=None):
        self.top = p.var("top", top)

    def push(self, node):
        while True:
            top = self.top.load()
            node.next.store(top)
            if self.top.compare_exchange(top, node):
                return

    def pop(self):
        """The node that was on top; None if the stack is empty."""
        while True:
            top = self.top.load()
            if top is None:
                return None
            if self.top.compare_exchange(top, top.next.load()):
                return top


class TaggedStack:
    """The same, with a number beside the top that says how often it was replaced."""

    def __init__(self, p, top=None):
        self.top = p.var("top", (top, 0))

    def push(self, node):
        while True:
            top, tag = self.top.load()
            node.next.store(top)
            if self.top.compare_exchange((top, tag), (node, tag + 1)):
                return

    def pop(self):
        while True:
            top, tag = self.top.load()
            if top is None:
                return None
            if self.top.compare_exchange((top, tag), (top.next.load(), tag + 1)):
                return top


@mcr.program
def treiber_stack(p, pushers=2, poppers=1):
    """Every value that is popped was pushed, and is popped once; the compare-and-swap drains the store buffer.

    Fails under: nothing
    """
    stack = Stack(p)

    def push(value):
        node = p.record("node", value=None, next=None)
        node.value.store(value)
        stack.push(node)

    def pop():
        node = stack.pop()
        return node and node.value.load()

    for value in range(1, pushers + 1):
        p.thread(push, value)
    threads = [p.thread(pop) for _ in range(poppers)]

    @p.final
    def pushed_is_popped_or_there():
        values = [value for thread in threads if (value := thread.join()) is not None]
        while node := stack.pop():
            values.append(node.value.load())
        assert sorted(values) == list(range(1, pushers + 1)), f"the stack gave {values}"


def reuse(p, stack_class):
    """One thread pops a node while another one pops two and pushes the first of them again."""
    bottom = p.record("bottom", next=None)
    stack = stack_class(p, top=p.record("top", next=bottom))

    def pop_two_push_one():
        first = stack.pop()
        second = stack.pop()
        if first is not None:
            stack.push(first)
        return second

    threads = [p.thread(stack.pop), p.thread(pop_two_push_one)]

    @p.final
    def every_node_is_in_one_place():
        nodes = [node for thread in threads if (node := thread.join())]
        while node := stack.pop():
            nodes.append(node)
        assert len(set(nodes)) == len(nodes) == 2, f"the nodes are {nodes}"


@mcr.program
def treiber_stack_aba(p):
    """Nodes are pushed again: a pop may succeed since the top is the same node as before, but with another next.

    Fails under: SC, TSO, PSO
    """
    reuse(p, Stack)


@mcr.program
def treiber_stack_tagged(p):
    """The tag tells the node that came back from the one that was there before.

    Fails under: nothing
    """
    reuse(p, TaggedStack)
