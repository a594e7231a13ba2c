"""The report of `mcr check --coverage`, and the files that editors read: lcov, and the JSON of coverage.py."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from mcr.coverage.survey import Coverage, together
from mcr.report.layout import Style, wrap
from mcr.report.printable import printable
from mcr.report.source import lines_of, shown_path
from replay.files import write_atomically
from replay.sentences import counted


def render_coverage(coverage: Coverage, width: int, style: Style) -> Iterator[str]:
    """How much is reached, and every line and branch that is not."""
    title = f"{coverage.program.title} under {coverage.model.upper()}"
    lines, branches = coverage.lines, coverage.branches
    reached = f"{len(lines) - len(coverage.unreached)} of {counted(len(lines), 'line')}"
    taken = f"{sum(map(bool, branches.values()))} of {len(branches)} branches"
    text = f"{title}: threads reach {reached} and {taken}; {_claim(coverage)}"
    yield from wrap(printable(text), width)
    for file, statements in groupby(coverage.unreached, key=lambda statement: statement.file):
        for statement in statements:
            yield style.paint(f"  {_place(file, statement.line)}  never reached", "warning")
    for branch in coverage.untaken:
        way = "into its body" if branch.taken else "past its body"
        where = _place(branch.statement.file, branch.statement.line)
        yield style.paint(f"  {where}  never goes {way}", "warning")


def _claim(coverage: Coverage) -> str:
    if coverage.stop is not None:
        return f"others may be reached: {coverage.stop}"
    if coverage.unreached or coverage.untaken:
        return "no execution reaches the others, which is proved"
    return "nothing is out of reach"


def _place(file: str, line: int) -> str:
    text = lines_of(file)[line - 1].strip() if 1 <= line <= len(lines_of(file)) else ""
    return f"{shown_path(file)}:{line}  {text}"


def coverage_document(found: Sequence[Coverage]) -> list[dict[str, Any]]:
    return [
        {
            "program": each.program.title,
            "model": each.model,
            "proved": each.stop is None,
            "lines": len(each.lines),
            "branches": len(each.branches),
            "unreached": [{"file": shown_path(line.file), "line": line.line} for line in each.unreached],
            "untaken": [
                {"file": shown_path(branch.statement.file), "line": branch.statement.line, "to": branch.to}
                for branch in each.untaken
            ],
        }
        for each in found
    ]


def write_coverage(found: Sequence[Coverage], file: Path) -> None:
    """Write what all programs reach together: JSON for a name that ends so, else lcov. Raises OSError."""
    text = _json(found) if file.suffix == ".json" else "".join(_lcov(found))
    write_atomically(file, text)


def _lcov(found: Sequence[Coverage]) -> Iterator[str]:
    for file, (lines, branches) in sorted(together(list(found)).items()):
        yield f"TN:\nSF:{shown_path(file)}\n"
        ways: dict[int, int] = {}
        for (line, _), count in sorted(branches.items()):
            number = ways[line] = ways.get(line, -1) + 1
            yield f"BRDA:{line},0,{number},{count if lines[line] else '-'}\n"
        yield f"BRF:{len(branches)}\nBRH:{sum(map(bool, branches.values()))}\n"
        yield from (f"DA:{line},{count}\n" for line, count in sorted(lines.items()))
        yield f"LF:{len(lines)}\nLH:{sum(map(bool, lines.values()))}\nend_of_record\n"


def _json(found: Sequence[Coverage]) -> str:
    files = {shown_path(file): _of_file(*counts) for file, counts in sorted(together(list(found)).items())}
    totals = {key: sum(each["summary"][key] for each in files.values()) for key in _SUMMED}
    document = {"meta": {"format": 2, "branch_coverage": True}, "files": files, "totals": _shares(totals)}
    return json.dumps(document, indent=1) + "\n"


_SUMMED = ("covered_lines", "num_statements", "missing_lines", "num_branches", "covered_branches", "missing_branches")


def _of_file(lines: dict[int, int], branches: dict[tuple[int, int], int]) -> dict[str, Any]:
    """As coverage.py writes it: a branch to the end of a function goes to a line below 0."""
    taken = [[line, to or -line] for (line, to), count in sorted(branches.items()) if count]
    missing = [[line, to or -line] for (line, to), count in sorted(branches.items()) if not count]
    executed = [line for line, count in sorted(lines.items()) if count]
    unreached = [line for line, count in sorted(lines.items()) if not count]
    counts = (len(executed), len(lines), len(unreached), len(branches), len(taken), len(missing))
    return {
        "executed_lines": executed,
        "missing_lines": unreached,
        "excluded_lines": [],
        "executed_branches": taken,
        "missing_branches": missing,
        "summary": _shares(dict(zip(_SUMMED, counts, strict=True))),
    }


def _shares(summary: dict[str, int]) -> dict[str, Any]:
    all_of_it = summary["num_statements"] + summary["num_branches"]
    share = 100 * (summary["covered_lines"] + summary["covered_branches"]) / all_of_it if all_of_it else 100
    return {**summary, "excluded_lines": 0, "percent_covered": share}
