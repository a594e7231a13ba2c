"""The report of `mcr linearizable`: the level and its bounds, or a history, drawn, and why no order explains it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mcr.linearizability.levels import ATOMIC, Levels, Pair
from mcr.linearizability.observers import LEVELS
from mcr.linearizability.search import MOST_ORDERS, Counterexample, Linearizability
from mcr.report.document import told
from mcr.report.history import answer, drawn
from mcr.report.layout import VERDICT_ROLES, Style, wrap
from mcr.report.source import replay_command, shown_path
from replay.sentences import counted

LINEARIZABILITY_SCHEMA, LEVELS_SCHEMA = "mcr-linearizable/1", "mcr-levels/1"


def render_linearizability(found: Linearizability, width: int, style: Style) -> Iterator[str]:
    """The answer; if it is no, the smallest client, its history, and the orders."""
    yield from render_answer(found, width, style)
    yield from render_rest(found, width)


def render_answer(found: Linearizability, width: int, style: Style) -> Iterator[str]:
    """The level that was asked for, with the history that shows that it does not hold."""
    head = f"{found.name} under {found.under}: "
    yield style.paint(head, "strong") + style.paint(answer(found), VERDICT_ROLES[found.verdict])
    yield from _wrapped(f"for {found.bounds}", width)
    if found.counterexample is None:
        return
    yield ""
    yield from _history(found.counterexample, width, style)
    yield ""


def render_rest(found: Linearizability, width: int) -> Iterator[str]:
    """The weaker levels, and the effort for all."""
    if weaker := found.looked[1:] if found.counterexample else ():
        each = (f"{'' if level in found.levels else 'not '}{level}" for level in weaker)
        yield from _wrapped(f"weaker levels: {', '.join(each)}", width)
    yield from _wrapped(_effort(found), width)
    if found.stop is not None:
        open_ones = [level for level in LEVELS if level not in found.looked]
        open_ones = open_ones if found.counterexample else [found.asked]
        yield from _wrapped(f"not decided: {', '.join(open_ones)}: {found.stop}", width)
    if found.certificate is not None:
        yield from _wrapped(f"certificate: {found.certificate}", width)
    if found.no_certificate:
        yield from _wrapped(f"no certificate: {found.no_certificate}", width)


def _wrapped(sentence: str, width: int) -> Iterator[str]:
    return (f"  {line}" for line in wrap(sentence, width - 2))


def _history(example: Counterexample, width: int, style: Style) -> Iterator[str]:
    yield from drawn(example.seen, len(example.calls), style)
    yield ""
    for order in example.orders:
        yield from _wrapped(order, width)
    if len(example.orders) == MOST_ORDERS:
        yield "  ..."
    if example.unordered is not None:
        one, other = (f"{call.text} {call.result}" for call in example.unordered)
        line = f"{one} and {other} cannot be ordered: if either did something else, an order would explain the rest"
        yield from _wrapped(line, width)
    if example.path is not None:
        yield ""
        yield f"  {replay_command(shown_path(str(example.path)))}"


def _effort(found: Linearizability) -> str:
    left_out = f" ({found.left_out} of them not run: no call writes anything)" if found.left_out else ""
    return (
        f"{counted(found.clients, 'client')}{left_out}, {counted(found.states, 'global state')}, {found.seconds:.1f} s"
    )


def linearizability_document(found: Sequence[Linearizability]) -> dict[str, Any]:
    """Returns the report as a JSON document."""
    return {"schema": LINEARIZABILITY_SCHEMA, "classes": [_document(each) for each in found]}


def _document(found: Linearizability) -> dict[str, Any]:
    return {
        **told(
            found,
            "name",
            "model",
            "under",
            "verdict",
            "level",
            "looked",
            "levels",
            "operations",
            "asked",
            "calls",
            "clients",
        ),
        "clients_not_run": found.left_out,
        "global_states": found.states,
        "stop": found.stop and str(found.stop),
        "counterexample": found.counterexample and _example(found.counterexample),
        "times": {"seconds": found.seconds},
    }


def _example(example: Counterexample) -> dict[str, Any]:
    return {
        "calls": example.calls, "history": example.seen, "orders": example.orders, "unordered": example.unordered,
        "replay": example.path,
    }  # fmt: skip


def render_levels(found: Levels) -> Iterator[str]:
    """A table in Markdown, and below it what shows each level that is not the strongest."""
    yield f"**{found.name}** under {found.under}: {found.word or 'incomplete'}"
    yield ""
    yield f"| | {' | '.join(found.methods)} |"
    yield f"|---|{'---|' * len(found.methods)}"
    for one in found.methods:
        yield f"| {one} | {' | '.join(found.of(one, other).level or '?' for other in found.methods)} |"
    yield ""
    left_out = f"Not run, as they touch nothing in common: {found.left_out} of {len(found.pairs)} pairs. "
    effort = f"{counted(found.states, 'global state')}, {found.seconds:.1f} s."
    yield f"For {found.bounds}. {left_out if found.left_out else ''}{effort}"
    examples = [pair for pair in found.pairs if pair.level != ATOMIC]
    if examples:
        yield ""
    for pair in examples:
        yield f"* {' and '.join(pair.methods)}: {_shown(pair)}"
    if found.certificates or found.no_certificate:
        yield ""
    yield from (f"Certificate: {file}" for file in found.certificates)
    if found.no_certificate:
        yield f"No certificate: {found.no_certificate}"


def _shown(pair: Pair) -> str:
    """Why the level of two methods is no stronger one."""
    if pair.stop is not None:
        return str(pair.stop)
    assert pair.counterexample is not None
    calls = ", ".join(f"{call.text} {call.result or 'has not ended'}" for call in pair.counterexample.seen)
    failure, path = pair.counterexample.trace.failure, pair.counterexample.path
    why = f"; {failure.message}" if failure is not None and failure.error != "UnexplainedError" else ""
    return f"{pair.level}: {calls}{why}" + (f" (`{replay_command(shown_path(str(path)))}`)" if path else "")


def levels_document(found: Sequence[Levels]) -> dict[str, Any]:
    return {"schema": LEVELS_SCHEMA, "classes": [_levels_document(each) for each in found]}


def _levels_document(found: Levels) -> dict[str, Any]:
    return {
        **told(found, "name", "model", "under", "word", "methods", "operations", "before", "after"),
        "pairs": [
            {
                **told(pair, "methods", "level"),
                "run": pair.was_run,
                "stop": pair.stop and str(pair.stop),
                "counterexample": pair.counterexample and _example(pair.counterexample),
            }
            for pair in found.pairs
        ],
        "global_states": found.states,
        "times": {"seconds": found.seconds},
    }
