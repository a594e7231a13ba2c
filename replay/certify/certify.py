"""Confirms that a certificate shows that nothing fails: `python certify.py FILE PROGRAM.py`, or `mcr certify FILE`.

Of the package this needs `replay` only, which runs thread code. What a program imports as `mcr` is then a stand-in with
what programs are written with.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import platform
import sys
import zlib
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from replay.certify.calls import claim
from replay.certify.closed import Closure
from replay.certify.cpython import confirm_by_cpython
from replay.certify.executions import Executions
from replay.certify.form import CLOSED, RUNS, STATES, Rejected, check_form
from replay.certify.local_graphs import LocalGraphs
from replay.certify.proofs import check_proof, write_proof
from replay.certify.runs import confirm_runs
from replay.certify.states import Invariant
from replay.code.user_code import exploring
from replay.errors import CheckerError
from replay.frontend.foundations import foundations
from replay.frontend.program import Program
from replay.traces.loader import resolve
from replay.traces.trace import ProgramReference

TRUSTED = (
    "Trusted are Python, and the code of replay that loads the program, runs its threads, and says which of their "
    "variables are read again"
)
MOST = 1 << 31
"""Bytes of a certificate that is unpacked."""


def read(file: Path) -> dict[str, Any]:
    """Reads a certificate. Raises Rejected if the file is none."""
    try:
        with gzip.open(file) as packed:
            text = packed.read(MOST + 1)
        said: Any = json.loads(text, object_pairs_hook=_distinct) if len(text) <= MOST else None
    except (OSError, EOFError, ValueError, RecursionError, zlib.error) as error:
        raise Rejected(f"the file cannot be read: {error}") from None
    check_form(said)
    return said  # type: ignore[no-any-return]


def _distinct(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in fields}) < len(fields):
        raise ValueError("a field is there twice")
    return dict(fields)


def program_of(said: dict[str, Any], file: Path, path: Path | None = None) -> Program:
    """The program that a certificate is about: of that path, or the file that it names."""
    home, name, arguments = said["program"]
    return resolve(ProgramReference(str(path or home), name, arguments), file)


def confirm(said: dict[str, Any], program: Program, proof: Path | None = None, *, cpython: bool = False) -> str:
    """A sentence on what a certificate shows of a program. Raises Rejected if that is not so.

    With `proof`, clauses and steps of its proof are written to files of that name; with `cpython`, CPython runs the
    code of each step, too.
    """
    check_form(said)
    try:
        _check_foundations(said, program)
        with exploring(program.place):
            graphs = LocalGraphs(program, said)
            graphs.confirm()
            of_runs = ""
            if said["format"] in (STATES, RUNS):
                invariant = Invariant(graphs, said)
                count = f"{invariant.confirm()} global states"
                of_runs = confirm_runs(graphs, invariant, said) if said["format"] == RUNS else ""
            elif said["format"] == CLOSED:
                count = f"{Closure(graphs, deadlocks=said['deadlocks']).confirm()} notes on values"
            else:
                formula = Executions(graphs, said["model"], deadlocks=said["deadlocks"])
                clauses = [*formula.clauses, *map(formula.forbidden, said["cycles"])]
                if proof is not None:
                    write_proof(clauses, said["proof"], proof)
                check_proof(clauses, said["proof"])
                count = f"{len(said['proof'])} steps of a proof"
            if cpython:
                confirm_by_cpython(program, said)
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, MemoryError) as error:
        raise Rejected(f"the certificate is damaged ({type(error).__name__}: {error})") from error
    except CheckerError as error:
        raise Rejected(f"the program cannot be run as the certificate says: {error}") from None
    shows = f"nothing fails{', and no threads wait for ever' if said['deadlocks'] else ''}{of_runs}"
    steps = len(said["edges"])
    other = "" if said["python"] == platform.python_version() else f"; made by CPython {said['python']}"
    if graphs.on_trust:
        other += f"; that {graphs.on_trust} histories go on like those that they join is trusted"
    if cpython:
        other += "; CPython does the same at each step"
    if calls := claim(Path(program.file)):
        shows = f"{calls}: {shows}"
    return f"{program.title} under {said['model'].upper()}: {shows} ({steps} local steps, {count}{other})"


def _check_foundations(said: dict[str, Any], program: Program) -> None:
    """The program, and all that it rests on, must be what it was; if it is not, the message names what differs."""
    changed = [program.file] if hashlib.sha256(Path(program.file).read_bytes()).hexdigest() != said["sha256"] else []
    if not changed:
        program.instance()  # what cannot be set up says why
    now, then = foundations(program).digests(), dict(said["rests"])
    found = [name for name in sorted(now.keys() | then.keys()) if now.get(name) != then.get(name)]
    changed += [name for name in found if not any(each.startswith(f"{name}.") for each in found)]
    if changed:
        rest = f"; nor {'are' if changed[2:] else 'is'} {', '.join(changed[1:])}" if changed[1:] else ""
        raise Rejected(f"{changed[0]} is not what it was when the certificate was made{rest}")


class _StandIn(ModuleType):
    """A stand-in for `mcr`, with the public names with which programs are written."""

    _HOMES = ("declarations", "program", "shared", "local", "locks", "threads", "sync.counting",
              "sync.passing")  # fmt: skip

    def __getattr__(self, name: str) -> Any:
        homes = ("replay.world.operation", "replay.errors", *(f"replay.frontend.{each}" for each in self._HOMES))
        for home in homes:
            if hasattr(import_module(home), name):
                return getattr(import_module(home), name)
        raise AttributeError(f"a program that uses mcr.{name} needs the package mcr: run `mcr certify`")


def main(arguments: list[str]) -> int:
    if len(arguments) not in (2, 3):
        print("usage: python certify.py CERTIFICATE PROGRAM.py [NAME of files for its clausal proof]")
        return 2
    sys.modules["mcr"] = _StandIn("mcr")
    file, path, *proof = map(Path, arguments)
    print(f"{TRUSTED}.")
    try:
        print("confirmed:", confirm(said := read(file), program_of(said, file, path), *proof))
    except (Rejected, CheckerError) as wrong:
        print("rejected:", wrong)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
