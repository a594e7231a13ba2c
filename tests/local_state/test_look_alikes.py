"""Two histories that differ are never taken for one, however few look at the difference: every bug is found, or the
program is refused."""

from __future__ import annotations

import pytest

import mcr
from mcr.exploration.options import Options
from replay.errors import ModelError
from tests.local_state.look_alikes import PROGRAMS
from tests.local_state.pairs import unless_refused

REFUSED = {
    "annotation_of_a_function": "thread code uses __annotations__",
    "variable_of_a_generator": "thread code uses f_locals",
    "decimal_context_by_getattr": "uses the Python object 'decimal' of type module",
    "attribute_of_a_module": "changes the Python object 'math.own'",
    "class_registered_with_one_of_pythons": "changes the Python object 'Sized'|uses collections.abc.Sized.register",
    "match_args_of_a_class": "changes the Python object 'Matched'",
}
"""Programs in which threads could share what is not compared, with what is said of them."""


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("merge", [True, False], ids=["merged", "apart"])
def test_its_bug_is_found(name: str, merge: bool) -> None:
    if name in REFUSED:
        with pytest.raises(ModelError, match=REFUSED[name]):
            mcr.check(PROGRAMS[name], "sc", options=Options(merge=merge))
        return
    with unless_refused(name):
        result = mcr.check(PROGRAMS[name], "sc", options=Options(shorten=False, merge=merge))
        assert result.verdict is mcr.Verdict.BUG
