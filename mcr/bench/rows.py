"""Tables that grow row by row: a measurement that is killed loses nothing, and goes on where it stopped.

A table is a file of JSON lines. Every row is on disk before the next one is
begun; when a row is measured again, the later line counts.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from replay.errors import CheckerError, FormatError
from replay.files import checked, decoded, parsed, write_atomically

Row = dict[str, Any]


class Rows:
    """The rows of one table."""

    def __init__(
        self,
        path: Path,
        key: Sequence[str],
        columns: Any = Row,
        *,
        optional: Mapping[str, str] = MappingProxyType({}),
        fresh: bool = False,
    ) -> None:
        """Read what is there; with `fresh`, forget it.

        key       columns that identify a row
        optional  further such columns, with what they hold where a row does not have them
        columns   a type that every row must have
        Raises CheckerError if the file cannot be written, or holds something else.
        """
        self.path = path
        self._key = tuple(key)
        self._optional = optional
        self._columns = columns
        try:
            lines = [] if fresh else _lines(path)
            write_atomically(path, "".join(f"{line}\n" for line in lines))
        except OSError as error:
            raise CheckerError(f"{path}: cannot be written: {error.strerror}") from None
        self._rows = dict(self._parsed(lines))

    def _parsed(self, lines: Iterable[str]) -> Iterable[tuple[tuple[str, ...], Row]]:
        for number, line in enumerate(lines, 1):
            try:
                row = parsed(line, self.path, number)
                checked(row, self._columns)
                yield self._key_of(row), row
            except (FormatError, KeyError) as error:
                what = str(error).removeprefix(f"{self.path}:{number}: ")
                message = f"{self.path}:{number}: not a row of this table ({what}); --fresh starts it over"
                raise CheckerError(message) from None

    def _key_of(self, row: Row) -> tuple[str, ...]:
        more = (str(row.get(column, value)) for column, value in self._optional.items())
        return (*(str(row[column]) for column in self._key), *more)

    def get(self, *key: object) -> Row | None:
        """The row with this key, None if it was not measured yet."""
        return self._rows.get(tuple(str(part) for part in key))

    def like(self, row: Row) -> Row | None:
        """The row with the same key as this one, None if it was not measured yet."""
        return self._rows.get(self._key_of(row))

    def add(self, row: Row) -> None:
        """Append a row. It is on disk when this returns."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self._rows[self._key_of(row)] = row

    def all(self) -> list[Row]:
        """All rows, in the order in which they were first measured."""
        return list(self._rows.values())

    def arrange(self, order: Iterable[tuple[str, ...]]) -> None:
        """Write the file anew: rows in this order, others after them, superseded lines gone."""
        first = {key: self._rows[key] for key in order if key in self._rows}
        self._rows = first | self._rows
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in self._rows.values())
        write_atomically(self.path, "".join(lines))


def _lines(path: Path) -> list[str]:
    """The whole lines of a file: what was being written when a process died is no row."""
    if not path.exists():
        return []
    whole, end, _ = path.read_bytes().rpartition(b"\n")
    return decoded(whole, path).split("\n") if end else []


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as CSV; what is a list or an object becomes JSON."""
    columns = list(dict.fromkeys(column for row in rows for column in row))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    return out.getvalue()


def _cell(value: Any) -> str:
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False) if value else ""
    return "" if value is None else str(value)


def as_markdown(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)
