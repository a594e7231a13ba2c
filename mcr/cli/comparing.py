"""Comparing memory models on programs: explore, save witnesses, tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mcr.cli.progress import Progress
from mcr.cli.status import Status
from mcr.diagnosis.compare import Comparison, compare, groups
from mcr.exploration.archive import DEFAULT_FOLDER, file_stem, save
from mcr.exploration.options import Options
from mcr.explorers.registry import AUTO
from replay.traces.loader import find_programs


@dataclass(frozen=True)
class Request:
    """What to compare.

    targets   files, FILE::NAME, folders
    settings  values for the programs' parameters
    folder    where witnesses go
    most      how many behaviours of each group get one
    """

    targets: Sequence[str]
    settings: Mapping[str, object] = field(default_factory=dict)
    options: Options = field(default_factory=Options)
    algorithm: str = AUTO
    folder: Path = DEFAULT_FOLDER
    most: int = 20


def comparisons(request: Request) -> Iterator[tuple[Comparison, dict[int, str]]]:
    """Each program's comparison, with the files of its witnesses by position of the behaviour.

    Raises CheckerError for a target that is broken, and for a folder that cannot be written.
    """
    programs = [
        program(**request.settings) if request.settings else program
        for target in request.targets
        for program in find_programs(target)
    ]
    titles = Counter(program.title for program in programs)
    for program in programs:
        with Progress(f"{program.title} under every model") as progress:
            comparison = compare(program, request.options, request.algorithm, progress.update)
        yield comparison, _save(comparison, request, file_stem(program, with_file=titles[program.title] > 1))


def _save(comparison: Comparison, request: Request, stem: str) -> dict[int, str]:
    listed = {id(behaviour) for _, members in groups(comparison.behaviours) for behaviour in members[: request.most]}
    files: dict[int, str] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for number, behaviour in enumerate(comparison.behaviours):
        if id(behaviour) in listed:
            key = (behaviour.trace.model, behaviour.kind)
            counts[key] += 1
            file = request.folder / f"{stem}-{'-'.join(key)}-{counts[key]}.json"
            save(behaviour.trace, file)
            files[number] = str(file)
    return files


def status_of(found: Sequence[Comparison]) -> Status:
    """A comparison is no verdict: it fails only by being cut."""
    stops = any(figures.stops for comparison in found for figures in comparison.figures)
    return Status.INCOMPLETE if stops else Status.VERIFIED
