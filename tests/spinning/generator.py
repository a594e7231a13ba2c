"""Random programs with loops that look at memory: the text of a program `generated` for each seed."""

from __future__ import annotations

import random
import textwrap
from collections.abc import Callable

LOCATIONS = ("x", "y", "z")


def generate(seed: int, *, endless: bool = False, alike: bool = False) -> str:
    """With `endless`, most threads do what they do for ever; their buffers are empty now and then.

    With `alike`, two of them do the same.
    """
    return _Writer(random.Random(seed), endless, alike).program()


class _Writer:
    def __init__(self, rng: random.Random, endless: bool, alike: bool) -> None:
        self._rng = rng
        self._endless = endless
        self._alike = alike

    def program(self) -> str:
        count = self._rng.choice((2, 2, 3))
        threads = [self._thread(number, self._rng.randint(1, 3 if count == 2 else 2)) for number in range(count)]
        starts = "\n".join(f"p.thread(thread{0 if self._alike and number == 1 else number})" for number in range(count))
        check = self._rng.choice(("", f"assert {self._place()}.load() != {self._value()}\n"))
        final = f"@p.final\ndef final():\n{_indented(check)}    return x.load(), y.load(), z.load()"
        variables = "x, y, z = p.var('x', 0), p.var('y', 0), p.var('z', 0)\nlock = p.mutex('lock')"
        body = "\n".join((variables, *threads, starts, final))
        return f"import mcr\n\n\n@mcr.program\ndef generated(p):\n{_indented(body)}"

    def _thread(self, number: int, size: int) -> str:
        statements = [self._choose(self._spin, self._spin, self._step, self._choice) for _ in range(size)]
        last = self._choose(lambda: "pass", self._check, lambda: f"{self._place()}.store({self._value()})")
        body = "\n".join((*statements, last))
        if self._endless and self._rng.random() < 0.8:
            body = f"while True:\n{_indented(body)}\n    p.fence()"
        return f"def thread{number}():\n    r = s = 0\n{_indented(body)}"

    def _choose(self, *ways: Callable[[], str]) -> str:
        return self._rng.choice(ways)()

    def _place(self) -> str:
        return self._rng.choice(LOCATIONS)

    def _value(self) -> int:
        return self._rng.choice((0, 1, 1, 2))

    def _step(self) -> str:
        place, value, register = self._place(), self._value(), self._rng.choice("rs")
        return self._rng.choice(
            (
                f"{place}.store({value})",
                f"{place}.store({value})",
                f"{register} = {place}.load()",
                f"{register} = {place}.exchange({value})",
                f"{register} = {place}.compare_exchange({value}, {self._value()})",
                f"with lock:\n    {place}.store({value})",
                "p.fence()",
                "p.store_fence()",
            )
        )

    def _check(self) -> str:
        return f"assert (r, s) != ({self._value()}, {self._value()})"

    def _choice(self) -> str:
        condition = self._rng.choice((f"r == {self._value()}", f"{self._place()}.load() == {self._value()}"))
        other = f"\nelse:\n{_indented(self._step())}" if self._rng.random() < 0.5 else ""
        return f"if {condition}:\n{_indented(self._step())}{other}"

    # -- loops -----------------------------------------------------------------------

    def _spin(self) -> str:
        return self._choose(self._natural, self._loop, self._loop, self._entered_in_the_middle)

    def _natural(self) -> str:
        """Loops as locks and lock-free structures have them."""
        one, other = self._place(), self._place()
        a, b = self._value(), self._value()
        return self._rng.choice(
            (
                f"while {one}.load() != {a}:\n    pass",
                f"while {one}.load() == {a} or {other}.load() == {b}:\n    pass",
                f"while (r := {one}.load()) == {a} and (s := {other}.load()) != {b}:\n    pass",
                f"while {one}.exchange({a}) == {a}:\n    pass",
                f"while {one}.exchange({a}) == {a}:\n    while {one}.load() == {a}:\n        pass",
                f"while not {one}.compare_exchange({a}, {b}):\n    pass",
                f"while True:\n    r = {one}.load()\n    if {one}.compare_exchange(r, 2):\n        break",
                f"while True:\n    r = {one}.load()\n    if r == {a}:\n        continue\n    s = {other}.load()\n"
                f"    if {one}.load() == r:\n        break",
                f"while not lock.try_lock():\n    pass\nr = {one}.load()\nlock.unlock()",
                f"while {one}.load() != {a}:\n    with lock:\n        r = {other}.load()",
            )
        )

    def _loop(self, depth: int = 0) -> str:
        """Any loop that only looks, until it ends."""
        kinds = [self._look, self._look, self._way_out]
        if depth < 1:
            kinds.append(lambda: self._loop(depth + 1))
        body = [self._choose(*kinds) for _ in range(self._rng.randint(0, 3))]
        if not any("break" in line for line in body):
            condition = f"{self._place()}.load() {self._rng.choice(('==', '!='))} {self._value()}"
        else:
            condition = self._rng.choice(("True", f"s != {self._value()}"))
            body.insert(0, f"r = {self._place()}.load()")
        return f"while {condition}:\n{_indented(chr(10).join((*body, 'pass')))}"

    def _look(self) -> str:
        place, value = self._place(), self._value()
        return self._rng.choice(
            (
                f"r = {place}.load()",
                f"s = {place}.load()",
                "s = 1 - s",
                f"if {place}.load() == {value}:\n    s = 1",
                f"if {place}.load() == {value}:\n    continue",
                f"r = {place}.compare_exchange({value}, {value})",
                f"for _ in range(2):\n    if {place}.load() == {value}:\n        break",
                "p.fence()",
                "p.store_fence()",
            )
        )

    def _way_out(self) -> str:
        condition = self._rng.choice((f"{self._place()}.load() == {self._value()}", f"r == {self._value()}"))
        effect = self._rng.choice(("", f"{self._place()}.store({self._value()})\n"))
        return f"if {condition}:\n{_indented(effect)}    break"

    def _entered_in_the_middle(self) -> str:
        """The first turn begins elsewhere, depending on what was read before."""
        one, other = self._place(), self._place()
        return (
            f"if {self._place()}.load() == {self._value()}:\n    {self._place()}.load()\n"
            f"late = {self._place()}.load() == {self._value()}\nwhile True:\n    if not late:\n"
            f"        if {one}.load() == {self._value()}:\n            break\n    late = False\n"
            f"    if {other}.load() == {self._value()}:\n        break"
        )


def _indented(text: str) -> str:
    return textwrap.indent(text, "    ")
