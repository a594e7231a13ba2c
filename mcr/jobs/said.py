"""What is said while an item is done elsewhere, kept until its turn to be heard."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator


class _Ear(io.TextIOBase):
    """A stream that notes what is written to it."""

    def __init__(self, said: list[tuple[str, str]], name: str) -> None:
        self._said = said
        self._name = name

    def write(self, text: str, /) -> int:
        self._said.append((self._name, text))
        return len(text)

    def writable(self) -> bool:
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"


@contextlib.contextmanager
def listening() -> Iterator[list[tuple[str, str]]]:
    """The texts that are written to standard output ("out") and error ("err") meanwhile, in order."""
    said: list[tuple[str, str]] = []
    with contextlib.redirect_stdout(_Ear(said, "out")), contextlib.redirect_stderr(_Ear(said, "err")):
        yield said
