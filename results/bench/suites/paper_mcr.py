"""Tables 1, 3, 4 and 5 of [huang-2016]: executions of maximal causality reduction, beside the published ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mcr.bench.case import END, FIRST_BUG, BenchCase, parameters, short_title
from mcr.bench.figures import Figure, Panel
from mcr.bench.rows import Row, as_markdown
from mcr.bench.suite import Suite, SuiteSelection, full_table, under_all_models
from mcr.bench.text import executions
from replay.world.memory_models import MODELS
from results.bench import source
from results.bench.published import FIGURES, LOCKS, REAL, Published, Triple

NOTES = """\
*mcr* is the published algorithm without permutable seeds, *as published* runs them too, *ours* is what this
project does by default. Programs are explored without their assertions to exhaust, and with them to the first bug. A
"+" means that the time limit was reached.

The published figures come from other programs with the same names (loop bounds and checks are not recorded), so they
are for orientation; figure 3 is the same program. Permutable seeds are redundant by the paper's own words (4.6)."""

FIGURE_6 = """\
Why figure 6 has 16, 98 and 544 executions here, where 43, 296 and 2,767 are printed. The reading thread alone reads,
so the algorithm must find each sequence of values that it can see. Going through all moments at which it may read,
without any of our algorithms, there are 2, 16, 98 and 544 of them under SC; `mcr` runs each once, and `trust` finds
as many. So the program or its measurement differs, not the algorithm. What is known of the program: the listing of
the figure is a picture that we do not have. By the text of section 5, line 9, which reports the error, reads x and y
again; ours reads nothing there. With these two reads there are 2, 52 and 1,016 sequences, and for N=2 just the 105
traces that are printed for DPOR (50 without them); but for N=3 there are 4,395 beside their 4,282, and for N=1 29
under PSO, where 10 is printed, which is the number without. With one read in line 9 there are 2, 28, 296 and 2,800.
Of 320 variants that we counted (which stores there are and in which order, initial values, what line 9 reads, whether
the error ends the thread) none has 43 for N=2. We do not know which program was measured."""

PERMUTABLE, MCR = "mcr:permutable", "mcr"
OURS = "cover"
ALGORITHMS = (PERMUTABLE, MCR, OURS)


def cases(choice: SuiteSelection) -> list[BenchCase]:
    programs = [_program(title) for title in (*FIGURES, *LOCKS, *REAL)]
    explorations = [case for program in programs for each in under_all_models(program) for case in _explorations(each)]
    return [replace(case, solver=choice.the_solver) for case in choice.of(explorations)]


def _program(title: str) -> BenchCase:
    """From "figure_6(4)" or "dekker"."""
    name, _, n = title.rstrip(")").partition("(")
    return BenchCase(source("examples/mcr_paper.py"), name, parameters(n=int(n)) if n else (), "sc")


def _explorations(case: BenchCase) -> list[BenchCase]:
    """To exhaust with three algorithms, and to the first bug."""
    dropped = parameters(check=False) if case.program not in ("figure_3a", "airline") else ()
    unchecked = replace(case, parameters=case.parameters + dropped)
    return [
        replace(unchecked, algorithm=MCR, objective="values"),
        replace(unchecked, algorithm=PERMUTABLE, objective="values"),
        replace(unchecked, algorithm=OURS),
        replace(case, algorithm=MCR, objective="values", until=FIRST_BUG),
        replace(case, algorithm=OURS, until=FIRST_BUG),
    ]


class _Table:
    """Our rows, by what the paper's tables ask for: texts for SC, TSO and PSO."""

    def __init__(self, rows: list[Row]) -> None:
        self._rows = {(_title(row), row["model"], row["algorithm"], row["until"]): row for row in rows}

    def row(self, title: str, model: str, algorithm: str, until: str = END) -> Row | None:
        return self._rows.get((title, model, algorithm, until))

    def exhausted(self, title: str, algorithm: str) -> str:
        """Executions until everything was seen."""
        return _joined(executions(self.row(title, model, algorithm)) for model in MODELS)

    def first_bug(self, title: str, algorithm: str) -> str:
        """Executions to the first bug; "none" if there is no bug."""
        return _joined(_first_bug(self.row(title, model, algorithm, FIRST_BUG)) for model in MODELS)

    def races(self, title: str) -> str:
        rows = (self.row(title, model, MCR) for model in MODELS)
        return _joined(str(row["details"]["figures"]["data races"]) if row and row["details"] else "-" for row in rows)


