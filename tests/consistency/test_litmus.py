"""Classic shapes: which models allow them, and the relations of the cycle where they do not."""

from __future__ import annotations

import pytest

from mcr.consistency.closure import closure
from mcr.consistency.cycle import CycleEdge
from mcr.consistency.explain import explain
from mcr.consistency.instance import SearchOptions
from mcr.consistency.verify import realize
from mcr.consistency.witness import why_not
from replay.world.memory_models import MODELS
from tests.consistency.litmus import instance

SHAPES = {
    # name: (threads, allowed under SC, TSO, PSO, sorted relations of the cycle under the strongest model)
    "SB": ("Wx Ry=0\nWy Rx=0", False, True, True, "fr fr po po"),
    "SB+fences": ("Wx F Ry=0\nWy F Rx=0", False, False, False, "fr fr po po"),
    "SB+one fence": ("Wx F Ry=0\nWy Rx=0", False, True, True, "fr fr po po"),
    "SB+forwarding": ("Wx:a Rx=a Ry=0\nWy:b Ry=b Rx=0", False, True, True, "fr fr po po"),
    "MP": ("Wx Wy:f\nRy=f Rx=0", False, False, True, "fr po po rf"),
    "MP+store fence": ("Wx S Wy:f\nRy=f Rx=0", False, False, False, "fr po po rf"),
    "LB": ("Rx=a Wy:b\nRy=b Wx:a", False, False, False, "po po rf rf"),
    "2+2W": ("Wx:a Wy\nWy:b Wx", True, True, True, ""),
    "IRIW": ("Wx:a\nWy:b\nRx=a Ry=0\nRy=b Rx=0", False, False, False, "fr fr po po rf rf"),
    "CoRR": ("Wx:a\nRx=a Rx=0", False, False, False, "fr po rf"),
    "CoWR": ("Wx Rx=0", False, False, False, "fr po"),
    "CoRW": ("Rx=a Wx:a", False, False, False, "po rf"),
    "CoWW": ("Wx:a Wx Rx=a", False, False, False, "co po"),
    "two rmws, one source": ("Ux=0\nUx=0", False, False, False, "fr fr"),
    "rmw chain": ("Ux:a=0\nUx=a", True, True, True, ""),
    "R": ("Wx Wy:a\nWy:b Rx=0\nRy=a Ry=b", False, True, True, "fr po rf"),
}


def _relations(found):
    cycle = min(found.cycles, key=lambda cycle: len(cycle.edges))
    return " ".join(sorted(edge.relation for edge in cycle.edges))


@pytest.mark.parametrize("name", SHAPES)
def test_shape(name):
    text, *allowed, relations = SHAPES[name]
    shape = instance(text)
    for model, expected in zip(MODELS.values(), allowed, strict=True):
        answer = realize(shape, model, SearchOptions(closure=False))
        assert answer.is_realizable == expected, model.name
        assert not expected or not why_not(shape, model, answer.witness)
        assert (explain(shape, model) is None) == expected
    if relations:
        assert _relations(explain(shape, MODELS["sc"])) == relations


def test_relaxed_models_name_what_they_preserve_and_fences():
    assert _relations(explain(instance(SHAPES["MP"][0]), MODELS["tso"])) == "fr ppo ppo rf"
    assert _relations(explain(instance(SHAPES["SB+fences"][0]), MODELS["tso"])) == "fence fence fr fr"
    assert _relations(explain(instance(SHAPES["MP+store fence"][0]), MODELS["pso"])) == "fence fr ppo rf"


def test_forced_edges_come_with_their_reasons():
    (cycle,) = explain(instance(SHAPES["R"][0]), MODELS["sc"]).cycles
    (reason,) = cycle.reasons
    assert reason.edge == CycleEdge(5, "fr", 1), "event 5 reads from event 2, which is before event 1:"
    assert reason.path == (CycleEdge(2, "po", 3), CycleEdge(3, "fr", 0), CycleEdge(0, "po", 1))
    (cycle,) = explain(instance(SHAPES["CoWW"][0]), MODELS["sc"]).cycles
    (reason,) = cycle.reasons
    assert (reason.edge, reason.path, reason.read) == (CycleEdge(1, "co", 0), (CycleEdge(1, "po", 2),), 2)


NO_ORDER = """\
Wy:d F Rx=a
Wy:c F Rx=a
Wx:b F Ry=c
Rx=b Ry=d
Wx:a F Rz=e
Wz:e F Rx=b
Wz:f F Rx=b
Rx=a Rz=f
"""
"""No closure rule orders any two writes; a before b would order those to y both ways, b before a those to z."""


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_where_no_order_of_writes_works_each_gets_a_cycle(model):
    """[bui-2021] section 4.3: with more than two threads closure may exist without a witness."""
    shape = instance(NO_ORDER)
    assert closure(shape, model) is not None
    assert not realize(shape, model).is_realizable
    found = explain(shape, model)
    assert found.is_whole
    d, c = 0, 3
    assert [cycle.assumed for cycle in found.cycles] == [((d, c),), ((c, d),)]
