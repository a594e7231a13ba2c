"""Certificates of classes that are linearizable: their clients as a program, with a judge of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import mcr
from mcr.exploration.options import Options
from mcr.linearizability.certificate import with_certificate, with_certificates
from mcr.linearizability.levels import ATOMIC
from mcr.linearizability.search import Linearizability
from replay.certify.certify import confirm, program_of, read
from replay.certify.form import Rejected
from tests.amount import SLOW, amount
from tests.certify.linearizable import CLASSES
from tests.desk import Desk
from tests.linearizability.published import BUGS

QUICK = ("flag", "first", "queue", "skip list")


def _certified(make: Any, operations: list[Any], model: str, calls: tuple[int, ...], folder: Path) -> Linearizability:
    found = mcr.linearizable(make, operations, calls=calls, model=model)
    return with_certificate(found, make, operations, {}, Options(), folder)


@pytest.mark.parametrize("name", CLASSES if SLOW else QUICK)
def test_what_is_linearizable_is_confirmed(name: str, tmp_path: Path) -> None:
    make, operations, model, calls = CLASSES[name]
    found = _certified(make, operations, model, calls, tmp_path)
    assert found.verdict is mcr.Verdict.VERIFIED
    assert found.certificate is not None, found.no_certificate
    said = read(Path(found.certificate))
    told = confirm(said, program_of(said, Path(found.certificate)))
    assert f"{make.__name__} is linearizable for all clients of {len(calls)} threads with up to " in told


@pytest.mark.parametrize(
    "bug",
    [bug for bug in BUGS if bug.spec is None and bug.calls == 1 and bug.level == "linearizable" and not bug.only][
        :: amount(2, 1)
    ],
)
def test_the_other_judge_finds_the_same_bugs(bug: Any, tmp_path: Path) -> None:
    """Whoever claims that these classes are linearizable gets no certificate."""
    found = mcr.linearizable(bug.make, bug.operations, calls=bug.calls, model=bug.model, threads=bug.threads)
    assert found.verdict is mcr.Verdict.BUG
    claimed = with_certificate(found, bug.make, bug.operations, {}, Options(), tmp_path)
    assert claimed.certificate is None
    assert claimed.no_certificate.endswith(".py are bug")


COUNTER = """
    import threading

    class Counter:
        def __init__(self):
            self.count = 0
            self.lock = threading.Lock()

        def add(self):
            with self.lock:
                self.count += 1
                return self.count
"""


def test_the_command_line(desk: Desk) -> None:
    desk.write("counter.py", COUNTER)
    told = desk.mcr("linearizable", "counter.py::Counter", "--calls", "1", "--certificate", "proofs")
    assert told.status == 0
    assert told.out.rstrip().endswith("certificate: proofs/counter-sc.certificate")
    told = desk.mcr("certify", "proofs/counter-sc.certificate")
    assert "Counter is linearizable for all clients of 2 threads with up to 1 calls each, of add(): nothing" in told.out
    clients = desk.folder / "proofs" / "counter-sc.py"
    clients.write_text(clients.read_text().replace("told.returns(thing.add())", "told.returns(1)"))
    assert "counter-sc.py is not what it was" in desk.mcr("certify", "proofs/counter-sc.certificate").out


def test_other_clients_claim_nothing_of_the_class(desk: Desk) -> None:
    """Somebody writes clients that call nothing: what is confirmed says nothing of the class."""
    desk.write("counter.py", COUNTER)
    desk.mcr("linearizable", "counter.py::Counter", "--calls", "1", "--certificate", "proofs")
    clients = desk.folder / "proofs" / "counter-sc.py"
    clients.write_text(clients.read_text().replace("told.returns(thing.add())", "told.returns(1)"))
    assert desk.mcr("check", "proofs/counter-sc.py", "--model", "sc", "--certificate", "forged").status == 0
    told = desk.mcr("certify", "forged/clients-sc.certificate").out
    assert "confirmed: clients under SC: nothing fails" in told
    assert "linearizable" not in told


def test_a_class_that_has_changed_is_rejected(desk: Desk) -> None:
    desk.write("counter.py", COUNTER)
    desk.mcr("linearizable", "counter.py::Counter", "--calls", "1", "--certificate", "proofs")
    desk.write("counter.py", COUNTER.replace("+= 1", "+= 2"))
    file = desk.folder / "proofs" / "counter-sc.certificate"
    said = read(file)
    with pytest.raises(Rejected, match=r"Counter\.add is not what it was when the certificate was made"):
        confirm(said, program_of(said, file))


@pytest.mark.parametrize("more", [("--level", "sequentially consistent"), ("--spec", "counter.py::Counter")])
def test_other_questions_have_none(desk: Desk, more: tuple[str, str]) -> None:
    desk.write("counter.py", COUNTER)
    told = desk.mcr("linearizable", "counter.py::Counter", "--certificate", "proofs", *more)
    assert told.status == 2
    assert "leave out --spec and --level" in told.err


STOCK = """
    class Stock:
        def __init__(self):
            self.items = []

        def put(self, item: int):
            self.items.append(item)

        def take(self):
            return self.items.pop() if self.items else None
