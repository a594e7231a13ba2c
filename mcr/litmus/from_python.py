"""Writes a Python program as a litmus test, if its threads always ask for the same operations.

The program is explored under PSO, the weakest model, so that everything its
threads may read is known. A thread is straight if it asks for the same
operations whatever it reads; what it writes may be what it read. The claim
of the test is what the program asserts: no final state is one that fails.
"""

from __future__ import annotations

from collections.abc import Sequence

from mcr.api import open_session
from mcr.exploration.goals import STATES
from mcr.exploration.options import Options
from mcr.litmus.test import TRUE, And, Column, Equals, LitmusCondition, MemoryColumn, Or, Proposition, Quantifier
from mcr.litmus.write import litmus_text
from mcr.litmus.x86_writer import Leaf, StraightThread, as_number
from replay.code.terminals import Failed
from replay.errors import ModelError
from replay.frontend.program import Program
from replay.machine.state import NOTHING, State
from replay.machine.unfolding import Unfolding
from replay.world.memory_models.pso import PSO
from replay.world.operation import Kind


def from_python(program: Program) -> str:
    """The text of an X86 litmus test. Raises ModelError with the reason if the program cannot be one."""
    return _Translation(program, _explored(program)).text()


def _explored(program: Program) -> Unfolding:
    options = Options(keep_going=True, merge=False, turns=True, shorten=False)
    session = open_session(program, PSO, objective=STATES, options=options)
    result = session.explore()
    if result.stop is not None:
        raise ModelError(f"{program.title} cannot be a litmus test: {result.stop.reason}", _place(program))
    return session.context.unfolding


def _place(program: Program) -> str:
    return f"{program.file}:{program.line}"


class _Translation:
    def __init__(self, program: Program, unfolding: Unfolding) -> None:
        self._program = program
        self._unfolding = unfolding
        infos = [info for info in unfolding.threads if not info.is_final]
        self._threads = [StraightThread(number, unfolding, info) for number, info in enumerate(infos)]
        self._codes = [thread.code() for thread in self._threads]
        self._thread_of = {info.index: number for number, info in enumerate(infos)}

    def text(self) -> str:
        condition = self._condition()
        shown = "".join(f"{_bare(column)}; " for column in self._observed())
        locations = f"locations [{shown.strip()}]\n" if shown else ""
        return litmus_text(
            self._program.name,
            self._codes,
            f"{locations}{condition}",
            document=f"from {self._program.title}",
            initial=self._initial(),
        )

    def _initial(self) -> list[str]:
        """Initial values of the locations that the test uses and that are not 0."""
        used = {location for thread in self._threads for location in thread.locations}
        used |= {state.loc for state in self._final_states() if state.loc != NOTHING and _is_load(state)}
        found = []
        for location in sorted(used):
            value = as_number(self._unfolding.values[self._unfolding.initial[location]], _place(self._program))
            if value != 0:
                found.append(f"{self._unfolding.locations[location].name}={value}")
        return found

    def _final_states(self) -> list[State]:
        final = self._unfolding.final
        return [] if final is None else [state for state in self._unfolding.states if state.thread == final.index]

    def _observed(self) -> list[Column]:
        """Returns the columns that the final function reads, so that the test's states are the program's outcomes."""
        found: dict[Column, None] = {}
        for state in self._final_states():
            if _is_load(state):
                found[MemoryColumn(self._unfolding.locations[state.loc].name)] = None
            elif state.operation is not None and state.operation.kind is Kind.JOIN:
                found.update(dict.fromkeys(self._joined(state).columns.values()))
        return list(found)

    def _joined(self, state: State) -> StraightThread:
        assert state.operation is not None
        info = self._unfolding.thread(state.operation.target)
        assert info is not None
        return self._threads[self._thread_of[info.index]]

    # -- the claim ---------------------------------------------------------------------

    def _condition(self) -> LitmusCondition:
        """`~exists` of the states that fail; `forall (true)` if none does."""
        failing = [_ended(thread, [leaf for leaf in thread.leaves if leaf.fails]) for thread in self._threads]
        failing += [self._final_state(state) for state in self._final_states() if isinstance(state.terminal, Failed)]
        parts = tuple(part for part in failing if part != Or())
        if not parts:
            return LitmusCondition(Quantifier.FORALL, TRUE)
        return LitmusCondition(Quantifier.NOT_EXISTS, parts[0] if len(parts) == 1 else Or(parts))

    def _final_state(self, failed: State) -> Proposition:
        """States what the final function saw before it failed."""
        parts: list[Proposition] = []
        for edge in failed.way():
            state = edge.before
            if state.operation is None or edge.read == NOTHING:
                continue
            if state.operation.kind is Kind.JOIN:
                thread = self._joined(state)
                leaves = [leaf for leaf in thread.leaves if not leaf.fails]
                returning = [leaf for leaf in leaves if self._unfolding.returned(leaf.state) == edge.read]
                parts.append(_ended(thread, returning))
            elif _is_load(state):
                value = as_number(self._unfolding.values[edge.read], _place(self._program))
                parts.append(Equals(MemoryColumn(self._unfolding.locations[state.loc].name), value))
        return _flat(parts)


def _ended(thread: StraightThread, leaves: Sequence[Leaf]) -> Proposition:
    """States that a thread ended in one of these ways, by the registers that decide."""
    ways = {tuple((column, leaf.reads[place]) for place, column in thread.columns.items()) for leaf in leaves}
    parts = tuple(And(tuple(Equals(column, value) for column, value in way)) for way in sorted(ways, key=str))
    return parts[0] if len(parts) == 1 else Or(parts)


def _bare(column: Column) -> str:
    """As herd wants it in `locations`: without brackets."""
    return column.location if isinstance(column, MemoryColumn) else str(column)


def _is_load(state: State) -> bool:
    return state.operation is not None and state.operation.kind is Kind.LOAD


def _flat(parts: Sequence[Proposition]) -> Proposition:
    """Conjunction without conjunctions in it."""
    flat: list[Proposition] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, And) else (part,))
    return flat[0] if len(flat) == 1 else And(tuple(flat))
