"""The figures of [bui-2021], table 1: classes of complete executions, and seconds, under SC, TSO and PSO."""

from __future__ import annotations

from typing import NamedTuple


class Published(NamedTuple):
    """One program of some size under one model; None for what was not reported.

    rf, rf_s            classes by reads-from, by RF-SMC
    traces, traces_s    classes by Shasha and Snir, by Source
    """

    rf: int | None
    rf_s: float | None
    traces: int | None
    traces_s: float | None


Size = tuple[str, str, str]
"""The program, its parameters here, and the model."""

TABLE_1: dict[Size, Published] = {
    ("boop4", "u=1, openers=3", "sc"): Published(2902, 1.22, 21948, 1.74),
    ("boop4", "u=1, openers=3", "tso"): Published(3682, 1.46, 36588, 6.2),
    ("boop4", "u=1, openers=3", "pso"): Published(8233, 4.4, 572436, 169),
    ("eratosthenes", "n=16", "sc"): Published(4667, 6.7, 100664, 46),
    ("eratosthenes", "n=16", "tso"): Published(29217, 32, 4719488, 2978),
    ("eratosthenes", "n=16", "pso"): Published(253125, 475, None, None),
    ("eratosthenes", "n=20", "sc"): Published(19991, 41, 1527736, 736),
    ("fillarray", "u=3", "sc"): Published(14625, 12, 47892, 6.2),
    ("fillarray", "u=3", "tso"): Published(14625, 12, 59404, 12),
    ("fillarray", "u=3", "pso"): Published(14625, 18, 63088, 39),
}
"""The rows that take minutes rather than hours, there."""
