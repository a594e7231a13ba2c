"""Generators that several threads have.

The thread that goes on with one takes it from memory, runs its code as its own, and puts it back at the next `yield`.
Meanwhile it is "already executing" for all others, as Python says with its lock. Without the lock, Python promises
nothing of generators that threads share; this is what its check is for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from replay.code.running_thread import perform, refuse
from replay.frontend.ordinary.contents import Suspended
from replay.frontend.ordinary.identity import Identity
from replay.frontend.ordinary.own import ShareableBuiltin
from replay.frontend.ordinary.publication import SharingTransaction
from replay.frontend.ordinary.suspended import RUNNING, Freeze, generator_at, suspended
from replay.interpreter.generators import Generator, resume
from replay.interpreter.natives import natively
from replay.world.operation import UNWRITTEN, Kind
from replay.world.shown import shown


class SharedGenerator(Generator, ShareableBuiltin):
    """A generator in memory. A `Generator` that becomes shared becomes one of this class."""

    identity: Identity | None = None
    state = "shared"

    def __init__(self) -> None:
        """One that stands for what another instance has made; `become_shared` fills it."""

    def __del__(self) -> None:
        """Does nothing: the generator is in memory."""

    def held(self, freeze: Freeze, name: str) -> dict[str, Any]:
        return {
            "": suspended(self, freeze, name),
            "function": freeze(self.frame.function, ".function"),
            "names": (self.__name__, self.__qualname__),
        }

    def become_shared(self, identity: Identity) -> None:
        vars(self).clear()
        self.identity = identity
        self.__name__, self.__qualname__ = identity.content["names"]

    def resumed(self, how: Callable[[Generator, Any], Any], value: Any) -> Any:
        """Interpreted: go on with the generator; returns what it yields, or `Returned`."""
        known: Any = self.identity
        held = perform(Kind.UPDATE, known.cell(""), update=_taken, label=_label(how, value))
        generator = _generator_of(known, held)
        if held.state == "over":
            return how(generator, value)
        try:
            return how(generator, value)
        finally:
            known.store("", _given_back(known, generator))

    def __repr__(self) -> str:
        return str(self.identity)

    def _is_asked(self) -> Any:
        refuse(f"thread code asks where {self} stands, which other threads change: call next() or close()")

    gi_code = gi_frame = gi_running = gi_yieldfrom = property(_is_asked)


SharedGenerator.__name__ = SharedGenerator.__qualname__ = Generator.__name__  # messages name it


def share(generator: Any) -> None:
    """Let a generator of a thread's own become one that is in memory, where it is."""
    generator.__class__ = SharedGenerator


@natively
def _label(how: Callable[..., Any], value: Any) -> str:
    if how is not resume:
        return f"throw({type(value).__name__})"
    return "next()" if value is None else f"send({shown(value)})"


def _taken(held: Suspended) -> object:
    if held.state == "running":
        raise ValueError("generator already executing")
    return UNWRITTEN if held.state == "over" else RUNNING


@natively
def _generator_of(known: Identity, held: Suspended) -> Generator:
    """Returns a generator of the thread's own that stands where the shared one did."""
    function = known.heap.thaw(known.content["function"])
    if held.state == "over":
        held = Suspended(("over", 0, 0, (), (), None))
    generator = generator_at(held, function, known.heap.thaw)
    generator.__name__, generator.__qualname__ = known.content["names"]
    return generator


@natively
def _given_back(known: Identity, generator: Generator) -> Suspended:
    """Returns what memory holds for the generator now. What its frame has found and made becomes shared."""
    publication = SharingTransaction(known.heap, "", str(known))
    held = suspended(generator, publication.frozen, str(known))
    publication.complete()
    generator.state = "over"  # the frame goes, and its code is not to be ended with it
    return held
