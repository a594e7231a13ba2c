"""State that was taken for constant until a thread changes it is memory in whatever explores or plays a program."""

from __future__ import annotations

import functools
import gzip
import itertools
import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest

import mcr
from mcr.diagnosis.fewest import fewest
from mcr.diagnosis.walks import walks
from mcr.explorers.maximal_causality.explanation import WhatIf, explain_file
from mcr.explorers.registry import ALGORITHMS
from mcr.linearizability.levels import levels
from replay.certify.certify import confirm, read
from replay.certify.form import Rejected
from replay.frontend.ordinary.publication import SharingTransaction
from replay.frontend.ownership.objects import SharedObjects
from replay.frontend.program import Program
from replay.machine import audit
from replay.machine.unfolding import Unfolding
from replay.traces.following import follow
from replay.traces.loader import find_programs, load_module
from replay.traces.player import Player
from replay.world.memory_models import memory_model
from tests.amount import amount
from tests.ordinary import changing
from tests.ordinary.changing import LockedTally, Tally

PROGRAMS = {name: each for name, each in vars(changing).items() if isinstance(each, Program)}
LOST = [name for name in PROGRAMS if name.startswith("lost")]
KEPT = [name for name in PROGRAMS if name.startswith("kept")]
SC = memory_model("sc")


def failure_in(program: Program) -> mcr.Trace:
    (trace,) = mcr.check(program).failures
    return trace


@functools.cache
def failure_of(name: str) -> mcr.Trace:
    """That of a program of `PROGRAMS`, which is explored once."""
    return failure_in(PROGRAMS[name])


@pytest.mark.parametrize(("name", "algorithm"), [*itertools.product(PROGRAMS, ALGORITHMS)][:: amount(3, 1)])
def test_every_algorithm_sees_it(name: str, algorithm: str) -> None:
    verdict = mcr.check(PROGRAMS[name], algorithm=algorithm).verdict.value
    assert verdict == ("bug" if name in LOST else "verified")


@pytest.mark.parametrize("name", PROGRAMS)
def test_random_schedules_see_it(name: str) -> None:
    assert mcr.check(PROGRAMS[name], sample=200).verdict.value == ("bug" if name in LOST else "incomplete")


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_exploration_learns_nothing_from_those_before_it(name: str) -> None:
    """So that it makes no difference which process has explored what."""
    program = PROGRAMS[name]
    first, second = (mcr.check(program, algorithm="cover") for _ in range(2))
    assert not program.changing
    assert replace(first.statistics, seconds=0).executions == second.statistics.executions
    assert [trace.changing for trace in first.failures] == [trace.changing for trace in second.failures]


@pytest.mark.parametrize("name", LOST)
def test_a_failure_is_played_again(name: str, tmp_path: Path) -> None:
    trace = failure_of(name)
    assert trace.changing
    mcr.save_trace(trace, tmp_path / "trace.json")
    played = mcr.replay(PROGRAMS[name], tmp_path / "trace.json")
    assert played.failure and trace.failure and played.failure.identity == trace.failure.identity
    found = fewest(PROGRAMS[name], SC, trace.failure.identity)
    assert found.switches is not None


@pytest.mark.parametrize("name", LOST)
def test_the_graph_of_all_states_goes_on_where_a_failure_led(name: str) -> None:
    trace = failure_of(name)
    found = walks(PROGRAMS[name], SC, after=trace)
    assert any(place.failure and place.failure.identity == trace.failure.identity for place in found.places)
    assert len(found.first) >= len(trace.steps)


@pytest.mark.parametrize("name", LOST)
def test_a_schedule_fits_where_more_is_memory_than_when_it_was_recorded(name: str) -> None:
    trace, other = failure_of(name), f"{changing.__name__}.nothing"
    more = {name for each in LOST for name in failure_of(each).changing}
    program = PROGRAMS[name].apart({*more, *trace.changing, other})
    player = Player(Unfolding(program), SC)
    for _ in follow(player, trace):
        pass
    played = player.trace(trace.failure.thread)
    assert played.failure and played.failure.identity == trace.failure.identity


