"""The algorithms by name: the one place that the command line, `mcr.check`, pytest, compare, litmus and bench ask.

A name may be followed by a variant: "mcr:paper". What an algorithm does not support is refused here, with a sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mcr.exploration.goals import DEADLOCKS, OUTCOMES, STATES, Goals, objectives
from replay.errors import CheckerError

if TYPE_CHECKING:
    from mcr.exploration.contract import Explorer
    from mcr.exploration.stage import Stage

AUTO = "auto"
"""The default."""


@dataclass(frozen=True)
class Algorithm:
    """An algorithm that explores programs.

    title        what it does, in a line
    guarantee    what *verified* rests on
    independent  which of its work needs nothing that other work finds out, so that it may be done elsewhere
    make         makes the explorer of a stage; gets the variant, "" if none is asked for
    only         what it can look for, None for everything
    variants     other ways to do it, and what they are
    """

    name: str
    title: str
    guarantee: str
    independent: str
    make: Callable[[Stage, str], Explorer]
    only: tuple[str, ...] | None = None
    variants: dict[str, str] = field(default_factory=dict)

    @property
    def objectives(self) -> list[str]:
        """What it can look for."""
        return [name for name in objectives() if self.only is None or name in self.only]


def _auto(stage: Stage, _: str) -> Explorer:
    from mcr.explorers.auto import Auto

    return _with_deadlocks(stage, Auto(stage))


def _cover(stage: Stage, _: str) -> Explorer:
    from mcr.exploration.class_tally import ClassTally
    from mcr.explorers.cover.room import covering

    return _with_deadlocks(stage, covering(stage, ClassTally(stage) if stage.goals.equivalence else None))


def _trust(stage: Stage, _: str) -> Explorer:
    from mcr.exploration.class_tally import ClassTally
    from mcr.explorers.trust.exploration import ExploreGraphs

    return _with_deadlocks(stage, ExploreGraphs(stage, ClassTally(stage) if stage.goals.equivalence else None))


def _with_deadlocks(stage: Stage, explorer: Explorer) -> Explorer:
    if not stage.goals.deadlocks:
        return explorer
    from mcr.explorers.cover.deadlocks import ThenDeadlocks

    return ThenDeadlocks(stage, explorer)


def _maximal_causality(stage: Stage, variant: str) -> Explorer:
    from mcr.explorers.maximal_causality.explorer import MaximalCausality, Variant
    from mcr.explorers.maximal_causality.program_order import PAPER

    variants = {"": Variant(), "paper": Variant(encoding=PAPER), "permutable": Variant(keep_permutable=True)}
    return MaximalCausality(stage, variants[variant])


def _exhaustive(stage: Stage, _: str) -> Explorer:
    from mcr.explorers.exhaustive.explorer import Exhaustive

    return Exhaustive(stage)


ALGORITHMS: dict[str, Algorithm] = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm(
            AUTO,
            "cover, or trust where there are few execution graphs; finds out which serves",
            "that of the one that ended",
            "that of the two",
            _auto,
        ),
        Algorithm(
            "cover",
            "shows every local state, with seeds read off executions and asked of a solver",
            "the solver proves that no execution leads to another local state (or class)",
            "seeds: any order shows the same local states",
            _cover,
        ),
        Algorithm(
            "trust",
            "visits every execution graph once, without a solver [kokologiannakis-2022]",
            "every graph was visited",
            "graphs: what comes of one needs nothing of another",
            _trust,
        ),
        Algorithm(
            "mcr",
            "maximal causality reduction as published [huang-2016]",
            "a formula of all traces has no execution of another class of values",
            "questions: each is about one trace",
            _maximal_causality,
            only=(STATES, "values"),
            variants={
                "paper": "the published treatment of store buffers, which leaves out store forwarding",
                "permutable": "runs permutable seeds as well, as published",
            },
        ),
        Algorithm(
            "exhaustive",
            "visits every configuration of the store-buffer machine, one by one: slow, and obviously right",
            "every configuration was visited",
            "configurations, but for the question whether one was visited before",
            _exhaustive,
            only=(STATES, OUTCOMES, "values", DEADLOCKS),
        ),
    )
}
"""Every algorithm, the default first."""


def names() -> list[str]:
    """Every name that `parse` takes."""
    return [
        name
        for algorithm in ALGORITHMS.values()
        for name in (algorithm.name, *(f"{algorithm.name}:{variant}" for variant in algorithm.variants))
    ]


def parse(text: str) -> tuple[Algorithm, str]:
    """The algorithm of that name, and its variant. Raises CheckerError for what does not exist."""
    name, _, variant = text.partition(":")
    algorithm = ALGORITHMS.get(name)
    if algorithm is None:
        raise CheckerError(f"unknown algorithm {name!r}; there are {', '.join(ALGORITHMS)}")
    if variant and variant not in algorithm.variants:
        there_are = f"there are {', '.join(algorithm.variants)}" if algorithm.variants else "it has none"
        raise CheckerError(f"unknown variant {variant!r} of algorithm {name}; {there_are}")
    return algorithm, variant


def check_supports(text: str, goals: Goals) -> None:
    """Raises CheckerError if the algorithm does not exist, or cannot look for that; then it names what can."""
    algorithm, _ = parse(text)
    for name in goals.names:
        if name not in algorithm.objectives:
            able = [other.name for other in ALGORITHMS.values() if name in other.objectives]
            raise CheckerError(
                f"algorithm {algorithm.name} does not look for {name}, only for {', '.join(algorithm.objectives)}; "
                f"these do: {', '.join(able)}"
            )
