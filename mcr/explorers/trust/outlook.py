"""How many execution graphs there are, guessed by probes ([knuth-1975], with the strata of [chen-1992]).

All graphs are the leaves of a tree: what `Trust.advance` puts aside comes below what it went on from. A probe goes down
that tree once. Of those at one depth whose graphs have as many events, it goes on from one, which stands for all of
them; so it needs no more steps than there are such groups, and what it counts is right on average. How much probes
differ tells how sure that is.
"""

from __future__ import annotations

import random
from math import sqrt

from mcr.exploration.verdict import Guess
from mcr.explorers.trust.explorer import Fork, Trust
from mcr.explorers.trust.graph import Graph

PROBES = 48
"""Probes of one guess."""

STEPS = 6_000
"""Graphs that probes go on from, in all; fewer probes are made where these are used up."""


def guess(trust: Trust) -> Guess | None:
    """How many full graphs there are; None if few probes take too long. `trust` is nobody else's."""
    rng = random.Random(0)
    counts: list[float] = []
    steps = 0
    while len(counts) < PROBES and steps < STEPS:
        count, taken = _probe(trust, rng)
        counts.append(count)
        steps += taken
    if len(counts) < 4:
        return None
    mean = sum(counts) / len(counts)
    error = sqrt(sum((count - mean) ** 2 for count in counts) / (len(counts) - 1) / len(counts))
    return Guess(mean, max(mean - 2 * error, mean / 4), mean + 2 * error)


def _probe(trust: Trust, rng: random.Random) -> tuple[float, int]:
    """How many full graphs a probe says there are, and how many it went on from."""
    found, steps = 0.0, 0
    depth: dict[int, tuple[float, Graph | Fork]] = {0: (1.0, trust.first())}
    while depth:
        below: dict[int, tuple[float, Graph | Fork]] = {}
        for weight, work in depth.values():
            steps += 1
            full = trust.advance(_chosen(work, rng))
            found += weight * (full is not None)
            aside, trust.aside = trust.aside, []
            trust.failures.clear()
            for each in aside:
                share = weight * (len(each.options) if isinstance(each, Fork) else 1)
                size = len(each.graph.events if isinstance(each, Fork) else each.events)
                known, representative = below.get(size, (0.0, each))
                stays = rng.random() * (known + share) < known
                below[size] = (known + share, representative if stays else each)
        depth = below
    return found, steps


def _chosen(work: Graph | Fork, rng: random.Random) -> Graph | Fork:
    """Of a fork, one of its options alone."""
    if not isinstance(work, Fork):
        return work
    return Fork(work.graph.copy(), work.number, [rng.choice(work.options)], work.reads)
