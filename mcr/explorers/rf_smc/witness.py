"""Line 18 of algorithm 3: is (X', RF') realizable? The answer is a schedule of the machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mcr.consistency.instance import SearchOptions
from mcr.executions.execution import Place
from mcr.exploration.events import Event
from mcr.exploration.realizing import Wanted, realized
from replay.machine.machine import Choice
from replay.machine.state import LocationId
from replay.machine.unfolding import Unfolding
from replay.world.memory_model import MemoryModel


def witness(
    events: Sequence[Event], unfolding: Unfolding, model: MemoryModel, how: SearchOptions
) -> list[Choice] | None:
    """Witness(X', RF'): choices that execute the events, every store committed; None if there are none.

    The events are a lower set of program order, in any order that respects it.
    """
    if _is_refuted(events):
        return None
    sources = {event.place: (event.source,) for event in events if event.reads}
    return realized(Wanted(events, sources), unfolding, model, how)


def _is_refuted(events: Iterable[Event]) -> bool:
    """Whether it is plain that no model allows them, as of every second mutation that is not realizable.

    A read does not see what its own thread has overwritten ([bui-2021] section 4 takes that for granted), and no two
    updates replace the same write.
    """
    latest: dict[tuple[int, LocationId], Place] = {}
    replaced: set[tuple[LocationId, Place | None]] = set()
    for event in events:
        thread = event.state.thread
        own, source = latest.get((thread, event.loc)), event.source
        if event.reads and source != own and (source[0] == thread if source else own is not None):
            return True
        if event.reads and event.writes:
            if (event.loc, source) in replaced:
                return True
            replaced.add((event.loc, source))
        if event.writes:
            latest[thread, event.loc] = event.place
    return False
