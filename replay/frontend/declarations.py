"""What a program function declares shared state and threads on, and what its threads may do beside loads and stores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from replay.code.thread_run import current_run, inside_run, line_of_request, refuse
from replay.code.user_code import never_run
from replay.errors import ModelError
from replay.frontend.locks import Condition, Mutex
from replay.frontend.names import Names, check_fields
from replay.frontend.shared import Array, Record, Variable
from replay.frontend.threads import FINAL, Call, Thread, start_location
from replay.world.operation import Kind, Operation
from replay.world.values import canonical_key

FinalCode = TypeVar("FinalCode", bound=Callable[[], object])


class Declarations:
    """The `p` of a program: declares what is shared, and offers what threads may do.

    Declaring (`var`, `array`, `mutex`, `condition`, `thread`, `final`) is for
    the program function itself; `record` may be called by anybody; the rest
    is for thread code.
    """

    def __init__(self, like: Declarations | None = None) -> None:
        """`like` is an earlier instance of the same program: what was found to be in order there is so here."""
        self._like = like
        self.threads: list[Call] = []
        """What thread "0" runs, thread "1", and so on."""
        self.final_code: Callable[[], object] | None = None
        self._names = Names()
        self._records = 0

    # -- declarations ------------------------------------------------------

    def var(self, name: str, initial: object = None) -> Variable:
        """A shared variable; `initial` must be hashable. Raises ModelError for a name that is taken."""
        self._declare(name, initial)
        return Variable(name, initial)

    def array(self, name: str, initial: Sequence[object]) -> Array:
        """Shared cells `name[0]`, `name[1]`, ... with these initial values. Raises ModelError like `var`."""
        values = tuple(initial)
        self._declare(name, *values, cells=len(values))
        return Array(name, values)

    def record(self, name: str = "record", /, **fields: object) -> Record:
        """A new record with the given fields, which any thread may make at any time.

        `name` is for reports and need not be unique. What the fields hold at
        first is visible to all threads at once. Raises ModelError for an
        initial value that memory cannot hold.
        """
        check_fields(fields)
        number = self._next_record()
        try:
            return Record(f"{name}#{number}", fields)
        except ModelError as error:
            refuse(f"{name}: {error.message}")

    def _next_record(self) -> str:
        """What tells a new record from all others of an execution."""
        if inside_run():
            run = current_run()
            return f"{run.name}.{run.next_number('record')}"
        self._records += 1
        return str(self._records - 1)

    def mutex(self, name: str) -> Mutex:
        """A mutex, free at first. Raises ModelError for a name that is taken."""
        self._declare(name)
        return Mutex(name)

    def condition(self, name: str, mutex: Mutex) -> Condition:
        """A condition variable that belongs to `mutex`. Raises ModelError for a name that is taken."""
        self._declare(name)
        return Condition(name, mutex)

    def thread(self, function: Callable[..., object], *args: object, name: str = "") -> Thread:
        """A thread that runs function(*args) from the beginning; `name` is for reports.

        The function may be a generator that yields operations. Raises
        ModelError inside a thread (`spawn` is for that), and for what cannot
        be called.
        """
        if inside_run():
            refuse("thread() declares; inside a thread use spawn()")
        number = len(self.threads)
        known = self._like.threads[number : number + 1] if self._like else []
        self.threads.append(Call(function, args, name, known[0].source if known else None))
        return Thread(str(number))

    def final(self, function: FinalCode) -> FinalCode:
        """Decorator: run this function after all threads ended and all stores are in memory.

        It may load, join, assert, and return the *outcome*, a value like those
        in memory. Raises ModelError if there is a final function already.
        """
        if self.final_code is not None:
            refuse("the program declares two final functions")
        if self._like is None:
            Call(function, ())
        self.final_code = function
        return function

    def _declare(self, name: str, *values: object, cells: int = 0) -> None:
        """Take the name of a thing, and those of as many cells of an array; look at what they hold at first."""
        if inside_run():
            refuse(f"{name!r} is declared inside a thread; only records may be")
        if self._like is not None:
            return
        self._names.add(name, cells)
        _check_values(name, values)

    # -- operations --------------------------------------------------------

    def fence(self) -> None:
        """Full fence: wait until the thread's own stores are in memory (x86 mfence)."""
        current_run().perform(Operation(Kind.FENCE, source=line_of_request()))

    def store_fence(self) -> None:
        """Stores before it reach memory before stores after it (SPARC stbar); costs nothing under SC and TSO."""
        current_run().perform(Operation(Kind.STORE_FENCE, source=line_of_request()))

    def assume(self, condition: object) -> None:
        """Go on only if `condition` holds; else the thread stops for good, silently."""
        run = current_run()
        if code := never_run(condition):
            refuse(f"assume() was given {code}")
        if not condition:
            run.block("assume")

    def wait_until(self, condition: Callable[[], Any]) -> Any:
        """Wait until `condition()` holds, and return what it returned: a spin loop that blocks instead of looping.

        The condition may only load. An evaluation that fails leaves no trace;
        the one that succeeds happens load by load, as written. Raises
        ModelError for a condition that does more than load.
        """
        return current_run().wait_until(condition)

    def choose(self, *values: object) -> Any:
        """An input: any one of `values`, and every one is tried. Raises ModelError if there are none."""
        if not values:
            refuse("choose() needs at least one value")
        return current_run().perform(Operation(Kind.CHOOSE, choices=values, source=line_of_request()))

    def spawn(self, function: Callable[..., object], *args: object) -> Thread:
        """Start a new thread from inside a thread; drains the thread's own buffer, as a fence does.

        Raises ModelError in the final function, which runs after all threads.
        """
        run = current_run()
        if run.name == FINAL:
            refuse("the final function runs after all threads; it cannot spawn")
        child = f"{run.name}.{run.next_number('thread')}"
        code = Call(function, args)
        run.perform(
            Operation(
                Kind.SPAWN,
                start_location(child),
                target=child,
                code=code,
                label=code.title,
                source=code.source,
            )
        )
        return Thread(child)


def _check_values(name: str, values: Iterable[object]) -> None:
    """Refuse initial values that memory cannot hold."""
    for value in values:
        try:
            canonical_key(value)
        except ModelError as error:
            refuse(f"{name}: {error.message}")
