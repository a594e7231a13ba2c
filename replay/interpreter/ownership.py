"""Ownership of objects, for which instructions ask where code runs on objects that several threads share.

An object that is shared is known by its identity: its class stays what it is, and its contents are in memory. Whoever
holds the shared objects of a program (`Objects`) answers for them; all other objects are values, or the thread's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from replay.interpreter.lookup import identity

if TYPE_CHECKING:
    from replay.interpreter.frame import Frame


class Objects(Protocol):
    """The shared objects of one instance of a program. `shared` has them by `lookup.identity`.

    `no_memory` has attributes, by class and name, that `load_of_class` need not be asked for.

    Each of the first three does what an instruction does, as functions of `attributes` do: the value is pushed, or a
    frame that will return it.
    """

    shared: dict[int, Any]
    no_memory: set[tuple[Any, str]]

    def load(self, frame: Frame, thing: Any, name: str, *, falls_back: bool = True) -> int | None:
        """`thing.name` of a shared object; `falls_back` says whether `__getattr__` is asked at last."""

    def store(self, frame: Frame, thing: Any, name: str, value: Any) -> int | None:
        """`thing.name = value` of a shared object, no method of whose class does that."""

    def delete(self, frame: Frame, thing: Any, name: str) -> int | None:
        """`del thing.name`, in the same way."""

    def load_of_class(self, frame: Frame, thing: Any, name: str) -> bool:
        """`thing.name` of what may find it in a class or module: a frame is pushed; False if that is no memory."""

    def store_of_class(self, frame: Frame, thing: Any, name: str, value: Any) -> bool:
        """`thing.name = value` of a class or module, in the same way."""

    def delete_of_class(self, frame: Frame, thing: Any, name: str) -> bool:
        """`del thing.name`, in the same way."""

    def admitted(self, found: Any, name: str) -> Any:
        """Returns what stands for an object of the host that a class has, and whose code computes an attribute."""

    def admit(self, function: Any, slots: list[Any]) -> None:
        """A function begins that may be of the host: put in the place of its default values what stands for them."""

    def load_global(self, frame: Frame, name: str) -> bool:
        """A global variable, in the same way."""

    def load_globals(self, frame: Frame) -> bool:
        """All global variables, in the same way."""

    def store_global(self, frame: Frame, name: str, value: Any) -> bool:
        """`global name; name = value`, in the same way."""

    def delete_global(self, frame: Frame, name: str) -> bool:
        """`global name; del name`, in the same way."""

    def variable(self, frame: Frame, slot: int) -> Any:
        """Returns what is known of a variable of a closure that is memory; None of another one."""

    def load_variable(self, frame: Frame, known: Any, slot: int) -> int | None:
        """The value of such a variable."""

    def store_variable(self, frame: Frame, known: Any, value: Any) -> int:
        """Such a variable is assigned."""

    def delete_variable(self, frame: Frame, known: Any, slot: int) -> int:
        """Such a variable is deleted."""

    def number_for(self, frame: Frame, thing: Any) -> int | None:
        """Returns what `id` is of an object for all threads; None of one that only its own thread compares.

        Raises Refused for values, of which nobody knows whether two are the same.
        """

    def check_cause(self, error: Any, cause: Any) -> None:
        """Raise Refused if `raise error from cause` changes an exception that is shared."""

    def check_native(self, error: BaseException) -> None:
        """Raise Refused if native code has called code of users that looks into a shared object, and so failed."""

    def copier(self) -> Any:
        """Returns a copier for threads, which copies only what is a thread's own."""

    def instead(self, native: Any, arguments: list[Any]) -> Any:
        """Returns what is called in the place of native code which is given shared objects; None for that code itself.

        Raises Refused if that code could look into them.
        """

    def check_keywords(self, native: Any, keywords: dict[str, Any]) -> None:
        """Raise Refused if native code could look into what it is given by keywords."""

    def run_natively(self, native: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """Returns what native code returns that no model stands for. Raises Refused if it calls Python code back."""


def is_shared(frame: Frame, *things: Any) -> bool:
    """Returns True if one of these objects is shared."""
    objects = frame.execution.objects
    return objects is not None and any(identity(thing) in objects.shared for thing in things)
