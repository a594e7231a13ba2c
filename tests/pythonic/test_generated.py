"""Generated Python programs: the checker finds exactly what running them directly shows.

The same programs in every run. For more:

    python -m tests.pythonic.campaign --programs 50000 --jobs 2
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence

import pytest

from tests.amount import amount
from tests.pythonic.compare import Findings, compare
from tests.pythonic.generator import SHARE, generate
from tests.pythonic.shrink import shrink

LIMIT = 600
"""Configurations that the executor may visit."""

PORTIONS = [range(start, start + 25) for start in range(0, amount(25, 150), 25)]


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("seeds", PORTIONS, ids=str)
def test_agree(seeds: range) -> None:
    _judge([seed for seed in seeds if seed % SHARE])


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_sharing_is_refused() -> None:
    _judge(range(0, amount(5, 50) * SHARE, SHARE))


def _judge(seeds: Sequence[int]) -> None:
    total = Findings()
    for seed in seeds:
        found = compare(generate(seed), seed, limit=LIMIT)
        assert not found.differences, f"seed {seed}\n" + "\n".join(found.differences)
        total.add(found)
    assert total.too_large < len(seeds) // 2, "too many programs are too large for the executor"


def test_programs_are_determined_by_their_seeds() -> None:
    assert [generate(seed) for seed in range(20)] == [generate(seed) for seed in range(20)]


IDIOMS = {
    "handlers": ast.ExceptHandler,
    "exception groups": ast.TryStar,
    "contexts": ast.With,
    "comprehensions": ast.ListComp,
    "generator expressions": ast.GeneratorExp,
    "generator threads": ast.Yield,
    "delegation": ast.YieldFrom,
    "patterns": ast.Match,
    "loops": ast.While,
    "closures": ast.Nonlocal,
    "lambdas": ast.Lambda,
    "classes": ast.ClassDef,
    "walrus": ast.NamedExpr,
    "f-strings": ast.JoinedStr,
    "conditional expressions": ast.IfExp,
}


@pytest.mark.parametrize("node", IDIOMS.values(), ids=IDIOMS)
def test_idioms_occur(node: type[ast.AST]) -> None:
    """None of what the generator is there for was lost."""
    programs = (ast.parse(generate(seed)) for seed in range(300))
    assert any(isinstance(each, node) for program in programs for each in ast.walk(program))


def test_shrinking() -> None:
    """What does not matter goes, and loops that must end do."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        small = shrink(generate(5), lambda source: "p.thread(" in source)
    assert small.count("\n") <= 4
