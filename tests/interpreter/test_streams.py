"""Streams in memory: their copies go on as they would, and what they hold tells local states apart."""

from __future__ import annotations

import io
from typing import Any

import pytest

import mcr
from replay.interpreter.copier import COPIES, Copier, Uncopyable
from replay.interpreter.streams import state_of_stream


def _copied(stream: Any) -> Any:
    return COPIES[type(stream)](Copier(lambda _: False), stream)


def _text(newline: str) -> io.StringIO:
    stream = io.StringIO("one\ntwo", newline=newline)
    stream.seek(4)
    stream.write("a\nb")
    stream.seek(2)
    return stream


def _bytes() -> io.BytesIO:
    stream = io.BytesIO(b"one\ntwo")
    stream.seek(20)
    return stream


@pytest.mark.parametrize(
    "stream", [*map(_text, ("\n", "\r", "\r\n")), io.StringIO(), _bytes()], ids=["n", "r", "rn", "empty", "bytes"]
)
def test_a_copy_goes_on_as_the_original(stream: Any) -> None:
    copy, more = _copied(stream), b"x\ny" if type(stream) is io.BytesIO else "x\ny"
    assert state_of_stream(copy) == state_of_stream(stream)
    stream.read(1)
    stream.write(more)
    assert state_of_stream(copy) != state_of_stream(stream)
    copy.read(1)
    copy.write(more)
    assert state_of_stream(copy) == state_of_stream(stream)
    for each in (copy, stream):
        each.seek(0)
    assert copy.readlines() == stream.readlines()


def _with_attribute() -> io.StringIO:
    stream = io.StringIO()
    stream.name = "name"  # type: ignore[misc]
    return stream


def _closed() -> io.BytesIO:
    stream = io.BytesIO()
    stream.close()
    return stream


@pytest.mark.parametrize("stream", [_with_attribute(), _closed(), io.StringIO(newline=None), io.StringIO(newline="")])
def test_what_cannot_be_told_is_not_copied(stream: Any) -> None:
    with pytest.raises(Uncopyable, match="of which not all can be told"):
        _copied(stream)


@pytest.mark.parametrize("kind", [io.StringIO, io.BytesIO])
def test_what_a_stream_holds_and_where_it_stands_is_seen(kind: Any) -> None:
    @mcr.program
    def reading(p):
        x = p.var("x", 0)

        def read() -> Any:
            stream = kind("abc" if kind is io.StringIO else b"abc")
            stream.seek(x.load())
            x.load()
            return stream.read()

        p.thread(read)
        p.thread(lambda: x.store(1))

    result = mcr.check(reading, "sc", objective="outcomes")
    expected = {"abc", "bc"} if kind is io.StringIO else {b"abc", b"bc"}
    assert {str(outcome) for outcome, _ in result.witnesses} == {str((each, None)) for each in expected}
