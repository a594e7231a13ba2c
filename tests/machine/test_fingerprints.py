"""What a program rests on, as text."""

from __future__ import annotations

import mcr


class Node:
    def __init__(self, name):
        self.name = name
        self.near = set()


def fingerprint(names, far):
    nodes = [Node(name) for name in names]
    nodes[0].near.update(nodes)
    for each in nodes[1:]:
        each.near.add(nodes[far])

    @mcr.program
    def program(p):
        x = p.var("x", 0)
        p.thread(lambda: x.store(len(nodes[0].name)))

    return program.fingerprint()


def test_members_of_sets_that_lead_back_to_them_are_told_apart_by_what_they_hold():
    assert fingerprint("abc", 0) == fingerprint("abc", 0)
    assert len({fingerprint("abc", 0), fingerprint("abd", 0), fingerprint("abc", 1)}) == 3


def test_members_of_sets_are_in_one_order_whatever_their_addresses():
    def made(numbers):
        holders = set()
        for number in numbers:
            holder = Node("a")
            holder.near = [[number]]
            holders.add(holder)

        @mcr.program
        def program(p):
            x = p.var("x", 0)
            p.thread(lambda: x.store(len(holders)))

        return program.fingerprint(), holders

    numbers = list(range(20))
    assert made(numbers)[0] == made(numbers[::-1])[0] != made(numbers[1:])[0]
