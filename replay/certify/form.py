"""The form of a certificate: which fields it has, and what is allowed in each (docs/certificates.md, "The file").

It is checked before anything else looks at the file, which anybody may have written: types and ranges by the table,
what is there twice, and what must rise. A rule is the name of a field, of whose entries the value is a number (with a
"?" also -1, for none); a word of `_WORDS`; a list of one rule, for each of as many as there are; a tuple of rules, one
for each entry of a list; or a set of the values that are allowed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

STATES, EXECUTIONS = "mcr certificate of states 4", "mcr certificate of executions 4"
RUNS, CLOSED = "mcr certificate of runs 4", "mcr certificate of closed graphs 4"
PROGRESS, OBSTRUCTION, LOCK, WAIT = "progress", "obstruction-freedom", "lock-freedom", "wait-freedom"
"""What may be shown of runs without end (docs/semantics.md 6)."""


class Rejected(Exception):
    """The certificate does not show what it claims; the message says why."""


_WORDS: dict[str, Callable[[Any], bool]] = {
    "text": lambda value: type(value) is str,
    "version": lambda value: type(value) is str and re.fullmatch(r"\d+\.\d+\.\d+[a-z0-9+]*", value) is not None,
    "digest": lambda value: type(value) is str and re.fullmatch(r"[0-9a-f]{16,64}|gone", value) is not None,
    "arguments": lambda value: type(value) is dict and all(type(each) is str for each in value.values()),
    "yes or no": lambda value: type(value) is bool,
    "count": lambda value: type(value) is int and value >= 0,
    "literal": lambda value: type(value) is int and value != 0,
    "clause": lambda value: type(value) is int and value >= 1,
}

_STORE = ("locations", "values")
_OF_THREAD = ({"thread"}, "threads", "count", [("nodes", [[[_STORE]]])])
_OF_LOCATION = ({"location"}, "locations", "count", ["values"])

FIELDS: dict[str, Any] = {
    "format": {STATES, RUNS, EXECUTIONS, CLOSED},
    "program": ("text", "text", "arguments"),
    "sha256": "digest",
    "rests": [("text", "digest")],
    "model": {"sc", "tso", "pso"},
    "deadlocks": "yes or no",
    "python": "version",
    "changing": ["text"],
    "values": ["text"],
    "locations": [("text", "values")],
    "threads": [("text", "nodes", "threads")],
    "frees": "yes or no",
    "nodes": [("threads", "text", "locations?", "values?", ["values"])],
    "edges": [("nodes", "values?", "values?", "nodes")],
}
_STATES = {"constant": ["locations"], "buffer": "count", "components": None, "states": ["count"]}
OF: dict[str, dict[str, Any]] = {
    EXECUTIONS: {"cycles": [["count"]], "proof": [(["literal"], ["clause"])]},
    STATES: _STATES,
    RUNS: {**_STATES, "rankings": [({PROGRESS, OBSTRUCTION, LOCK, WAIT}, [["count"]])]},
    CLOSED: {},
}
"""Fields that one format has and the others have not."""


def check_form(said: Any) -> None:
    """Raises Rejected for what is no certificate; the message names the place."""
    if type(said) is not dict or said.get("format") not in OF:
        raise Rejected(f"this is no certificate of the formats {', '.join(map(repr, OF))}")
    fields = FIELDS | OF[said["format"]]
    if said.keys() != fields.keys():
        raise Rejected(f"it has other fields than a certificate: {', '.join(sorted(said.keys() ^ fields.keys()))}")
    for name, rule in fields.items():
        if rule is not None:
            _check(rule, said[name], said, name)
    _check_distinct("the names of locations", (name for name, _ in said["locations"]))
    _check_distinct("the names of threads", (name for name, *_ in said["threads"]))
    for number, (*_, choices) in enumerate(said["nodes"]):
        _check_distinct(f"the choices of node {number}", choices)
    if said["format"] == EXECUTIONS:
        for cycle in said["cycles"]:
            _check_distinct(f"events {cycle} are no cycle: they", cycle)
    elif "states" in said:
        _check_distinct("the constant locations", said["constant"])
        _check_components(said)
    if said["format"] == RUNS:
        _check_distinct("the objectives", (objective for objective, _ in said["rankings"]))


def _check(rule: Any, value: Any, said: dict[str, Any], place: str) -> None:
    if isinstance(rule, list | tuple):
        if type(value) is not list or (isinstance(rule, tuple) and len(value) != len(rule)):
            raise Rejected(f"{place} is not as it must be: {value!r:.80}")
        rules = rule * len(value) if isinstance(rule, list) else rule
        for number, (each, part) in enumerate(zip(rules, value, strict=True)):
            _check(each, part, said, f"{place}[{number}]")
        return
    if isinstance(rule, set):
        allowed = type(value) is str and value in rule
    elif rule in _WORDS:
        allowed = _WORDS[rule](value)
    else:
        least = -1 if rule[-1] == "?" else 0
        allowed = type(value) is int and least <= value < len(said[rule.rstrip("?")])
    if not allowed:
        raise Rejected(f"{place} is not as it must be: {value!r:.80}")


def _check_components(said: dict[str, Any]) -> None:
    """Of all that a global state says there is one component, with room for its items; and states rise."""
    for number, part in enumerate(said["components"]):
        of_thread = type(part) is list and part[:1] == ["thread"]
        _check(_OF_THREAD if of_thread else _OF_LOCATION, part, said, f"components[{number}]")
        _check_distinct(f"the items of component {number}", map(repr, part[3]))
        if part[2] > 64 or not 0 < len(part[3]) <= 1 << part[2]:
            raise Rejected(f"component {number} has {len(part[3])} items, and {part[2]} bits for their numbers")
    _check_distinct("the components", (part[:2] for part in said["components"]))
    states = said["states"]
    if not states or 0 in states[1:] or sum(states) >> sum(part[2] for part in said["components"]):
        raise Rejected("the states do not rise, or have more bits than their components")


def _check_distinct(what: str, things: Iterable[Any]) -> None:
    found = sorted(things)
    if any(one == other for one, other in pairwise(found)):
        raise Rejected(f"{what} are not all different")
