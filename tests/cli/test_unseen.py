"""Python objects that threads share unseen: nothing that is not known by its exact type may lead to *verified*."""

from __future__ import annotations

import pytest

import mcr
from tests.cli.unseen.programs import PROGRAMS


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_refused(name: str) -> None:
    with pytest.raises(mcr.ModelError) as raised:
        mcr.check(PROGRAMS[name], "sc")
    assert raised.value.where.rpartition(":")[0].endswith(".py")
