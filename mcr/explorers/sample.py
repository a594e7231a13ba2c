"""Random schedules for programs that are too large for a proof, with a bound on what they miss.

After "A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs" (Burckhardt, Kothari, Musuvathi,
Nagarakatte; ASPLOS 2010). A bug has depth d if d ordering constraints between steps are enough to make it happen. PCT
gives each thread a random priority, always runs the first that can run, and at d - 1 random steps puts the one that is
running behind all others. In a program of n threads and k steps, each such run finds a bug of depth d with a
probability of at least 1 / (n k^(d-1)). Here the buffers in which stores wait are threads of that kind: their steps
are commits. Runs of PCT take turns with random walks, for which there is no such bound, and which find other bugs
sooner.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import NamedTuple

from mcr.exploration.completion import RunToEnd
from mcr.exploration.context import ExplorationContext
from mcr.exploration.contract import Claim, GoOn, News, Run, Work
from mcr.exploration.verdict import Stop
from replay.machine.machine import Choice, Machine, make_choice
from replay.machine.state import NOTHING
from replay.sentences import counted

DEPTHS = (1, 2, 3)
"""Of bugs that PCT looks for: most that are known need no more."""

_FIRST = 8
"""Random walks that come first, to see how long runs are."""

_REMEDY = "sample more runs, or check a smaller program without --sample for a proof"

Actor = tuple[int, str]
"""Who takes steps: a thread and "", or one of its store buffers by its name."""


class Sample:
    """Runs as many schedules as were asked for; the same ones each time."""

    def __init__(self, context: ExplorationContext) -> None:
        self._context = context
        self._runs = 0
        self._longest = 1
        self._actors = 1
        self._inputs = False
        self._room = 0
        """k: among so many steps those are drawn at which priorities change; 0 while that is not known."""
        self._counted = dict.fromkeys(DEPTHS, 0)
        """Runs of PCT by depth, since k is what it is."""

    def begin(self) -> Iterable[Work]:
        return ()

    def remaining(self) -> Work | None:
        return None if self._runs >= self._context.options.sample else GoOn()

    def expand(self, work: Work) -> Iterator[News]:
        context, number = self._context, self._runs
        context.limits.check_executions(context.statistics.executions)
        random = Random(number)
        depth = depth_of_run(number)
        if depth and not self._room:
            self._room = 2 * self._longest
        walk = _Walk(Machine(context.unfolding, context.model), random, depth, self._room)
        choices = walk.run()
        self._runs += 1
        self._actors = max(self._actors, len(walk.priorities))
        self._longest = max(self._longest, walk.steps)
        self._inputs |= walk.has_inputs
        if self._room and walk.steps > self._room:  # what was run before counts for shorter programs than this one
            self._room, self._counted = 2 * walk.steps, dict.fromkeys(DEPTHS, 0)
        elif depth:
            self._counted[depth] += 1
        yield Run(choices, walk.machine)

    def claim(self) -> Claim:
        sampled, bound = f"{counted(self._runs, 'schedule')} sampled at random", self._bound()
        stop = None if self._context.bugs else Stop(sampled, f"{bound}; {_REMEDY}")
        return Claim("sample", stop=stop, covers_final=False, bound=f"of {sampled}: {bound}")

    def _bound(self) -> str:
        """With which probabilities bugs are missed, as a sentence."""
        n, k = self._actors, max(self._room, self._longest)
        missed = [
            f"{_shown(missed_at_most(n, k, depth, runs))} for depth {depth}" for depth, runs in self._counted.items()
        ]
        inputs = ", if the inputs that were drawn are those that matter" if self._inputs else ""
        return (
            f"a bug was missed with a probability of at most {', '.join(missed)} "
            f"(n = {n} threads and buffers, k = {k} steps; Burckhardt et al. 2010){inputs}"
        )


def depth_of_run(number: int) -> int:
    """The depth of bugs that a run looks for by PCT; 0 for a random walk."""
    return 0 if number < _FIRST or number % 2 == 0 else DEPTHS[number // 2 % len(DEPTHS)]


def missed_at_most(n: int, k: int, depth: int, runs: int) -> float:
    """The probability that so many runs of PCT all miss a bug of that depth, at most."""
    return float((1 - 1 / (n * k ** (depth - 1))) ** runs)


def _shown(probability: float) -> str:
    return f"{probability:.2g}" if probability < 0.99 else "over 0.99"


class _Step(NamedTuple):
    """A step that an actor can take now."""

    actor: Actor
    choice: Choice | None
    """None for a wait that failed, and is tried again."""


class _Walk(RunToEnd):
    """One run: by PCT if a depth is given, else a random walk.

    priorities  of everybody who could take a step so far; the highest goes first
    """

    def __init__(self, machine: Machine, random: Random, depth: int, room: int) -> None:
        super().__init__(machine)
        self.machine = machine
        self.priorities: dict[Actor, float] = {}
        self.steps = 0
        self.has_inputs = False
        self._random = random
        self._walks = depth == 0
        places = sorted(random.sample(range(1, room + 1), min(depth - 1, room))) if depth > 1 else []
        self._changes = {place: (depth - number) / depth for number, place in enumerate(places, start=1)}

    def _curious(self) -> int | None:
        """Chance alone decides."""
        return None

    def _next(self, turn: int) -> int | None:
        able = list(self._able())
        if not able:
            return None
        self.steps += 1
        step = self._random.choice(able) if self._walks else max(able, key=lambda each: self.priorities[each.actor])
        if self.steps in self._changes:
            self.priorities[step.actor] = self._changes[self.steps]
        thread = step.actor[0]
        if step.choice is None:
            self._retry(thread)
        else:
            self.play(step.choice)
        return thread

    def _able(self) -> Iterator[_Step]:
        """Everybody who can take a step now, with a priority."""
        machine = self.machine
        for thread, state in enumerate(machine.states):
            if state.operation is not None and machine.can_run(thread):
                inputs = state.inputs
                self.has_inputs |= bool(inputs)
                chosen = self._random.choice(list(inputs)) if inputs else NOTHING
                yield self._known(_Step((thread, ""), make_choice(thread, NOTHING, chosen)))
            elif self._may_retry(thread):
                yield self._known(_Step((thread, ""), None))
            for location in machine.committable(thread):
                queue = next(store.queue for store in machine.buffers[thread] if store.location == location)
                yield self._known(_Step((thread, f"buffer {queue}"), make_choice(thread, location)))

    def _known(self, step: _Step) -> _Step:
        if step.actor not in self.priorities:
            self.priorities[step.actor] = 1 + self._random.random()
        return step
