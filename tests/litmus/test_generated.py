"""Tests made by `mcr diy`: the engine and the brute-force oracle find the checked-in states."""

from __future__ import annotations

import json

import pytest

from mcr.exploration.options import Options
from mcr.litmus.parser import parse_file
from mcr.litmus.run import run
from replay.world.memory_models import MODELS, memory_model
from tests.amount import one_of
from tests.litmus.regenerate import EXPECTED, FOLDER, oracle_states, selected

ROWS = [json.loads(line) for line in EXPECTED.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("model", MODELS)
def test_the_engine_finds_the_expected_states(model: str) -> None:
    for row in ROWS:
        if row["model"] == model and model in one_of(list(MODELS), row["file"]):
            for algorithm in one_of(("cover", "auto"), row["file"] + model):
                report = run(parse_file(FOLDER / row["file"]), model, Options(), algorithm=algorithm)
                assert sorted(report.states) == row["states"], row["file"]
                assert not report.incomplete


@pytest.mark.parametrize("model", MODELS)
def test_the_oracle_finds_the_expected_states(model: str) -> None:
    for row in ROWS:
        if row["model"] == model and model in one_of(list(MODELS), f"{row['file']} by the oracle"):
            text = (FOLDER / row["file"]).read_text(encoding="utf-8")
            assert oracle_states(text, memory_model(model)) == row["states"], row["file"]


def test_the_files_are_what_diy_writes() -> None:
    written = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.litmus")}
    assert written == {test.name: test.text for test in selected()}
    assert len(ROWS) == 3 * len(written)


def test_weaker_models_allow_more() -> None:
    states = {(row["file"], row["model"]): set(row["states"]) for row in ROWS}
    for file, model in states:
        assert states[file, "sc"] <= states[file, "tso"] <= states[file, "pso"], (file, model)
