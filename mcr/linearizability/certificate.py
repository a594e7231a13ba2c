"""Shows that a class is linearizable: clients as a program in a file, and a certificate of it (docs/certificates.md).

The clients are explored anew, and judged by what confirms certificates: nothing of the answer is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mcr.api import check
from mcr.exploration.options import Options
from mcr.exploration.verdict import Verdict
from mcr.linearizability.client import target_of
from mcr.linearizability.guessing import operations_of
from mcr.linearizability.search import Linearizability
from mcr.linearizability.subject import Subject
from replay.certify.calls import source
from replay.errors import CheckerError
from replay.files import write_atomically
from replay.traces.loader import find_programs
from replay.traces.trace import GIL


def with_certificate(
    found: Linearizability,
    make: Callable[..., Any],
    operations: Iterable[Any] | None,
    only: Mapping[str, int],
    options: Options,
    folder: Path,
) -> Linearizability:
    """Returns the answer with the file that shows it, or with why there is none.

    What was asked for is as for `linearizable`.
    """
    subject = Subject(make, operations_of(make) if operations is None else operations)
    try:
        if options.python == GIL:
            raise CheckerError("certificates are about free-threaded Python")
        file = _written(make, subject, found.calls, only, found.model, options, folder)
        return replace(found, certificate=str(file))
    except CheckerError as error:
        return replace(found, no_certificate=str(error))


def _written(
    make: Callable[..., Any],
    subject: Subject,
    calls: Sequence[int],
    only: Mapping[str, int],
    model: str,
    options: Options,
    folder: Path,
) -> Path:
    """Write the clients of a class, each with up to so many calls, and what shows that all are linearizable.

    `only` says which thread alone calls a method. Returns the file of the certificate; the clients are in one beside
    it. Raises CheckerError where there is none, and says why.
    """
    folder.mkdir(parents=True, exist_ok=True)
    target = target_of(make, folder)
    if target is None:
        raise CheckerError("a file can name only what a module defines")
    file = folder / f"{subject.variable}-{model}.py"
    texts = [str(each) for each in subject.operations]
    of = [
        tuple(n for n, each in enumerate(subject.operations) if only.get(each.method, thread) == thread)
        for thread in range(len(calls))
    ]
    clients = [(each,) * (most if each else 0) for each, most in zip(of, calls, strict=True)]
    write_atomically(file, source(target, texts, clients, declares=subject.takes_p))
    program = next(find_programs(f"{file}::clients"))
    result = check(program, model, algorithm="stateful", options=replace(options, certificate=True, shorten=False))
    if result.verdict is not Verdict.VERIFIED or result.certificate is None:
        why = f": {result.stop}" if result.stop else ""
        raise CheckerError(f"the clients in {file} are {result.verdict}{why}")
    written = file.with_suffix(".certificate")
    write_atomically(written, result.certificate)
    return written
