"""Objects of classes that a function has made are shared as others are; the classes stay what they are."""

from __future__ import annotations

import pytest

import mcr
from tests.ordinary import made_classes, made_tuples

PROGRAMS = {
    name: each for name, each in vars(made_classes).items() if name.partition("_")[0] in ("lost", "kept", "refused")
}
SENTENCES = {
    "refused_class_attribute": "n of C#0.1 is changed, a class that a thread has made and that is shared: define",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_what_python_does(name: str) -> None:
    if name in SENTENCES:
        with pytest.raises(mcr.ModelError, match=SENTENCES[name]):
            mcr.check(PROGRAMS[name])
    else:
        assert mcr.check(PROGRAMS[name]).verdict.value == ("bug" if name.startswith("lost") else "verified")


TUPLES = {name: each for name, each in vars(made_tuples).items() if name.startswith("right_")}


@pytest.mark.parametrize("name", TUPLES)
def test_classes_of_tuples_are_what_they_are_in_cpython(name: str) -> None:
    assert mcr.check(TUPLES[name]).verdict.value == "verified"
    TUPLES[name]()


def test_a_class_that_the_program_function_makes_is_shared() -> None:
    @mcr.program
    def program(p):
        class Counter:
            def __init__(self):
                self.n = 0

            def inc(self):
                self.n += 1
                self.other = Counter()
                assert type(self.other) is Counter

        counter = p.share(Counter())
        p.thread(counter.inc)
        p.thread(counter.inc)

        @p.final
        def end():
            assert counter.n == 2 and isinstance(counter.other, Counter)

    assert mcr.check(program).verdict is mcr.Verdict.BUG
