"""Which failures an exploration reports."""

from __future__ import annotations

import pytest

import mcr


@mcr.program
def one_bug_two_ways(p: mcr.Declarations) -> None:
    x = p.var("x", 0)

    def check() -> None:
        if x.load() != 0:
            raise ValueError("x changed")

    def directly() -> None:
        check()

    def on_a_detour() -> None:
        def detour() -> None:
            check()

        detour()

    p.thread(directly)
    p.thread(on_a_detour)
    p.thread(lambda: x.store(1))


def test_one_bug_is_reported_once_whatever_led_to_it() -> None:
    result = mcr.check(one_bug_two_ways, options=mcr.Options(keep_going=True))
    assert result.verdict is mcr.Verdict.BUG
    assert [str(trace.failure) for trace in result.failures] == ["ValueError: x changed"]


def test_a_verdict_is_compared_with_its_name() -> None:
    verdict = mcr.Verdict.BUG
    assert verdict == "bug" and verdict != "verified" and verdict in ("verified", "bug") and f"{verdict}" == "bug"
    for compared in (lambda: verdict == "BUG", lambda: verdict != "found"):
        with pytest.raises(ValueError, match=r"there is no verdict '.*': it is 'verified', 'bug', 'incomplete'"):
            compared()
