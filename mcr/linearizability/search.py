"""`mcr.linearizable`: all clients of a class within bounds, explored."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from mcr.api import check, with_options
from mcr.exploration.limits import Limits, Stopped
from mcr.exploration.options import Options
from mcr.exploration.verdict import Result, Statistics, Stop, Verdict, decide
from mcr.linearizability.client import write_client
from mcr.linearizability.clients import how_many, how_many_are_left_out, largest, quiet_operations, smaller
from mcr.linearizability.guessing import operations_of
from mcr.linearizability.history_of_trace import CallSeen, calls_of, refuted, unordered
from mcr.linearizability.observers import DISTINCT, JUDGES, LEVELS, LINEARIZABLE, LOCKED, SAFE
from mcr.linearizability.specification import Orders, Specification
from mcr.linearizability.subject import Clients, Invariant, Subject, SubjectCall
from replay.announced import Displayed
from replay.code.user_code import exploring
from replay.errors import CheckerError
from replay.frontend.program import Program
from replay.sentences import counted
from replay.traces.files import save_trace
from replay.traces.loader import find_programs
from replay.traces.trace import DEADLOCK, GIL, Trace
from replay.world.memory_models import memory_model
from replay.world.memory_models.sc import SC

OnProgress = Callable[[str, Statistics], None]

MOST_CALLS = 12
"""Calls of a client of which all orders are looked at: more would take too long."""

MOST_ORDERS = 6
"""Orders that are refuted in words."""

GRACE = 2.0
"""Seconds beyond a time limit in which a history that was found becomes a replay file."""


@dataclass(frozen=True)
class Counterexample:
    """A client with a history that nothing explains.

    calls   the calls of its threads, as readers see them
    source  the client as the text of a program
    trace   the execution, which `mcr.replay` plays on `program`
    seen    its calls, in the order in which they began
    path    the replay file, None if none was written
    orders  why no order of the calls explains it: an order each, and the first result that is another one there
    unordered  two calls that cannot be ordered, if there are more such orders: if either had returned something else,
            an order would explain the rest
    """

    calls: tuple[tuple[str, ...], ...]
    source: str
    trace: Trace
    seen: tuple[CallSeen, ...]
    orders: tuple[str, ...]
    path: Path | None
    unordered: tuple[CallSeen, CallSeen] | None = None


@dataclass(frozen=True)
class Linearizability(Displayed):
    """The result for one class under one memory model.

    name            of the class
    under           the memory model, and the kind of Python if it is that with the global lock
    operations      what clients call, as readers see it
    asked           the level that was asked for
    calls           bounds: a thread for each number, with so many calls or fewer
    verdict         VERIFIED if it has the level that was asked for, for all clients within these bounds, BUG if not
    looked          the levels that were decided: the one that was asked for first
    levels          those of them that hold for all clients; "linearizable" implies the others
    counterexample  to what was asked for, the smallest
    stop            why the verdict is incomplete
    clients         how many these are; those that differ by the order of their threads are one
    left_out        how many of them were not run, since none of their calls writes anything
    states          global states that were looked at
    certificate     the file of what shows that it is linearizable (`mcr.linearizability.certificate`), None for none
    no_certificate  why there is none, if it was asked for
    """

    name: str
    model: str
    operations: tuple[str, ...]
    asked: str
    calls: tuple[int, ...]
    verdict: Verdict
    looked: tuple[str, ...]
    levels: tuple[str, ...]
    counterexample: Counterexample | None
    stop: Stop | None
    clients: int
    left_out: int
    states: int
    seconds: float
    under: str
    certificate: str | None = None
    no_certificate: str = ""

    @property
    def level(self) -> str:
        """The level of all clients: "linearizable", or which weaker ones hold; "" for none."""
        return LINEARIZABLE if LINEARIZABLE in self.levels else " and ".join(self.levels)

    @property
    def bounds(self) -> str:
        """For which clients it was looked at."""
        same = len(set(self.calls)) == 1
        calls = f"{counted(self.calls[0], 'call')} each" if same else f"{' and '.join(map(str, self.calls))} calls"
        return f"all clients of {len(self.calls)} threads with up to {calls}, of {', '.join(self.operations)}"


OnCounterexample = Callable[[Linearizability], None]


def linearizable(
    make: Callable[..., Any],
    operations: Iterable[str | Sequence[object] | SubjectCall] | None = None,
    *,
    spec: Callable[..., Any] | None = None,
    threads: int = 2,
    calls: int | Sequence[int] = 3,
    only: Mapping[str, int] | None = None,
    level: str | None = None,
    model: str | None = None,
    options: Options | None = None,
    folder: str | Path | None = None,
    on_progress: OnProgress | None = None,
    on_counterexample: OnCounterexample = lambda found: None,
    **limits: Any,
) -> Linearizability:
    """Look whether the calls of a class are linearizable, or have a weaker level, for all clients within bounds.

    make        the class, or a function that makes an object; if its first parameter is called `p`, it gets the `p` of
                a program, to declare shared state on, else what it makes is shared (`p.share`)
    operations  "method", or ("method", argument, ...); None for the public methods, with arguments from small sets
    spec        what makes the specification, used by one thread; None for `make` itself
    threads     of a client
    calls       that each of them makes at most; or a number for each
    only        which thread alone calls a method, by its name: 0 for the first one
    level       the one level to decide; None for "linearizable" and, if that fails, the weaker ones
    model       None for SC where ordinary objects are shared, since that is CPython's, else for TSO
    folder      where to write the smallest client that fails, as a program; None for nowhere
    options, limits  as of `check`; the timeout is one for all clients
    on_progress called now and then with what is being looked at, and how far that is
    on_counterexample  called with what is known when a history was found, before weaker levels are decided

    Raises CheckerError for wrong arguments, and what `check` raises.
    """
    most = (calls,) * threads if isinstance(calls, int) else tuple(calls)
    if not most or min(most) < 1 or sum(most) > MOST_CALLS:
        raise CheckerError(f"clients have 1 to {MOST_CALLS} calls, not {', '.join(map(str, most)) or 'none'}")
    if level is not None and level not in LEVELS:
        raise CheckerError(f"a level is one of {', '.join(LEVELS)}, not {level!r}")
    subject = Subject(make, operations_of(make) if operations is None else operations)
    if not (only or {}).keys() <= {each.method for each in subject.operations}:
        raise CheckerError(f"only {', '.join(only or {})}: not all of these are operations")
    options = with_options(options, limits)
    with exploring(subject.place):
        search = ClientSearch(subject, spec or make, model, options, folder, on_progress=on_progress)
        return _Decision(search, most, only or {}, on_counterexample).of(level)


class _Decision:
    """Decides levels of a class, by clients that grow: what those with few calls show is small."""

    def __init__(
        self, search: ClientSearch, most: tuple[int, ...], only: Mapping[str, int], on_counterexample: OnCounterexample
    ) -> None:
        self._search = search
        self._most = most
        self._only = only
        self._on_counterexample = on_counterexample
        self._every = self._clients(())
        self._looked: list[str] = []
        self._levels: list[str] = []
        self._counterexample: Counterexample | None = None
        self._stop: Stop | None = None

    def of(self, level: str | None) -> Linearizability:
        asked = level or LINEARIZABLE
        try:
            self._decide(asked, weaker=tuple(LEVELS)[1:] if level is None else ())
        except Stopped as stopped:
            self._stop = stopped.stop
        return self._found(asked)

    def _decide(self, asked: str, weaker: tuple[str, ...]) -> None:
        search = self._search
        if search.leaves_out:
            self._every = self._clients(quiet_operations(search.subject, search.limits.check))
        number, result = self._explored(asked)
        if result.verdict is Verdict.VERIFIED and asked == LINEARIZABLE:
            self._looked = self._levels = list(LEVELS)
        if result.verdict is not Verdict.BUG:
            return
        self._counterexample = search.smallest(self._every[number], result, asked, known=number)
        if weaker:
            self._on_counterexample(self._found(asked))
        for level in weaker:
            if self._explored(level, number)[1].verdict is Verdict.INCOMPLETE:
                break

    def _explored(self, level: str, first: int = 0) -> tuple[int, Result]:
        """Explores clients of each size from `first` on; returns the size and result of the last ones."""
        for number in range(first, len(self._every)):
            result = self._search.explore(self._every[number], level)
            if result.verdict is not Verdict.VERIFIED:
                break
        self._stop = result.stop if result.verdict is Verdict.INCOMPLETE else self._stop
        if result.verdict is not Verdict.INCOMPLETE:
            self._looked.append(level)
        if result.verdict is Verdict.VERIFIED:
            self._levels.append(level)
        return number, result

    def _clients(self, quiet: tuple[int, ...]) -> list[Clients]:
        operations, most = self._search.subject.operations, self._most
        sizes = range(1, max(most) + 1)
        return [largest(operations, [min(each, size) for size in most], self._only, quiet) for each in sizes]

    def _found(self, asked: str) -> Linearizability:
        search, example, clients = self._search, self._counterexample, self._every[-1]
        return Linearizability(
            search.subject.name, search.model, tuple(map(str, search.subject.operations)), asked, self._most,
            decide((example.trace,) if example else (), self._stop), tuple(self._looked), tuple(self._levels), example,
            self._stop, how_many(clients), how_many_are_left_out(clients), search.states,
            time.monotonic() - search.began, search.under,
        )  # fmt: skip


class ClientSearch:
    """Explores clients of a class."""

    def __init__(
        self,
        subject: Subject,
        spec: Callable[..., Any],
        model: str | None,
        options: Options | None,
        folder: str | Path | None,
        invariant: Invariant | None = None,
        on_progress: OnProgress | None = None,
    ) -> None:
        """Raises CheckerError for a model that there is not."""
        self.subject = subject
        self.model = memory_model(model or ("tso" if subject.takes_p else SC.name)).name
        self.began = time.monotonic()
        self.states = 0
        self._options = options or Options()
        self.limits = Limits(self._options)
        self.specification = Specification(Subject(spec, subject.operations), self.limits.check)
        self._spec = spec
        self._folder = None if folder is None else Path(folder)
        self._invariant = invariant
        self.is_own_specification = spec is subject.make
        self.leaves_out = self._options.reduce and self.is_own_specification
        """Whether clients are not run that cannot fail: those of a class that is its own specification."""
        self._on_progress = on_progress

    @property
    def under(self) -> str:
        """The memory model and, where it is that with the global lock, the kind of Python, as readers see them."""
        return self.model.upper() + (" in CPython with its global lock" if self._options.python == GIL else "")

    def explore(self, clients: Clients, judge: str, *, shorten: bool = False) -> Result:
        """All executions of clients, judged."""
        calls = "+".join(str(len(each)) for each in clients.all)
        try:
            program = self._program(clients, judge)
        except Stopped as stopped:
            return Result(
                self.subject.name, "", 0, self.model, decide((), stopped.stop), Statistics(), stop=stopped.stop
            )
        return self._check(program, f"{judge}, {calls} calls", shorten=shorten)

    def _program(self, clients: Clients, judge: str) -> Program:
        observer = JUDGES[judge](Orders(self.specification, clients))
        invariant = self._invariant if judge == SAFE else None
        return self.subject.program(clients, observer, invariant, distinct=judge == DISTINCT, locked=judge == LOCKED)

    def _check(self, program: Program, asked: str, *, shorten: bool = True, grace: float = 0.0) -> Result:
        spent = self._options.spent + time.monotonic() - self.began - grace
        options = replace(self._options, spent=spent, shorten=shorten)
        title = f"{self.subject.name} under {self.under}: {asked}"
        tell = None if self._on_progress is None else partial(self._on_progress, title)
        result = check(program, self.model, algorithm="stateful", options=options, on_progress=tell)
        self.states += dict(result.figures).get("global states", 0)
        return result

    def smallest(self, clients: Clients, failing: Result, judge: str, name: str = "", known: int = 0) -> Counterexample:
        """A smallest client that fails, if `clients` do, and a shortest history; what was found, if time is up.

        `name` is what its file is called, after the class; with up to `known` calls of each thread, none fails.
        """
        each, found = self._client(failing.failures[0], clients), failing
        for fewer in smaller(clients, sum(map(len, each.all)), known):
            result = self.explore(fewer, judge)
            if result.verdict is Verdict.BUG:
                each, found = self._client(result.failures[0], fewer), result
            if result.verdict is not Verdict.VERIFIED:
                break
        without_idle = each._replace(threads=tuple(filter(None, each.threads)))
        result = self.explore(without_idle, judge, shorten=True)
        if result.verdict is Verdict.BUG:
            each, found = without_idle, result
        trace, path = self._written(each, found, judge, name)
        calls = tuple(tuple(self.subject.texts[call] for (call,) in thread) for thread in each.all)
        seen = tuple(calls_of(trace))
        orders, pair = self._refuted(each, trace, seen, judge)
        return Counterexample(calls, self.subject.source(each), trace, seen, orders, path, pair)

    def _refuted(
        self, client: Clients, trace: Trace, seen: tuple[CallSeen, ...], judge: str
    ) -> tuple[tuple[str, ...], tuple[CallSeen, CallSeen] | None]:
        """Orders that do not explain a history; two calls that cannot be ordered, if there are more such orders."""
        orders: tuple[str, ...] = ()
        stuck = trace.failure is not None and trace.failure.error == DEADLOCK
        with suppress(Stopped):
            how = seen, Orders(self.specification, client), self.subject.texts, judge
            orders = tuple(islice(refuted(*how, stuck=stuck), MOST_ORDERS + 1))
            if len(orders) > MOST_ORDERS:
                return orders[:MOST_ORDERS], unordered(*how, stuck=stuck)
        return orders[:MOST_ORDERS], None

    def _client(self, trace: Trace, clients: Clients) -> Clients:
        """Returns the threads that made the calls of an execution."""
        calls = [list[tuple[int]]() for _ in clients.all]
        for call in calls_of(trace):
            calls[call.thread].append((self.subject.texts.index(call.text),))
        threads = tuple(map(tuple, calls[: len(clients.threads)]))
        alone = tuple(calls[-1]) if len(clients.all) > len(threads) else ()
        return Clients(threads, alone[: len(clients.before)], alone[len(clients.before) :])

    def _written(self, client: Clients, found: Result, judge: str, name: str) -> tuple[Trace, Path | None]:
        """The failing execution of a client, of the program in a file if it can be written into one."""
        if self._folder is None:
            return found.failures[0], None
        path = self._folder / f"{'-'.join(filter(None, (self.subject.variable, name, self.model)))}.py"
        if not write_client(path, self.subject, self._spec, client, judge, self._invariant if judge == SAFE else None):
            return found.failures[0], None
        (program,) = find_programs(str(path))
        failures = self._check(program, judge, grace=GRACE).failures
        if not failures:  # its time was up
            return found.failures[0], None
        save_trace(failures[0], path.with_suffix(".json"))
        return failures[0], path.with_suffix(".json")
