"""Random instances: every kind of action, realizable and not."""

from __future__ import annotations

import random
from dataclasses import replace

from mcr.consistency.instance import INITIAL, Instance, InstanceAction
from replay.world.memory_model import Access, MemoryModel
from tests.consistency.brute_force import random_run

KINDS: tuple[tuple[int, Access, bool, bool], ...] = (
    (10, Access.STORE, False, True),
    (10, Access.LOAD, True, False),
    (2, Access.BARRIER, True, True),
    (1, Access.BARRIER, True, False),
    (1, Access.BARRIER, False, True),
    (2, Access.BARRIER, False, False),
    (1, Access.STORE_BARRIER, False, False),
    (1, Access.LOCAL, False, False),
)
"""Weight, access, reads, writes: stores, loads, rmws, failing rmws, unlocks, fences, store fences, choices."""


def random_actions(random: random.Random, size: int, threads: int, locations: int, *, fences: bool) -> Instance:
    """Actions without sources; some wait for the end of another thread."""
    kinds = KINDS if fences else KINDS[:2]
    lines: list[list[InstanceAction]] = [[] for _ in range(threads)]
    for _ in range(size):
        thread = random.randrange(threads)
        _, access, reads, writes = random.choices(kinds, [kind[0] for kind in kinds])[0]
        location = random.randrange(locations) if reads or writes else -1
        lines[thread].append(InstanceAction(0, thread, len(lines[thread]), access, location, reads, writes))
    if fences and threads > 1 and random.random() < 0.15:
        _join(random, lines)
    lines = [line for line in lines if line]
    return _numbered(lines)


def _join(random: random.Random, lines: list[list[InstanceAction]]) -> None:
    """Let one thread wait for the end of another; the waiting action has `after` set to the waited-for thread."""
    waiting, over = random.sample(range(len(lines)), 2)
    if lines[waiting] and lines[over]:
        lines[over].append(InstanceAction(0, over, 0, Access.BARRIER))
        place = random.randrange(len(lines[waiting]) + 1)
        lines[waiting].insert(place, InstanceAction(0, waiting, 0, Access.BARRIER, after=(over,)))


def _numbered(lines: list[list[InstanceAction]]) -> Instance:
    """Give ids and indexes in order; `after` so far names threads."""
    last: dict[int, int] = {}
    actions: list[InstanceAction] = []
    for number, line in enumerate(lines):
        for index, action in enumerate(line):
            last[action.thread] = len(actions)
            actions.append(replace(action, id=len(actions), thread=number, index=index))
    return Instance(tuple(replace(a, after=tuple(last[thread] for thread in a.after)) for a in actions))


def candidates(instance: Instance, read: int) -> list[int]:
    """All writes that a read could be claimed to read from."""
    action = instance.actions[read]
    return [INITIAL, *(write for write in instance.writers.get(action.location, ()) if write != read)]


def random_instance(random: random.Random, model: MemoryModel, *, size: int = 9) -> Instance:
    """An instance with one source per read: of a run, of a run with some reads changed, or any."""
    actions = random_actions(
        random, random.randint(2, size), random.randint(1, 4), random.randint(1, 3), fences=random.random() < 0.7
    )
    reads = [action.id for action in actions.actions if action.reads]
    sources = {read: random.choice(candidates(actions, read)) for read in reads}
    how = random.random()
    if how < 0.8:
        run = random_run(actions, model, random)
        changed = set(random.sample(reads, min(len(reads), random.randint(1, 2)))) if how < 0.55 else set()
        sources = {read: sources[read] if read in changed else run[read] for read in reads}
    return Instance(actions.actions, {read: (write,) for read, write in sources.items()})


def random_good_instance(random: random.Random, model: MemoryModel, *, size: int = 9) -> Instance:
    """An instance with several good writes per read, as values would give them."""
    base = random_instance(random, model, size=size)
    values = {INITIAL: 0} | {action.id: random.randrange(3) for action in base.actions if action.writes}
    good = {}
    for read, (source,) in base.good.items():
        good[read] = tuple(write for write in candidates(base, read) if values[write] == values[source])
    return Instance(base.actions, good)
