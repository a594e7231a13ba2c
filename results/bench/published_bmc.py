"""What two bounded model checkers take for the same programs in C, CBMC 6.6 and Deagle 4.1: processor seconds.

Measured on a busy machine of two cores. CBMC is the tool of [alglave-2013]. Deagle leaves out behaviours of TSO and PSO
(store forwarding), so its proofs there are none; its verdicts here were right nevertheless.
"""

from __future__ import annotations

from typing import NamedTuple


class Seconds(NamedTuple):
    """By tool; of a range, the least. None for what was not measured."""

    cbmc: float | None
    deagle: float | None


Size = tuple[str, str, str]
"""The program, its parameters, and the model."""


def _of(program: str, parameters: str, *figures: tuple[float | None, float | None]) -> dict[Size, Seconds]:
    """One program under SC, TSO and PSO."""
    models = ("sc", "tso", "pso")
    return {(program, parameters, model): Seconds(*each) for model, each in zip(models, figures, strict=True)}


PEERS: dict[Size, Seconds] = {
    **_of("fib", "n=3", (0.36, 0.16), (0.41, 0.16), (0.31, 0.18)),
    **_of("fib", "n=4", (1.2, 0.32), (0.89, 0.32), (1.3, 0.37)),
    **_of("fib", "n=5", (3.0, 0.83), (3.0, 0.93), (3.3, 0.79)),
    **_of("fib", "n=6", (8.8, 3.5), (12.0, 2.8), (11.0, 2.7)),
    **_of("fib", "n=8", (63.0, 18.0), (54.0, 18.0), (None, 18.0)),
    **_of("lastzero", "n=5", (0.07, 0.16), (0.07, 0.16), (0.07, 0.16)),
    **_of("lastzero", "n=15", (0.28, 0.51), (0.28, 0.51), (0.28, 0.51)),
    **_of("exp_mem", "n=5", (0.9, 0.19), (0.9, 0.19), (0.9, 0.19)),
    **_of("exp_mem", "n=7", (12.0, 2.0), (26.0, 2.0), (17.0, 2.0)),
    **_of("bakery_fenced", "n=3", (0.38, 0.14), (0.81, 0.18), (0.75, 0.16)),
    **_of("bakery_fenced", "n=4", (5.1, 0.69), (8.0, 0.43), (8.0, 0.57)),
    **_of("bakery_fenced", "n=5", (38.0, 4.8), (None, 4.5), (None, None)),
    **_of("fastmutex_fenced", "n=3, b=1", (0.43, 0.18), (1.4, 0.21), (1.6, 0.26)),
    **_of("fastmutex_fenced", "n=4, b=1", (11.0, 0.45), (32.0, 0.44), (32.0, 0.76)),
    **_of("fastmutex_fenced", "n=3, b=2", (4.1, 0.36), (34.0, 0.45), (28.0, 0.93)),
    **_of("fastmutex_fenced", "n=5, b=1", (None, 3.2), (None, None), (None, None)),
}