"""
ASKED = ("--operation", "put(1)", "--operation", "take()", "--before", "1", "--certificate", "proofs")


def test_atomic_pairs_have_certificates(desk: Desk) -> None:
    desk.write("stock.py", STOCK)
    told = desk.mcr("levels", "stock.py::Stock", *ASKED)
    assert "| take | atomic | racy |" in told.out
    assert "Certificate: proofs/stock-levels-0-sc.certificate" in told.out
    told = desk.mcr("certify", "proofs/stock-levels-0-sc.certificate")
    claim = (
        "confirmed: clients under SC: in Stock each of put(1) is atomic with each of put(1), take(), after up to 1 of "
        "put(1), take(), as to what it holds then, too: nothing fails, and no threads wait for ever"
    )
    assert claim in told.out
    clients = desk.folder / "proofs" / "stock-levels-0-sc.py"
    clients.write_text(clients.read_text().replace("BEFORE = ((0, 1),)", "BEFORE = ((0,),)"))
    assert "stock-levels-0-sc.py is not what it was" in desk.mcr("certify", "proofs/stock-levels-0-sc.certificate").out
    clients.write_text(clients.read_text().replace("told.returns(held_by(thing))", "told.returns(1)"))
    assert desk.mcr("check", str(clients), "--model", "sc", "--certificate", "forged").status == 0
    assert "atomic" not in desk.mcr("certify", "forged/clients-sc.certificate").out


class Racy:
    """Two calls at once may count one; only a look at the object tells."""

    def __init__(self) -> None:
        self.count = 0

    def add(self) -> None:
        self.count += 1

    def get(self) -> int:
        return self.count


def test_pairs_that_are_not_atomic_have_none(tmp_path: Path) -> None:
    """Somebody who claims that all are gets no certificate."""
    found = mcr.levels(Racy, before=0)
    assert found.of("add", "add").level != ATOMIC
    claimed = replace(found, pairs=tuple(replace(pair, level=ATOMIC) for pair in found.pairs))
    told = with_certificates(claimed, Racy, None, Options(), tmp_path)
    assert not told.certificates
    assert told.no_certificate.endswith("racy-levels-0-sc.py are bug")
    honest = with_certificates(found, Racy, None, Options(), tmp_path)
    assert len(honest.certificates) == 2
    assert honest.no_certificate == "a certificate shows that pairs are atomic, and these are only safe: add with add"
    for file in map(Path, honest.certificates):
        said = read(file)
        assert "is atomic with each of" in confirm(said, program_of(said, file))


@pytest.mark.parametrize("more", [("--invariant", "stock.py::Stock"), ("--spec", "stock.py::Stock")])
def test_other_questions_of_pairs_have_none(desk: Desk, more: tuple[str, str]) -> None:
    desk.write("stock.py", STOCK)
    told = desk.mcr("levels", "stock.py::Stock", *ASKED, *more)
    assert told.status == 2
    assert "leave out --spec and --invariant" in told.err
