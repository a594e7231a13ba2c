"""The threads of an x86 test: instructions translated, jumps structured, sizes checked.

Labels and forward jumps become nested `If`s. A jump over a piece of code that nothing else jumps into or out of
becomes an `If` around that piece. Any other jump becomes an `If` with two branches, each with its own copy of all the
code that follows.
"""

from __future__ import annotations

from collections.abc import Sequence

from mcr.litmus.code import Binary, Body, Constant, Expression, If, Statement
from mcr.litmus.errors import LineError
from mcr.litmus.state import InitialState
from mcr.litmus.test import LitmusThread, MemoryColumn
from mcr.litmus.tidy import without_assignments
from mcr.litmus.x86 import FLAGS, translate
from mcr.litmus.x86_operands import Jump, StatementOrJump
from mcr.litmus.x86_syntax import Dialect, Item, Label, parse_program


def structured(steps: Sequence[StatementOrJump], labels: dict[str, int]) -> Body:
    """The steps with jumps made into `If`s; `labels` says before which step each label stands.

    Raises LineError for unknown labels and for backward jumps: a loop has no bound here.
    """
    targets: dict[int, int] = {}
    for place, step in enumerate(steps):
        if isinstance(step, Jump):
            if step.label not in labels:
                raise LineError(f"there is no label {step.label!r} in this thread", step.line)
            if labels[step.label] <= place:
                raise LineError(f"a backward jump to {step.label!r}: loops are not supported", step.line)
            targets[place] = labels[step.label]
    return _Structurer(steps, targets).code(0, len(steps))


class _Structurer:
    def __init__(self, steps: Sequence[StatementOrJump], targets: dict[int, int]) -> None:
        self._steps = steps
        self._targets = targets

    def code(self, start: int, end: int) -> Body:
        """The steps from `start`; at `end`, or where a jump beyond `end` leads, the code stops."""
        found: list[Statement] = []
        place = start
        while place < end:
            step = self._steps[place]
            if not isinstance(step, Jump):
                found.append(step)
                place += 1
                continue
            target = min(self._targets[place], end)
            if step.condition is None:
                place = target
            elif self._stands_alone(place, target):
                skipped = self.code(place + 1, target)
                if skipped:
                    found.append(If(negation(step.condition), skipped, (), step.line))
                place = target
            else:
                branches = self.code(target, end), self.code(place + 1, end)
                found.append(If(step.condition, *branches, step.line))
                break
        return tuple(found)

    def _stands_alone(self, jump: int, target: int) -> bool:
        """Returns whether no jump leaves the code between `jump` and `target`.

        A jump from outside into it does no harm: that path has its own copy.
        """
        return all(self._targets[place] <= target for place in range(jump + 1, target) if place in self._targets)


def negation(condition: Expression) -> Expression:
    """The opposite of a condition, as simply as can be said."""
    match condition:
        case Binary("==", inner, Constant(0)):
            return inner
        case _:
            return Binary("==", condition, Constant(0))


ANYWHERE = ""
"""Stands for the location of an access whose address is in a register."""

Sizes = dict[str, dict[int, int]]
"""By location: the sizes of its accesses, in bits, and a line for each."""


def parse_x86_threads(program: str, dialect: Dialect, initial: InitialState) -> list[LitmusThread]:
    """The threads of a test; their registers start as `initial` says."""
    sizes: Sizes = {}
    threads = []
    for number, (name, line, items) in enumerate(parse_program(program, dialect)):
        steps, labels = _steps(items, dialect, sizes)
        body = without_assignments(structured(steps, labels), FLAGS)
        threads.append(LitmusThread(name, body, initial.registers(number), line))
    _check_sizes(sizes, initial)
    return threads


def _steps(items: list[Item], dialect: Dialect, sizes: Sizes) -> tuple[list[StatementOrJump], dict[str, int]]:
    steps: list[StatementOrJump] = []
    labels: dict[str, int] = {}
    for item in items:
        if isinstance(item, Label):
            if item.name in labels:
                raise LineError(f"the label {item.name!r} stands twice in this thread", item.line)
            labels[item.name] = len(steps)
            continue
        work = translate(item, dialect)
        steps += work.steps
        for location in work.accesses:
            sizes.setdefault(location, {}).setdefault(work.bits, work.line)
    return steps, labels


def _check_sizes(sizes: Sizes, initial: InitialState) -> None:
    """Refuse mixed-size accesses: a location here is one value, not bytes."""
    everywhere = sizes.pop(ANYWHERE, {})
    if not sizes and everywhere:
        sizes[ANYWHERE] = {}
    for location, own in sizes.items():
        found = {**own, **everywhere}
        declared = initial.types.get(MemoryColumn(location))
        if declared is not None:
            found.setdefault(declared.bits, 0)
        if len(found) > 1:
            raise LineError(
                f"{location or 'memory'} is accessed with different sizes, {' and '.join(map(str, sorted(found)))} "
                "bits; mixed sizes are not supported",
                max(found.values()),
            )
