"""Our complete explorations beside those of other tools: who needs fewer executions, who less time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mcr.bench.case import END, short_title
from mcr.bench.environment import sentence
from mcr.bench.figures import Figure, Panel, Point
from mcr.bench.rows import Row, as_markdown
from mcr.bench.text import executions_by_end, ratio, seconds
from mcr.exploration.goals import STATES
from replay.world.memory_models import MODELS
from results.bench.peers import SAFE, TIMEOUT, TOOLS, Peer, peers_of, source
from results.bench.sizes import is_checked

HEADLINE = (
    ("bakery", "n=3"),
    ("fastmutex", "n=3, b=1"),
    ("lastzero", "n=10"),
    ("lastzero", "n=15"),
    ("readers", "n=10"),
    ("exp_mem", "n=7"),
    ("casrot", "n=8"),
    ("example", "n=3"),
    ("fib", "n=5"),
)
"""The hard rows of the reference table."""


@dataclass(frozen=True)
class Pair:
    """One of our rows and the comparable rows of the peers; those that did not finish are among them."""

    row: Row
    peers: tuple[Peer, ...]

    @property
    def finished(self) -> list[Peer]:
        return [peer for peer in self.peers if peer.verdict == SAFE]

    @property
    def quickest(self) -> float | None:
        """Seconds of the fastest peer."""
        return min((peer.seconds for peer in self.finished), default=None)

    @property
    def fewest(self) -> int | None:
        """Complete executions of the peer that has fewest of them."""
        return min((peer.complete for peer in self.finished if peer.complete is not None), default=None)

    @property
    def fewest_in_all(self) -> int | None:
        """Complete and blocked executions of the peer that runs fewest."""
        return min((peer.all_executions for peer in self.finished if peer.all_executions is not None), default=None)

    @property
    def is_more(self) -> bool:
        """Whether we need more executions than the best peer has complete ones."""
        return self.row["complete"] and self.fewest is not None and self.row["executions"] > self.fewest

    @property
    def is_slower(self) -> bool:
        return self.row["complete"] and self.quickest is not None and self.row["wall_s"] > self.quickest

    @property
    def title(self) -> str:
        return short_title(self.row) + (" with check" if is_checked(self.row) else "")

    def best_of(self, tool: str) -> Peer | None:
        """The fastest finished row of a tool; one that did not finish if there is no other."""
        own = [peer for peer in self.peers if peer.tool == tool and peer.verdict in (SAFE, TIMEOUT)]
        return min(own, key=lambda peer: (peer.verdict != SAFE, peer.seconds), default=None)


def pairs(rows: Iterable[Row]) -> list[Pair]:
    """Rows that explored everything, or tried to, and for which there are peers."""
    explored = (
        row for row in rows if row["until"] == END and row["algorithm"] == "cover" and row["objective"] == STATES
    )
    found = (Pair(row, tuple(peers_of(row["program"], _sizes(row), is_checked(row), row["model"]))) for row in explored)
    return [pair for pair in found if pair.peers]


def _sizes(row: Row) -> tuple[tuple[str, int], ...]:
    given = (part.split("=") for part in row["parameters"].split(", ") if part)
    return tuple((name, int(value)) for name, value in given if name != "check")


# -- tables ----------------------------------------------------------------------

_COLUMNS = (
    "program", "model", "complete + blocked", "s", "GenMC: complete + blocked", "s", "Nidhugg: complete + blocked", "s",
    "executions : fewest complete", ": fewest in all", "s : quickest",
)  # fmt: skip

NOTES = """\
GenMC is run with `--disable-ipr` wherever there is such a row, each tool with the fastest of its options whose counts
mean what ours mean. *Fewest* and *quickest* are over all options of both tools. A quotient below 1 is in our favour.
Theirs are complete and blocked executions, one of each class of traces or rf; ours visit every local state, which
decides every assertion too. Where we visit execution graphs (the column `graphs` of reference.md), those that show
nothing new are not executed: no code of the program runs for them. Our seconds are without the start of Python and its
imports (0.3 s; the column `process_s` of reference.csv has them); theirs are with a start-up of 0.02 to 0.07 s, without
compilation."""


def sections(rows: Iterable[Row]) -> list[str]:
    """The comparison as Markdown."""
    rows = list(rows)
    found = pairs(rows)
    if not found:
        return []
    return [
        f"## Beside the peers\n\n{NOTES}\n\n{source()}",
        as_markdown(_COLUMNS, map(_line, found)),
        _summary(found),
        *_more(found, rows),
        *_slower(found),
    ]


def _line(pair: Pair) -> list[str]:
    row, ours = pair.row, pair.row["executions"] if pair.row["complete"] else None
    shown = [text for tool in TOOLS for text in _peer_cells(pair.best_of(tool))]
    quotients = (
        _quotient(ours, pair.fewest),
        _quotient(ours, pair.fewest_in_all),
        _quotient(row["wall_s"] if row["complete"] else None, pair.quickest),
    )
    return [
        pair.title,
        row["model"].upper(),
        executions_by_end(row),
        seconds(row["wall_s"]),
        *shown,
        *map(ratio, quotients),
    ]


def _quotient(ours: float | None, theirs: float | None) -> float | None:
    return None if ours is None or not theirs else ours / theirs


def _peer_cells(peer: Peer | None) -> tuple[str, str]:
    if peer is None:
        return "-", "-"
    if peer.verdict == TIMEOUT:
        return "-", f"over {peer.seconds:.0f}"
    return f"{peer.complete} + {peer.blocked}", f"{peer.seconds:.2f}"


def _summary(found: Sequence[Pair]) -> str:
    done = [pair for pair in found if pair.row["complete"]]
    against = [pair for pair in done if pair.finished]
    more = sum(pair.is_more for pair in against)
    more_complete = sum(pair.row["executions"] - pair.row["blocked"] > (pair.fewest or 0) for pair in against)
    slower = sum(pair.is_slower for pair in against)
    alone = len(done) - len(against)
    return (
        f"Of {len(found)} rows {len(done)} were explored to the end here, {alone} of which no peer finished. Of the "
        f"other {len(against)}, {len(against) - more} take no more executions, blocked ones included, than the best "
        f"peer has complete ones ({len(against) - more_complete} if only complete ones are counted on both sides), "
        f"and {len(against) - slower} no more time than the quickest."
    )


def _more(found: Sequence[Pair], rows: Iterable[Row]) -> Iterator[str]:
    chosen = [pair for pair in found if pair.is_more]
    if not chosen:
        return
    covers = {_program(row): row["details"]["cover"] for row in rows if row["details"].get("cover")}
    yield "## Where we need more executions than the best peer has complete ones"
    columns = ("program", "model", "complete + blocked", "fewest complete", "fewest in all", "at least", "why")
    yield as_markdown(columns, [_more_line(pair, covers.get(_program(pair.row), {})) for pair in chosen])
    yield (
        "*At least*: the fewest executions that show every local state, by a minimum hitting set over the classes of "
        "values; where these were not enumerated, the most ends of histories that one thread has."
    )


def _program(row: Row) -> tuple[str, str, str]:
    return row["program"], row["parameters"], row["model"]


def _more_line(pair: Pair, cover: Mapping[str, int]) -> list[object]:
    row = pair.row
    least = cover.get("minimum", row["details"]["least_executions"])
    figures = (pair.title, row["model"].upper(), executions_by_end(row), pair.fewest, pair.fewest_in_all, least)
    return [*figures, reason(row["executions"], least, row["local_states"], cover.get("blocked_only"))]


def reason(ours: int, least: int, local_states: int, blocked_only: int | None) -> str:
    """Why we need more executions than the peer's complete ones."""
    parts = [f"{ours - least} could be saved by reaching more ends at once"] if ours > least else []
    if blocked_only:
        parts.append(f"complete executions show {local_states - blocked_only} of {local_states} local states only")
    return "; ".join(parts) or "nothing can be saved: complete executions do not show every local state"


