"""Certificates damaged on purpose: each has to be rejected, with what is wrong.

python -m tests.certify.damage --certificates 2000
"""

from __future__ import annotations

import argparse
import copy
import gzip
import hashlib
import json
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import mcr
from mcr.exploration.options import Options
from replay.certify.certify import confirm
from replay.certify.form import Rejected
from replay.traces.loader import find_programs
from replay.world.memory_models import memory_model
from tests.certify import runs
from tests.certify.alone import threads_alone
from tests.desk import EXAMPLES
from tests.progress import brute_force

Said = dict[str, Any]

MOST_BY_FORCE = 50_000
"""Configurations of a program that is looked at by brute force."""


def certificate(program: mcr.Program, model: str, algorithm: str = "auto", objective: str = "failures") -> Said | None:
    """What `mcr check --certificate` would write; None if the program is not verified, or has none.

    `algorithm` may be "closed", too: threads alone.
    """
    with threads_alone() if algorithm == "closed" else nullcontext():
        algorithm = "cover" if algorithm == "closed" else algorithm
        options = Options(certificate=True)
        result = mcr.check(program, model, objective=objective, algorithm=algorithm, options=options)
    if result.certificate is None:
        return None
    said: Said = json.loads(gzip.decompress(result.certificate))
    return said


def state_forgotten(said: Said, draw: random.Random) -> None:
    states, place = said["states"], draw.randrange(len(said["states"]))
    lost = states.pop(place)
    if place < len(states):
        states[place] += lost


def edge_forgotten(said: Said, draw: random.Random) -> None:
    said["edges"].pop(draw.randrange(len(said["edges"])))


def edge_changed(said: Said, draw: random.Random) -> None:
    """It leads elsewhere, or reads or writes something else."""
    edge, field = draw.choice(said["edges"]), draw.choice((1, 2, 3))
    most = len(said["nodes"] if field == 3 else said["values"])
    edge[field] = draw.choice(
        [other for other in range(-1, most) if other != edge[field] and (field < 3 or other >= 0)]
    )


def first_value_changed(said: Said, draw: random.Random) -> None:
    used = {node[2] for node in said["nodes"] if node[2] >= 0}
    location = said["locations"][draw.choice(sorted(used))]
    location[1] = draw.choice([other for other in range(len(said["values"])) if other != location[1]])


def process_changed(said: Said, draw: random.Random) -> None:
    """A thread is in another local state where it is in this one."""
    threads = [part for part in said["components"] if part[0] == "thread" and len(part[3]) > 1]
    item = draw.choice(draw.choice(threads)[3])
    item[0] = draw.choice([other for other in range(len(said["nodes"])) if other != item[0]])


def value_changed(said: Said, draw: random.Random) -> None:
    used = {number for _, read, wrote, _ in said["edges"] for number in (read, wrote) if number >= 0}
    said["values"][draw.choice(sorted(used))] += "1"


def step_forgotten(said: Said, draw: random.Random) -> None:
    said["proof"].pop(draw.randrange(len(said["proof"])))


def step_changed(said: Said, draw: random.Random) -> None:
    """A literal of a clause is negated, or the last of those that show the empty one is missing."""
    clause, hints = draw.choice(said["proof"])
    if clause:
        clause[draw.randrange(len(clause))] *= -1
    else:
        hints.pop()


def cycle_changed(said: Said, draw: random.Random) -> None:
    """An order of events that is said to be none lacks one, or goes the other way round."""
    cycle = draw.choice(said["cycles"])
    if draw.random() < 0.5:
        cycle.reverse()
    else:
        cycle.pop(draw.randrange(len(cycle)))


def another_model(said: Said, draw: random.Random) -> None:
    said["model"] = draw.choice([other for other in ("sc", "tso", "pso") if other != said["model"]])


def rank_forgotten(said: Said, draw: random.Random) -> None:
    _, rankings = draw.choice(said["rankings"])
    draw.choice(rankings).pop()


def ranks_reversed(said: Said, draw: random.Random) -> None:
    """What was last comes first; a ranking of one number stays as it is, and loses that."""
    for _, rankings in said["rankings"]:
        for number, ranks in enumerate(rankings):
            turned = [max(ranks) - rank for rank in ranks]
            rankings[number] = [] if turned == ranks else turned


Damage = Callable[[Said, random.Random], None]
DAMAGES: tuple[Damage, ...] = (edge_forgotten, edge_changed, first_value_changed, value_changed, another_model)
OF_STATES: tuple[Damage, ...] = (*DAMAGES, state_forgotten, process_changed)
OF_RUNS: tuple[Damage, ...] = (*OF_STATES, rank_forgotten, ranks_reversed)
OF_EXECUTIONS: tuple[Damage, ...] = (*DAMAGES, step_forgotten, step_changed)


def damages(said: Said) -> tuple[Damage, ...]:
    """What can be damaged in a certificate."""
    if "states" in said:
        return OF_RUNS if "rankings" in said else OF_STATES
    if "proof" not in said:
        return DAMAGES
    return (*OF_EXECUTIONS, cycle_changed) if said["cycles"] else OF_EXECUTIONS


