"""Tables fit the width that they are given."""

from __future__ import annotations

import pytest

from mcr.report.layout import Band, Column, Style, TextCell, TextTable, display_width, shortened, wrap


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("load x -> 1", 20, ["load x -> 1"]),
        ("load x -> 1", 9, ["load x ->", "  1"]),
        ("a\nb", 5, ["a", "b"]),
        ("", 5, [""]),
        ("top.compare_exchange(a, b)", 12, ["top.", "  compare_ex", "  change(a,", "  b)"]),
        ("abcdefgh", 4, ["abcd", "  ef", "  gh"]),
        ("and then x = 1 follows", 12, ["and then", "  x = 1", "  follows"]),
        ("name = 'a long value'", 8, ["name =", "  'a", "  long", "  value'"]),
    ],
)
def test_wrap(text: str, width: int, lines: list[str]) -> None:
    assert wrap(text, width) == lines


WIDE = "名前 = '漢字漢字漢字', e\u0301te\u0301 \U0001f600\U0001f600 ok"


@pytest.mark.parametrize("width", range(4, 40))
def test_wide_characters_take_two_columns(width: int) -> None:
    lines = wrap(WIDE, width)
    assert max(map(display_width, lines)) <= width
    assert "".join("".join(lines).split()) == "".join(WIDE.split())


@pytest.mark.parametrize(
    ("text", "width"), [("abc", 3), ("漢字", 4), ("e\u0301", 1), ("\U0001f600", 2), ("a\u200bb", 2), ("", 0), ("é", 1)]
)
def test_display_width(text: str, width: int) -> None:
    assert display_width(text) == width


def test_columns_stay_aligned_beside_wide_text() -> None:
    table = TextTable([Column("a"), Column("b")], [[TextCell("漢字"), TextCell("x")], [TextCell("ab"), TextCell("y")]])
    lines = list(table.render(80, Style()))[2:]
    assert {display_width(line.partition("│")[0]) for line in lines} == {5}


@pytest.mark.parametrize(
    ("text", "most", "short"), [("abcdef", 4, "abc…"), ("abcd", 4, "abcd"), ("漢字漢字", 5, "漢字…")]
)
def test_shortened(text: str, most: int, short: str) -> None:
    assert shortened(text, most) == short


@pytest.mark.parametrize("width", range(3, 30))
def test_wrap_loses_nothing_and_keeps_to_the_width(width: int) -> None:
    text = "node.compare_exchange((0, None), (1, 'a b')) -> [2.5], now {3}"
    lines = wrap(text, width)
    assert max(map(len, lines)) <= width
    assert "".join("".join(lines).split()) == "".join(text.split())


TABLE = TextTable(
    [Column("n", 2, right=True), Column("thread 0\nfirst", 12), Column("thread 1\nsecond", 12)],
    [
        [TextCell("1"), TextCell("x.compare_exchange(None, 'a value') succeeds"), TextCell()],
        Band("after that:"),
        Band("load x -> 'a value'", first=[TextCell("2")]),
        [TextCell("10"), TextCell(), TextCell("load x -> 'a value'")],
    ],
)


@pytest.mark.parametrize("width", [32, 40, 50, 60, 72, 80, 100])
def test_no_line_is_wider_than_the_table_may_be(width: int) -> None:
    assert TABLE.fits(width)
    assert all(len(line) <= width for line in TABLE.render(width, Style()))


def test_does_not_fit() -> None:
    assert not TABLE.fits(31)


def test_narrows_where_it_costs_the_fewest_lines() -> None:
    assert list(TABLE.render(72, Style())) == [
        " n │ thread 0                                     │ thread 1",
        "   │ first                                        │ second",
        "───────────────────────────────────────────────────────────────────────",
        " 1 │ x.compare_exchange(None, 'a value') succeeds │",
        "after that:",
        " 2   load x -> 'a value'",
        "10 │                                              │ load x -> 'a value'",
    ]
    assert len(list(TABLE.render(60, Style()))) == 8


def test_plain_characters_and_colors() -> None:
    assert any("|" in line for line in TABLE.render(80, Style(drawn=False)))
    assert not any("\x1b" in line for line in TABLE.render(80, Style()))
    assert any("\x1b[1;36mthread 0" in line for line in TABLE.render(80, Style(colored=True)))


def test_names_are_not_broken_where_a_space_is_near() -> None:
    assert wrap("choosing[2] = True, number[2] = 1", 13) == ["choosing[2] =", "  True,", "  number[2] =", "  1"]
