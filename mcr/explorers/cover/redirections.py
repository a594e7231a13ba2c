"""Seeds that can be read off an execution: a read that could have read another write that is there.

Take an execution, a read in it, and a write to the same location whose value
the read was never seen to have. Keep what the reading thread did before, the
write, and all that these depend on (docs/semantics.md 5). If the write is then the
last one to the location, the read may happen now and takes its value. The
backward revisits of [kokologiannakis-2022] section 2 do the same for classes
of executions; here it is for local states.

What cannot be read off like this, because stores would have to reach memory in
another order, is left to the solver, and so is the proof that nothing is left.
That spares the solver about half of its questions (results/engine-tuning.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from mcr.executions.causal_past import Causality, Events, Read
from replay.machine.machine import Choice
from replay.machine.state import NOTHING, State
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel
from replay.world.values import ValueId


@dataclass(slots=True, eq=False)
class Redirection:
    """Bring about `past`, then let the thread of `state` read, or choose, `value`.

    causality  the execution in which all that happened, but for the last step
    """

    causality: Causality
    past: Events
    state: State
    value: ValueId
    depth_first: ClassVar[bool] = False

    def is_news(self) -> bool:
        """True if it still leads to a local state that was never seen."""
        return self.value not in self.state.edges

    def seed(self) -> list[Choice]:
        chosen = self.value if self.state.inputs else NOTHING
        return [*self.causality.kept(self.past, self.state), Choice(self.state.thread, NOTHING, chosen)]


class Redirections:
    """Finds those that executions offer; each leads to a local state that was not seen then."""

    def __init__(self, unfolding: Unfolding, model: MemoryModel) -> None:
        self._unfolding = unfolding
        self._model = model
        self._known: set[tuple[int, ValueId]] = set()

    def of(self, choices: Sequence[Choice]) -> Iterator[Redirection]:
        """Yields the redirections of a schedule's execution that no other execution had."""
        causality = Causality(self._unfolding, self._model, choices)
        for read in causality.reads:
            self._unfolding.check()
            for value, past in self._alternatives(causality, read):
                if value not in read.state.edges and (read.state.number, value) not in self._known:
                    self._known.add((read.state.number, value))
                    yield Redirection(causality, past, read.state, value)

    def _alternatives(self, causality: Causality, read: Read) -> Iterator[tuple[ValueId, Events]]:
        """Yields each other value that a read could have had, with the past after which it has it."""
        state = read.state
        if state.inputs:
            for value in state.inputs:
                yield value, read.past
            return
        for value, past in self._sources(causality, read):
            if self._unfolding.accepts(state, value):
                yield value, past

    def _sources(self, causality: Causality, read: Read) -> Iterator[tuple[ValueId, Events]]:
        state, own = read.state, read.own
        written = causality.written.get(state.loc, 0)
        late = causality.after[state.thread][state.depth]
        in_memory = read.past & written
        if own is None:
            if not in_memory:
                yield self._unfolding.initial[state.loc], read.past
        elif own.write is None or not in_memory >> own.write.number:
            yield own.value, read.past  # from the buffer
        for write in causality.writes.get(state.loc, ()):
            past = read.past | write.past
            if own is not None and write is not own.write:
                if own.write is None or own.write.number > write.number:
                    continue
                past |= own.write.past
            if not past & late and (past & written).bit_length() == write.number + 1:
                yield write.value, past