def _slower(found: Sequence[Pair]) -> Iterator[str]:
    chosen = [pair for pair in found if pair.is_slower]
    if chosen:
        yield "## Where we take more time than the quickest peer"
        lines = [
            (
                pair.title,
                pair.row["model"].upper(),
                seconds(pair.row["wall_s"]),
                seconds(pair.quickest),
                _share(pair.row),
            )
            for pair in chosen
        ]
        yield as_markdown(
            ("program", "model", "s", "quickest, s", "of which solving, replaying, encoding, graphs"), lines
        )


def _share(row: Row) -> str:
    parts = (row[f"{part}_s"] for part in ("solving", "replaying", "encoding", "surveying"))
    return ", ".join(f"{100 * part / row['wall_s']:.0f} %" for part in parts)


def headline(rows: Sequence[Row]) -> str:
    """The hard rows, as a table for a README."""
    hard = [pair for pair in pairs(rows) if (pair.row["program"], _shown_sizes(pair.row)) in HEADLINE]
    hard.sort(key=lambda pair: HEADLINE.index((pair.row["program"], _shown_sizes(pair.row))))
    columns = ("program", "model", "mcr: executions, s", "GenMC: executions, s", "Nidhugg: executions, s")
    made = f"Written by `.venv/bin/mcr bench results/bench/suites/reference.py --out results`. {sentence(rows)}"
    return f"{made}\n\n{as_markdown(columns, map(_headline_line, hard))}\n"


