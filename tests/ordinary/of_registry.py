"""Uses what another module holds, by names of its own."""

from __future__ import annotations

from tests.ordinary.registry import handlers as known
from tests.ordinary.registry import register

add_to_nothing = [].append


def names():
    return sorted(known)


def add(name):
    register(name, len)
