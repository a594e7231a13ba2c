"""The figures of [huang-2016], tables 1, 3, 4 and 5. Each triple is for SC, TSO and PSO.

None stands for what was not reported: the tool failed, or the table has no such row.
A limit of one hour was reached where a figure is a lower bound ("+").
"""

from __future__ import annotations

from dataclasses import dataclass

Triple = tuple[str | None, str | None, str | None]
_NONE: Triple = (None, None, None)


def _triple(text: str) -> Triple:
    """Three figures; "x" for none."""
    sc, tso, pso = (None if word == "x" else word for word in text.split())
    return sc, tso, pso


@dataclass(frozen=True)
class Published:
    """One program.

    exhausted  executions of MCR until everything was seen (tables 1, 3, 5)
    dpor       the same for DPOR
    bug        executions of MCR to the first bug (table 4)
    dpor_bug   the same for DPOR
    races      data races (table 5)
    """

    exhausted: Triple = _NONE
    dpor: Triple = _NONE
    bug: Triple = _NONE
    dpor_bug: Triple = _NONE
    races: Triple = _NONE


FIGURES = {
    "figure_3a": Published(_triple("3 5 5")),
    "figure_6(1)": Published(_triple("2 2 10"), _triple("4 4 x")),
    "figure_6(2)": Published(_triple("43 43 89"), _triple("105 105 x")),
    "figure_6(3)": Published(_triple("296 296 819"), _triple("4282 4282 x")),
    "figure_6(4)": Published(_triple("2767 2767 8420"), _triple("14840+ 14840+ x"), _triple("x x 3")),
}
"""Table 1, by the number of rounds: the program of figure 6, which tables 3 and 4 call Example; figure 3 is from the
text (2.4, 4.6)."""

LOCKS = {
    "dekker": Published(_triple("62 98 155"), _triple("248 252 508"), _triple("10 4 5"), _triple("22 28 29")),
    "lamport": Published(_triple("14 91 102"), _triple("128 208 2672"), _triple("2 2 3"), _triple("6 8 24")),
    "bakery": Published(_triple("77 158 165"), _triple("350 1164 2040"), _triple("8 8 15"), _triple("12 15 15")),
    "peterson": Published(_triple("13 18 19"), _triple("36 95 120"), _triple("7 2 3"), _triple("4 5 6")),
    "stack_unsafe": Published(_triple("29 46 108"), _triple("252 252 252"), _triple("2 2 2"), _triple("6 6 6")),
    "rv_example": Published(_triple("57 64 70"), _triple("1959 x x"), _triple("53 54 39"), _triple("301 x x")),
}
"""Tables 3 and 4."""

REAL = {
    "account": Published(_triple("7 12 12"), races=_triple("3 3 3")),
    "airline": Published(_triple("8 11 11"), races=_triple("0 0 0")),
    "string_buffer": Published(_triple("3 3 3"), races=_triple("0 0 0")),
    "allocation": Published(_triple("30 30 30"), races=_triple("0 0 0")),
    "ping_pong": Published(_triple("411 483 527"), races=_triple("7 7 7")),
}
"""Table 5, without Weblech, which needs a network."""
