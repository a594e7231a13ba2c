"""Certificates forged by somebody who knows the format, of programs that fail: none may be confirmed.

    python -m tests.certify.forge --certificates 20000 --seed 0

Each begins as an honest one of another claim: of the program under a memory model in which it is right, or of the
program without its assertions; of runs without end, as one by an explorer that sees none. Then it is bound to the
program that fails, with right digests and all claims, and up to three things are changed that mean something: an edge
left out, two local states joined, a number at its limit. Exit status 1 if one is confirmed.
"""

from __future__ import annotations

import argparse
import ast
import copy
import hashlib
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import mcr
from replay.frontend.foundations import foundations
from replay.traces.loader import find_programs
from tests.certify import runs
from tests.certify.damage import Said, certificate, why_rejected
from tests.desk import EXAMPLES

SEEN = (
    "peterson", "dekker", "litmus", "bank_account", "barrier", "rcu", "bounded_buffer", "treiber_stack", "lost_wakeup",
    "dining_philosophers", "double_checked_locking", "coordination", "seqlock", "spin_loops", "data_flow", "fork_join",
)  # fmt: skip
"""Examples in which something fails."""

MOST = 3_000
"""Global states, or steps of a proof, of a certificate that is taken for a beginning."""


class Forgery(NamedTuple):
    """An honest certificate, bound to a program that fails."""

    program: mcr.Program
    said: Said


def bound(said: Said, program: mcr.Program, model: str) -> Said:
    """The certificate with all that says of what it is."""
    text = hashlib.sha256(Path(program.file).read_bytes()).hexdigest()
    rests = [list(each) for each in foundations(program).digests().items()]
    about = [program.file, program.name, said["program"][2]]
    return {**said, "program": about, "sha256": text, "rests": rests, "model": model, "deadlocks": True}


def without_assertions(file: Path, folder: Path) -> dict[str, mcr.Program]:
    """The programs of a file, in which assertions of one line only ask, by their names."""
    lines = file.read_text().splitlines()
    for node in [each for each in ast.walk(ast.parse(file.read_text())) if isinstance(each, ast.Assert)]:
        row = lines[node.lineno - 1]
        if node.lineno == node.end_lineno:
            lines[node.lineno - 1] = row[: node.col_offset] + ast.unparse(node.test)
    made = folder / file.name
    made.write_text("\n".join(lines) + "\n")
    return {program.name: program for program in find_programs(str(made))}


KINDS = ("stateful", "cover", "closed", "runs")
"""What makes certificates; `closed` is threads alone, `runs` is global states with rankings."""


def beginnings(folder: Path, names: Sequence[str] = SEEN, kinds: Sequence[str] = KINDS) -> Iterator[Forgery]:
    """Honest certificates, bound to programs and models in which something fails."""
    if "runs" in kinds:
        yield from _of_runs()
    kinds = [kind for kind in kinds if kind != "runs"]
    for file in [EXAMPLES / f"{name}.py" for name in names]:
        harmless = without_assertions(file, folder)
        for program in find_programs(str(file)):
            for model in ("sc", "tso", "pso"):
                if mcr.check(program, model).verdict is mcr.Verdict.BUG:
                    for said in _of_others(program, harmless.get(program.name), kinds):
                        yield Forgery(program, bound(said, program, model))


def _of_runs() -> Iterator[Forgery]:
    """Certificates by an explorer that sees no runs without end, of programs that have some: states and steps are
    right, and so are the components by which states are ranked."""
    for program, objective, model in runs.asked():
        if mcr.check(program, model, objective=objective).verdict is mcr.Verdict.BUG:
            with runs.seeing_none():
                said = certificate(program, model, objective=objective)
            if said is not None:  # else it is a deadlock, or fails
                yield Forgery(program, bound(said, program, model) | {"deadlocks": said["deadlocks"]})


def _of_others(program: mcr.Program, harmless: mcr.Program | None, kinds: Sequence[str]) -> Iterator[Said]:
    for model in ("sc", "tso", "pso"):
        for other in (program, harmless):
            for algorithm in kinds:
                said = certificate(other, model, algorithm) if other is not None else None
                if said is not None and len(said.get("states", said.get("proof", ()))) <= MOST:
                    yield said


# -- what somebody changes -------------------------------------------------------------

Change = Callable[[Said, random.Random], None]


def edge_left_out(said: Said, draw: random.Random) -> None:
    said["edges"].pop(draw.randrange(len(said["edges"])))


def states_joined(said: Said, draw: random.Random) -> None:
    """All edges that lead to one local state lead to another one of its thread."""
    gone, kept = (draw.randrange(len(said["nodes"])) for _ in range(2))
    for edge in said["edges"]:
        if edge[3] == gone and said["nodes"][kept][0] == said["nodes"][gone][0]:
            edge[3] = kept


def thread_is_like(said: Said, draw: random.Random) -> None:
    one, other = (draw.randrange(len(said["threads"])) for _ in range(2))
    said["threads"][one][1:] = said["threads"][other][1:]


