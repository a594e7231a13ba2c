"""How functions of C go through an iterable: at once, or step by step. The tables say it of each."""

from __future__ import annotations

import collections
import functools
import itertools
import json.encoder
import math
import operator
from array import array
from enum import Enum


class Way(Enum):
    """How an iterable is gone through.

    STEPS  one item after the other: others may come in between
    ALL    at once
    PLAIN  a dict or a set at once, if no item has a method that is asked; all else one item after the other
    """

    STEPS = 0
    ALL = 1
    PLAIN = 2

    __hash__ = object.__hash__  # an enumeration's own is Python code


_ENCODER = vars(json.encoder)["c_make_encoder"]
"""It goes into whatever it finds, at any depth."""

_STEPPING = (
    iter, enumerate, zip, map, filter, reversed, functools.reduce, sum, min, max, any, all, math.prod, math.fsum,
    operator.countOf, operator.indexOf, vars(collections)["_count_elements"],
    *(vars(math)[each] for each in ("sumprod",) if hasattr(math, each)),
    *(vars(itertools)[each] for each in (
        "chain", "islice", "cycle", "takewhile", "dropwhile", "filterfalse", "accumulate", "starmap", "zip_longest",
        "tee", "pairwise", "groupby", "compress",
    )),
    *(vars(itertools)[each] for each in ("batched",) if hasattr(itertools, each)),
    vars(itertools.chain)["from_iterable"],
)  # fmt: skip
_HINTED = (
    list, tuple, sorted, bytes, bytearray, list.extend, list.__init__, list.__iadd__, str.join, bytes.join,
    bytearray.join, bytearray.extend, operator.iadd, operator.iconcat, vars(tuple)["__new__"], itertools.product,
    itertools.permutations, itertools.combinations, itertools.combinations_with_replacement, list.__setitem__,
)  # fmt: skip
"""What asks for a length first, to know how much room it needs, and goes through an iterable at once."""

_TAKING = (
    *_HINTED, collections.deque, array, array.extend, _ENCODER,
    *(vars(collections.deque)[each] for each in ("__init__", "extend", "extendleft", "__iadd__")),
)  # fmt: skip
_KINDS: tuple[type, ...] = (set, frozenset, type({}.keys()))
_DISJOINT = tuple(vars(kind)["isdisjoint"] for kind in _KINDS)
_OF_SETS = (
    set, frozenset, vars(frozenset)["__new__"], set.__init__,
    *(vars(kind)[each] for kind in (set, frozenset) for each in (
        "union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset",
    )),
    *(vars(set)[each] for each in (
        "update", "intersection_update", "difference_update", "symmetric_difference_update",
    )),
    *(vars(type({}.keys()))[each] for each in ("__and__", "__or__", "__sub__", "__xor__")),
)  # fmt: skip
_COMPUTING = (
    *_OF_SETS, *_DISJOINT, operator.contains, dict, collections.OrderedDict, collections.defaultdict,
    dict.update, collections.OrderedDict.update, dict.__ior__, operator.ior, operator.or_,
    vars(dict)["fromkeys"], dict.__init__,
)  # fmt: skip

ITERATING = frozenset(map(id, (*_STEPPING, *_TAKING)))
"""By identity, what goes through an iterable in its order."""

LOOKING_INTO_SETS = frozenset(map(id, _OF_SETS))
"""By identity, what looks into any set that it is given, also where the class of that has another `__iter__`."""


WAYS: dict[int, Way] = {
    **dict.fromkeys(map(id, _STEPPING), Way.STEPS),
    **dict.fromkeys(map(id, _TAKING), Way.ALL),
    **dict.fromkeys(map(id, _COMPUTING), Way.PLAIN),
}
"""By the identity of functions and classes: they live as long as Python."""
