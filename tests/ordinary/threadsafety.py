"""CPython's page on thread safety of lists, dicts and bytearrays, beside what the checker does and what tests it.

    python -m tests.ordinary.threadsafety                writes results/threadsafety.md

The page is Doc/library/threadsafety.rst of python/cpython (Doc/builtins/ from 3.16 on), told in our words. Each
operation is one of `test_atomic.py`, which holds it against CPython under every schedule, or against the loop that it
is where CPython takes no lock.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from mcr.bench.rows import as_markdown
from replay.files import write_atomically
from results.known import RESULTS, Known, known, written_tables
from results.made import made_by

ONE, SEVERAL, ONE_FOR_LOCKS = "one step", "several steps", "one step for who takes the lock"


class Row(NamedTuple):
    """What the page says of some operations on a container.

    checker  what it does, which its tests show
    note     where that is not what the page says, and why
    """

    kind: str
    page: str
    operations: tuple[str, ...]
    checker: str
    note: str = ""


ROWS = (
    Row("list", "to read an element is atomic, and takes no lock", ("r = self.it[0]", "r = self.it[-1]"), ONE),
    Row(
        "list",
        "`in`, `index` and `count` read each element by itself and take no lock",
        ("r = 3 in self.it", "r = self.it.index(2)", "r = self.it.count(1)"),
        SEVERAL,
    ),
    Row("list", "to write an element is safe", ("self.it[0] = 4",), ONE),
    Row(
        "list",
        "what makes another list is atomic",
        ("r = tuple(self.it + [4])", "r = tuple(self.it * 2)", "r = tuple(self.it.copy())"),
        ONE,
    ),
    Row("list", "`append`, and `pop` of the last element, are atomic", ("self.it.append(4)", "r = self.it.pop()"), ONE),
    Row("list", "`clear` is atomic", ("self.it.clear()",), ONE),
    Row(
        "list",
        "while `sort` sorts, others find the list empty",
        ("self.it.sort()",),
        ONE_FOR_LOCKS,
        "so do those who take no lock (`test_moving.py`); who changes it while code compares makes `sort` raise "
        "ValueError (`test_compared.py`)",
    ),
    Row(
        "list",
        "`insert`, `pop` of another element and `*=` move elements: what takes no lock may see that half done",
        ("self.it.insert(1, 4)", "r = self.it.pop(0)", "self.it *= 2", "del self.it[0]"),
        ONE_FOR_LOCKS,
        "who takes no lock finds each element where it was or where it will be (`test_moving.py`)",
    ),
    Row("list", "`remove` compares elements, which may run code", ("self.it.remove(1)",), SEVERAL),
    Row(
        "list",
        "`extend`, `+=` and a slice that is written take another container at once, and an iterator step by step",
        ("self.it.extend([4, 5])", "self.it += [4]", "self.it[0:1] = [4, 5]"),
        ONE,
        "an iterator is gone through before the list changes",
    ),
    Row(
        "list",
        "several accesses are several steps, and so is a loop",
        ("self.it[0] += 4", "for each in self.it: r = (r, each)", "for each in self.it: self.it.remove(each)"),
        SEVERAL,
    ),
    Row("dict", "`dict(...)` of a dict is atomic", ("r = tuple(dict(self.it).items())",), ONE),
    Row(
        "dict",
        "to look a key up, and `len`, are atomic, and take no lock",
        ("r = self.it[1]", "r = self.it.get(1)", "r = 1 in self.it", "r = len(self.it)"),
        ONE,
    ),
    Row(
        "dict",
        "to write or take out one item is safe",
        (
            "self.it[1] = 4",
            "del self.it[1]",
            "r = self.it.pop(1)",
            "r = self.it.popitem()",
            "r = self.it.setdefault(3, 4)",
        ),
        ONE,
    ),
    Row(
        "dict",
        "keys may be compared by code, during which others may change the dict",
        (),
        ONE,
        "the code runs within the step, as the verdict says, and is refused if it looks at what threads change "
        "(`test_made_from.py`)",
    ),
    Row("dict", "`copy` and `|` hold the lock", ("r = tuple(self.it.copy())", "r = tuple(self.it | {4: 4})"), ONE),
    Row("dict", "views are made at once", ("r = len(self.it.keys())",), ONE),
    Row(
        "dict",
        "to make a list of a view locks the dict",
        ("r = tuple(list(self.it.values()))", "r = tuple(sorted(self.it.items()))", "r = tuple([*self.it.keys()])"),
        ONE,
    ),
    Row("dict", "`clear` is atomic", ("self.it.clear()",), ONE),
    Row(
        "dict",
        "`update` and `|=` lock the other dict as well, and so does `==`",
        ("self.it.update({3: 4, 5: 5})", "self.it |= {4: 4}", "r = self.it == {1: 1, 2: 2}"),
        ONE,
        "another dict that is shared is looked at in a step of its own",
    ),
    Row("dict", "`fromkeys` locks the dict that it goes through", ("r = tuple(dict.fromkeys(self.it))",), ONE),
    Row(
        "dict",
        "of another iterable, `update` locks only the dict",
        ("self.it.update([(3, 4), (5, 5)])",),
        ONE,
        "the iterable is gone through before the dict changes",
    ),
    Row(
        "dict",
        "several accesses are several steps, and so is a loop",
        ("self.it[1] += 4", "if 3 not in self.it: self.it[3] = 4", "for key, each in self.it.items(): r = (r, each)"),
        SEVERAL,
    ),
    Row("bytearray", "`len` is atomic, and takes no lock", ("r = len(self.it)",), ONE),
    Row(
        "bytearray",
        "`+` and comparisons ask for the buffer, and take no lock",
        ("r = bytes(self.it + b'd')", "r = self.it == b'ab'", "r = bytes(self.it)"),
        "one step between two that ask for the buffer and give it back",
        "who re-sizes it meanwhile gets BufferError; bytes that change meanwhile are refused (`test_byte_arrays.py`)",
    ),
    Row("bytearray", "to read an element or a slice is safe", ("r = self.it[0]", "r = bytes(self.it[0:2])"), ONE),
    Row(
        "bytearray",
        "methods that change it hold the lock",
        (
            *("self.it[0] = 100", "self.it[0:1] = b'de'", "self.it.append(100)", "self.it.extend(b'de')"),
            *("self.it.insert(1, 100)", "r = self.it.pop()", "self.it.remove(97)", "self.it.reverse()"),
            *("self.it.clear()", "self.it += b'de'"),
        ),
        ONE,
        "another bytearray that is shared is looked at in steps of its own",
    ),
    Row(
        "bytearray",
        "`copy`, `*`, `in` and all other methods hold the lock",
        ("r = bytes(self.it.copy())", "r = bytes(self.it * 2)", "r = 97 in self.it", "r = self.it.find(b'b')"),
        ONE,
    ),
    Row(
        "bytearray",
        "several accesses are several steps, and so is a loop",
        ("self.it[0] += 1", "for each in self.it: r = (r, each)"),
        SEVERAL,
    ),
)


def table() -> str:
    """The rows, in Markdown."""
    return as_markdown(("", "the page", "operations", "here", "where that differs"), map(_cells, ROWS))


def _cells(row: Row) -> tuple[str, ...]:
    return row.kind, row.page, ", ".join(f"`{each}`" for each in row.operations), row.checker, row.note


def page() -> str:
    """What `threadsafety.md` holds."""
    title, rest = (__doc__ or "").split("\n", 1)
    about = rest.split("\n\n")[-1].strip()
    return "\n\n".join([f"# {title.rstrip('.')}", about, made_by("-m tests.ordinary.threadsafety"), table()]) + "\n"


def known_rows() -> Iterator[Known]:
    """The rows of the table, which tests hold to what the checker does."""
    (rows,) = written_tables("threadsafety.md")
    for told, row in zip(rows, ROWS, strict=True):
        yield known(f"{row.kind}: {row.page}", 0.0, [each.replace("\\|", "|") for each in told], partial(_cells, row))


if __name__ == "__main__":
    write_atomically(RESULTS / "threadsafety.md", page())
