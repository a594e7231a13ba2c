"""Programs in the manner of stress tests: many rounds, of which no proof is near."""

from __future__ import annotations

import mcr


@mcr.program
def stress(p: mcr.Declarations, rounds: int = 450, atomic: bool = False) -> None:
    """Two threads count, in so many rounds that threads are cut before they end."""
    x = p.var("x", 0)

    def work() -> None:
        for _ in range(rounds):
            if atomic:
                x.fetch_add(1)
            else:
                x.store(x.load() + 1)

    p.thread(work)
    p.thread(work)

    @p.final
    def check() -> None:
        assert x.load() == 2 * rounds


def test_auto_samples_where_threads_were_cut() -> None:
    """A cover goes no further than 400 operations of a thread; what fails after that is found by chance."""
    result = mcr.check(stress(), options=mcr.Options(shorten=False, timeout=600))
    assert result.verdict == "bug"
    assert result.algorithm == "sample"
    assert mcr.replay(stress(), result.failures[0]).failure == result.failures[0].failure


def test_samples_go_on_where_explorations_are_cut() -> None:
    """Threads of a sampled program do 900 operations, although a cover is cut after 400."""
    assert mcr.check(stress(), options=mcr.Options(sample=1, shorten=False)).verdict == "bug"
    cut = mcr.check(stress(), options=mcr.Options(sample=1, max_operations=300))
    assert cut.verdict == "incomplete"


def test_what_was_sampled_is_told_where_a_limit_ends_it() -> None:
    result = mcr.check(stress(atomic=True), algorithm="auto", options=mcr.Options(max_executions=3))
    assert result.verdict == "incomplete"
    assert result.stop is not None
    assert " sampled at random (--sampler mix): a bug was missed with a probability of" in result.stop.remedy
