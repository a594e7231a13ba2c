"""Handlers of loggers: those that write are silent while runs are explored, all others run or are refused."""

from __future__ import annotations

from tests.desk import Desk

PLAIN = """
import logging
import mcr

class Keeping(logging.Handler):
    def emit(self, record):
        self.seen.store(1)

@mcr.program
def keeps(p):
    seen = p.var("seen", 0)

    def t():
        handler, log = Keeping(), logging.Logger("log")
        handler.seen = seen
        log.addHandler(handler)
        log.warning("careful")
        assert seen.load() == 0
    p.thread(t)
"""

ORDINARY = """
import logging
import mcr

class Counting(logging.Handler):
    def __init__(self, service):
        super().__init__()
        self.service = service

    def emit(self, record):
        self.service.count += 1

class Service:
    def __init__(self):
        self.count = 0

    def work(self):
        log = logging.Logger("service")
        log.addHandler(Counting(self))
        log.warning("careful")

@mcr.program
def counts(p):
    service = p.share(Service())
    p.thread(service.work)

    @p.final
    def end():
        assert service.count == EXPECTED
"""

WRITING = """
import io, logging
import mcr

to_file = logging.FileHandler("log.txt")
to_terminal = logging.StreamHandler()
to_terminal.setFormatter(logging.Formatter("%(message)s"))
log = logging.Logger("log")
for handler in (to_file, to_terminal, logging.NullHandler()):
    log.addHandler(handler)

@mcr.program
def writes(p):
    x = p.var("x", 0)

    def t():
        log.warning("was %s", x.load())
        x.store(1)
    p.thread(t)
    p.thread(t)

@mcr.program
def reads(p):
    def t():
        text, other = io.StringIO(), logging.Logger("other")
        other.addHandler(logging.StreamHandler(text))
        other.warning("careful")
        assert not text.getvalue()
    p.thread(t)
"""


def test_a_handler_whose_lock_is_none_of_the_model_is_refused(desk: Desk) -> None:
    desk.write("plain.py", PLAIN)
    answer = desk.mcr("check", "plain.py", "--model", "sc")
    assert answer.status == 2
    assert answer.err.startswith("error: plain.py:16: the logger 'log' calls a Keeping, whose lock the model does not")


def test_a_handler_of_an_ordinary_class_runs(desk: Desk) -> None:
    for expected, status in ((0, 1), (1, 0)):
        desk.write("service.py", ORDINARY.replace("EXPECTED", str(expected)))
        assert desk.mcr("check", "service.py").status == status


def test_what_only_writes_is_silent_and_what_can_be_read_is_refused(desk: Desk) -> None:
    desk.write("writing.py", WRITING)
    assert desk.mcr("check", "writing.py::writes", "--model", "sc").status == 0
    assert not (desk.folder / "log.txt").read_text()
    answer = desk.mcr("check", "writing.py::reads", "--model", "sc")
    assert answer.status == 2
    assert "the logger 'other' calls a StreamHandler" in answer.err
