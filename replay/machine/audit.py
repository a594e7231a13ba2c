"""Checks that threads share nothing but what the model declares: their code is run again, and watched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from replay.code.hidden_state import HiddenState
from replay.code.lasting_state import LastingState
from replay.code.terminals import Request
from replay.code.thread_run import ThreadRun
from replay.errors import ModelError, NondeterminismError
from replay.frontend.declarations import Declarations
from replay.frontend.program import Program
from replay.frontend.threads import FINAL
from replay.machine.code_runner import CodeRunner
from replay.machine.histories import History, longest
from replay.machine.state import Edge, Known, State, source
from replay.world.operation import Kind, Operation, Source


class Audit:
    """Audits the code of one unfolding. It has to be made before any of that code has run."""

    def __init__(self, code: CodeRunner, threads: Known, first: Declarations, program: Program) -> None:
        """`first` is an instance of the program, none of whose code ever runs."""
        self._code = code
        self._threads = threads
        self._first = first
        self._place = program.place
        look = partial(LastingState, first.all_code, ordinary=threads.ordinary)
        self._lasting = program.found_out("what lasts", look)

    def look_at(self, histories: Iterable[History]) -> None:
        """Run the code that led to the states of an execution once more.

        With each state come the steps that led to it.
        Raises NondeterminismError if it asks for something else than it did,
        ModelError if it changes Python objects that other threads use.
        """
        # Spawners come before their children: what was looked at changes nothing that it shares, so it may run again
        # and again in one instance.
        with self._code.apart():
            for root, way in sorted(longest(histories), key=lambda history: history[0].number):
                self._look_at(root, way)
        self.check_lasting()

    def check_lasting(self) -> None:
        """Raise ModelError if some thread has changed what outlives the runs of the program."""
        wrong = self._lasting.wrong(self._code.instance)
        if wrong:
            raise ModelError(wrong, self._place)

    def _look_at(self, root: State, way: Sequence[Edge]) -> None:
        steps = self._code.steps(root, way)
        for run in steps:
            shares = self._threads.ordinary
            hidden = HiddenState(
                run.code,
                self._others(run),
                ordinary=shares,
                is_asked_for=self._first.is_asked_for,
                earlier=self._code.newest.threads if run.name == FINAL else (),
            )
            for edge in way:
                hidden.share(self._code.value(edge.read))
            _check(hidden, run, run.thread.declared)
            before = run.thread.declared
            try:
                for _ in steps:
                    _check(hidden, run, before)
                    before = source(run.pending) or before
                    for value in (run.wrote, *_given_away(run.pending)):
                        hidden.share(value)
                    self._follow_children(hidden, run.pending)
            except NondeterminismError:
                _check(hidden, run, before)  # what it has changed tells more
                raise

    def _follow_children(self, hidden: HiddenState, request: Request) -> None:
        """Tell `hidden` of a thread that begins, and of one that ended without having started others."""
        if not isinstance(request, Operation):
            return
        if request.kind is Kind.SPAWN and request.code is not None:
            hidden.begin_child(request.target, request.code)
        elif request.kind is Kind.JOIN and self._threads.thread(f"{request.target}.0") is None:
            hidden.end_child(request.target)

    def _others(self, run: ThreadRun) -> Sequence[object]:
        """Returns objects that may share others with a run that has not begun, and would not see them change.

        A spawned thread shares with whatever its parent can still reach; the final function comes last. Every thread
        shares with the same one in another instance what outlives an instance.
        """
        if run.name == FINAL:
            return []
        same: object = self._first.threads[int(run.name.partition(".")[0])]
        if run.spawner is not None:
            holders: list[object] = [*run.spawner.holders()]
            return [*(holders or [run.code]), same]
        own = int(run.name)
        codes: list[object] = [code for number, code in enumerate(self._code.newest.all_code) if number != own]
        return [*codes, same]


def _check(hidden: HiddenState, run: ThreadRun, where: Source | None) -> None:
    """Raise ModelError if a thread uses more than the model."""
    if wrong := hidden.wrong(run):
        raise ModelError(f"thread {run.name} {wrong}", str(where or ""))


def _given_away(request: Request) -> Iterator[object]:
    """The objects that a thread is about to write to memory."""
    if isinstance(request, Operation):
        yield request.value
        yield from request.operands
