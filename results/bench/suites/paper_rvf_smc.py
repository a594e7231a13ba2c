"""[agarwal-2021], section 6: executions of RVF-SMC beside reads-from classes and traces, and what its parts are for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mcr.bench.case import BenchCase, parameters
from mcr.bench.figures import Figure, Panel
from mcr.bench.rows import Row, as_markdown
from mcr.bench.suite import Suite, SuiteSelection, full_table
from mcr.bench.text import number, seconds
from results.bench import source
from results.bench.sizes import reference_case

NOTES = """\
Under SC. *rvf-smc* are its executions, at most one for each reads-value-from class; *rf-smc* are classes by reads-from,
*trust* are traces. "-": not done within the time limit.

The figures of tables 1 and 2 are not in our copy of the paper. Its text says that 45_monabsex1, reorder_5 and singleton
have as many classes however far they are unrolled, that 27_Boop4 has far fewer than by reads-from, and that others have
about as many. The authors' files are not public: these programs have the same ancestors. scull_loop, a driver of
Linux, is left out."""

ABLATIONS = """\
Figure 11: without backtrack signals, and without closure and auxiliary trace. The number of executions is the same;
calls, questions to VerifySC and CPU seconds are not."""

SHARES = "Figure 12: the share of the time that is spent in VerifySC, over all programs that were explored to the end."

RVF, RF, TRUST = "rvf-smc", "rf-smc", "trust"
WITHOUT = (f"{RVF}:no-signals", f"{RVF}:no-heuristics")
OBJECTIVES = {RF: "rf", TRUST: "traces"}

CONSTANT = {"monabsex1": (2, 4, 6), "reorder": (2, 4, 6), "singleton": (2, 4, 6)}
"""Programs whose classes do not grow, with the threads that they have."""

_OTHERS = (
    *(
        BenchCase(source("examples/rf_smc_paper.py"), "boop4", parameters(u=u, openers=openers), "sc")
        for u, openers in ((1, 2), (2, 2), (1, 3))
    ),
    BenchCase(source("examples/rf_smc_paper.py"), "fillarray", parameters(u=2), "sc"),
    BenchCase(source("examples/rf_smc_paper.py"), "eratosthenes", parameters(n=12), "sc"),
    reference_case("lastzero", n=7),
    reference_case("readers", n=8),
    reference_case("fib", n=4),
    reference_case("exp_mem", n=5),
    reference_case("bakery", n=2),
)


def cases(choice: SuiteSelection) -> list[BenchCase]:
    constant = [
        BenchCase(source("examples/rvf_smc_paper.py"), name, parameters(n=n), "sc")
        for name, sizes in CONSTANT.items()
        for n in sizes
    ]
    return choice.of(each for case in (*constant, *_OTHERS) for each in _explorations(case, choice))


def _explorations(case: BenchCase, choice: SuiteSelection) -> list[BenchCase]:
    return [
        replace(case, algorithm=algorithm, objective=OBJECTIVES.get(algorithm, "states"), solver=choice.the_solver)
        for algorithm in (RVF, RF, TRUST, *WITHOUT)
    ]


class _Table:
    """Our rows, by program and algorithm; those that were not done are left out."""

    def __init__(self, rows: list[Row]) -> None:
        self.titles = list(dict.fromkeys(map(_title, rows)))
        self._rows = {(_title(row), row["algorithm"]): row for row in rows if not row["why"]}

    def row(self, title: str, algorithm: str) -> Row | None:
        return self._rows.get((title, algorithm))

    def whole(self) -> list[tuple[str, Row]]:
        """What RVF-SMC explored to the end."""
        return [(title, row) for title in self.titles if (row := self.row(title, RVF)) is not None]


def _title(row: Row) -> str:
    sizes = [part for part in row["parameters"].split(", ") if not part.startswith("check=")]
    return f"{row['program']}({', '.join(sizes)})"


def sections(rows: list[Row]) -> list[str]:
    table = _Table(rows)
    return [
        NOTES,
        "## Tables 1 and 2: executions",
        _executions(table),
        "## Ablations",
        ABLATIONS,
        _ablations(table),
        "## Time in VerifySC",
        SHARES,
        "## All figures",
        full_table(rows),
    ]


def _executions(table: _Table) -> str:
    columns = ("program", RVF, "s", "rf-smc", "s", "trust", "s")
    lines = (
        [title, *(cell for algorithm in (RVF, RF, TRUST) for cell in _counted(table.row(title, algorithm)))]
        for title in table.titles
    )
    return as_markdown(columns, lines)


def _counted(row: Row | None) -> tuple[str, str]:
    return ("-", "-") if row is None else (str(row["graphs"] or row["executions"]), seconds(row["cpu_s"]))


def _ablations(table: _Table) -> str:
    columns = ("program", *(f"{what}, {name}" for name in (RVF, *WITHOUT) for what in ("calls", "checks", "s")))
    lines = (
        [title, *(cell for algorithm in (RVF, *WITHOUT) for cell in _effort(table.row(title, algorithm)))]
        for title in table.titles
    )
    return as_markdown(columns, lines)


def _effort(row: Row | None) -> tuple[str, str, str]:
    if row is None:
        return "-", "-", "-"
    calls = row["details"].get("figures", {}).get("calls")
    return number(calls), number(_checks(row).get("asked")), seconds(row["cpu_s"])


def _checks(row: Row) -> dict[str, float]:
    """Empty where no question was asked."""
    found: dict[str, float] = row["details"].get("checks", {})
    return found


def share(row: Row) -> float:
    """How much of the time was spent in VerifySC, in percent."""
    wall: float = row["wall_s"]
    return 100 * _checks(row).get("seconds", 0.0) / max(wall, 1e-9)


def figures(rows: list[Row]) -> list[Figure]:
    """Figure 12, and the executions beside classes and traces."""
    table = _Table(rows)
    whole = table.whole()
    if not whole:
        return []
    shares = [share(row) for _, row in whole]
    tens = {f"{low}-{low + 10} %": float(sum(low <= each < low + 10 for each in shares)) for low in range(0, 100, 10)}
    panels = (
        Panel(
            "Executions", y="executions", labels=tuple(title for title, _ in whole), log_y=True,
            bars={name: [_known(table.row(title, name)) for title, _ in whole] for name in (RVF, RF, TRUST)},
        ),
        Panel(
            "Time in VerifySC ([agarwal-2021], figure 12)", y="programs", labels=tuple(tens),
            bars={"programs": list(tens.values())},
        ),
    )  # fmt: skip
    return [Figure("paper-rvf-smc", "RVF-SMC under SC", panels, (13, 9), columns=1)]


def _known(row: Row | None) -> float | None:
    return None if row is None else float(row["graphs"] or row["executions"])


def contradicted(rows: list[Row]) -> list[str]:
    """Where executions grow that do not in the paper, and where an ablation changes their number."""
    return list(_contradictions(_Table(rows)))


def _contradictions(table: _Table) -> Iterator[str]:
    for name in CONSTANT:
        counts = {row["executions"] for title, row in table.whole() if title.startswith(f"{name}(")}
        if len(counts) > 1:
            yield f"{name} has {min(counts)} to {max(counts)} executions; as many for all sizes, the paper says"
    for title, row in table.whole():
        for algorithm in WITHOUT:
            other = table.row(title, algorithm)
            if other is not None and other["executions"] != row["executions"]:
                yield f"{title}: {other['executions']} executions by {algorithm}, {row['executions']} by {RVF}"


SUITE = Suite(
    name="paper-rvf-smc",
    title="Reads-value-from classes",
    summary="the paper on RVF-SMC: executions under SC, ablations, and the time in VerifySC",
    cases=cases,
    sections=sections,
    figures=figures,
    contradicted=contradicted,
    has_solver=False,
)
