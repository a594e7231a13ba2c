"""The algorithms by name: the one place that the command line, `mcr.check`, pytest, compare, litmus and bench ask.

A name may be followed by a variant: "mcr:paper". What an algorithm does not support is refused here, with a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mcr.executions.equivalence import TRACES
from mcr.exploration.goals import DEADLOCKS, FAILURES, OUTCOMES, RACES, ROBUSTNESS, RUNS, STATES, Goals, objectives
from mcr.exploration.options import GIL
from replay.errors import CheckerError, TellsCalls, TooManyInputs
from replay.sentences import there_are
from replay.world.memory_models import MODELS

if TYPE_CHECKING:
    from mcr.exploration.contract import Explorer, WhatIf
    from mcr.exploration.options import Options
    from mcr.exploration.stage import Stage
    from mcr.explorers.maximal_causality.explorer import Variant
    from mcr.explorers.stateful.explorer import Stateful

AUTO = "auto"
"""The default."""

STATEFUL = "stateful"
"""Explores global states."""

_ONE_BY_ONE = (AUTO, STATEFUL, "exhaustive")
"""What explores the steps of CPython with its global lock."""

_CERTIFY = (AUTO, "cover", STATEFUL)
"""What gives certificates (docs/certificates.md)."""

_OF_STATES = {
    "buffer": "--buffer (buffer)",
    "reduce": "--no-reduction (reduce=False)",
    "symmetry": "--no-symmetry (symmetry=False)",
}
"""Options that say how global states are explored, and how users write them."""

FOR_MANY_INPUTS = "bmc"

SERVES = {TooManyInputs: FOR_MANY_INPUTS, TellsCalls: STATEFUL}
"""What the default is where explorers by turns do not serve, by what they raise."""


@dataclass(frozen=True)
class Algorithm:
    """An algorithm that explores programs.

    title        what it does, in a line
    guarantee    what *verified* rests on
    make         makes the explorer of a stage; gets the variant, "" if none is asked for
    only         what it can look for, None for everything that an exploration of executions can
    variants     other ways to do it, and what they are
    explain      says why a load of an execution can or cannot read another value, and whether it can; gets the variant
    merges       whether it can do with local states, however a thread came there
    on_terms     whether it runs thread code on terms: inputs may be any of very many numbers
    only_models  the memory models under which it explores, None for every one
    """

    name: str
    title: str
    guarantee: str
    make: Callable[[Stage, str], Explorer]
    only: tuple[str, ...] | None = None
    variants: dict[str, str] = field(default_factory=dict)
    explain: Callable[[WhatIf, str], tuple[list[str], bool]] | None = None
    merges: bool = False
    on_terms: bool = False
    only_models: tuple[str, ...] | None = None

    @property
    def objectives(self) -> list[str]:
        """What it can look for."""
        if self.name == AUTO:
            return objectives()
        return [name for name in objectives() if (name not in RUNS if self.only is None else name in self.only)]

    @property
    def models(self) -> list[str]:
        """The memory models under which it explores."""
        return [name for name in MODELS if self.only_models is None or name in self.only_models]


def _auto(stage: Stage, _: str) -> Explorer:
    from mcr.explorers.auto import Auto

    if stage.goals.runs:
        return _stateful(stage, "")
    goals, options = stage.goals, stage.options
    if goals.equivalence is TRACES:  # every graph is a class
        return _graphs(stage)
    asked = set(goals.names)
    global_states = stage.can_merge and not options.census and asked <= set(ALGORITHMS[STATEFUL].objectives)
    terms = goals.only_failures and not options.census and not options.paranoid
    return Auto(
        stage,
        _cover,
        _stateful if global_states else None,
        (lambda stage: _bmc(stage, alone=False)) if terms else None,
    )


def _cover(stage: Stage, _: str = "") -> Explorer:
    from mcr.exploration.observers import ClassTally
    from mcr.explorers.cover.states import covering

    tally = ClassTally(stage) if stage.goals.equivalence else None
    return _then(stage, covering(stage, tally))


def _graphs(stage: Stage) -> Explorer:
    """By one process."""
    from mcr.exploration.observers import ClassTally
    from mcr.explorers.trust.exploration import ExploreGraphs

    return _then(stage, ExploreGraphs(stage, ClassTally(stage) if stage.goals.equivalence else None))


def _trust(stage: Stage, _: str) -> Explorer:
    goals = stage.goals
    if stage.options.jobs > 1 and not (goals.equivalence or goals.robustness or goals.races):
        # What is asked afterwards is about every step of the threads; other processes send only what is new.
        from mcr.explorers.trust.parallel import ExploreInParallel

        return ExploreInParallel(stage)
    return _graphs(stage)


def _trust_reads_from(stage: Stage, variant: str) -> Explorer:
    from mcr.exploration.observers import ClassTally
    from mcr.explorers.trust.reads_from import ExploreReadsFrom

    tally = ClassTally(stage) if stage.goals.equivalence else None
    return _then(stage, ExploreReadsFrom(stage, tally, as_printed=variant == "paper"))


def _then(stage: Stage, explorer: Explorer) -> Explorer:
    """With the questions that are asked when everything else was explored."""
    if stage.goals.deadlocks:
        from mcr.explorers.cover.afterwards import ThenDeadlocks

        explorer = ThenDeadlocks(stage, explorer)
    if stage.goals.robustness:
        from mcr.explorers.cover.unordered import ThenRobustness

        explorer = ThenRobustness(stage, explorer)
    if stage.goals.races:
        from mcr.explorers.cover.unordered import ThenRaces

        explorer = ThenRaces(stage, explorer)
    return explorer


def _maximal_causality(stage: Stage, variant: str) -> Explorer:
    from mcr.explorers.maximal_causality.explorer import MaximalCausality

    return _then(stage, MaximalCausality(stage, _variant(variant)))


def _explain_maximal_causality(question: WhatIf, variant: str) -> tuple[list[str], bool]:
    from mcr.explorers.maximal_causality.explanation import explain_file

    return explain_file(question, _variant(variant).encoding)


def _variant(name: str) -> Variant:
    from mcr.explorers.maximal_causality.explorer import Variant
    from mcr.explorers.maximal_causality.program_order import PAPER

    return {"": Variant(), "paper": Variant(encoding=PAPER), "permutable": Variant(keep_permutable=True)}[name]


def _rf_smc(stage: Stage, variant: str) -> Explorer:
    from mcr.explorers.rf_smc.explorer import RFSMC, Variant

    return _then(stage, RFSMC(stage, Variant(closure=variant != "no-closure", as_printed=variant == "paper")))


def _rvf_smc(stage: Stage, variant: str) -> Explorer:
    from mcr.explorers.rvf_smc.explorer import RVFSMC, Variant

    chosen = Variant(
        signals=variant != "no-signals",
        closure=variant not in ("no-closure", "no-heuristics"),
        auxiliary=variant not in ("no-auxiliary", "no-heuristics"),
        as_printed=variant == "paper",
    )
    return _then(stage, RVFSMC(stage, chosen))


def _bmc(stage: Stage, _: str = "", *, alone: bool = True) -> Explorer:
    from mcr.explorers.bmc.explorer import BMC

    return BMC(stage, alone=alone)


def _stateful(stage: Stage, _: str = "") -> Stateful:
    from mcr.explorers.stateful.explorer import Stateful

    return Stateful(stage)


def _exhaustive(stage: Stage, _: str) -> Explorer:
    from mcr.explorers.exhaustive.explorer import Exhaustive

    return Exhaustive(stage)


ALGORITHMS: dict[str, Algorithm] = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm(
            AUTO,
            "stateful, cover and bmc by turns",
            "that of the one that ended",
            _auto,
            merges=True,
        ),
        Algorithm(
            "cover",
            "shows every local state, with seeds read off executions and asked of a solver",
            "the solver proves that no execution leads to another local state (or class)",
            _cover,
            merges=True,
        ),
        Algorithm(
            "trust",
            "visits every execution graph once, without a solver [kokologiannakis-2022]",
            "every graph was visited",
            _trust,
            merges=True,
        ),
        Algorithm(
            "trust-rf",
            "visits every execution graph without coherence once [kokologiannakis-2022]",
            "every graph was visited, and every ending of it if the final function may see it",
            _trust_reads_from,
            only=(FAILURES, STATES, OUTCOMES, "values", "rf", DEADLOCKS, ROBUSTNESS, RACES),
            variants={"paper": "line 16 of algorithm 2 as printed, which visits some graphs twice"},
            merges=True,
        ),
        Algorithm(
            "mcr",
            "maximal causality reduction as published [huang-2016]",
            "a formula of all traces has no execution of another class of values",
            _maximal_causality,
            only=(FAILURES, STATES, "values", DEADLOCKS),
            variants={
                "paper": "the published treatment of store buffers, which leaves out store forwarding",
                "permutable": "runs permutable seeds as well, as published",
            },
            explain=_explain_maximal_causality,
        ),
        Algorithm(
            "rf-smc",
            "mutates who reads from whom, and runs each reads-from class once, as published [bui-2021]",
            "every mutation of every execution was found impossible, or run",
            _rf_smc,
            only=(FAILURES, STATES, OUTCOMES, "rf", DEADLOCKS),
            variants={
                "paper": "as printed: runs some classes twice, and misses executions of programs with updates",
                "no-closure": "decides the consistency of mutations without computing the closure first",
            },
        ),
        Algorithm(
            "rvf-smc",
            "gives each read a value, and runs at most one execution of each reads-value-from class [agarwal-2021]",
            "every value of every read was found impossible, or run",
            _rvf_smc,
            only=(FAILURES, STATES, OUTCOMES, DEADLOCKS),
            only_models=("sc",),
            variants={
                "paper": "as printed: misses executions of programs with updates",
                "no-signals": "without backtrack signals (figure 11)",
                "no-closure": "decides the consistency of good-writes without computing the closure first",
                "no-auxiliary": "decides the consistency of good-writes without an auxiliary trace",
                "no-heuristics": "without closure and without auxiliary trace (figure 11)",
            },
        ),
        Algorithm(
            "bmc",
            "runs thread code on terms, and asks a solver about the whole program at once [alglave-2013]",
            "the solver proves that no execution fails, and that none goes where the formula ends",
            _bmc,
            only=(FAILURES, OUTCOMES),
            merges=True,
            on_terms=True,
        ),
        Algorithm(
            STATEFUL,
            "visits every global state over merged local states: loops may go on for ever",
            "every global state was visited, with what any thread may do there",
            _stateful,
            only=(FAILURES, STATES, OUTCOMES, DEADLOCKS, *RUNS),
            merges=True,
        ),
        Algorithm(
            "exhaustive",
            "visits every configuration of the store-buffer machine, one by one: slow, and obviously right",
            "every configuration was visited",
            _exhaustive,
            only=(FAILURES, STATES, OUTCOMES, "values", DEADLOCKS),
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
        raise CheckerError(f"unknown algorithm {name!r}; {there_are(ALGORITHMS, name)}")
    if variant and variant not in algorithm.variants:
        known = there_are(algorithm.variants, variant) if algorithm.variants else "it has none"
        raise CheckerError(f"unknown variant {variant!r} of algorithm {name}; {known}")
    return algorithm, variant


def check_supports(text: str, goals: Goals, models: Iterable[str] = (), options: Options | None = None) -> None:
    """Raises CheckerError if the algorithm does not exist, or cannot look for that; then it names what can.

    Also if it does not explore under one of the memory models, and if options ask for what it has no use for: that
    nothing be merged where nothing is, or how to explore global states where none are.
    """
    algorithm, _ = parse(text)
    for name in goals.names:
        if name not in algorithm.objectives:
            able = [other.name for other in ALGORITHMS.values() if name in other.objectives]
            raise CheckerError(
                f"algorithm {algorithm.name} does not look for {name}, only for {', '.join(algorithm.objectives)}; "
                f"these do: {', '.join(able)}"
            )
    for model in models:
        if model not in algorithm.models:
            able = [other.name for other in ALGORITHMS.values() if model in other.models]
            raise CheckerError(
                f"algorithm {algorithm.name} does not explore under {model}, only under "
                f"{', '.join(algorithm.models)}; these do: {', '.join(able)}"
            )
    if options is not None and options.python == GIL:
        _check_global_lock(algorithm, models, options)
    if options is not None and options.certificate:
        _check_certifies(algorithm, goals, options)
    if options is not None and not options.merge:
        _check_merges(algorithm, goals)
    if options is not None and algorithm.name not in (AUTO, STATEFUL):
        for name, flag in _OF_STATES.items():
            if getattr(options, name) != getattr(type(options), name):
                raise CheckerError(f"algorithm {algorithm.name} explores no global states: leave out {flag}")


def _check_global_lock(algorithm: Algorithm, models: Iterable[str], options: Options) -> None:
    """Raises CheckerError if CPython with its global lock is none of its business."""
    for model in models:
        if model != "sc":
            raise CheckerError(f"--python gil is sequentially consistent: --model sc, and not {model}")
    if algorithm.name not in _ONE_BY_ONE:
        raise CheckerError(
            f"algorithm {algorithm.name} knows nothing of CPython's global lock (--python gil); these do: "
            f"{', '.join(_ONE_BY_ONE)}"
        )
    if options.certificate:
        raise CheckerError("certificates are about free-threaded Python: leave out --python gil, or --certificate")


def _check_certifies(algorithm: Algorithm, goals: Goals, options: Options) -> None:
    """Raises CheckerError if no certificate can come of it."""
    if not goals.only_failures:
        raise CheckerError(f"a certificate shows that nothing fails, and not {goals.text}: leave out --objective")
    if algorithm.name not in _CERTIFY:
        raise CheckerError(f"algorithm {algorithm.name} gives no certificates; these do: {', '.join(_CERTIFY)}")
    if not options.merge:
        raise CheckerError("a certificate is about local states, and not about histories: leave out --no-merge")


def _check_merges(algorithm: Algorithm, goals: Goals) -> None:
    """Raises CheckerError if the algorithm merges nothing where it looks for that."""
    if goals.equivalence is not None:
        why = f"objective {goals.text} counts classes of histories, and never merges local states"
    elif not algorithm.merges:
        why = f"algorithm {algorithm.name} never merges local states"
    else:
        return
    raise CheckerError(f"{why}: leave out --no-merge (merge=False)")


def explain(text: str, question: WhatIf) -> tuple[list[str], bool]:
    """Why the algorithm finds that a load can or cannot read another value, in lines, and whether it can.

    Raises CheckerError for an algorithm that has no explanations, and for what the question names and is not there.
    """
    algorithm, variant = parse(text)
    if algorithm.explain is None:
        able = [other.name for other in ALGORITHMS.values() if other.explain is not None]
        raise CheckerError(f"algorithm {algorithm.name} explains no loads; these do: {', '.join(able)}")
    return algorithm.explain(question, variant)
