"""Executions of maximal causality reduction, beside the figures that [huang-2016] published.

    python results/mcr_tables.py [--seconds 60]

Appends a line to results/mcr_tables.csv as each row is finished, and writes
results/mcr_tables.md at the end. A run that meets the time limit shows how far
it came, with a "+". The published figures come from other programs with the
same names (loop bounds and checks are not recorded), so they are for orientation;
figure 3 and figure 6 are the same programs.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from examples import mcr_paper  # noqa: E402
from mcr.maximal.explorer import MaximalCausality, MaximalOptions, MaximalStatistics  # noqa: E402
from mcr.verdict import Verdict  # noqa: E402
from replay.memory_model import MODELS  # noqa: E402
from replay.program import Program  # noqa: E402

Figures = tuple[object, object, object]
"""One for each memory model; "" where nothing was published."""

NONE: Figures = ("", "", "")
FIGURE_6 = {1: (2, 2, 10), 2: (43, 43, 89), 3: (296, 296, 819), 4: (2767, 2767, 8420)}

ROWS: list[tuple[Program, Figures, Figures]] = [
    # program, published executions to exhaust, published executions to the first bug
    (mcr_paper.figure_3a, (3, 5, 5), NONE),
    *((mcr_paper.figure_6(n=n), FIGURE_6[n], ("", "", 3) if n == 4 else NONE) for n in FIGURE_6),
    (mcr_paper.dekker, (62, 98, 155), (10, 4, 5)),
    (mcr_paper.lamport, (14, 91, 102), (2, 2, 3)),
    (mcr_paper.bakery, (77, 158, 165), (8, 8, 15)),
    (mcr_paper.peterson, (13, 18, 19), (7, 2, 3)),
    (mcr_paper.stack_unsafe, (29, 46, 108), (2, 2, 2)),
    (mcr_paper.rv_example, (57, 64, 70), (53, 54, 39)),
    (mcr_paper.account, (7, 12, 12), NONE),
    (mcr_paper.airline, (8, 11, 11), NONE),
    (mcr_paper.allocation, (30, 30, 30), NONE),
    (mcr_paper.ping_pong, (411, 483, 527), NONE),
    (mcr_paper.string_buffer, (3, 3, 3), NONE),
]

COLUMNS = (
    "program", "model", "executions", "published", "with permutable seeds", "redundant of these",
    "to first bug", "published to first bug", "races", "seeds tried", "satisfiable", "solver s", "replay s", "seconds",
)  # fmt: skip


def explored(program: Program, model: str, options: MaximalOptions) -> tuple[str, MaximalStatistics, Verdict]:
    """Executions of one exploration ("+" if it was cut), and its other figures."""
    explorer = MaximalCausality(program, MODELS[model], options)
    result = explorer.explore()
    return f"{explorer.statistics.executions}{'+' if result.stop else ''}", explorer.statistics, result.verdict


def row(program: Program, number: int, model: str, exhaust: Figures, first: Figures, seconds: float) -> list[object]:
    """One line of the table: exhausted without checks, exhausted as published, and stopped at the first bug."""
    has_checks = "check" in program.function.__code__.co_varnames
    unchecked = program(check=False) if has_checks else program
    whole, statistics, _ = explored(unchecked, model, MaximalOptions(timeout=seconds, keep_going=True))
    kept, with_permutable, _ = explored(
        unchecked, model, MaximalOptions(timeout=seconds, keep_going=True, keep_permutable=True)
    )
    bug, _, verdict = explored(program, model, MaximalOptions(timeout=seconds, shorten=False))
    return [
        program.title, model, whole, exhaust[number], kept, with_permutable.redundant,
        bug if verdict is Verdict.BUG else "-", first[number], statistics.races, statistics.tried,
        statistics.satisfiable, f"{statistics.solving:.2f}", f"{statistics.replaying:.2f}", f"{statistics.seconds:.2f}",
    ]  # fmt: skip


def markdown(rows: list[list[object]]) -> str:
    lines = [COLUMNS, ["---"] * len(COLUMNS), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60, help="limit of each exploration")
    seconds = parser.parse_args().seconds
    rows: list[list[object]] = []
    with (ROOT / "results" / "mcr_tables.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for program, exhaust, first in ROWS:
            for number, model in enumerate(MODELS):
                rows.append(row(program, number, model, exhaust, first, seconds))
                writer.writerow(rows[-1])
                file.flush()
    (ROOT / "results" / "mcr_tables.md").write_text(markdown(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
