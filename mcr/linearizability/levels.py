"""`mcr.levels`: how safe the methods of a class are together, pair by pair."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import Any

from mcr.api import with_options
from mcr.exploration.limits import Stopped
from mcr.exploration.options import Options
from mcr.exploration.verdict import Stop, Verdict
from mcr.linearizability.guessing import operations_of
from mcr.linearizability.observers import DISTINCT, LINEARIZABLE, LOCKED, SAFE
from mcr.linearizability.search import ClientSearch, Counterexample
from mcr.linearizability.specification import Specification
from mcr.linearizability.subject import Calls, Clients, Invariant, Subject, SubjectCall
from replay.code.user_code import exploring
from replay.errors import CheckerError

ATOMIC, RACY = "atomic", "racy"

SHARED, COMPATIBLE, INCOMPATIBLE = "shared", "compatible", "incompatible"


@dataclass(frozen=True)
class Pair:
    """Two methods, each called by a thread at the same time.

    level           "atomic": linearizable together; "safe": no exception that one thread alone would not see, and the
                    invariant holds; "racy"; "" if that is not known
    counterexample  to what is stronger
    stop            why it is not known
    was_run         False if it is atomic as the calls touch nothing in common, so that nothing was run
    """

    methods: tuple[str, str]
    level: str
    counterexample: Counterexample | None = None
    stop: Stop | None = None
    was_run: bool = True


@dataclass(frozen=True)
class Levels:
    """The result for one class under one memory model.

    under          the memory model, and the kind of Python if it is that with the global lock
    methods        in their order
    operations     what is called, as readers see it
    before, after  up to so many calls one thread makes before the two that are made at the same time, and after them
    pairs          all pairs of methods
    word           CPython's word for the class: "atomic" or "shared" (racy in places, but safe) as all pairs are,
                   "distinct" if threads may use an object each, "compatible" if they need a lock around whatever they
                   do, "incompatible" if not even that helps; "" if it is not known
    states         global states that were looked at
    certificates   files of what shows that the atomic pairs are (`mcr.linearizability.certificate`)
    no_certificate why some have none, if they were asked for
    """

    name: str
    model: str
    methods: tuple[str, ...]
    operations: tuple[str, ...]
    before: int
    after: int
    pairs: tuple[Pair, ...]
    word: str
    states: int
    seconds: float
    under: str
    certificates: tuple[str, ...] = ()
    no_certificate: str = ""

    @property
    def bounds(self) -> str:
        """For which clients it was looked at."""
        return (
            f"two threads with one call each, up to {self.before} before and {self.after} after them, of "
            f"{', '.join(self.operations)}"
        )

    def of(self, one: str, other: str) -> Pair:
        """The pair of two methods, in any order."""
        return next(pair for pair in self.pairs if pair.methods in ((one, other), (other, one)))

    @property
    def left_out(self) -> int:
        """How many pairs were not run, as their calls touch nothing in common."""
        return sum(not pair.was_run for pair in self.pairs)


def levels(
    make: Callable[..., Any],
    operations: Iterable[str | Sequence[object] | SubjectCall] | None = None,
    *,
    spec: Callable[..., Any] | None = None,
    before: int = 2,
    after: int = 1,
    invariant: Invariant | None = None,
    model: str | None = None,
    options: Options | None = None,
    folder: str | Path | None = None,
    on_pair: Callable[[int, int, float], None] = lambda done, pairs, seconds: None,
    **limits: Any,
) -> Levels:
    """Look how safe the methods of a class are together, for each two of them.

    before, after  how many calls one thread makes at most before the two concurrent ones, and after them
    invariant  has to hold of the object when all calls have ended; a function of a module, if there is to be a file
    on_pair    called after each pair, with how many were looked at, how many there are, and the seconds since it began

    All else is as for `linearizable`. Raises CheckerError for numbers of calls below 0, too.
    """
    if before < 0 or after < 0:
        raise CheckerError(f"there are 0 or more calls before and after the two, not {before} and {after}")
    subject = Subject(make, operations_of(make) if operations is None else operations)
    options = with_options(options, limits)
    with exploring(subject.place):
        search = ClientSearch(subject, spec or make, model, options, folder, invariant)
        return _Table(search, before, after, invariant is not None).made(on_pair)


class _Table:
    def __init__(self, search: ClientSearch, before: int, after: int, has_invariant: bool) -> None:
        self._search = search
        self._before, self._after = before, after
        self._has_invariant = has_invariant
        self._operations = search.subject.operations
        self._methods = tuple(dict.fromkeys(each.method for each in self._operations))
        self._idle: bool | None = None

    def made(self, on_pair: Callable[[int, int, float], None]) -> Levels:
        search, pairs = self._search, []
        every = list(combinations_with_replacement(self._methods, 2))
        for one, other in every:
            pairs.append(self._pair(one, other))
            on_pair(len(pairs), len(every), time.monotonic() - search.began)
        return Levels(
            search.subject.name, search.model, self._methods, tuple(map(str, self._operations)), self._before,
            self._after, tuple(pairs), self._word(pairs), search.states, time.monotonic() - search.began,
            search.under,
        )  # fmt: skip

    def _pair(self, one: str, other: str) -> Pair:
        """Ask for the strongest level first; an invariant has to hold even of what is linearizable.

        Calls are atomic if an order of them explains what all calls return, and what the object holds in the end.
        """
        with suppress(Stopped):  # which the exploration below meets again
            if self._are_apart(one, other):
                return Pair((one, other), ATOMIC, was_run=False)
        called = [self._clients(calls, (self._of(one),), (self._of(other),)) for calls in range(self._before + 1)]
        ended = [
            clients._replace(after=clients.after[:calls])
            for clients in called
            for calls in range(0 if self._has_invariant else self._after, self._after + 1)
        ]
        found = Pair((one, other), ATOMIC)
        for level, judge, every in (
            (SAFE, LINEARIZABLE, self._looking(called[self._fewest() :])),
            (RACY, SAFE, ended),
        ):
            if judge == SAFE and found.level == ATOMIC and not self._has_invariant:
                break
            for clients in every:
                result = self._search.explore(clients, judge)
                if result.verdict is Verdict.INCOMPLETE:
                    return Pair((one, other), "", found.counterexample, result.stop)
                if result.verdict is Verdict.BUG:
                    example = self._search.smallest(clients, result, judge, f"{one}-{other}")
                    found = Pair((one, other), level, example)
                    break
        return found

    def _fewest(self) -> int:
        """How many calls clients make before the two at least, if those that make fewer need not be run.

        If an operation leaves a fresh object as it is, a client that makes it first and then what another one makes has
        the same histories but for that call, which all orders begin with.
        """
        search, specification = self._search, self._search.specification
        if self._idle is None:
            self._idle = search.leaves_out and specification.asked(
                lambda: any(map(specification.leaves_all, range(len(self._operations))))
            )
        return self._before if self._idle else 0

    def _are_apart(self, one: str, other: str) -> bool:
        """Returns whether calls of two methods touch nothing in common, whatever was called before, but what both
        only read.

        Then each call does what it does alone, by induction on the steps of a run: whatever it reads, only it has
        written since both began. So both return what they return one after the other, in any order, and leave the same
        behind. Two calls of one method are run all the same: whoever explores looks whether code uses more than memory.
        """
        search, specification = self._search, self._search.specification
        if one == other or self._has_invariant or not search.leaves_out:
            return False
        return specification.asked(lambda: self._touch_nothing_in_common(specification, one, other))

    def _touch_nothing_in_common(self, specification: Specification, one: str, other: str) -> bool:
        points = {specification.first}
        for _ in range(self._before):
            called = [specification.call(point, each) for point in points for each in range(len(self._operations))]
            points.update(each[1] for each in called if each is not None)
        for point in points:
            for each, another in product(self._of(one), self._of(other)):
                touched, too = specification.touched(point, each), specification.touched(point, another)
                if touched is None or too is None or not touched.apart(too):
                    return False
        return True

    def _looking(self, called: list[Clients]) -> list[Clients]:
        """The clients, and the same ones that look in the end what the object holds, if they can.

        What a class keeps has to be what some order of the calls leaves, even if no call after them sees a difference.
        """
        look = self._search.subject.look
        if look is None or not self._search.is_own_specification:
            return called
        return [*called, *(clients._replace(after=((look,),)) for clients in called)]

    def _of(self, method: str) -> tuple[int, ...]:
        return tuple(number for number, each in enumerate(self._operations) if each.method == method)

    def _clients(self, before: int, *threads: Calls) -> Clients:
        every = (tuple(range(len(self._operations))),)
        return Clients(threads, every * before, every * self._after)

    def _word(self, pairs: Sequence[Pair]) -> str:
        """CPython's word for the class (its documentation, "Thread safety guarantees")."""
        found = {pair.level for pair in pairs}
        if "" in found or RACY not in found:
            return "" if "" in found else SHARED if SAFE in found else ATOMIC
        for word, judge in ((DISTINCT, DISTINCT), (COMPATIBLE, LOCKED)):
            two = ((tuple(range(len(self._operations))),) * 2,) * 2
            verdict = self._search.explore(Clients(two), judge).verdict
            if verdict is not Verdict.BUG:
                return word if verdict is Verdict.VERIFIED else ""
        return INCOMPATIBLE
