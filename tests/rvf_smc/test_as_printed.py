"""The least program on which backtrack signals for updates miss an execution (docs/algorithms.md, "RVF-SMC")."""

from __future__ import annotations

import mcr
from tests.rvf_smc.agreement import differences


@mcr.program
def two_exchanges(p):
    x = p.var("x", 0)
    for _ in range(2):
        p.thread(x.compare_exchange, 0, 1)


def test_an_update_takes_from_the_other_one_what_it_was_to_read() -> None:
    """The second exchange writes nothing after the first, so no new write turns up for the first to read from."""
    assert differences(two_exchanges, limit=100) == ""
    whole = mcr.check(two_exchanges, "sc", algorithm="rvf-smc")
    assert (whole.verdict, whole.statistics.executions) == (mcr.Verdict.VERIFIED, 2)
    printed = mcr.check(two_exchanges, "sc", algorithm="rvf-smc:paper")
    assert (printed.verdict, printed.statistics.executions) == (mcr.Verdict.INCOMPLETE, 1)
    assert "missed" in str(differences(two_exchanges, limit=100, algorithm="rvf-smc:paper"))
