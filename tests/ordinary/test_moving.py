"""Elements of a list are moved one by one, and who takes no lock may look between, but for CPython's global lock.

What two looks find is held against a list written out: a length, and a place for each element.
"""

from __future__ import annotations

from contextlib import suppress

import pytest

import mcr
from tests.ordinary.test_objects import outcomes


class Row:
    def __init__(self, items):
        self.items = items
        self.other = 0

    def do(self, change):
        change(self.items)

    def two(self, first, second):
        return self.at(first), self.at(second)

    def at(self, place):
        try:
            return self.items[place]
        except IndexError:
            return None

    def total(self):
        return sum(self.items)

    def copy(self):
        return self.items.copy(), self.items.copy()

    def lengths(self):
        return len(self.items), bool(self.items)

    def fill_and_empty(self):
        self.items.append(4)
        with suppress(IndexError):
            self.items.pop()

    def sort_by_code(self):
        try:
            self.items.sort(key=self._key)
        except ValueError as error:
            return str(error)

    def _key(self, item):
        self.other = item
        return -item


def program(items, change, look, *places):
    @mcr.program
    def moved(p):
        row = p.share(Row(items()))
        p.thread(row.do, change)
        seen = p.thread(getattr(row, look), *places)
        p.final(lambda: (seen.join(), row.items))

    return moved


def seen(items, change, look, *places, **options):
    return {each.partition("], [")[0] for each in outcomes(program(items, change, look, *places), **options)}


def pop_first(items):
    items.pop(0)


def delete_first(items):
    del items[0]


def put_first(items):
    items.insert(0, 7)


def twice(items):
    items *= 2


def append(items):
    items.append(7)


def sort(items):
    items.sort()


def reverse(items):
    items.reverse()


@pytest.mark.parametrize("change", [pop_first, delete_first])
def test_two_looks_may_see_one_element_twice_while_the_first_is_taken(change):
    def found(**options):
        return outcomes(program(lambda: [1, 2, 3], change, "two", 0, 1), **options)

    by_default = found()
    assert by_default == {f"(({two}), [2, 3])" for two in ("1, 2", "1, 3", "2, 2", "2, 3")}
    assert by_default == found(algorithm="exhaustive") == found(algorithm="cover")


def test_an_element_that_comes_first_moves_the_others_before_it_is_there():
    found = outcomes(program(lambda: [1, 2], put_first, "two", 1, 0))
    assert found == {f"(({two}), [7, 1, 2])" for two in ("2, 1", "2, 7", "1, 7", "1, 1")}


def test_a_sum_may_count_an_element_twice():
    assert "(7, [2, 3])" in outcomes(program(lambda: [1, 2, 3], pop_first, "total"))


@pytest.mark.parametrize("change", [pop_first, put_first, twice, sort, reverse])
def test_what_takes_the_lock_sees_all_or_nothing(change):
    items = [2, 1, 3]
    after = [2, 1, 3]
    change(after)
    found = outcomes(program(items.copy, change, "copy"))
    assert found == {f"(({one}, {two}), {after})" for one, two in ((items, items), (items, after), (after, after))}


def test_what_moves_nothing_is_one_step():
    for items, change in (([1, 2], append), ([1], pop_first), ([], put_first), ([], sort)):
        assert mcr.check(program(items.copy, change, "at", 0), "sc").statistics.local_states <= 5


def test_others_find_a_list_empty_while_it_is_sorted():
    found = outcomes(program(lambda: [2, 1], sort, "lengths"))
    assert "((0, False), [1, 2])" in found and "((2, True), [1, 2])" in found


def test_under_the_global_lock_nobody_looks_between():
    looks = program(lambda: [1, 2, 3], pop_first, "two", 0, 1).under_global_lock()
    assert "((2, 2), [2, 3])" not in outcomes(looks)
    sorts = program(lambda: [2, 1], sort, "lengths").under_global_lock()
    assert not any("0" in each for each in outcomes(sorts))


def test_two_who_move_wait_for_each_other():
    @mcr.program
    def both(p):
        row = p.share(Row([1, 2, 3]))
        p.thread(row.do, pop_first)
        p.thread(row.do, put_first)
        p.final(lambda: row.items)

    assert outcomes(both) == outcomes(both, algorithm="exhaustive") == {"[7, 2, 3]", "[1, 2, 3]"}


def test_a_list_that_is_filled_and_emptied_while_code_sorts_it_was_modified():
    @mcr.program
    def sorts(p):
        row = p.share(Row([1, 2]))
        told = p.thread(row.sort_by_code)
        p.thread(row.fill_and_empty)
        p.final(lambda: (told.join(), row.items))

    assert "('list modified during sort', [2, 1])" in outcomes(sorts)


@pytest.mark.parametrize("has_lock", [False, True])
def test_to_sort_a_list_that_another_thread_sorts_changes_nothing(has_lock):
    @mcr.program
    def sorts(p):
        row = p.share(Row([1, 2]))
        told = [p.thread(row.sort_by_code) for _ in range(2)]
        p.final(lambda: (*(each.join() for each in told), row.items))

    assert outcomes(sorts.under_global_lock() if has_lock else sorts) == {"(None, None, [2, 1])"}