def _title(row: Row) -> str:
    return short_title(row).replace("n=", "")


def _first_bug(row: Row | None) -> str:
    if row is None:
        return "-"
    if row["first_bug"] is not None:
        return str(row["first_bug"])
    return "none" if row["complete"] else executions(row)


def _joined(texts: Iterable[str]) -> str:
    return " / ".join(texts)


def _published(figures: Triple) -> str:
    return _joined(text or "-" for text in figures) if any(figures) else "-"


def sections(rows: list[Row]) -> list[str]:
    table = _Table(rows)
    return [
        NOTES,
        "## Table 1: figure 6, by rounds; and figure 3 (2.4, 4.6)",
        _exhaust_table(table, FIGURES),
        FIGURE_6,
        "## Table 3: to exhaust",
        _exhaust_table(table, LOCKS),
        "## Table 4: to the first bug",
        _bug_table(table, {**LOCKS, "figure_6(4)": FIGURES["figure_6(4)"]}),
        "## Table 5: larger programs",
        _real_table(table),
        "## All figures",
        full_table(rows),
    ]


def _exhaust_table(table: _Table, published: dict[str, Published]) -> str:
    columns = ("SC / TSO / PSO", "DPOR, published", "MCR, published", "as published", "mcr", "ours")
    lines = [
        (title, _published(row.dpor), _published(row.exhausted), *(table.exhausted(title, each) for each in ALGORITHMS))
        for title, row in published.items()
    ]
    return as_markdown(columns, lines)


def _bug_table(table: _Table, published: dict[str, Published]) -> str:
    columns = ("SC / TSO / PSO", "DPOR, published", "MCR, published", "mcr", "ours")
    lines = [
        (
            title,
            _published(row.dpor_bug),
            _published(row.bug),
            table.first_bug(title, MCR),
            table.first_bug(title, OURS),
        )
        for title, row in published.items()
    ]
    return as_markdown(columns, lines)


def _real_table(table: _Table) -> str:
    columns = (
        "SC / TSO / PSO", "MCR, published", "as published", "mcr", "ours", "races, published", "races",
        "first bug, mcr",
    )  # fmt: skip
    lines = [
        (
            title, _published(row.exhausted), *(table.exhausted(title, each) for each in ALGORITHMS),
            _published(row.races), table.races(title), table.first_bug(title, MCR),
        )
        for title, row in REAL.items()
    ]  # fmt: skip
    return as_markdown(columns, lines)


def figures(rows: list[Row]) -> list[Figure]:
    """Executions to exhaust, published and ours, a panel for each model."""
    table = _Table(rows)
    panels = [_panel(table, number, model) for number, model in enumerate(MODELS)]
    title = "Executions to exhaust: published, and ours"
    return [Figure("paper-mcr", title, tuple(panels), (13, 10), columns=1)] if rows else []


def _panel(table: _Table, number: int, model: str) -> Panel:
    published = {**FIGURES, **LOCKS, **REAL}

    def ours(algorithm: str) -> list[float | None]:
        rows = [table.row(title, model, algorithm) for title in published]
        return [row["executions"] if row is not None and row["complete"] else None for row in rows]

    bars = {
        "DPOR, published": [_height(row.dpor[number]) for row in published.values()],
        "MCR, published": [_height(row.exhausted[number]) for row in published.values()],
        "mcr as published": ours(PERMUTABLE),
        "mcr": ours(MCR),
        "ours": ours(OURS),
    }
    return Panel(model.upper(), y="executions", labels=tuple(published), bars=bars, log_y=True)


def _height(text: str | None) -> float | None:
    return None if text is None else float(text.rstrip("+"))


SUITE = Suite(
    name="paper-mcr",
    title="Maximal causality reduction, beside the published figures",
    summary="tables 1, 3, 4 and 5 of the paper on MCR for TSO and PSO",
    cases=cases,
    sections=sections,
    figures=figures,
)
