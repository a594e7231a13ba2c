"""A list or dict is shown entry by entry: others may change it while code of an entry runs, as in CPython."""

from __future__ import annotations

import pytest

import mcr


class Entry:
    def __init__(self, number):
        self.number = number

    def __repr__(self):
        return f"E{self.number}"


class Shared:
    def __init__(self):
        self.listed = [Entry(1), Entry(2), 3]
        self.table = {1: Entry(1), 2: Entry(2), 3: 4}
        self.nested = [[1], [2]]
        self.inside = [[Entry(1)], 2]


CASES = {
    ("listed", "pop(1)"): {"[E1, E2, 3]", "[E1, 3]", "[E1, E2]"},
    ("listed", "clear()"): {"[E1, E2, 3]", "[E1, E2]", "[E1]", "[]"},
    ("table", "pop(2)"): {"{1: E1, 2: E2, 3: 4}", "{1: E1, 3: 4}"},
    ("table", "update({5: 6})"): {"{1: E1, 2: E2, 3: 4}", "{1: E1, 2: E2, 3: 4, 5: 6}"},
    ("table", "clear()"): {"{1: E1, 2: E2, 3: 4}", "{1: E1, 2: E2}", "{1: E1}", "{}"},
    ("nested", "pop(0)"): {"[[1], [2]]", "[[2]]"},
    ("inside", "pop(1)"): {"[[E1], 2]", "[[E1]]"},
}
"""By what is shown and how another thread changes it, all texts: `nested` calls no code, and is shown at once."""


@pytest.mark.parametrize(("name", "change"), CASES)
def test_others_run_while_entries_are_shown(name, change):
    def program(p):
        shared = p.share(Shared())
        thread = p.thread(lambda: repr(getattr(shared, name)))
        p.thread(eval(f"lambda: shared.{name}.{change}", {"shared": shared}))

        @p.final
        def end():
            return thread.join()

    result = mcr.check(mcr.program(program), "sc", objective="outcomes")
    assert set(result.outcomes) == {repr(each) for each in CASES[name, change]}
