"""Relations, cycles, names and generated texts."""

from __future__ import annotations

import pytest

from mcr.exploration.options import Options
from mcr.litmus.diy.generate import UnpinnedError, generate
from mcr.litmus.diy.relations import cycles, relation, relations
from mcr.litmus.diy.survey import collect, survey, survey_table
from replay.errors import CheckerError

PLAIN = relations("Rfe Fre Coe PodRR PodRW PodWR PodWW")


@pytest.mark.parametrize(
    "name", ["Rfe", "Fri", "CoeANa", "PodWR", "PosRR", "MFencedWR", "SFencesWW", "PodWWNaA", "RfiANa"]
)
def test_names_of_relations_are_read_and_written(name: str) -> None:
    assert str(relation(name)) == name


def test_old_names() -> None:
    assert relation("Wse") == relation("Coe")
    assert relation("PodWWNaNa") == relation("PodWW")


@pytest.mark.parametrize("name", ["Rfx", "PodW", "LFencedRR", "Exch", "", "PodRRAA", "RfeNaA"])
def test_unknown_relations_are_refused(name: str) -> None:
    with pytest.raises(CheckerError):
        relation(name)


def test_the_six_classic_cycles_of_two_threads() -> None:
    assert sorted(test.name for test in collect(PLAIN, 2, 4).tests) == ["2+2W", "LB", "MP", "R", "S", "SB"]


def test_the_families_of_three_threads() -> None:
    names = {test.name for test in collect(PLAIN, 3, 6).tests}
    assert names >= {"3.2W", "3.LB", "3.SB", "ISA2", "RWC", "W+RWC", "WRC", "WRR+2W", "WRW+2W", "WRW+WR", "WWC"}
    assert names >= {f"Z6.{number}" for number in range(6)}


def test_no_cycle_comes_twice_and_limits_hold() -> None:
    found = list(cycles(relations("Rfe Fre Coe Rfi Fri PodRR PodWR PodWW PosWW"), 3, 6))
    rotated = {tuple(cycle[place:] + cycle[:place]) for cycle in found for place in range(len(cycle))}
    assert len(rotated) == sum(len({tuple(c[p:] + c[:p]) for p in range(len(c))}) for c in found)
    assert max(map(len, found)) == 6
    assert {sum(relation.external for relation in cycle) for cycle in found} == {2, 3}


@pytest.mark.parametrize(
    ("cycle", "name"),
    [
        ("PodWR Fre PodWR Fre", "SB"),
        ("MFencedWR Fre MFencedWR Fre", "SB+mfences"),
        ("MFencedWR Fre PodWR Fre", "SB+mfence+po"),
        ("Rfi PodRR Fre Rfi PodRR Fre", "SB+rfi-pos"),
        ("PodWW Rfe PodRR Fre", "MP"),
        ("PodWWNaA RfeANa PodRR Fre", "MP+ponaa+po"),
        ("Rfe PodRR Fre Rfe PodRR Fre", "IRIW"),
        ("Rfe PosRR Fre", "CoRR"),
        ("RfeANa PodRW Rfe PodRR FreNaA", "WRC+A"),
        ("RfeANa PodRW Rfe MFencedRR FreNaA", "WRC+po+mfence+A"),
    ],
)
def test_every_rotation_of_a_cycle_has_the_same_name(cycle: str, name: str) -> None:
    made = relations(cycle)
    for place in range(len(made)):
        assert generate(made[place:] + made[:place]).name == name


def test_a_generated_text() -> None:
    assert generate(relations("Rfe PodRW Coe MFencedWW")).text == (
        "X86 S+mfence+po\n"
        '"MFencedWW Rfe PodRW Coe"\n'
        "Orig=MFencedWW Rfe PodRW Coe\n"
        "{\n}\n"
        " P0         | P1          ;\n"
        " MOV [x],$2 | MOV EAX,[y] ;\n"
        " MFENCE     | MOV [x],$1  ;\n"
        " MOV [y],$1 |             ;\n"
        "exists ([x]=2 /\\ 1:EAX=1)\n"
    )


def test_cycles_that_no_final_state_shows_are_left_out_and_counted() -> None:
    with pytest.raises(UnpinnedError):
        generate(relations("Rfi Fre Rfi Fre"))
    assert collect(relations("Rfi Fre"), 2, 4).left_out == 1


def test_the_table_tells_what_each_model_forbids() -> None:
    models = ("sc", "tso", "pso")
    found = collect(PLAIN, 2, 4)
    surveyed = list(survey(found.tests, models, Options()))
    forbidden = {model: {one.test.name for one in surveyed if one.forbidden_by(model)} for model in models}
    assert forbidden["sc"] == {"2+2W", "LB", "MP", "R", "S", "SB"}
    assert forbidden["tso"] == {"2+2W", "LB", "MP", "S"}
    assert forbidden["pso"] == {"LB"}
    assert survey_table(surveyed, models, 2).splitlines()[-2:] == [
        "6 cycles: sc forbids 6, tso forbids 4, pso forbids 1",
        "2 more left out: no final state tells whether they happened",
    ]
