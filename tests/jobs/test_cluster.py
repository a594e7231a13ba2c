"""A Dask cluster of processes on this machine, over TCP: what dies in it changes nothing but the time it takes."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from unittest import mock

import pytest

import mcr.cli.check_task
from mcr.jobs.cluster import Afar
from mcr.jobs.task import Outcome
from tests.desk import EXAMPLES, Answer, Desk
from tests.jobs.dask_parts import started

pytest.importorskip("distributed")

PROGRAMS = tuple(f"{EXAMPLES / 'reference.py'}::{name}" for name in ("casrot", "lastzero", "fib", "exp_mem"))
CHECK = ("check", *PROGRAMS, "--set", "n=4", "--algorithm", "trust")


@dataclass
class _Cluster:
    address: str
    scheduler: subprocess.Popen[str]
    workers: list[subprocess.Popen[str]]


@pytest.fixture(scope="module")
def cluster() -> Iterator[_Cluster]:
    scheduler, address = started()
    found = _Cluster(address, scheduler, [started(address)[0] for _ in range(4)])
    yield found
    for process in (*found.workers, scheduler):
        process.kill()
        process.communicate()


def _timeless(text: str) -> str:
    return re.sub(r" +\d+\.\d\d s$", "", text, flags=re.MULTILINE)


def _wait_for_kept(desk: Desk, process: subprocess.Popen[str], count: int) -> None:
    """Until so many answers are on disk."""
    while len([*(desk.folder / "kept").glob("*.json")]) < count:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


@pytest.fixture(scope="module")
def alone() -> dict[str, Answer]:
    """What one process says, once it is known."""
    return {}


def _alone(desk: Desk, alone: dict[str, Answer]) -> str:
    if not alone:
        alone["answer"] = desk.mcr(*CHECK, "--jobs", "1")
    assert alone["answer"].status == 0
    return _timeless(alone["answer"].out)


def test_two_of_four_workers_are_killed(desk: Desk, cluster: _Cluster, alone: dict[str, Answer]) -> None:
    process = desk.start(*CHECK, "--cluster", cluster.address, "--resume", "kept")
    _wait_for_kept(desk, process, 1)
    for worker in cluster.workers[:2]:
        worker.kill()
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, out + err
    assert _timeless(out) == _alone(desk, alone)


def test_an_answer_that_is_lost_is_found_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask calls a future lost from when the worker that had the answer dies to when another one has it."""
    client, future = mock.Mock(status="running"), mock.Mock(status="lost")
    client.submit.return_value = future
    task, post = mock.Mock(), mock.Mock(**{"known.return_value": None, "answered.return_value": Outcome("done")})
    looks = iter(["lost", "lost", "finished"])
    monkeypatch.setattr("mcr.jobs.cluster.time.sleep", lambda _: setattr(future, "status", next(looks)))
    assert Afar(task, ["item"], post, client, mock.Mock()).take() == "done"
    task.died.assert_not_called()


def test_a_model_that_is_broken(desk: Desk, cluster: _Cluster) -> None:
    desk.write("broken.py", "import mcr\n\n@mcr.program\ndef broken(p):\n    p.thread(lambda: p.var('x', []))\n")
    near, far = (desk.mcr("check", "broken.py", *where) for where in (("--jobs", "1"), ("--cluster", cluster.address)))
    assert (far.status, far.err, far.out) == (near.status, near.err, near.out)
    assert far.status == 2


def test_the_scheduler_is_killed_and_the_rest_resumed(
    desk: Desk, cluster: _Cluster, alone: dict[str, Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was found is told and kept; nothing of it is found out again. This ends the cluster."""
    expected = _alone(desk, alone)
    process = desk.start(*CHECK, "--cluster", cluster.address, "--resume", "kept")
    _wait_for_kept(desk, process, 3)
    cluster.scheduler.kill()
    out, err = process.communicate(timeout=120)
    assert process.returncode == 3, err
    assert "the scheduler of the cluster is gone" in out
    verified = out.count(" verified ")
    assert 3 <= verified == len([*(desk.folder / "kept").glob("*.json")]) < 12
    explored = []
    check = mcr.cli.check_task.check

    def spy(program: object, model: str, **given: object) -> object:
        explored.append((program, model))
        return check(program, model, **given)

    monkeypatch.setattr("mcr.cli.check_task.check", spy)
    answer = desk.mcr(*CHECK, "--resume", "kept", "--jobs", "1")
    assert len(explored) == 12 - verified
    assert _timeless(answer.out) == expected
    assert _timeless(desk.mcr(*CHECK, "--resume", "kept").out) == _timeless(answer.out)
    assert len(explored) == 12 - verified


def test_no_scheduler(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcr.jobs.cluster._PATIENCE", 0.2)
    answer = desk.mcr(*CHECK, "--cluster", "tcp://127.0.0.1:1")
    assert answer.status == 2
    assert answer.err.startswith("error: --cluster tcp://127.0.0.1:1: there is no scheduler")
    answer = desk.mcr(*CHECK, "--cluster", "tcp://127.0.0.1:1", "--jobs", "2")
    assert answer.status == 2
    assert "--jobs is for this machine" in answer.err
