"""The tests with herd7's answers that lie beside the repository: every set of states agrees, under every model."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from mcr.exploration.options import Options
from mcr.litmus.diy.generate import UnpinnedError, generate_oriented
from mcr.litmus.diy.relations import relations
from mcr.litmus.expect import Expectations
from mcr.litmus.parser import parse, parse_file
from mcr.litmus.run import litmus_files, run_files
from replay.world.memory_models import MODELS
from tests.amount import amount

SHARED = Path(__file__).parents[3] / "shared" / "litmus"

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared litmus tests are not there")


@pytest.mark.parametrize(("algorithm", "every"), [("cover", amount(60, 1)), ("auto", amount(20, 1))])
def test_all_states_agree_with_herd(algorithm: str, every: int) -> None:
    """Each twentieth test, by the solver each sixtieth: all take minutes (MCR_SLOW=1, or `mcr litmus --expect`)."""
    expectations = Expectations(SHARED / "truth.jsonl")
    files = litmus_files([str(SHARED)])[::every]
    results = run_files(files, tuple(MODELS), Options(), algorithm=algorithm, jobs=2)
    differences = [difference for result in results for difference in expectations.differences(result)]
    assert differences == []
    assert expectations.used == 3 * len(files)


def test_diy_writes_what_diy7_wrote() -> None:
    """For each cycle in the files: the same code and condition in nearly all cases, and the same name.

    The rest are tests with observers of diy7's own, cycles on one location with two breaks,
    and rmw relations (Exch), which are not made here.
    """
    found = Counter(_compared(path) for path in sorted((SHARED / "tests" / "gen").glob("*.litmus")))
    assert found["same code"] >= 1400
    assert found["same code"] / found.total() > 0.9


def test_diy_names_tests_as_diy7_does() -> None:
    names: Counter[bool] = Counter()
    for path in sorted((SHARED / "tests" / "gen").glob("*.litmus")):
        try:
            test = generate_oriented(relations(_cycle(path)))
        except (UnpinnedError, ValueError):
            continue
        names[test.name == path.stem] += 1
    assert names[True] / names.total() > 0.95


def _cycle(path: Path) -> str:
    found = re.search(r"^Orig=(.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None or "Exch" in found[1]:
        raise ValueError
    return found[1]


def _compared(path: Path) -> str:
    try:
        made = parse(generate_oriented(relations(_cycle(path))).text)
    except UnpinnedError:
        return "not decidable"
    except ValueError:
        return "not made of our relations"
    written = parse_file(path)
    bodies = [thread.body for thread in made.threads] == [thread.body for thread in written.threads]
    return "same code" if bodies and str(made.condition) == str(written.condition) else "other code"