def location_is_constant(said: Said, draw: random.Random) -> None:
    if "constant" in said:
        said["constant"] = sorted({*said["constant"], draw.randrange(len(said["locations"]))})


def nothing_is_freed(said: Said, draw: random.Random) -> None:
    said["frees"] = not said["frees"]


def buffer_is_short(said: Said, draw: random.Random) -> None:
    if "buffer" in said:
        said["buffer"] = draw.choice((0, 1, 1 << 40))


def location_twice(said: Said, draw: random.Random) -> None:
    said["locations"].append([*draw.choice(said["locations"])])


def item_added(said: Said, draw: random.Random) -> None:
    for part in said.get("components", ()):
        if draw.random() < 0.3:
            part[3].append(copy.deepcopy(draw.choice(part[3])))


def component_is_narrow(said: Said, draw: random.Random) -> None:
    if "components" in said:
        draw.choice(said["components"])[2] = draw.choice((0, 1, 63, 64, 4096))


def state_left_out(said: Said, draw: random.Random) -> None:
    if "states" in said:
        said["states"].pop(draw.randrange(len(said["states"])))


def state_added(said: Said, draw: random.Random) -> None:
    if "states" in said:
        said["states"].append(draw.choice((0, 1, 2, 1 << 20)))


def proof_is_short(said: Said, draw: random.Random) -> None:
    """The empty clause, from a literal that is its own negation, or from whatever there is."""
    if "proof" in said:
        last = [[], [draw.choice((0, 1, len(said["proof"]), -1))]]
        said["proof"] = draw.choice(([last], [[[0], []], [[], [draw.randrange(1, 99)]]], [*said["proof"][:-1], last]))


def cycle_added(said: Said, draw: random.Random) -> None:
    if "cycles" in said:
        said["cycles"].append([draw.randrange(99) for _ in range(draw.randrange(4))])


def number_at_its_limit(said: Said, draw: random.Random) -> None:
    """Any number of the file becomes another one."""
    place = said[draw.choice([name for name, value in said.items() if isinstance(value, list) and value])]
    while True:
        number = draw.randrange(len(place))
        if not isinstance(place[number], list) or not place[number]:
            break
        place = place[number]
    if type(place[number]) is int:
        changed: list[Any] = [-1, 0, 1, -2, place[number] + 1, place[number] - 1, 1 << 64, True, 0.0, None, "0"]
        place[number] = draw.choice(changed)


def ranked_otherwise(said: Said, draw: random.Random) -> None:
    """All ranks are those of another ranking, or the same, or one of them is another number."""
    for _, rankings in said.get("rankings", ()):
        ranks = draw.choice(rankings) if rankings else []
        if not ranks or any(type(rank) is not int for rank in ranks):
            continue  # another change was here before
        number, most = draw.randrange(len(ranks)), max(ranks)
        ranks[:] = draw.choice((
            draw.choice(rankings), [0] * len(ranks), [most - rank for rank in ranks], [*range(len(ranks))],
            [*ranks[:number], draw.randrange(most + 2), *ranks[number + 1 :]],
        ))  # fmt: skip


def rankings_left_out(said: Said, draw: random.Random) -> None:
    for _, rankings in said.get("rankings", ()):
        rankings[-1:] = []


CHANGES: tuple[Change, ...] = (
    *(edge_left_out, states_joined, thread_is_like, location_is_constant, nothing_is_freed, buffer_is_short),
    *(location_twice, item_added, component_is_narrow, state_left_out, state_added, proof_is_short, cycle_added),
    *(ranked_otherwise, rankings_left_out, number_at_its_limit),
)


def forged(forgery: Forgery, draw: random.Random) -> tuple[Said, list[str]]:
    """A forged certificate, and what was changed."""
    said = copy.deepcopy(forgery.said)
    changes = [draw.choice(CHANGES) for _ in range(draw.randrange(4))]
    for change in changes:
        change(said, draw)
    return said, [change.__name__ for change in changes]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.certify.forge", description=__doc__)
    parser.add_argument("--certificates", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=KINDS, nargs="+", default=KINDS)
    parser.add_argument("--examples", nargs="+", metavar="NAME", default=SEEN, help="for kinds other than runs")
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    whys: Counter[str] = Counter()
    accepted = 0
    with tempfile.TemporaryDirectory() as folder:
        begun = [*beginnings(Path(folder), arguments.examples, arguments.kind)]
        for _ in range(arguments.certificates):
            forgery = draw.choice(begun)
            said, changes = forged(forgery, draw)
            why = why_rejected(said, forgery.program)
            whys["".join(letter for letter in why.partition(":")[0] if not letter.isdigit())[:50]] += 1
            if not why:
                accepted += 1
                print(f"CONFIRMED: {forgery.program.title} under {said['model']}: {changes}", file=sys.stderr)
    print(f"{arguments.certificates} forged from {len(begun)}, {accepted} confirmed")
    for why, count in whys.most_common(12):
        print(f"{count:6}  {why}")
    return 1 if accepted else 0


if __name__ == "__main__":
    sys.exit(main())
