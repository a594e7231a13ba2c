"""Sets of iterables, and set operations with them. A `__hash__` or `__eq__` of Python runs natively, as in `dict`.

The order of a set depends on how it was made, so what cannot be made item by item as CPython does takes the items
first, and is then made natively: a `__hash__` of Python is called after the last item was taken.
"""

from __future__ import annotations

from typing import Any

from replay.interpreter.execution import is_shared_here
from replay.interpreter.intrinsics import class_of
from replay.interpreter.library.keyed import can_be_derived, looked_up_by_hashes, parts_of
from replay.interpreter.library.looking import call_built_in, going_through, keys_going_through, of_built_in
from replay.interpreter.lookup import is_a, is_hashed_by_code
from replay.interpreter.natives import call_natively, natively, stands_for
from replay.interpreter.versions import SUBSET_STOPS_EARLY


def _natively(arguments: Any, keywords: Any) -> bool:
    return keys_going_through(arguments[1:], keywords)


@natively
def has_items(thing: Any) -> bool:
    """Returns True for what native operations go through without calling anything: a set or a dictionary."""
    return (is_a(thing, (set, frozenset)) or type(thing) is dict) and not is_shared_here(thing)


def items_of(iterable: Any) -> Any:
    """Returns what native operations can go through: the iterable itself, or a list of its items."""
    if has_items(iterable):
        return iterable
    items: list[Any] = []
    for item in iterable:
        check_hash(item)
        items.append(item)
    return items


@natively
def check_hash(item: Any) -> None:
    """Raise TypeError for what cannot be in a set."""
    if not is_hashed_by_code(item):
        hash(item)


@stands_for(set, natively_if=keys_going_through)
def make_set(iterable: Any = (), /) -> Any:
    made = call_natively(set, ())
    add_all(made, iterable)
    return made


@stands_for(frozenset, natively_if=going_through)
def make_frozenset(iterable: Any = (), /) -> Any:
    return (
        iterable if class_of(iterable) is frozenset else call_natively(frozenset.__new__, frozenset, items_of(iterable))
    )


@stands_for(frozenset.__new__, natively_if=_natively)
def new_frozenset(kind: Any, iterable: Any = (), /) -> Any:
    return call_natively(frozenset.__new__, kind, items_of(iterable))


@stands_for(set.__init__, natively_if=_natively)
def initialise_set(things: Any, iterable: Any = (), /) -> None:
    set.clear(things)
    add_all(things, iterable)


@stands_for(set.update, natively_if=_natively)
def update(things: Any, /, *iterables: Any) -> None:
    for each in iterables:
        add_all(things, each)


def add_all(things: Any, iterable: Any) -> None:
    if has_items(iterable):
        call_built_in(things, "update", iterable)
        return
    for item in iterable:
        set.add(things, item)


@stands_for(set.difference_update, natively_if=_natively)
def discard(things: Any, /, *iterables: Any) -> None:
    for each in iterables:
        if has_items(each):
            call_built_in(things, "difference_update", each)
            continue
        for item in each:
            set.discard(things, item)


@stands_for(set.union, frozenset.union, natively_if=_natively)
def union(things: Any, /, *iterables: Any) -> Any:
    if not is_a(things, set):
        return call_built_in(things, "union", *[items_of(each) for each in iterables])
    result = call_built_in(things, "copy")
    for each in iterables:
        add_all(result, each)
    return result


@stands_for(set.difference, frozenset.difference, natively_if=_natively)
def difference(things: Any, /, *iterables: Any) -> Any:
    return call_built_in(things, "difference", *[items_of(each) for each in iterables])


@stands_for(set.symmetric_difference, frozenset.symmetric_difference, natively_if=_natively)
def symmetric_difference(things: Any, iterable: Any, /) -> Any:
    return call_built_in(things, "symmetric_difference", items_of(iterable))


@stands_for(set.symmetric_difference_update, natively_if=_natively)
def toggle(things: Any, iterable: Any, /) -> None:
    call_built_in(things, "symmetric_difference_update", items_of(iterable))


# -- operations that may end before the iterable does ------------------------------------------


@stands_for(set.intersection, frozenset.intersection, natively_if=_natively)
def intersection(things: Any, /, *iterables: Any) -> Any:
    found, taken = all_common(things, iterables)
    return found if taken and is_a(things, set) else call_built_in(things, "intersection", *taken)


@stands_for(set.intersection_update, natively_if=_natively)
def keep_common(things: Any, /, *iterables: Any) -> None:
    call_built_in(things, "intersection_update", *all_common(things, iterables)[1])


def all_common(things: Any, iterables: Any) -> Any:
    """The items that are in a set and in all iterables; and for each iterable those that decide so."""
    taken: list[Any] = []
    for each in iterables:
        things, items = common(things, each)
        taken.append(items)
    return things, taken


def common(things: Any, iterable: Any) -> Any:
    """The items of an iterable that are in a set, until all of the set are among them, as a set and in order."""
    if has_items(iterable):
        return call_built_in(things, "intersection", iterable), iterable
    found = call_natively(set, ())
    items: list[Any] = []
    size = call_built_in(things, "__len__")
    for item in iterable:
        if added_if_in(things, item, found):
            items.append(item)
            if len(found) >= size:
                break
    return found, items


def added_if_in(things: Any, item: Any, found: Any) -> bool:
    """Add an item to the second set if it is in the first one; it is hashed once. Returns whether it is."""
    contains = of_built_in(things, "__contains__")
    if not is_hashed_by_code(item) or not can_be_derived(item):
        return native_added_if_in(contains, things, item, found)
    parts = parts_of(item)
    hashes = [hash(part) for part in parts]
    if not looked_up_by_hashes(contains, contains, things, item, parts, hashes):
        return False
    looked_up_by_hashes(set.add, set.__contains__, found, item, parts, hashes)
    return True


@natively
def native_added_if_in(contains: Any, things: Any, item: Any, found: Any) -> bool:
    hash(item)  # raises TypeError: a set that is no item is looked for as a frozenset otherwise
    is_in: bool = contains(things, item)
    if is_in:
        found.add(item)
    return is_in


@stands_for(set.issubset, frozenset.issubset, natively_if=_natively)
def is_subset(things: Any, iterable: Any, /) -> Any:
    if SUBSET_STOPS_EARLY:
        return len(common(things, iterable)[0]) == call_built_in(things, "__len__")
    return call_built_in(things, "issubset", items_of(iterable))


@stands_for(set.issuperset, frozenset.issuperset, natively_if=_natively)
def is_superset(things: Any, iterable: Any, /) -> Any:
    return (
        call_built_in(things, "issuperset", iterable) if is_set(iterable) else has_all_or_none(things, iterable, True)
    )


@stands_for(set.isdisjoint, frozenset.isdisjoint, natively_if=_natively)
def is_disjoint(things: Any, iterable: Any, /) -> Any:
    return (
        call_built_in(things, "isdisjoint", iterable) if is_set(iterable) else has_all_or_none(things, iterable, False)
    )


def has_all_or_none(things: Any, iterable: Any, are_in: bool) -> bool:
    contains = of_built_in(things, "__contains__")
    for item in iterable:  # noqa: SIM110 - `all` is a model as well
        if contains(things, item) is not are_in:
            return False
    return True


@natively
def is_set(thing: Any) -> bool:
    return is_a(thing, (set, frozenset))
