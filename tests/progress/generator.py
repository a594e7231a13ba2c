"""Random programs that may go on for ever: the text of a program `generated` for each seed."""

from __future__ import annotations

import random
import textwrap


def generate(seed: int) -> str:
    """Two or three threads over two cells and a mutex; some of them daemons. In half of the programs nobody waits.

    Where a loop stores, it ends with a fence, so that no buffer grows without bound.
    """
    return _Writer(random.Random(seed)).program()


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._waits = rng.random() < 0.5

    def program(self) -> str:
        threads = [self._thread(number) for number in range(self._rng.choice((2, 2, 3)))]
        body = "\n".join(("x, y = p.var('x', 0), p.var('y', 0)", "lock = p.mutex('lock')", *threads))
        return f"import mcr\n\n\n@mcr.program\ndef generated(p):\n{_indented(body)}"

    def _thread(self, number: int) -> str:
        is_daemon = self._rng.random() < 0.4
        body = "\n".join(self._statement() for _ in range(self._rng.randint(1, 2)))
        if self._rng.random() < (0.7 if is_daemon else 0.1):
            completed = self._rng.choice(("", "\n    p.completed()"))
            body = f"while True:\n{_indented(body)}{completed}\n    p.fence()"
        return f"def thread{number}():\n{_indented(body)}\np.thread(thread{number}, daemon={is_daemon})"

    def _statement(self) -> str:
        ways = [self._step, self._retry, self._retry, self._try_again]
        return self._rng.choice([*ways, self._wait, self._locked] if self._waits else [*ways, self._step])()

    def _place(self) -> str:
        return self._rng.choice("xy")

    def _value(self) -> int:
        return self._rng.choice((0, 1, 1, 2))

    def _condition(self) -> str:
        one = f"{self._place()}.load() {self._rng.choice(('==', '!='))} {self._value()}"
        updates = (
            f"{self._place()}.exchange({self._value()}) == {self._value()}",
            f"not {self._place()}.compare_exchange({self._value()}, {self._value()})",
        )
        return self._rng.choice((one, one, one, *updates))

    def _step(self) -> str:
        place, value = self._place(), self._value()
        return self._rng.choice(
            (
                f"{place}.store({value})",
                f"{place}.store({value})",
                f"{place}.exchange({value})",
                f"{place}.compare_exchange({value}, {self._value()})",
                f"if {place}.load() == {value}:\n    {self._place()}.store({self._value()})",
                "p.fence()",
                "p.store_fence()",
            )
        )

    def _retry(self) -> str:
        last = self._locked() if self._waits else self._step()
        body = self._rng.choice(("pass", self._step(), f"{self._step()}\n{self._step()}", last))
        fence = "\np.fence()" if "store" in body else ""
        return f"while {self._condition()}:\n{_indented(body + fence)}"

    def _try_again(self) -> str:
        """Sets something, looks, takes it back."""
        one, other = self._place(), self._place()
        return (
            f"while True:\n    {one}.store({self._value()})\n    p.fence()\n"
            f"    if {self._condition()}:\n        break\n    {other}.store({self._value()})\n    p.fence()"
        )

    def _wait(self) -> str:
        also = self._rng.choice(("", "", f" or {self._place()}.load() == {self._value()}"))
        return f"p.wait_until(lambda: {self._place()}.load() == {self._value()}{also})"

    def _locked(self) -> str:
        return f"with lock:\n{_indented(self._step())}"


def _indented(text: str) -> str:
    return textwrap.indent(text, "    ")
