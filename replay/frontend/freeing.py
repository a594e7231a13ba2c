"""Freeing what was made: `p.free(node)`."""

from __future__ import annotations

from collections.abc import Iterator

from replay.code.running_thread import current_run, line_of_request, refuse
from replay.frontend.description import Thing
from replay.frontend.shared import Record, record_locations
from replay.world.freed import FREED, UseAfterFree, may_be_freed
from replay.world.operation import FREE, Kind, Location, Operation
from replay.world.shown import shown


def free(what: object) -> None:
    """Free what a record, or a thing that a thread made, consists of, one location after the other."""
    run = current_run()
    if not run.checks_stores:
        refuse(
            "nobody saw that something would be freed: write `p.free(...)` where thread code can be seen to reach it"
        )
    locations = list(_own_locations(what))
    if not locations:
        refuse(f"{shown(what)} cannot be freed: only records and what threads make can")
    for location in locations:
        run.perform(_freeing(location))


def _own_locations(what: object) -> Iterator[Location]:
    """Those of a record or a thing, without those of others that it was given."""
    if not isinstance(what, Record | Thing):
        return
    name = repr(what)
    for location in what.locations() if isinstance(what, Thing) else record_locations(what):
        is_own = location.name == name or location.name.startswith((f"{name}.", f"{name}["))
        if is_own and may_be_freed(location.name):
            yield location


def _freeing(location: Location) -> Operation:
    def update(held: object) -> object:
        if held is FREED:
            raise UseAfterFree(f"{location.name} is freed twice")
        return FREED

    return Operation(Kind.UPDATE, location, update=update, tag=FREE, source=line_of_request())
