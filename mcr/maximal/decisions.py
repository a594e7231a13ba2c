"""The classes that were seen, as a tree: one decision after the other, each a load and the values that it took."""

from __future__ import annotations

from dataclasses import dataclass

from mcr.maximal.observation import Event, Observation
from mcr.maximal.questions import STUCK, Goal, is_determined
from replay.state import State
from replay.values import ValueId


@dataclass(frozen=True)
class Walk:
    """A trace with changes that follows the tree, to find where it leaves it.

    trace     as it was observed
    changes   what is to be read instead, at which local states
    value     what the changed trace reads at the decision where it stands
    decided   events of the trace that the decisions above fix, changed ones left out
    stalled   decisions above that the trace never came to
    """

    trace: Observation
    changes: tuple[Goal, ...]
    value: ValueId
    decided: tuple[Event, ...]
    stalled: tuple[Decision, ...] = ()


class Decision:
    """A point of the search: all decisions above it are made, and it is up to this load.

    state   the local state that asks for the load
    taken   the next decision by value; None where that is not known yet, or where none is left
    asked   questions that were put to the solver, with what their answers depended on
    shown   what traces that passed here read, at which local state
    rests   by value, what a trace that made its last decision here read without having to decide
    walks   by value, walks that wait here until an execution has shown what there is to decide next
    """

    __slots__ = ("asked", "rests", "shown", "state", "taken", "walks")

    def __init__(self, state: State) -> None:
        self.state = state
        self.taken: dict[ValueId, Decision | None] = {}
        self.asked: set[object] = set()
        self.shown: set[Goal] = set()
        self.rests: dict[ValueId, dict[State, ValueId]] = {}
        self.walks: dict[ValueId, list[Walk]] = {}


class Decisions:
    """The tree of all decisions."""

    def __init__(self) -> None:
        self._root: Decision | None = None

    def insert(self, values: dict[State, ValueId]) -> list[Decision]:
        """The decisions that a trace with these values makes, first to last; new ones are added.

        A load that the trace did not come to has the value STUCK.
        """
        rest = dict(values)
        path: list[Decision] = []
        decision = self._root = self._root or _first_open(rest)
        while decision is not None:
            path.append(decision)
            value = rest.pop(decision.state, STUCK)
            decision.shown.update(values.items())
            decision.shown.add((decision.state, value))
            decision = _next(decision, value, rest)
        return path


def _next(decision: Decision, value: ValueId, rest: dict[State, ValueId]) -> Decision | None:
    """The decision after one that took `value`, made if need be; None if nothing is left to decide."""
    following = decision.taken.get(value)
    if following is None:
        following = _first_open(rest)
        earlier = decision.rests.get(value)
        if following is None:
            decision.rests[value] = rest
        elif earlier is not None and following.state in earlier:
            following.taken[earlier[following.state]] = None
        decision.taken[value] = following
    return following


def _first_open(values: dict[State, ValueId]) -> Decision | None:
    """The first load that is to be decided; what is determined only matters when it is stuck."""
    for state, value in values.items():
        if value == STUCK or not is_determined(state):
            return Decision(state)
    return None