def _shown_sizes(row: Row) -> str:
    return ", ".join(f"{name}={value}" for name, value in _sizes(row))


def _headline_line(pair: Pair) -> list[str]:
    row = pair.row
    ours = f"**{executions_by_end(row).replace(' + 0', '')}**, {seconds(row['wall_s'])}"
    theirs = [_in_one_cell(*_peer_cells(pair.best_of(tool))) for tool in TOOLS]
    return [pair.title, row["model"].upper(), ours, *theirs]


def _in_one_cell(executions_: str, seconds_: str) -> str:
    if executions_ == seconds_ == "-":
        return "no such mode"
    return f"{seconds_} s" if executions_ == "-" else f"{executions_.replace(' + 0', '')}, {seconds_}"


# -- plots -----------------------------------------------------------------------

_SIZE = (8.0, 5.6)
"""Inches of a plot."""


def figures(rows: Iterable[Row]) -> list[Figure]:
    """Ours against the best peer's: executions, and time."""
    against = [pair for pair in pairs(rows) if pair.row["complete"] and pair.finished]
    if not against:
        return []
    counted = _scatter(
        "complete executions of the peer that has fewest",
        "executions of mcr",
        [(pair, (float(pair.fewest or 1), float(pair.row["executions"]))) for pair in against],
    )
    timed = _scatter(
        "seconds of the quickest peer",
        "seconds of mcr",
        [(pair, (pair.quickest or 0.01, max(0.001, pair.row["wall_s"]))) for pair in against],
    )
    return [
        Figure("reference-executions", "Executions needed: mcr and the best of GenMC and Nidhugg", (counted,), _SIZE),
        Figure("reference-time", "Time needed: mcr and the quickest of GenMC and Nidhugg", (timed,), _SIZE),
    ]


def _scatter(x: str, y: str, found: Sequence[tuple[Pair, Point]]) -> Panel:
    dots: dict[str, list[Point]] = {model.upper(): [] for model in MODELS}
    for pair, point in found:
        dots[pair.row["model"].upper()].append(point)
    return Panel(
        title="below the line: mcr needs less",
        x=x,
        y=y,
        dots=dots,
        notes=_notes(found),
        log_x=True,
        log_y=True,
        diagonal=True,
    )


def _notes(found: Sequence[tuple[Pair, Point]]) -> tuple[tuple[Point, str], ...]:
    """Names for the largest point of each program that has hard rows, from left to right."""
    named = {program for program, _ in HEADLINE}
    largest: dict[str, tuple[Point, str]] = {}
    for pair, point in sorted(found, key=lambda item: item[1]):
        if pair.row["program"] in named:
            largest[pair.row["program"]] = (point, f"{pair.title} {pair.row['model'].upper()}")
    return tuple(sorted(largest.values()))
