"""Parts of what frames hold where threads share objects of ordinary classes: for `replay.certify.likeness`.

Loaded where a program shares such objects. Shared ones are compared by their references, before anything is asked here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from weakref import ReferenceType

from replay.frontend.ordinary.contents import CONTENTS
from replay.frontend.ordinary.generators import SharedGenerator
from replay.frontend.ordinary.identity import Identity
from replay.frontend.ordinary.own import Lock, RLock, SharedCount, SharedCycle, SimpleQueue
from replay.frontend.ordinary.values import Built, Reference, Unset
from replay.frontend.ownership.homes import Home
from replay.frontend.ownership.objects import SharedObjects


def _own(value: Any) -> Iterable[Any]:
    return (True, value.identity) if value.identity is not None else (False, *value.private())


PARTS: dict[type, Callable[[Any], Iterable[Any]]] = {
    **dict.fromkeys((Lock, RLock, SimpleQueue, SharedCount, SharedCycle, SharedGenerator), _own),
    ReferenceType: lambda value: (value(),),
    Home: lambda value: (value.name,),
    Identity: lambda value: (value.reference,),
    Built: lambda value: (value.how, *value.parts),
    **dict.fromkeys((SharedObjects, Unset), lambda value: ()),  # each instance has one
    **dict.fromkeys(CONTENTS, lambda value: value),
}
"""By exact type, what makes two objects alike."""

EQUAL: tuple[type, ...] = (Reference,)
"""Types of values that are alike if they are equal."""

WITHOUT_IDENTITY: tuple[type, ...] = (Home, Identity, Built, SharedObjects, Unset, ReferenceType, *CONTENTS)
"""Types of which it counts for nothing which object one is."""
