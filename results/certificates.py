"""Certificates of examples, reference programs and litmus tests: how large they are, what they take, and if they hold.

.venv/bin/python results/certificates.py             writes results/certificates.md
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import mcr
from mcr.exploration.options import Options
from mcr.litmus.diy.relations import DEFAULT_RELATIONS, relations
from mcr.litmus.diy.survey import collect
from mcr.litmus.program import programs_of
from replay.certify.certify import confirm
from replay.certify.local_graphs import Rejected
from replay.frontend.program import Program
from replay.traces.loader import find_programs
from results.known import Known, known, written_tables
from results.made import made_by
from results.rows import rows_asked

HERE = Path(__file__).parent
MODELS = ("sc", "tso", "pso")
SECONDS = 60.0
LITMUS = 500

REFERENCE: list[tuple[str, dict[str, object]]] = [
    ("sb", {"n": 3, "check": False}),
    ("mp", {"check": False}),
    ("readers", {"n": 10}),
    ("fib", {"n": 4, "check": False}),
    ("exp_mem", {"n": 7}),
    ("example", {"n": 3, "check": False}),
    ("casrot", {"n": 6}),
    ("ttas", {"n": 3, "b": 2, "check": False}),
    ("dekker", {"check": False}),
    ("peterson", {"check": False}),
    ("lastzero", {"n": 5}),
    ("lastzero", {"n": 60}),
    ("bakery", {"n": 3, "check": False}),
    ("bakery", {"n": 6, "check": False}),
    ("fastmutex", {"n": 3, "check": False}),
    ("fastmutex", {"n": 4, "b": 2, "check": False}),
]


class Row:
    """What came of a program, or of several: times are of the processor, in seconds."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.verified = self.certified = self.confirmed = self.bytes = 0
        self.alone = self.checked = self.confirming = 0.0

    def add(self, program: Program, model: str) -> None:
        """Check a program with and without a certificate, and confirm that."""
        alone, spent = _timed(program, model, certificate=False)
        if alone.verdict != "verified":
            return
        self.verified += 1
        result, making = _timed(program, model, certificate=True)
        if result.certificate is None:
            return
        self.certified += 1
        self.bytes += len(result.certificate)
        began = time.process_time()
        try:
            confirm(json.loads(gzip.decompress(result.certificate)), program)
            self.confirmed += 1
        except Rejected as wrong:
            print(f"rejected: {program.title} under {model}: {wrong}", file=sys.stderr)
        self.alone += spent
        self.checked += making
        self.confirming += time.process_time() - began

    @property
    def counts(self) -> tuple[int, int, int]:
        """What does not depend on the machine, nor on what certificates say beside the proof."""
        return self.verified, self.certified, self.confirmed

    def __str__(self) -> str:
        times = f"{self.alone:.2f} | {self.checked:.2f} | {self.confirming:.2f}" if self.certified else "- | - | -"
        size = f"{self.bytes / 1000 / max(1, self.certified):.1f}"
        return f"| {self.title} | {' | '.join(map(str, self.counts))} | {size} | {times} |"


def _timed(program: Program, model: str, *, certificate: bool) -> tuple[mcr.Result, float]:
    began = time.process_time()
    result = mcr.check(program, model, options=Options(certificate=certificate, timeout=SECONDS, shorten=False))
    return result, time.process_time() - began


def _rows(most: int | None) -> Iterator[Row]:
    """All rows, or those of the first `most` files of examples, litmus tests and reference programs."""
    examples = Row("all of examples/")
    for file in sorted((HERE.parent / "examples").glob("*.py"))[:most]:
        for program in find_programs(str(file)):
            for model in MODELS:
                examples.add(program, model)
    yield examples
    litmus = Row(f"{LITMUS} litmus tests by `mcr diy`")
    for test in collect(relations(" ".join(DEFAULT_RELATIONS)), 4, 8).tests[: min(LITMUS, most or LITMUS)]:
        file = Path(tempfile.mkdtemp()) / "test.litmus"
        file.write_text(test.text)
        for program in (each(ask="witness") for each in programs_of(file)):
            for model in MODELS:
                litmus.add(program, model)
    yield litmus
    yield from map(_reference, islice(_reference_programs(), most))


def _reference_programs() -> Iterator[Program]:
    for name, arguments in REFERENCE:
        yield next(find_programs(f"{HERE.parent / 'examples' / 'reference.py'}::{name}"))(**arguments)


def _reference(program: Program) -> Row:
    row = Row(f"`{program.title}`")
    for model in MODELS:
        row.add(program, model)
    return row


def known_rows() -> Iterator[Known]:
    """The rows of reference programs: those above them are too long."""
    (rows,) = written_tables("certificates.md")
    written = {title: cells for title, *cells in rows}
    for program in _reference_programs():
        *told, _, alone, certified, confirming = written[f"`{program.title}`"]
        seconds = sum(float(each) for each in (alone, certified, confirming) if each != "-")
        yield known(program.title, seconds, told, partial(_counts, program))


def _counts(program: Program) -> tuple[int, int, int]:
    return _reference(program).counts


def main() -> None:
    lines = [
        "# Certificates: size and cost",
        "",
        f"Programs under SC, TSO and PSO, {SECONDS:g} s each at most: how many checks are verified, how many of them",
        "have a certificate and are confirmed; kilobytes of a certificate, compressed; processor seconds of all that",
        "have one: without it, with it, and to confirm it. A check without may rest on a proof by terms, as those of",
        "bakery(6), lastzero(60) and fastmutex(4, 2) do: the certificate takes a proof of another kind then.",
        "",
        made_by("results/certificates.py"),
        "",
        "| program | verified | with certificate | confirmed | kB | check | with certificate | confirm |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in _rows(rows_asked(__doc__)):
        print(row, flush=True)
        lines.append(str(row))
    (HERE / "certificates.md").write_text("\n".join([*lines, ""]))


if __name__ == "__main__":
    main()
