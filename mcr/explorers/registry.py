"""The algorithms by name: the one place that the command line, `mcr.check`, pytest, compare, litmus and bench ask.

A name may be followed by a variant: "mcr:paper". What an algorithm does not support is refused here, with a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import chain, compress
from typing import TYPE_CHECKING, Any

from mcr.exploration.goals import (
    DEADLOCKS,
    FAILURES,
    OUTCOMES,
    RACES,
    ROBUSTNESS,
    RUNS,
    STATES,
    Goals,
    Question,
    objectives,
    register,
)
from replay.errors import CheckerError, TellsCalls, TooManyInputs
from replay.sentences import there_are
from replay.traces.trace import DATA_RACE, GIL, NOT_ROBUST, Failure, Trace
from replay.world.memory_models import MODELS

if TYPE_CHECKING:
    from mcr.exploration.context import ExplorationContext
    from mcr.exploration.contract import Explorer, WhatIf
    from mcr.exploration.options import Options

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
    "native": "--no-native (native=False)",
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
    make         makes the explorer of a context; gets the variant, "" if none is asked for
    only         what it can look for, None for everything that an exploration of executions can
    variants     other ways to do it, and what they are
    explain      what says why a load of an execution can or cannot read another value: where its room has it, or ""
    merges       whether it can do with local states, however a thread came there
    on_terms     whether it runs thread code on terms: inputs may be any of very many numbers
    only_models  the memory models under which it explores, None for every one
    """

    name: str
    title: str
    guarantee: str
    make: Callable[[ExplorationContext, str], Explorer]
    only: tuple[str, ...] | None = None
    variants: dict[str, str] = field(default_factory=dict)
    explain: str = ""
    merges: bool = False
    on_terms: bool = False
    only_models: tuple[str, ...] | None = None

    @property
    def objectives(self) -> list[str]:
        if self.name == AUTO:
            return objectives()
        return [name for name in objectives() if (name not in RUNS if self.only is None else name in self.only)]

    @property
    def is_published(self) -> bool:
        """Returns True if the title cites the paper that describes it."""
        return "[" in self.title

    @property
    def models(self) -> list[str]:
        """The memory models under which it explores."""
        return [name for name in MODELS if self.only_models is None or name in self.only_models]


def _explorer(place: str, *, then: bool = False) -> Callable[[ExplorationContext, str], Explorer]:
    """Makes the explorer that a room has at `place`, which is imported when it is asked for.

    `then` asks of everything that it explored what the goals have left to ask.
    """

    def make(context: ExplorationContext, variant: str) -> Explorer:
        explorer: Explorer = _load(place)(context, *([variant] if variant else []))
        return _then(context, explorer) if then else explorer

    return make


def _load(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(f"mcr.explorers.{module}"), name)


def _find_violation(trace: Trace) -> Failure | None:
    from mcr.exploration.unraised import find_violation  # late, as few look for it

    return find_violation(trace)


def _find_race(trace: Trace) -> Failure | None:
    from mcr.exploration.unraised import find_race  # late, as few look for it

    return find_race(trace)


register(
    Question(
        ROBUSTNESS,
        NOT_ROBUST,
        "robust: every execution is one of SC",
        lambda context, explorer: _load("cover.afterwards:ThenRobustness")(context, explorer),
        _find_violation,
        keeps_turns=1,
    )
)
register(
    Question(
        RACES,
        DATA_RACE,
        "race-free: synchronisation orders all accesses of plain cells",
        lambda context, explorer: _load("cover.afterwards:ThenRaces")(context, explorer),
        _find_race,
    )
)


def _then(context: ExplorationContext, explorer: Explorer) -> Explorer:
    """With the questions that are asked when everything else was explored."""
    if context.goals.deadlocks or context.goals.afterwards:
        explorer = _load("cover.afterwards:then")(context, explorer)
    return explorer


def _trust(context: ExplorationContext, variant: str) -> Explorer:
    """Not shared where something is asked afterwards about every step: other processes send only what is new."""
    goals = context.goals
    is_shared = context.options.jobs > 1 and not (goals.equivalence or goals.afterwards)
    place = "trust.parallel:ExploreInParallel" if is_shared else "trust.exploration:ExploreGraphs"
    return _explorer(place, then=not is_shared)(context, variant)


