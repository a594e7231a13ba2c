"""`mcr verify`: what it prints and its exit status."""

from __future__ import annotations

import json

import pytest

from mcr.cli import main
from replay.traces.files import load_trace
from tests.consistency.test_logs import STORE_BUFFERING


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.json"
    path.write_text(json.dumps(STORE_BUFFERING))
    return path


def test_a_consistent_log_shows_a_schedule(log, capsys):
    assert main(["verify", str(log)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("consistent under total store order (x86)")
    assert "reaches memory" in printed


def test_an_inconsistent_log_shows_the_cycle(log, capsys):
    assert main(["verify", str(log), "--model", "sc"]) == 1
    printed = capsys.readouterr().out
    assert printed.startswith("inconsistent under sequential consistency: a cycle forbids it")
    assert [line.split("--")[1] for line in printed.splitlines() if "--" in line] == ["po", "fr", "po", "fr"]


def test_the_document_for_machines(log, capsys):
    assert main(["verify", str(log), "--model", "sc", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["verdict"] == "inconsistent"
    assert [edge["relation"] for edge in document["cycles"][0]["edges"]] == ["po", "fr", "po", "fr"]


def test_the_schedule_can_be_kept(log, tmp_path, capsys):
    witness = tmp_path / "witness.json"
    assert main(["verify", str(log), "--save", str(witness)]) == 0
    assert len(load_trace(witness).steps) == 6
    assert main(["verify", str(witness), "--model", "sc", "--no-closure"]) == 1
    capsys.readouterr()


def test_a_malformed_log_is_refused_with_its_event(log, capsys):
    broken = json.loads(log.read_text())
    broken["events"][3]["source"] = 1
    log.write_text(json.dumps(broken))
    assert main(["verify", str(log)]) == 2
    message = "event 3 (thread 1, load x): it reads x from event 1 (load y), which does not write it"
    assert message in capsys.readouterr().err
