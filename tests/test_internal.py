"""Messages about classes that no user can have met are mistakes of ours."""

from __future__ import annotations

import pytest

import mcr
from replay.code.ordinary import internal_class
from replay.frontend.ordinary import values

OURS = values.Reference(values.Member("x", int), values.Group(declared=True))


class Reference:
    """A user's, of the same name."""


def _error(function, *values):
    with pytest.raises((AttributeError, TypeError)) as raised:
        function(*values)
    return raised.value


def _attribute(thing):
    return thing.missing


def _less(one, other):
    return sorted([one, other])


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (_error(_attribute, OURS), "Reference"),
        (_error(_less, OURS, 1), "Reference"),
        (_error(_attribute, Reference()), ""),
        (_error(_less, Reference(), 1), ""),
        (_error(_attribute, None), ""),
        (_error(len, 1), ""),
    ],
)
def test_it_is_known_by_the_object_and_not_by_its_name(error, name):
    assert internal_class(error) == name


def test_a_failure_that_speaks_of_one_is_no_bug():
    @mcr.program
    def fails(p):
        p.thread(_less, OURS, OURS)

    with pytest.raises(mcr.ModelError, match=r"test_internal.py:\d+: TypeError: .*Reference is a class of mcr"):
        mcr.check(fails, "sc")
