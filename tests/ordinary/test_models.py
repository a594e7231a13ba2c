"""Under which models ordinary classes are checked if nobody says: CPython's own."""

from __future__ import annotations

import pytest

from tests.desk import Desk

FLAGS = """
    import mcr

    class Flags:
        def __init__(self):
            self.first = self.second = False

        def left(self):
            self.first = True
            return self.second

        def right(self):
            self.second = True
            return self.first

    @mcr.program
    def flags(p):
        flags = p.share(Flags())
        {declared}
        threads = [p.thread(flags.left), p.thread(flags.right)]

        @p.final
        def one_is_seen():
            assert any(thread.join() for thread in threads)
"""


@pytest.mark.parametrize(
    ("declared", "said", "models"),
    [
        ("pass", (), ["SC"]),
        ("pass", ("--model", "all"), ["SC", "TSO", "PSO"]),
        ("pass", ("--model", "tso"), ["TSO"]),
        ("x = p.var(0)", (), ["SC", "TSO", "PSO"]),
        ("x = p.record(a=0)", (), ["SC", "TSO", "PSO"]),
        ("kept = p.mutex()", (), ["SC", "TSO", "PSO"]),
    ],
)
def test_who_shares_ordinary_objects_alone_is_checked_under_sc(
    desk: Desk, declared: str, said: tuple, models: list[str]
):
    desk.write("flags.py", FLAGS.replace("{declared}", declared))
    document = desk.mcr("check", "flags.py", "--json", *said).document
    assert [result["model"].upper() for result in document["results"]] == models


def test_what_a_project_says_comes_first(desk: Desk):
    desk.write("pyproject.toml", '[tool.mcr]\nmodels = ["pso"]\n')
    desk.write("flags.py", FLAGS.replace("{declared}", "pass"))
    document = desk.mcr("check", "flags.py", "--json").document
    assert [result["model"] for result in document["results"]] == ["pso"]


def test_a_failure_that_only_other_models_have_is_none_in_cpython(desk: Desk):
    desk.write("flags.py", FLAGS.replace("{declared}", "pass"))
    assert (
        "Possible under TSO and PSO, impossible under SC (so not in CPython)."
        in desk.mcr("check", "flags.py", "--model", "all").out
    )
