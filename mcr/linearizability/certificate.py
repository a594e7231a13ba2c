"""Shows that a class is linearizable, or pairs of its methods atomic: clients as programs in files, and certificates
of these (docs/certificates.md).

The clients are explored anew, and judged by what confirms certificates: nothing of the answer is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from mcr.api import check
from mcr.exploration.options import Options
from mcr.exploration.verdict import Verdict
from mcr.linearizability.client import target_of
from mcr.linearizability.guessing import operations_of
from mcr.linearizability.levels import ATOMIC, Levels
from mcr.linearizability.observers import SAFE
from mcr.linearizability.search import Linearizability
from mcr.linearizability.subject import Subject
from replay.certify.calls import HOLDS, source
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
    texts = [str(each) for each in subject.operations]
    of = [
        tuple(n for n, each in enumerate(subject.operations) if only.get(each.method, thread) == thread)
        for thread in range(len(calls))
    ]
    clients = [(each,) * (most if each else 0) for each, most in zip(of, calls, strict=True)]
    text = partial(source, texts=texts, clients=clients, declares=subject.takes_p)
    return _certified(make, subject.variable, text, model, options, folder)


def _certified(
    make: Callable[..., Any], name: str, text: Callable[[str], str], model: str, options: Options, folder: Path
) -> Path:
    """Write a program of clients, whose text is one by the name of the class, and its certificate beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    target = target_of(make, folder)
    if target is None:
        raise CheckerError("a file can name only what a module defines")
    file = folder / f"{name}-{model}.py"
    write_atomically(file, text(target))
    program = next(find_programs(f"{file}::clients"))
    result = check(program, model, algorithm="stateful", options=replace(options, certificate=True, shorten=False))
    if result.verdict is not Verdict.VERIFIED or result.certificate is None:
        why = f": {result.stop}" if result.stop else ""
        raise CheckerError(f"the clients in {file} are {result.verdict}{why}")
    written = file.with_suffix(".certificate")
    write_atomically(written, result.certificate)
    return written


def with_certificates(
    found: Levels, make: Callable[..., Any], operations: Iterable[Any] | None, options: Options, folder: Path
) -> Levels:
    """Returns the table with the files that show that its atomic pairs are atomic, and with why others have none.

    What was asked for is as for `levels`, of a class that is its own specification.
    """
    subject = Subject(make, operations_of(make) if operations is None else operations)
    texts = [*map(str, subject.operations), *([] if subject.look is None else [HOLDS])]
    before = (tuple(range(len(subject.operations))),) * found.before
    files: list[str] = []
    try:
        if options.python == GIL:
            raise CheckerError("certificates are about free-threaded Python")
        for number, pair in enumerate(_rectangles(found)):
            clients = [
                (tuple(n for n, each in enumerate(subject.operations) if each.method in methods),) for methods in pair
            ]
            text = partial(source, texts=texts, clients=clients, declares=subject.takes_p, before=before)
            name = f"{subject.variable}-levels-{number}"
            files.append(str(_certified(make, name, text, found.model, options, folder)))
    except CheckerError as error:
        return replace(found, certificates=tuple(files), no_certificate=str(error))
    return replace(found, certificates=tuple(files), no_certificate=_of_safe_pairs(found))


def _of_safe_pairs(found: Levels) -> str:
    """Says which pairs are safe, of which nothing but the exploration tells."""
    safe = [" with ".join(pair.methods) for pair in found.pairs if pair.level == SAFE]
    if not safe:
        return ""
    return f"a certificate shows that pairs are atomic, and these are only safe: {', '.join(safe)}"


def _rectangles(found: Levels) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yields methods each of which is atomic with each of other methods: together these are all atomic pairs."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for one in found.methods:
        others = tuple(other for other in found.methods if found.of(one, other).level == ATOMIC)
        groups.setdefault(others, []).append(one)
    shown: set[frozenset[str]] = set()
    for others, ones in groups.items():
        pairs = {frozenset(pair) for pair in product(ones, others)}
        if not pairs <= shown:
            yield tuple(ones), others
        shown |= pairs
