"""Python objects that threads share unseen: nothing that is not known by its exact type may lead to *verified*."""

from __future__ import annotations

import pytest

import mcr
from tests.cli.unseen.programs import PROGRAMS
from tests.desk import Desk


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_refused(name: str) -> None:
    with pytest.raises(mcr.ModelError) as raised:
        mcr.check(PROGRAMS[name], "sc")
    assert raised.value.where.rpartition(":")[0].endswith(".py")


PRINTING = """
import logging
import sys
import mcr

log = logging.getLogger("a")

def say(text, out=sys.stdout):
    print(text, file=out)

@mcr.program
def prints(p):
    x = p.var("x", 0)

    def t():
        sys.stdout.write("a")
        print("b", file=sys.stderr)
        say("c")
        log.warning("d")
        x.fetch_add(1)
    p.thread(t)
    p.thread(t)
"""


def test_standard_streams_are_known(desk: Desk) -> None:
    desk.write("prints.py", PRINTING)
    assert desk.mcr("check", "prints.py", "--model", "sc").status == 0
