"""Certificates of somebody who wants a wrong one confirmed, and honest ones of programs that have changed since."""

from __future__ import annotations

import copy
import gzip
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from replay.frontend.foundations import foundations
from replay.traces.loader import find_programs
from tests.amount import amount
from tests.certify.damage import Said, certificate, why_rejected
from tests.certify.forge import beginnings, forged
from tests.desk import EXAMPLES, Desk


def test_forged_certificates_of_programs_that_fail(tmp_path: Path) -> None:
    """`python -m tests.certify.forge` has many more."""
    begun = [*beginnings(tmp_path, ("peterson", "lost_wakeup"))]
    assert begun
    for seed in range(amount(60, 200)):
        draw = random.Random(seed)
        forgery = draw.choice(begun)
        said, changes = forged(forgery, draw)
        assert why_rejected(said, forgery.program), (seed, changes)


@pytest.mark.parametrize("algorithm", ["stateful", "cover"])
def test_an_honest_one_is_confirmed(algorithm: str) -> None:
    program = next(find_programs(f"{EXAMPLES / 'peterson.py'}::peterson_x86"))
    said = certificate(program, "tso", algorithm)
    assert said is not None
    assert not why_rejected(said, program)


WRONG: dict[str, tuple[str, list[Any], Any, str]] = {
    "its own negation": ("cover", ["proof", 0, 0], [0], "proof[0][0][0] is not as it must be: 0"),
    "a clause before all": ("cover", ["proof", 0, 1], [0], "proof[0][1][0] is not as it must be: 0"),
    "like nobody": ("cover", ["threads", 0, 2], -1, "threads[0][2] is not as it must be: -1"),
    "like one that there is not": ("cover", ["threads", 0, 2], 99, "threads[0][2] is not as it must be: 99"),
    "no whole number": ("cover", ["edges", 0, 0], 0.0, "edges[0][0] is not as it must be: 0.0"),
    "a truth value": ("cover", ["edges", 0, 0], False, "edges[0][0] is not as it must be: False"),
    "too few entries": ("cover", ["edges", 0], [0, 0, 0], "edges[0] is not as it must be"),
    "no text": ("cover", ["values", 0], 7, "values[0] is not as it must be: 7"),
    "another model": ("cover", ["model"], "arm", "model is not as it must be: 'arm'"),
    "a text for a claim": ("cover", ["deadlocks"], "yes", "deadlocks is not as it must be: 'yes'"),
    "a text for a version": ("cover", ["python"], "\x1b[2J3.11.7", "python is not as it must be"),
    "more items than bits": ("stateful", ["components", 0, 2], 0, "and 0 bits for their numbers"),
    "bits that no memory holds": ("stateful", ["components", 0, 2], 1 << 64, "bits for their numbers"),
    "a state twice": ("stateful", ["states", 1], 0, "the states do not rise"),
    "states of more bits": ("stateful", ["states", 1], 1 << 200, "have more bits than their components"),
}


@pytest.mark.parametrize("name", WRONG)
def test_fields_are_checked_before_they_are_used(name: str) -> None:
    algorithm, path, value, why = WRONG[name]
    program = next(find_programs(f"{EXAMPLES / 'peterson.py'}::peterson_x86"))
    said: Any = copy.deepcopy(certificate(program, "tso", algorithm))
    place = said
    for each in path[:-1]:
        place = place[each]
    place[path[-1]] = value
    assert why in why_rejected(said, program)


def test_a_location_has_one_name() -> None:
    program = next(find_programs(f"{EXAMPLES / 'peterson.py'}::peterson_x86"))
    said = certificate(program, "tso", "stateful")
    assert said is not None
    name, first = said["locations"][0]
    again: Said = {**said, "locations": [*said["locations"], [name, (first + 1) % len(said["values"])]]}
    assert "the names of locations are not all different" in why_rejected(again, program)


def test_other_fields_are_refused(desk: Desk) -> None:
    for content, why in (
        ({"format": "mcr certificate of states 4"}, "it has other fields than a certificate"),
        ([], "this is no certificate of the format"),
    ):
        (desk.folder / "forged").write_bytes(gzip.compress(json.dumps(content).encode()))
        assert why in desk.mcr("certify", "forged").out
    for text, why in (
        (b'{"format": 1, "format": 2}', "a field is there twice"),
        (b"[" * 100_000, "the file cannot be read"),
    ):
        (desk.folder / "forged").write_bytes(gzip.compress(text))
        assert why in desk.mcr("certify", "forged").out


HELPER = """
    def reader(x, y):
        seen = x.load()
        y.load()
"""

USES = """
    import os
    import mcr
    import leant_on

    LIMIT = int(os.environ.get("LIMIT", "1"))

    def lax(x):
        x.load()

    def strict(x):
        assert x.load() < LIMIT

    @mcr.program
    def uses(p, n=1):
        x, y = p.var("x", 0), p.var("y", 0)
        p.thread(x.store, n)
        p.thread(leant_on.reader, x, y)
        p.thread(strict if os.environ.get("CAREFUL") else lax, x)
        p.thread(lambda: LIMIT)
"""


