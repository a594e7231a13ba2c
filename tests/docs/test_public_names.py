"""The output of `help(mcr)`: every public name and method says what it does, and users' code is type-checked."""

from __future__ import annotations

import enum
import inspect
import pydoc
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

import mcr
from tests.desk import ROOT

PACKAGES = ("mcr", "replay", "solvers")


def _is_ours(thing: object) -> bool:
    return getattr(thing, "__module__", "").partition(".")[0] in PACKAGES


def _members(name: str, public: type) -> Iterator[tuple[str, object]]:
    """The public methods and properties that a class of ours defines or inherits from a class of ours."""
    for base in public.__mro__:
        if not _is_ours(base):
            continue
        for member, thing in vars(base).items():
            code = thing.fget if isinstance(thing, property) else getattr(thing, "__func__", thing)
            if not member.startswith("_") and inspect.isfunction(code):
                yield f"{name}.{member}", code


def _public() -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    for name in mcr.__all__:
        thing = getattr(mcr, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            found.append((name, thing))
        if inspect.isclass(thing):
            found += _members(name, thing)
    return found


@pytest.mark.parametrize(("name", "thing"), _public(), ids=[name for name, _ in _public()])
def test_has_a_docstring(name: str, thing: object) -> None:
    document = vars(thing).get("__doc__") if inspect.isclass(thing) else inspect.getdoc(thing)
    assert document, f"{name} has no docstring"
    assert not document.startswith(f"{name}("), f"{name} has only the docstring that dataclasses make"


def test_the_page_names_everything() -> None:
    """Each public name is in the overview at the top, and has its own entry below."""
    page = pydoc.plain(pydoc.render_doc(mcr))
    assert mcr.__doc__ is not None
    missing = [name for name in mcr.__all__ if name not in mcr.__doc__ or name not in page.partition("CLASSES")[2]]
    assert missing == []


def test_errors_have_one_base() -> None:
    errors = [thing for name, thing in _public() if inspect.isclass(thing) and issubclass(thing, Exception)]
    assert len(errors) == 5
    assert all(issubclass(error, mcr.CheckerError) for error in errors)
    assert issubclass(mcr.Verdict, enum.Enum)


# -- types -----------------------------------------------------------------------


@pytest.mark.parametrize("package", PACKAGES)
def test_types_are_shipped(package: str) -> None:
    assert (ROOT / package / "py.typed").exists()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "py.typed" in project["tool"]["setuptools"]["package-data"][package]


MODEL = """
    from collections.abc import Generator
    from dataclasses import dataclass
    from typing import Any

    import mcr


    @dataclass(frozen=True)
    class Queue:
        p: mcr.Declarations
        top: mcr.Variable
        lock: mcr.Mutex
        changed: mcr.Condition
        slots: mcr.Array

        def put(self, value: int) -> None:
            node: mcr.Record = self.p.record("node", value=value)
            with self.lock:
                self.slots[0].store(node)
                self.changed.wait_for(lambda: self.top.load() is None)
                for cell in self.slots:
                    cell.fetch_add(1)
                node.value.store(3)
                self.changed.notify_all()


    @mcr.program
    def queue(p: mcr.Declarations, n: int = 2) -> None:
        lock, x = p.mutex("lock"), p.var("x", 0)
        shared = Queue(p, p.var("top"), lock, p.condition("changed", lock), p.array("slots", [0] * n))

        def worker(me: int) -> int:
            shared.put(me)
            p.wait_until(lambda: x.load() == 0)
            if not x.compare_exchange(0, p.choose(1, 2)):
                p.fence()
            x.update(lambda old: old + 1)
            p.spawn(shared.put, 2).join()
            old: int = x.exchange(me)
            return old

        def generator() -> Generator[mcr.Operation, Any, int]:
            value: int = yield x.op.load()
            yield x.op.store(value + 1)
            return value

        threads: list[mcr.Thread] = [p.thread(worker, me, name=f"worker {me}") for me in range(n)]
        p.thread(generator)

        @p.final
        def total() -> int:
            return sum(thread.join() for thread in threads)

        def twice() -> int:
            return 2 * total()


    @mcr.test(models=("sc", "tso"), timeout=10)
    def test_queue(p: mcr.Declarations) -> None:
        queue.function(p, n=1)


    @mcr.fails(models=["pso"])
    @mcr.program
    def test_weak(p: mcr.Declarations) -> None:
        queue.function(p)


    def progress(statistics: mcr.Statistics) -> None:
        print(statistics.local_states)


    def main() -> None:
        small: mcr.Program = queue(n=1)
        result: mcr.Result = mcr.check(small, "tso", options=mcr.Options(timeout=1), on_progress=progress)
        if result.verdict is mcr.Verdict.BUG:
            trace: mcr.Trace = result.failures[0]
            failure: mcr.Failure | None = mcr.replay(small, trace).failure
            print(failure, mcr.check_all(small)["pso"].outcomes)
"""

WRONG = """
    import mcr


    @mcr.program
    def wrong(p: mcr.Declarations) -> None:
        x = p.variable("x", 0)
        p.var("y").load(1)
        p.thread(3)
        p.array("a", [0])[0].stor(1)


    mcr.check(wrong, 3)
    mcr.check(wrong).verdict.name.uper()
"""


REVEALED = [
    ("p.var(0).load()", "int"),
    ('p.var("x", "").load()', "str"),
    ("p.var(initial=True).load()", "bool"),
    ("p.var().load()", "Any"),
    ("p.array([1.5])[0].load()", "float"),
    ('[cell.load() for cell in p.array("a", [(1, ""), (2, "")])]', "list[tuple[int, str]]"),
    ("p.var(0).ref.load()", "int"),
    ("p.var(p.var(0).ref).load().load()", "int"),
    ("p.var(p.mutex()).load()", "Mutex"),
    ("p.array([p.mutex()])[0]", "Mutex"),
    ("typed(p).load()", "Record | None"),
    ("p.var(0).compare_exchange_seen(0, 1)", "tuple[bool, int]"),
    ("p.var(0).exchange(1)", "int"),
    ('p.thread(lambda: "").join()', "str"),
    ("p.spawn(generator).join()", "int"),
    ("p.choose(1, 2)", "int"),
    ("p.condition().wait_for(lambda: 1.5)", "float"),
]
"""Expressions, and what a type checker is to know of them."""

TYPED = """
    from collections.abc import Generator

    import mcr


    def typed(p: mcr.Declarations) -> mcr.Variable[mcr.Record | None]:
        top: mcr.Variable[mcr.Record | None] = p.var(None)
        return top


    def generator() -> Generator[mcr.Operation, object, int]:
        raise NotImplementedError


    def reveal(p: mcr.Declarations) -> None:
"""


def test_users_models_pass_a_strict_type_checker(tmp_path: Path) -> None:
    """And what is wrong in them is found, so that nothing of this is Any in disguise."""
    pytest.importorskip("mypy")
    (tmp_path / "model.py").write_text(dedent(MODEL))
    (tmp_path / "wrong.py").write_text(dedent(WRONG))
    lines = (f"    reveal_type({expression})" for expression, _ in REVEALED)
    (tmp_path / "typed.py").write_text("\n".join([dedent(TYPED).rstrip(), *lines, ""]))
    arguments = ("--strict", "--follow-imports=silent", "--no-error-summary", "--cache-dir", str(tmp_path / "cache"))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *arguments, "model.py", "wrong.py", "typed.py"],
        cwd=tmp_path,
        env={"MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    found = [tuple(line.split(":")[:2]) for line in done.stdout.splitlines() if ": error:" in line]
    assert found == [("wrong.py", str(line)) for line in (7, 8, 9, 10, 13, 14)], done.stdout + done.stderr
    revealed = re.findall(r'Revealed type is "(.*)"', done.stdout)
    short = [re.sub(r"builtins\.|replay\.frontend\.\w+\.", "", each) for each in revealed]
    assert dict(zip((expression for expression, _ in REVEALED), short, strict=True)) == dict(REVEALED)