def program_changed(program: mcr.Program, draw: random.Random, folder: Path) -> mcr.Program:
    """The program with one other digit, in a file of its own."""
    text = Path(program.file).read_text()
    place = draw.choice([match.start() for match in re.finditer(r"\d", text)])
    file = folder / Path(program.file).name
    file.write_text(f"{text[:place]}{(int(text[place]) + 1) % 10}{text[place + 1 :]}")
    found = next(each for each in find_programs(str(file)) if each.name == program.name)
    return found(**program.arguments) if program.arguments else found


def why_rejected(said: Said, program: mcr.Program) -> str:
    """What is wrong with a certificate; "" if nothing is."""
    try:
        confirm(said, program)
    except Rejected as wrong:
        return str(wrong)
    return ""


SEEN = ("peterson", "spin_locks", "fork_join", "bounded_buffer", "rcu", "barrier", "ping_pong", "treiber_stack")
"""Examples with most kinds of operation."""


def _programs(examples: Sequence[str], *, with_runs: bool) -> list[tuple[mcr.Program, str, Said]]:
    found = []
    for name in examples:
        for program in find_programs(str(EXAMPLES / f"{name}.py")):
            for model in ("sc", "tso", "pso"):
                for algorithm in ("stateful", "cover", "closed"):
                    said = certificate(program, model, algorithm)
                    if said is not None and len(said.get("states", said.get("proof", ()))) < 5_000:
                        found.append((program, model, said))
    for program, objective, model in runs.asked() if with_runs else ():
        said = certificate(program, model, objective=objective)
        if said is not None:
            found.append((program, model, said))
    return found


def _is_right(program: mcr.Program, said: Said) -> bool:
    """Returns whether what a certificate claims is found in another way: by cover; by brute force, of runs in which no
    thread stops at an assumption."""
    objectives = {objective for objective, _ in said.get("rankings", ())}
    if not objectives:
        return certificate(program, said["model"], "cover") is not None
    found = brute_force.runs(program, memory_model(said["model"]), MOST_BY_FORCE)
    if found.stops:
        return certificate(program, said["model"], objective=",".join(sorted(objectives))) is not None
    return found.complete and not (found.stuck and said["deadlocks"]) and not found.forbidden & objectives


def _confirmed_changed(
    program: mcr.Program, model: str, said: Said, draw: random.Random, folder: Path
) -> Iterator[str]:
    """What becomes of a certificate whose program has another digit: by its digest, and without that by its code."""
    try:
        other = program_changed(program, draw, folder)
        other.instance()
    except (mcr.CheckerError, IndexError, StopIteration):  # no digit, or no program any more
        return
    assert "not what it was" in why_rejected(said, other)
    yield "rejected"
    said["sha256"] = hashlib.sha256(Path(other.file).read_bytes()).hexdigest()
    if why_rejected(said, other):
        yield "of these by code as well"
    elif certificate(other, model) is not None:
        yield "of these verified all the same"
    else:
        yield "of these ACCEPTED"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--certificates", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--examples", nargs="+", metavar="NAME", help="certificates of these only; else of runs, too")
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    programs = _programs(arguments.examples or SEEN, with_runs=not arguments.examples)
    folder = Path(tempfile.mkdtemp())
    rejected: Counter[str] = Counter()
    accepted: Counter[str] = Counter()
    still_right: Counter[str] = Counter()
    changed: Counter[str] = Counter()
    for _ in range(arguments.certificates):
        program, model, said = draw.choice(programs)
        damage = draw.choice((*damages(said), None))
        damaged = copy.deepcopy(said)
        if damage is None:
            changed.update(_confirmed_changed(program, model, damaged, draw, folder))
            continue
        damage(damaged, draw)
        why = why_rejected(damaged, program)
        if not why and damage is another_model and _is_right(program, damaged):
            still_right[damaged["format"].removeprefix("mcr certificate of ")] += 1
            continue
        (rejected if why else accepted)[damage.__name__] += 1
        if not why:
            print(f"accepted: {program.title} under {model}: {damage.__name__}", file=sys.stderr)
    print(f"program_changed: {', '.join(f'{count} {how}' for how, count in sorted(changed.items()))}")
    for damage in (*OF_RUNS, *OF_EXECUTIONS[len(DAMAGES) :], cycle_changed):
        print(f"{damage.__name__}: {rejected[damage.__name__]} rejected, {accepted[damage.__name__]} accepted")
    kinds = ", ".join(f"{count} of {kind}" for kind, count in sorted(still_right.items()))
    print(f"{still_right.total()} claim the other memory model, rightly, as another algorithm finds: {kinds or 'none'}")
    print("Closed graphs show what they show under all models; others do so where no store passes what reads or writes")
    return 1 if accepted else 0


if __name__ == "__main__":
    sys.exit(main())