@pytest.fixture
def uses(desk: Desk) -> Iterator[Desk]:
    """A program with a helper module, which no other test knows, before or after."""
    desk.write("leant_on.py", HELPER)
    desk.write("uses.py", USES)
    sys.modules.pop("leant_on", None)
    yield desk
    sys.modules.pop("leant_on", None)


def test_it_is_bound_to_all_that_the_program_rests_on(uses: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    assert uses.mcr("check", "uses.py", "--model", "sc", "--certificate", "proofs").status == 0
    assert "confirmed" in uses.mcr("certify", "proofs/uses-sc.certificate").out
    with monkeypatch.context() as patched:
        patched.setenv("CAREFUL", "1")
        assert "environment CAREFUL, thread 2" in uses.mcr("certify", "proofs/uses-sc.certificate").out
    with monkeypatch.context() as patched:
        patched.setenv("LIMIT", "2")
        assert "LIMIT is not what it was" in uses.mcr("certify", "proofs/uses-sc.certificate").out
    sys.modules.pop("leant_on")
    uses.write("leant_on.py", HELPER + "        assert seen == 0\n")
    out = uses.mcr("certify", "proofs/uses-sc.certificate").out
    assert "function leant_on.reader is not what it was when the certificate was made; nor is module leant_on" in out
    uses.write("leant_on.py", HELPER)
    uses.write("uses.py", USES.replace("        x.load()", "        x.load(), x.load()"))
    out = uses.mcr("certify", "proofs/uses-sc.certificate").out
    assert "uses.py is not what it was when the certificate was made; nor is function lax" in out


def test_functions_inside_of_others_are_named(desk: Desk) -> None:
    text = """
        import mcr

        @mcr.program
        def twice(p):
            x = p.var("x", 0)

            def one():
                x.store(1)

            def two():
                return x.load()

            p.thread(one)
            p.thread(two)
        """
    desk.write("twice.py", text)
    assert desk.mcr("check", "twice.py", "--model", "sc", "--certificate", ".").status == 0
    desk.write("twice.py", text.replace("return x.load()", "return -x.load()"))
    out = desk.mcr("certify", "twice-sc.certificate").out
    assert out.endswith("when the certificate was made; nor is function twice.<locals>.two\n")


@pytest.mark.parametrize("changed", ["helper", "environment"])
def test_what_is_resumed_rests_on_the_same(uses: Desk, monkeypatch: pytest.MonkeyPatch, changed: str) -> None:
    """A *verified* that was kept is not told again of a program whose helper or setting has changed."""
    assert uses.mcr("check", "uses.py", "--model", "sc", "--resume", "kept").status == 0
    if changed == "helper":
        sys.modules.pop("leant_on")
        uses.write("leant_on.py", HELPER + "        assert seen == 0\n")
    else:
        monkeypatch.setenv("CAREFUL", "1")
    assert uses.mcr("check", "uses.py", "--model", "sc", "--resume", "kept").status == 1


DEEP = """
    import mcr

    held = ()
    for _ in range({depth}):
        held = [held]

    @mcr.program
    def deep(p):
        x = p.var("x", 0)
        p.thread(lambda: x.load() and len(held))
        p.thread(x.store, 1)

    @mcr.program
    def fails(p):
        x = p.var("x", 0)
        p.thread(lambda: 1 // (len(held) - x.load()))
        p.thread(x.store, 1)
"""


def test_values_may_be_nested_deeply(desk: Desk) -> None:
    """More deeply than functions may call each other; the digests also where native code would overrun its stack."""
    desk.write("deep.py", DEEP.format(depth=2 * sys.getrecursionlimit()))
    assert desk.mcr("check", "deep.py", "--model", "sc").status == 1
    program = next(find_programs(desk.write("deeper.py", DEEP.format(depth=100_000))))
    assert "held" in foundations(program).digests()


def test_what_slots_and_classes_made_from_containers_hold_counts(tmp_path: Path) -> None:
    text = """
import mcr

class Slotted:
    __slots__ = ("value",)

class Row(list):
    pass

slotted, row = Slotted(), Row([{row}])
slotted.value = {value}

@mcr.program
def reads(p):
    x = p.var("x", 0)
    p.thread(lambda: slotted.value + row[0] + x.load())
"""
    found = set()
    for number, (row, value) in enumerate([(1, 1), (2, 1), (1, 2)]):
        file = tmp_path / f"reads{number}.py"
        file.write_text(text.replace("{row}", str(row)).replace("{value}", str(value)))
        [program] = find_programs(str(file))
        digests = foundations(program).digests()
        found.add((digests["row"], digests["slotted"]))
        assert digests == foundations(program).digests()
    assert len({row for row, _ in found}) == len({slotted for _, slotted in found}) == 2
