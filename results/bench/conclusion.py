"""What `python -m results.bench` says at the end."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from mcr.cli.status import Status, gravest
from results.bench.run import BenchRequest, Finished
from results.bench.suite import Choice
from results.bench.text import how_it_ended


def conclude(request: BenchRequest, finished: Iterable[Finished]) -> Status:
    """Tell where everything is and what is wrong with it, suite by suite."""
    return gravest([_conclude(request, each) for each in finished])


def _conclude(request: BenchRequest, finished: Finished) -> Status:
    suite = finished.suite
    for sentence in (wrong := suite.contradicted(finished.rows)):
        print(f"{suite.name}: contradiction: {sentence}", file=sys.stderr)
    for row in (broken := [row for row in finished.rows if row["verdict"] == "error"]):
        print(
            f"{suite.name}: {row['program']}({row['parameters']}) {row['model']}: {how_it_ended(row)}", file=sys.stderr
        )
    everything = Choice(solver=request.choice.solver, largest=request.choice.largest)
    count = f"{len(finished.rows)} of {len(suite.cases(everything))} rows"
    print(f"{suite.name}: {count}, see {request.folder / suite.name}.md")
    return Status.BUG if wrong else Status.INCOMPLETE if broken else Status.VERIFIED