ALGORITHMS: dict[str, Algorithm] = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm(
            AUTO,
            "stateful, cover and bmc by turns",
            "that of the one that ended",
            _explorer("auto:by_turns"),
            merges=True,
        ),
        Algorithm(
            "cover",
            "shows every local state, with seeds read off executions and asked of a solver",
            "the solver proves that no execution leads to another local state (or class)",
            _explorer("cover.states:covering", then=True),
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
            _explorer("trust.reads_from:ExploreReadsFrom", then=True),
            only=(FAILURES, STATES, OUTCOMES, "values", "rf", DEADLOCKS, ROBUSTNESS, RACES),
            variants={"paper": "line 16 of algorithm 2 as printed, which visits some graphs twice"},
            merges=True,
        ),
        Algorithm(
            "mcr",
            "maximal causality reduction as published [huang-2016]",
            "a formula of all traces has no execution of another class of values",
            _explorer("maximal_causality.explorer:MaximalCausality", then=True),
            only=(FAILURES, STATES, "values", DEADLOCKS),
            variants={
                "paper": "the published treatment of store buffers, which leaves out store forwarding",
                "permutable": "runs permutable seeds as well, as published",
            },
            explain="maximal_causality.explanation:explain_file",
        ),
        Algorithm(
            "rf-smc",
            "mutates the sources of reads, and runs each reads-from class once, as published [bui-2021]",
            "every mutation of every execution was found impossible, or run",
            _explorer("rf_smc.explorer:RFSMC", then=True),
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
            _explorer("rvf_smc.explorer:RVFSMC", then=True),
            only=(FAILURES, STATES, OUTCOMES, DEADLOCKS),
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
            _explorer("bmc.explorer:BMC"),
            only=(FAILURES, OUTCOMES),
            merges=True,
            on_terms=True,
        ),
        Algorithm(
            STATEFUL,
            "visits every global state over merged local states: loops may go on for ever",
            "every global state was visited, with what any thread may do there",
            _explorer("stateful.explorer:Stateful"),
            only=(FAILURES, STATES, OUTCOMES, DEADLOCKS, *RUNS),
            merges=True,
        ),
        Algorithm(
            "exhaustive",
            "visits every configuration of the store-buffer machine, one by one: slow, and obviously right",
            "every configuration was visited",
            _explorer("exhaustive.explorer:Exhaustive"),
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
    models = tuple(models)
    refusals = _cannot_explore(algorithm, goals, models)
    if options is not None:
        refusals = chain(refusals, _cannot_do_so(algorithm, goals, models, options))
    for refusal in refusals:
        raise CheckerError(refusal)


def _cannot_explore(algorithm: Algorithm, goals: Goals, models: Sequence[str]) -> Iterator[str]:
    """Why an algorithm cannot look for something, or not under some model."""
    for name in goals.names:
        if name not in algorithm.objectives:
            able = _named(name in other.objectives for other in ALGORITHMS.values())
            only = ", ".join(algorithm.objectives)
            yield f"algorithm {algorithm.name} does not look for {name}, only for {only}; these do: {able}"
    for model in models:
        if model not in algorithm.models:
            able = _named(model in other.models for other in ALGORITHMS.values())
            only = ", ".join(algorithm.models)
            yield f"algorithm {algorithm.name} does not explore under {model}, only under {only}; these do: {able}"


def _named(able: Iterable[bool]) -> str:
    """The algorithms of which something holds."""
    return ", ".join(compress(ALGORITHMS, able))


def _cannot_do_so(algorithm: Algorithm, goals: Goals, models: Sequence[str], options: Options) -> Iterator[str]:
    """Why an algorithm cannot do what options ask for."""
    name, is_gil = algorithm.name, options.python == GIL
    if is_gil and (others := [model for model in models if model != "sc"]):
        yield f"--python gil is sequentially consistent: --model sc, and not {others[0]}"
    if is_gil and name not in _ONE_BY_ONE:
        able = ", ".join(_ONE_BY_ONE)
        yield f"algorithm {name} knows nothing of CPython's global lock (--python gil); these do: {able}"
    if options.certificate:
        if is_gil:
            yield "certificates are about free-threaded Python: leave out --python gil, or --certificate"
        if not {FAILURES, *RUNS}.issuperset(goals.names):
            yield f"a certificate shows that nothing fails, and not {goals.text}, which has none: leave out --objective"
        if name not in _CERTIFY:
            yield f"algorithm {name} gives no certificates; these do: {', '.join(_CERTIFY)}"
        if not options.merge:
            yield "a certificate is about local states, and not about histories: leave out --no-merge"
    if not options.merge:
        leave_out = "leave out --no-merge (merge=False)"
        if goals.equivalence is not None:
            yield f"objective {goals.text} counts classes of histories, and never merges local states: {leave_out}"
        if not algorithm.merges:
            yield f"algorithm {name} never merges local states: {leave_out}"
    for option, flag in _OF_STATES.items():
        if name not in (AUTO, STATEFUL) and getattr(options, option) != getattr(type(options), option):
            yield f"algorithm {name} explores no global states: leave out {flag}"
    if name != AUTO and options.sampler != type(options).sampler:
        yield f"algorithm {name} draws no random schedules: leave out --sampler"


def why_not_in_c() -> str:
    """Returns why global states are explored by the loop in Python, and what to do about it; "" if they are in C."""
    from mcr.explorers.stateful.native.library import why_missing  # late, as few ask

    return why_missing()


def explain(text: str, question: WhatIf) -> tuple[list[str], bool]:
    """Why the algorithm finds that a load can or cannot read another value, in lines, and whether it can.

    Raises CheckerError for an algorithm that has no explanations, and for what the question names and is not there.
    """
    algorithm, variant = parse(text)
    if not algorithm.explain:
        able = _named(bool(other.explain) for other in ALGORITHMS.values())
        raise CheckerError(f"algorithm {algorithm.name} explains no loads; these do: {able}")
    lines, can = _load(algorithm.explain)(question, variant)
    return lines, can
