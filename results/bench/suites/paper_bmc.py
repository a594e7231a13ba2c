"""[alglave-2013] section 5: how large formulas are, and how long proofs take, beside the tools of today."""

from __future__ import annotations

from collections.abc import Iterator

from mcr.bench.case import BenchCase
from mcr.bench.figures import Figure, Panel
from mcr.bench.rows import Row, as_markdown
from mcr.bench.suite import Suite, SuiteSelection, full_table
from mcr.bench.text import seconds
from replay.world.memory_models import MODELS
from results.bench import source
from results.bench.published_bmc import PEERS, Seconds, Size
from solvers.registry import DEFAULT_SOLVER, Z3

NOTES = """\
Proofs: nothing fails. Processor seconds with start-up, a wait being an assumption; "fenced" has a full fence after
every store. CBMC and Deagle were given the same programs in C (`bench/published_bmc.py`), and measured on another
day. lastzero and exp_mem claim nothing here, so nothing is left to ask but whether all paths are known. "-": not done
within the time limit, or not measured."""

SOLVERS = (DEFAULT_SOLVER, Z3)
ALGORITHM = "bmc"

KINDS = (
    "steps on terms", "events", "program order", "reads-from", "write serialisation", "from-read", "barriers",
    "statements", "requirements",
)  # fmt: skip
"""What the formula is made of, as the algorithm counts it."""


def cases(choice: SuiteSelection) -> list[BenchCase]:
    solvers = SOLVERS if choice.solver is None else (choice.solver,)
    return choice.of(
        BenchCase(_file(program), program, _parameters(text), model, ALGORITHM, "failures", solver)
        for program, text, model in PEERS
        for solver in solvers
    )


def _file(program: str) -> str:
    return source("results/bench/fenced.py" if program.endswith("_fenced") else "examples/reference.py")


def _parameters(text: str) -> tuple[tuple[str, int], ...]:
    pairs = (part.partition("=") for part in text.split(", "))
    return tuple((name, int(number)) for name, _, number in pairs)


def _ours(rows: list[Row]) -> dict[tuple[Size, str], Row]:
    return {((row["program"], row["parameters"], row["model"]), row["solver"]): row for row in rows}


def sections(rows: list[Row]) -> list[str]:
    return [NOTES, "## Proofs", _proofs(rows), "## Formulas", _formulas(rows), "## All figures", full_table(rows)]


def _proofs(rows: list[Row]) -> str:
    ours = _ours(rows)
    solvers = list(dict.fromkeys(row["solver"] for row in rows))
    columns = ("program", "model", *(f"bmc, {solver}, s" for solver in solvers), "MB", "CBMC, s", "Deagle, s")
    return as_markdown(columns, (_proof(size, peers, ours, solvers) for size, peers in PEERS.items()))


def _proof(size: Size, peers: Seconds, ours: dict[tuple[Size, str], Row], solvers: list[str]) -> list[str]:
    program, text, model = size
    found = [ours.get((size, solver)) for solver in solvers]
    return [
        f"{program}({text})", model.upper(), *(_taken(row) for row in found),
        f"{found[0]['peak_mb']:.0f}" if found and found[0] is not None else "-", *map(_shown, peers),
    ]  # fmt: skip


def _taken(row: Row | None) -> str:
    return "-" if row is None or row["verdict"] != "verified" else seconds(row["process_s"])


def _shown(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:g}"


def _formulas(rows: list[Row]) -> str:
    first = rows[0]["solver"] if rows else ""
    shown = [row for row in rows if row["solver"] == first and "figures" in row["details"]]
    return as_markdown(("program", "model", *KINDS), (_sizes(row) for row in shown))


def _sizes(row: Row) -> list[str]:
    figures = row["details"]["figures"]
    title = f"{row['program']}({row['parameters']})"
    return [title, row["model"].upper(), *(str(figures.get(kind, "-")) for kind in KINDS)]


def figures(rows: list[Row]) -> list[Figure]:
    """Seconds of the tools, a panel for each model."""
    panels = tuple(_panel(_ours(rows), model) for model in MODELS)
    return [Figure("paper-bmc", "Proofs by bounded model checking: processor seconds", panels, (13, 9), columns=1)]


def _panel(ours: dict[tuple[Size, str], Row], model: str) -> Panel:
    sizes = {size: peers for size, peers in PEERS.items() if size[2] == model}
    rows = [ours.get((size, DEFAULT_SOLVER)) for size in sizes]
    bars: dict[str, list[float | None]] = {
        "bmc": [row["process_s"] if row is not None and row["verdict"] == "verified" else None for row in rows],
        "CBMC": [peers.cbmc for peers in sizes.values()],
        "Deagle": [peers.deagle for peers in sizes.values()],
    }
    labels = tuple(f"{program}({text})" for program, text, _ in sizes)
    return Panel(model.upper(), y="seconds", labels=labels, bars=bars, log_y=True)


def contradicted(rows: list[Row]) -> list[str]:
    """Where a proof is no proof: nothing of this fails."""
    return list(_bugs(rows))


def _bugs(rows: list[Row]) -> Iterator[str]:
    for row in rows:
        if row["verdict"] == "bug":
            yield f"{row['program']}({row['parameters']}) under {row['model'].upper()} by {row['solver']}: a bug"


SUITE = Suite(
    name="paper-bmc",
    title="Bounded model checking, beside CBMC and Deagle",
    summary="fib, lastzero, exp_mem and fenced locks as one formula: seconds, memory and sizes, by PySAT and Z3",
    cases=cases,
    sections=sections,
    figures=figures,
    contradicted=contradicted,
)
