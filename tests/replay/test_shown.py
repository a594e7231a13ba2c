"""Values as text: never an exception, never an address, never a novel."""

from __future__ import annotations

import pytest

from replay.world.shown import LONGEST, shown, shown_error


class Mute:
    def __repr__(self) -> str:
        raise ValueError("no")


class Liar:
    def __repr__(self) -> str:
        return 3  # type: ignore[return-value]


class Plain:
    pass


class Silent(Exception):
    def __str__(self) -> str:
        raise KeyError


def nested(depth: int) -> object:
    value: object = ()
    for _ in range(depth):
        value = (value,)
    return value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ((1, "a", 0.5, None, ()), "(1, 'a', 0.5, None, ())"),
        ((True,), "(True,)"),
        (frozenset(), "frozenset()"),
        (frozenset("cab"), "frozenset({'a', 'b', 'c'})"),
        (Mute(), "<Mute, whose __repr__ raises ValueError>"),
        ((1, Liar()), "(1, <Liar, whose __repr__ raises TypeError>)"),
        (Plain(), "Plain"),
        ([Plain()], "[Plain]"),
        (nested, "nested"),
        (nested(50_000), "<tuple, nested too deeply to be shown>"),
        ("at 0x7f00>", "'at 0x7f00>'"),
    ],
)
def test_what_is_shown(value: object, text: str) -> None:
    assert shown(value) == text


def test_long_texts_are_short_and_distinct() -> None:
    one, two = shown("x" * 10**6 + "1"), shown("x" * 10**6 + "2")
    assert one != two
    assert max(len(one), len(two)) < LONGEST + 60


def test_integers_that_python_does_not_print() -> None:
    assert shown(10**5000).startswith("0x")
    assert shown((10**5000, 1)) != shown((10**5000 + 1, 1))


def test_the_messages_of_exceptions() -> None:
    assert shown_error(ValueError("wrong", 1)) == "('wrong', 1)"
    assert shown_error(Silent()) == "<no message: its __str__ raises KeyError>"
    assert shown_error(ValueError(f"{Plain()} at 0x10")) == "Plain at 0x10"