@pytest.mark.parametrize("name", LOST)
def test_what_a_load_may_read_is_explained(name: str, tmp_path: Path) -> None:
    trace = failure_of(name)
    load = next(event.id for event in trace.events if event.read is not None)
    mcr.save_trace(trace, tmp_path / "trace.json")
    question = WhatIf(tmp_path / "trace.json", load, "7", program=f"{changing.__file__}::{name}")
    with pytest.raises(mcr.CheckerError, match=r"no store writes 7|might be read"):
        explain_file(question)


@pytest.mark.parametrize("algorithm", ["stateful", "cover"])
@pytest.mark.parametrize("name", KEPT)
def test_certificates_carry_it(name: str, algorithm: str, tmp_path: Path) -> None:
    result = mcr.check(PROGRAMS[name], algorithm=algorithm, certificate=True)
    if result.certificate is None:
        pytest.skip("that algorithm has shown it in another way")
    (tmp_path / "proof").write_bytes(result.certificate)
    said = read(tmp_path / "proof")
    assert said["changing"]
    assert "nothing fails" in confirm(said, PROGRAMS[name])
    with pytest.raises(Rejected):
        confirm({**said, "changing": []}, PROGRAMS[name])
    assert json.loads(gzip.decompress(result.certificate))["changing"] == sorted(said["changing"])


def test_a_file_that_is_loaded_again_leaves_the_classes_of_before_what_they_are() -> None:
    home = Path(str(changing.__file__))
    before, now = (load_module(home) for _ in range(2))
    for module in (before, now):
        assert "Counter.total" in failure_in(module.lost_of_class).changing
        assert mcr.check(module.kept_of_module).verdict.value == "verified"
        assert (module.Counter.total, module.level) == (0, 0)
    names = [each.changing for each in (failure_in(PROGRAMS["lost_of_module"]), failure_in(now.lost_of_module))]
    assert names[0] == names[1] == ("changing.level",)


def test_a_client_that_is_written_into_a_file_fails_as_it_did(tmp_path: Path) -> None:
    found = mcr.linearizable(Tally, ["add", "get"], calls=2, folder=tmp_path)
    assert found.counterexample and found.counterexample.path
    (program,) = find_programs(str(found.counterexample.path.with_suffix(".py")))
    assert mcr.check(program).verdict.value == "bug"


def test_methods_of_a_class_may_change_it() -> None:
    verdicts = [mcr.linearizable(each, ["add", "get"], calls=2).verdict.value for each in (LockedTally, Tally)]
    assert verdicts == ["verified", "bug"]
    assert {pair.level for pair in levels(LockedTally, ["add", "get"], before=1).pairs} == {"atomic"}


def test_what_stands_for_a_counter_of_the_host_leaves_its_identity_to_nobody() -> None:
    """It is gone once it is known: a list that came to its place in memory was taken for the counter."""
    heap = SharedObjects(mcr.program(lambda p: None))
    SharingTransaction(heap, "count", "count", is_lasting=True).frozen(itertools.count(1), "count")
    SharingTransaction(heap, "lock", "lock", is_lasting=True).frozen(threading.Lock(), "lock")
    kept = {id(thing) for thing, _ in heap.host_names.values()}
    assert heap.lasting_references.keys() == heap.host_names.keys() and len(kept) == 2
    assert {type(thing) for thing, _ in heap.host_names.values()} == {itertools.count, type(threading.Lock())}


def test_what_lasts_is_looked_for_once_though_all_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    made, begun = [], []
    find, explored = audit.LastingState.__init__, Unfolding.__init__

    def counted(self: object, *arguments: object, **keywords: bool) -> None:
        made.append(self)
        find(self, *arguments, **keywords)  # type: ignore[arg-type]

    def unfolded(self: Unfolding, *arguments: object, **keywords: bool) -> None:
        begun.append(self)
        explored(self, *arguments, **keywords)  # type: ignore[arg-type]

    monkeypatch.setattr(audit.LastingState, "__init__", counted)
    monkeypatch.setattr(Unfolding, "__init__", unfolded)
    mcr.check(PROGRAMS[KEPT[0]], "sc")
    assert len(begun) > len(made)  # it is looked for again after an import
