"""Requests and answers that are damaged, of others, or of another version are refused."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import mcr
from examples import reference
from mcr.cli import kept_answers as sealed
from mcr.cli.check_task import CheckQuestion, Exploration, check_task
from mcr.cli.kept_answers import KeptAnswers, KeptRequest, digest, perform, read_answer, seal, unseal
from mcr.exploration.options import Options
from mcr.exploration.verdict import Result, Verdict
from mcr.jobs.executor import InTurn
from mcr.jobs.task import Display
from replay.errors import CheckerError, FormatError
from replay.frontend.program import Program
from replay.traces.trace import Trace
from tests.desk import Desk

SB = reference.sb(n=2)


def _request(model: str = "tso", program: Program = SB) -> str:
    return seal(
        KeptRequest.about(Exploration(program, model), CheckQuestion("outcomes", "auto", Options(), grows=True))
    )


@pytest.mark.parametrize("model", ["sc", "tso"])
def test_they_survive_their_journey(model: str) -> None:
    request = _request(model)
    result = mcr.check(SB, model, objective="outcomes")
    answer = read_answer(perform(request), request, "here")
    assert answer.explored is not None
    assert answer.explored.growth is not None
    assert answer.explored.growth.result == answer.explored.result
    assert replace(answer.explored.result, statistics=result.statistics) == result
    assert answer.failures == result.failures


def _damaged(text: str, rng: random.Random) -> str:
    """The text with something else in a place, or without a part."""
    place = rng.randrange(len(text))
    if rng.random() < 0.3:
        return text[:place]
    if rng.random() < 0.5:
        return text[:place] + text[place + 1 + rng.randrange(40) :]
    return text[:place] + chr((ord(text[place]) + rng.randrange(1, 90)) % 128) + text[place + 1 :]


def _same(one: str, other: str) -> bool:
    """Whether two texts are one JSON value: a blank more is no damage."""
    try:
        return bool(json.loads(one) == json.loads(other))
    except ValueError:
        return False


def test_a_thousand_damaged_messages() -> None:
    rng, request = random.Random(1), _request()
    answer, refused = perform(request), 0
    for number in range(1000):
        text = (request, answer)[number % 2]
        damaged = _damaged(text, rng)
        if _same(text, damaged):
            continue
        read = partial(read_answer, request=request) if number % 2 else partial(unseal, wanted=KeptRequest)
        with pytest.raises(FormatError):
            read(damaged, where="here")
        refused += 1
    assert refused > 950


def _forged(text: str, **changes: object) -> str:
    """Another message, with a digest that fits."""
    content = json.loads(text) | changes
    del content["digest"]
    return json.dumps({**content, "digest": sealed._digest(content)})


def test_other_versions() -> None:
    request = _request()
    for name, sentence in (
        ("mcr", "another version of mcr: x, not "),
        ("python", "another version of Python: x, not "),
    ):
        with pytest.raises(FormatError, match=sentence):
            perform(_forged(request, **{name: "x"}))
    with pytest.raises(FormatError, match="no message of this checker, or one of another version"):
        perform(_forged(request, schema="mcr-message/2"))
    with pytest.raises(FormatError, match="the message is no request"):
        perform(perform(request))


def _with(answer: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    """An answer with another result."""
    return {**answer, "explored": {**answer["explored"], "result": result}}


def test_bodies_that_do_not_fit() -> None:
    request = _request()
    answer = json.loads(perform(request))["body"]
    result = answer["explored"]["result"]
    bodies: list[object] = [
        None, [], {}, {**answer, "explored": None}, {**answer, "request": digest(_request("sc"))},
        {**answer, "broken": ["both", ""]}, _with(answer, {**result, "verdict": "verified"}),
        _with(answer, {**result, "failures": []}), _with(answer, {**result, "statistics": 7}),
    ]  # fmt: skip
    for body in bodies:
        with pytest.raises(FormatError):
            read_answer(_forged(perform(request), body=body), request, "here")


def test_the_program_has_another_text(desk: Desk) -> None:
    desk.write("one.py", "import mcr\n\n@mcr.program\ndef one(p):\n    p.thread(p.var('x', 0).load)\n")
    request = seal(
        KeptRequest.about(Exploration(_only(desk, "one.py"), "sc"), CheckQuestion("states", "auto", Options()))
    )
    assert read_answer(perform(request), request, "here").explored is not None
    desk.write("one.py", "import mcr\n\n@mcr.program\ndef one(p):\n    p.thread(p.var('x', 1).load)\n")
    broken = read_answer(perform(request), request, "here").broken
    assert broken is not None
    assert broken[0] == "the program has another text than where its check was begun"


def _only(desk: Desk, file: str) -> Program:
    from replay.traces.loader import find_programs

    (program,) = find_programs(str(desk.folder / file))
    return program


def _check(program: Program, folder: Path, algorithm: str = "auto", **limits: int) -> tuple[Result, list[Trace]]:
    heard: list[Trace] = []
    question = CheckQuestion("states", algorithm, Options(**limits))
    task = check_task(
        question, lambda _, trace: heard.append(trace), lambda title, size: None, KeptAnswers(question, folder).explore
    )
    explored = InTurn(task, [Exploration(program, "tso")], Display).take()
    assert explored is not None
    return explored.result, heard


def test_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What nothing cut, with what fails in it; whatever else lies there is no answer."""
    cut, _ = _check(reference.readers(n=3), tmp_path, "cover", max_executions=1)
    assert cut.verdict is Verdict.INCOMPLETE
    assert not [*tmp_path.iterdir()]
    first, told = _check(SB, tmp_path)
    assert first.verdict is Verdict.BUG
    (file,) = tmp_path.iterdir()
    monkeypatch.setattr("mcr.cli.check_task.check", None)
    again, told_again = _check(SB, tmp_path, max_executions=10_000)
    assert again == first
    assert told_again == told[-1:]
    file.write_text(file.read_text().replace('"failures"', '"failure"'))
    with pytest.raises(TypeError):  # it would check
        _check(SB, tmp_path)
    monkeypatch.undo()
    assert replace(_check(SB, tmp_path)[0], statistics=first.statistics) == first
    assert _check(SB, tmp_path)[0].failures == first.failures


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CheckerError, match="file: cannot be written: "):
        _check(SB, tmp_path / "file")
