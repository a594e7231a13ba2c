"""Nothing of the user's runs natively, in random programs and in what the models are there for."""

from __future__ import annotations

import copy
import functools
import itertools
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

import pytest

from replay.interpreter.execution import Execution
from tests.interpreter.leaks import leaks
from tests.interpreter.program import NAME, generate
from tests.interpreter.running import by_interpreter, compiled, prepared


class Value:
    def __init__(self, number: int) -> None:
        self.number = number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and self.number == other.number

    def __lt__(self, other: Value) -> bool:
        return self.number < other.number

    def __hash__(self) -> int:
        return self.number

    def __repr__(self) -> str:
        return f"Value({self.number})"

    def __add__(self, other: Any) -> Value:
        return Value(self.number + getattr(other, "number", other))

    __radd__ = __add__

    def __index__(self) -> int:
        return self.number


class Several:
    def __iter__(self) -> Any:
        return iter([Value(2), Value(1)])


USES: list[Any] = [
    lambda: (sorted(Several()), min(Several()), max(Several()), sum(Several(), Value(0)), any(Several())),
    lambda: ([*Several()], (*Several(),), list(Several()), tuple(Several()), [*map(str, Several())]),
    lambda: (
        [Value(1)] == [Value(1)],
        (Value(1),) < (Value(2),),
        {1: Value(1)} == {1: Value(1)},
        Value(1) in [Value(1)],
    ),
    lambda: ([Value(1), Value(2)].index(Value(2)), [Value(1)].count(Value(1)), deque([Value(1)]).count(Value(1))),
    lambda: (f"{[Value(1)]} {Value(1)!r}", str({1: Value(1)}), "%s %r" % (Value(1), [Value(1)])),  # noqa: UP031
    lambda: ("{} {0!r}".replace("0", "").format(Value(1), [Value(2)]), ", ".join(map(repr, Several()))),
    lambda: ({Value(1): 1}[Value(1)], {Value(1), Value(1)}, dict.fromkeys(Several()), Counter(a=1), set(Several())),
    lambda: (OrderedDict([(1, Value(1))]), defaultdict(lambda: Value(3))[5], copy.deepcopy([Value(1), Value(2)])),
    lambda: (functools.reduce(lambda left, right: left + right, Several()), list(itertools.accumulate(Several()))),
    lambda: (int(Value(3)), [*itertools.islice(itertools.chain(Several(), Several()), 3)], isinstance(3, Value)),
]


@pytest.mark.parametrize("use", USES)
def test_models_let_nothing_run_natively(use: Any) -> None:
    with leaks(__file__) as found:
        result = Execution().call(use)
    assert not found
    assert repr(result) == repr(use())


def test_random_programs_run_nothing_natively() -> None:
    with prepared():
        for seed in range(20):
            program = compiled(generate(seed))
            with leaks(NAME) as found:
                by_interpreter(program)
            assert [name for name, place in found if place != "outside"] == []
