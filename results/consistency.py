"""Verification times: our procedures against the naive one and the solvers, and their growth with the events.

    python results/consistency.py [--fresh] [--each 8] [--largest 400] [--no-plots]

Redraws the shape of [bui-2021] Figures 9 and 10 (section 6.1): each dot is an
instance collected from an exploration, as executed (realizable) or with the
source of one read changed (mostly not). Writes consistency.jsonl and
consistency_growth.jsonl row by row, then Markdown and the plots beside them;
takes about fifteen minutes. Plots need matplotlib: `pip install matplotlib`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mcr.bench.environment import environment
from mcr.bench.rows import Rows, as_markdown
from mcr.consistency.instance import Instance, Realization, SearchOptions
from mcr.consistency.verify import realize
from replay.files import write_atomically
from replay.world.memory_model import MemoryModel
from replay.world.memory_models import MODELS
from results.consistency_growth import GROWTH_KEY, growth_sections, measure_growth
from results.consistency_instances import collect, instances_of, programs, seed_of
from results.known import Known, known
from results.made import made_by
from results.rows import add_rows
from tests.consistency.encoding import solve
from tests.consistency.naive import LimitReachedError, at_most, realize_naively

LIMIT = 30_000
"""Prefixes after which a search counts as not finished; its time is then a lower bound."""
EACH = 8
"""Executions of each program that become instances."""
LONG = 0.1
"""Seconds of a run that is not repeated."""

Procedure = Callable[[Instance, MemoryModel], Realization]
PROCEDURES: dict[str, Procedure] = {
    "ours": lambda instance, model: realize(instance, model, SearchOptions(closure=False, watch=at_most(LIMIT))),
    "ours+closure": lambda instance, model: realize(instance, model, SearchOptions(watch=at_most(LIMIT))),
    "naive": lambda instance, model: realize_naively(
        instance, model, SearchOptions(closure=False, watch=at_most(LIMIT))
    ),
    "naive+closure": lambda instance, model: realize_naively(instance, model, SearchOptions(watch=at_most(LIMIT))),
    "minisat22": lambda instance, model: solve(instance, model, "minisat22"),
    "z3": lambda instance, model: solve(instance, model, "z3"),
}
HERE = Path(__file__).resolve().parent


def timed(procedure: Procedure, instance: Instance, model: MemoryModel) -> tuple[float, str]:
    """Seconds and answer: yes, no, or limit. Processor time, the best of three runs where one is short."""
    best, answer = float("inf"), ""
    for _ in range(3):
        started = time.process_time()
        try:
            answer = "yes" if procedure(instance, model).is_realizable else "no"
        except LimitReachedError:
            answer = "limit"
        best = min(best, time.process_time() - started)
        if best > LONG:
            break
    return best, answer


def compare(rows: Rows, each: int, most: int | None) -> None:
    """A row for each model and instance: sizes, answer, and the seconds of every procedure."""
    for model in MODELS.values():
        for number, (title, instance) in enumerate(islice(collect(model, each), most)):
            known_row = rows.get(model.name, number)
            if known_row is not None and "seed" in known_row:
                continue
            found = {name: timed(procedure, instance, model) for name, procedure in PROCEDURES.items()}
            answers = {answer for _, answer in found.values()} - {"limit"}
            if len(answers) != 1:
                raise AssertionError(f"{title} under {model.name}: {found} on {instance}")
            row = {"model": model.name, "number": number, "program": title, "seed": seed_of(model, title)}
            row |= {"actions": len(instance.actions), "threads": len(instance.threads), "realizable": answers.pop()}
            limited = " ".join(name for name, (_, answer) in found.items() if answer == "limit")
            seconds = {name: round(seconds, 6) for name, (seconds, _) in found.items()}
            rows.add({**row, **seconds, "not finished": limited, "environment": environment()})


def summary(rows: Rows) -> str:
    """Per model and answer: how many instances, and the total seconds of every procedure."""
    lines = []
    for model in MODELS:
        for answer in ("yes", "no"):
            chosen = [row for row in rows.all() if (row["model"], row["realizable"]) == (model, answer)]
            totals = [f"{sum(row[name] for row in chosen):.2f}" for name in PROCEDURES]
            lines.append([model, answer, len(chosen), *totals])
    return as_markdown(("model", "realizable", "instances", *PROCEDURES), lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure how long consistency takes to verify.")
    parser.add_argument("--fresh", action="store_true", help="forget earlier rows")
    parser.add_argument("--each", type=int, default=EACH, help="executions of each program that become instances")
    parser.add_argument("--largest", type=int, default=400, help="actions of the largest instance of the growth series")
    parser.add_argument("--no-plots", action="store_true")
    add_rows(parser)
    arguments = parser.parse_args()
    growth = Rows(HERE / "consistency_growth.jsonl", GROWTH_KEY, fresh=arguments.fresh)
    measure_growth(growth, arguments.largest)
    write("consistency_growth.md", "Growth of verification time", growth, growth_sections(growth))
    rows = _stored(fresh=arguments.fresh)
    compare(rows, arguments.each, arguments.rows)
    write("consistency.md", "Verification time in total, seconds", rows, [summary(rows)])
    if not arguments.no_plots:
        from results.consistency_plots import draw

        draw(rows, growth, HERE)


def _stored(*, fresh: bool = False) -> Rows:
    return Rows(HERE / "consistency.jsonl", ("model", "number"), fresh=fresh)


def known_rows() -> Iterator[Known]:
    """How many instances of each program can be realized and how many cannot, under each model."""
    told: dict[tuple[str, str], Counter[str]] = {}
    for row in _stored().all():
        told.setdefault((row["model"], row["program"]), Counter())[row["realizable"]] += 1
    for (model, title), counts in told.items():
        yield known(f"{title} under {model.upper()}", 0.0, _told(counts), partial(_counted, MODELS[model], title))


def _counted(model: MemoryModel, title: str) -> list[int]:
    found = (each for program in programs() if program.title == title for each in instances_of(program, model, EACH))
    return _told(Counter("yes" if realize(each, model, SearchOptions()).is_realizable else "no" for each in found))


def _told(counts: Counter[str]) -> list[int]:
    return [counts["yes"], counts["no"]]


def write(name: str, title: str, rows: Rows, sections: list[str]) -> None:
    """A Markdown file, and the same on the terminal."""
    print(
        text := "\n\n".join(
            [f"# {title}", made_by("results/consistency.py", [row["environment"] for row in rows.all()]), *sections]
        )
        + "\n"
    )
    write_atomically(HERE / name, text)


if __name__ == "__main__":
    main()
