"""Table 1 of [bui-2021]: classes by reads-from and by Shasha and Snir, beside the published ones."""

from __future__ import annotations

from collections.abc import Iterator

from mcr.bench.case import BenchCase
from mcr.bench.figures import Figure, Panel
from mcr.bench.rows import Row, as_markdown
from mcr.bench.suite import Suite, SuiteSelection, full_table
from mcr.bench.text import seconds
from replay.world.memory_models import MODELS
from results.bench import source
from results.bench.published_rf_smc import TABLE_1, Published, Size

NOTES = """\
*rf* are classes of executions by whom reads read from, *traces* those by Shasha and Snir: also by the order of writes
to a location. RF-SMC visits each class by reads-from once, and TruSt each trace. "-": not done within the time limit,
or not published.

The authors' files are not public. These programs have the same ancestors, and as many classes wherever both are known:
eratosthenes with U = 17 and 21 is n = 16 and 20 here."""

RF_SMC, TRUST = "rf-smc", "trust"
ALGORITHMS = {RF_SMC: "rf", TRUST: "traces"}
"""What each algorithm has classes of."""


def cases(choice: SuiteSelection) -> list[BenchCase]:
    return choice.of(
        BenchCase(
            source("examples/rf_smc_paper.py"),
            program,
            _parameters(text),
            model,
            algorithm,
            objective,
            choice.the_solver,
        )
        for program, text, model in TABLE_1
        for algorithm, objective in ALGORITHMS.items()
    )


def _parameters(text: str) -> tuple[tuple[str, int], ...]:
    pairs = (part.partition("=") for part in text.split(", "))
    return tuple((name, int(number)) for name, _, number in pairs)


def _ours(rows: list[Row]) -> dict[tuple[Size, str], Row]:
    return {((row["program"], row["parameters"], row["model"]), row["algorithm"]): row for row in rows}


def sections(rows: list[Row]) -> list[str]:
    return [NOTES, "## Table 1", _table(rows), "## All figures", full_table(rows)]


def _table(rows: list[Row]) -> str:
    columns = (
        "program", "model", "rf, published", "s", "rf, rf-smc", "s", "traces, published", "s", "traces, trust", "s",
    )  # fmt: skip
    ours = _ours(rows)
    return as_markdown(columns, (_line(size, published, ours) for size, published in TABLE_1.items()))


def _line(size: Size, published: Published, ours: dict[tuple[Size, str], Row]) -> list[str]:
    program, text, model = size
    return [
        f"{program}({text})", model.upper(),
        _shown(published.rf), _shown(published.rf_s), *_counted(ours.get((size, RF_SMC))),
        _shown(published.traces), _shown(published.traces_s), *_counted(ours.get((size, TRUST))),
    ]  # fmt: skip


def _shown(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:g}" if isinstance(figure, float) else str(figure)


def _counted(row: Row | None) -> tuple[str, str]:
    if row is None or not row["complete"]:
        return "-", "-"
    return str(row["classes"]), seconds(row["cpu_s"])


def figures(rows: list[Row]) -> list[Figure]:
    """Classes, published and ours, a panel for each model."""
    panels = [_panel(_ours(rows), model) for model in MODELS]
    return [Figure("paper-rf-smc", "Classes of executions: published, and ours", tuple(panels), (13, 9), columns=1)]


def _panel(ours: dict[tuple[Size, str], Row], model: str) -> Panel:
    sizes = {size: published for size, published in TABLE_1.items() if size[2] == model}

    def found(algorithm: str) -> list[float | None]:
        rows = [ours.get((size, algorithm)) for size in sizes]
        return [row["classes"] if row is not None and row["complete"] else None for row in rows]

    bars: dict[str, list[float | None]] = {
        "rf, published": [each.rf for each in sizes.values()],
        "rf, rf-smc": found(RF_SMC),
        "traces, published": [each.traces for each in sizes.values()],
        "traces, trust": found(TRUST),
    }
    labels = tuple(f"{program}({text})" for program, text, _ in sizes)
    return Panel(model.upper(), y="classes", labels=labels, bars=bars, log_y=True)


def contradicted(rows: list[Row]) -> list[str]:
    """Where we count other classes than the paper."""
    return list(_contradictions(_ours(rows)))


def _contradictions(ours: dict[tuple[Size, str], Row]) -> Iterator[str]:
    for size, published in TABLE_1.items():
        for algorithm, known in ((RF_SMC, published.rf), (TRUST, published.traces)):
            row = ours.get((size, algorithm))
            if row is not None and row["complete"] and known is not None and row["classes"] != known:
                yield f"{size[0]}({size[1]}) under {size[2].upper()}: {row['classes']} classes, {known} published"


SUITE = Suite(
    name="paper-rf-smc",
    title="Reads-from classes, beside the published figures",
    summary="table 1 of the paper on RF-SMC: classes by reads-from and traces under SC, TSO and PSO",
    cases=cases,
    sections=sections,
    figures=figures,
    contradicted=contradicted,
    has_solver=False,
)
