"""What may stand in the file of a trace or a log (docs/formats.md), as types that msgspec checks.

Types only: what the numbers and names refer to is `replay.traces.well_formed`'s to check.
"""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

Name = str | int
"""Of a thread: those of a real machine are numbered."""

Value = str | int | float | bool
"""Python's repr; JSON numbers and truth values may stand for themselves."""


class EventFields(Struct, frozen=True, forbid_unknown_fields=True):
    """One event; what is UNSET follows from the others."""

    thread: Name
    kind: str
    location: str = ""
    read: Value | None = None
    written: Value | None = None
    source: int | UnsetType | None = UNSET
    id: int | UnsetType = UNSET
    index: int | UnsetType = UNSET
    operation: str | UnsetType = UNSET
    executed: int = 0
    committed: int | None = None
    line: str | None = None


class StepFields(Struct, frozen=True, forbid_unknown_fields=True):
    """One step of a schedule; `run` and `commit` repeat the operation for the reader."""

    thread: Name
    event: int
    run: str | UnsetType = UNSET
    commit: str | UnsetType = UNSET


class ProgramFields(Struct, frozen=True, forbid_unknown_fields=True):
    file: str = ""
    name: str = "log"
    arguments: dict[str, str] = {}
    fingerprint: str = ""


class FailureFields(Struct, frozen=True, forbid_unknown_fields=True):
    thread: str
    error: str
    message: str = ""
    stack: list[str] = []


class EndFields(Struct, frozen=True, forbid_unknown_fields=True):
    how: str
    detail: str = ""


class TraceFields(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file; the values of objects with free keys are checked one by one, since errors name the key then."""

    schema: str
    model: str
    events: list[EventFields]
    threads: dict[str, object] | UnsetType = UNSET
    initial: dict[str, object] = {}
    schedule: list[StepFields] = []
    repeats: int | None = None
    program: ProgramFields = ProgramFields()
    failure: FailureFields | None = None
    ends: dict[str, object] | UnsetType = UNSET
