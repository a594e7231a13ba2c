"""Classes of executions beside the counts of Nidhugg and GenMC."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mcr.bench.case import BenchCase
from mcr.bench.figures import Figure, Panel, Point
from mcr.bench.rows import Row, as_markdown
from mcr.bench.suite import Suite, SuiteSelection
from mcr.bench.text import seconds
from replay.world.memory_models import MODELS
from results.bench.peers import SAFE, Peer, all_peers, peers_of, peers_text, source
from results.bench.sizes import reference_case

LARGEST = 200_000
"""Complete executions of the largest row that is tried."""

NOTES = """\
Compared are complete executions of the programs without their assertions. One per class of rf under SC is Nidhugg's
`--sc --rf`; one per trace (po, rf, co) is `--source` of Nidhugg, and GenMC, with `--disable-ipr` where there is such a
row.

*Blocked* executions are not compared. Ours are classes of executions in which some thread failed an assumption, each
once; the peers stop an execution as soon as one thread is blocked, and count what they happened to run.

Seconds: theirs are compiled C++ on compiled C; ours are Python, and find every local state first."""


def objective_of(peer: Peer) -> str:
    """What the peer executes one of each; "" for options that do not do that."""
    if "--rf" in peer.option:
        return "rf"
    exact = peer.tool == "genmc" or "--source" in peer.option or "--no-commute-rmws" in peer.option
    return "traces" if exact else ""


def countable() -> list[Peer]:
    """The rows of the peers that finished and whose counts ours must equal, few executions first."""
    keys = dict.fromkeys((peer.program, peer.parameters, peer.checked, peer.model) for peer in all_peers())
    rows = [peer for key in keys for peer in peers_of(*key) if peer.verdict == SAFE and objective_of(peer)]
    return sorted((peer for peer in rows if not peer.checked or peer.program == "fib"), key=_size)


def _size(peer: Peer) -> int:
    return peer.complete or 0


def cases(choice: SuiteSelection) -> list[BenchCase]:
    wanted = [_case(peer) for peer in countable() if _size(peer) <= LARGEST]
    return [replace(case, solver=choice.the_solver) for case in choice.of(wanted)]


def _case(peer: Peer) -> BenchCase:
    case = reference_case(peer.program, check=False, **dict(peer.parameters))
    return replace(case, model=peer.model, objective=objective_of(peer))


def _compared(rows: list[Row]) -> Iterator[tuple[Peer, Row | None, str]]:
    """Every row of the peers with ours, and what comes of it."""
    ours = {(row["program"], row["parameters"], row["model"], row["objective"]): row for row in rows}
    for peer in countable():
        case = _case(peer)
        row = ours.get((case.program, case.shown_parameters, case.model, case.objective))
        yield peer, row, agreement(peer, row)


def agreement(peer: Peer, row: Row | None) -> str:
    """ "equal", "DIFFERENT", or why that is not known."""
    if row is None:
        return "not tried"
    if not row["complete"]:
        return f"{row['verdict']}: {row['why']}"
    return "equal" if row["classes"] == peer.complete else "DIFFERENT"


def sections(rows: list[Row]) -> list[str]:
    columns = (
        "program", "model", "classes of", "peer", "complete, theirs", "ours", "blocked, theirs", "ours", "s, theirs",
        "s, ours", "comparison",
    )  # fmt: skip
    compared = [(peer, row, verdict) for peer, row, verdict in _compared(rows)]
    equal = sum(verdict == "equal" for _, _, verdict in compared)
    different = sum(verdict == "DIFFERENT" for _, _, verdict in compared)
    summary = f"Of {len(compared)} rows of the peers, {equal} are equal and {different} different."
    return [NOTES, source(), summary, as_markdown(columns, [_line(*each) for each in compared])]


def _title(peer: Peer) -> str:
    return f"{peer.program}({', '.join(f'{name}={value}' for name, value in peer.parameters)})"


def _line(peer: Peer, row: Row | None, verdict: str) -> list[object]:
    known = row is not None and row["classes"] is not None
    classes, blocked = (row["classes"], row["blocked_classes"]) if row is not None and known else ("-", "-")
    return [
        _title(peer), peer.model, objective_of(peer), peer.named_tool, peer.complete, classes, peer.blocked, blocked,
        f"{peer.seconds:.2f}", seconds(row["wall_s"]) if row is not None else "-", verdict,
    ]  # fmt: skip


def figures(rows: list[Row]) -> list[Figure]:
    """Our time against theirs, where the classes are the same."""
    dots: dict[str, list[Point]] = {model.upper(): [] for model in MODELS}
    for peer, row, verdict in _compared(rows):
        if row is not None and verdict == "equal":
            dots[peer.model.upper()].append((peer.seconds, max(0.001, row["wall_s"])))
    if not any(dots.values()):
        return []
    panel = Panel("", "seconds of a peer", "seconds of mcr", dots=dots, log_x=True, log_y=True, diagonal=True)
    return [Figure("peers", "Enumerating the same classes: time", (panel,), (8.0, 5.6))]


def contradicted(rows: list[Row]) -> list[str]:
    return [
        f"{_title(peer)} under {peer.model}: {peer.named_tool} counts {peer.complete}, we {row['classes']}"
        for peer, row, verdict in _compared(rows)
        if row is not None and verdict == "DIFFERENT"
    ]


SUITE = Suite(
    name="peers",
    title="Classes beside Nidhugg and GenMC",
    summary="numbers of classes, which must equal those of GenMC and Nidhugg",
    cases=cases,
    sections=sections,
    figures=figures,
    extra_files=lambda rows: {"peers.json": peers_text()},
    contradicted=contradicted,
)
