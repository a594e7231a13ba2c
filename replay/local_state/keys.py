"""The key of a local state: equal for two suspended threads only if they have the same future.

"Same future" means: the same requests for the same results, and the same ends, whatever results come. Where that cannot
be made sure, there is no key, and the state must be taken for one of its own (merging is given up there, and nowhere
else). A key does not say how many operations a thread has executed.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable

from replay.code.terminals import Blocked, Ended, Failed, Terminal
from replay.code.thread_run import ThreadRun
from replay.frontend.declarations import Declarations
from replay.frontend.threads import FINAL
from replay.local_state import code, containers, program_things
from replay.local_state.frames import FrameWriter, handlers
from replay.local_state.layouts import why_unreadable
from replay.local_state.reach import MISSING, Fixed, Reach
from replay.local_state.writer import Handler, Unkeyable, Writer
from replay.world.operation import Operation

_HEAP = "replay.frontend.ownership.heap"
"""The module without which nothing of an ordinary class is shared."""


class LocalStateKeys:
    """Makes the keys of one exploration: those of different explorations must not be compared.

    doubt  why the last thread had no key, in a few words; "" if it had one
    """

    def __init__(self, unused: Declarations) -> None:
        """`unused` is an instance of the program, none of whose code runs."""
        self.doubt = ""
        self._unused = unused
        self._reaches: dict[str, Reach] = {}
        self._fixed = Fixed()
        self._frames = FrameWriter(self._fixed)
        self._handlers: dict[type, Handler] = {
            **containers.HANDLERS,
            **code.HANDLERS,
            **program_things.HANDLERS,
            **handlers(self._frames),
        }
        if _HEAP in sys.modules:
            from replay.local_state import ordinary_things

            self._handlers.update(ordinary_things.HANDLERS)
        self._unreadable = why_unreadable()

    def key_of(self, run: ThreadRun) -> Hashable | None:
        """The key of a thread that is suspended at an operation, or came to its end; None if there is a doubt."""
        self.doubt = self._unreadable
        if self.doubt:
            return None
        reach = self._reach(run.name.partition(".")[0])
        if reach.doubt and isinstance(run.pending, Operation):
            self.doubt = reach.doubt
            return None
        writer = Writer(self._handlers, code.rule_for, self._fixed, reach)
        try:
            self._write(writer, run)
        except Unkeyable as doubt:
            self.doubt = str(doubt)
            return None
        except RecursionError:
            self.doubt = "objects that are nested too deeply"
            return None
        return tuple(writer.tokens)

    def _reach(self, declared: str) -> Reach:
        """Returns what the declared thread of that name may come to, and those that it spawns."""
        if declared not in self._reaches:
            unused = self._unused
            code = unused.final_code if declared == FINAL else unused.threads[int(declared)]
            assert code is not None
            self._reaches[declared] = Reach(code, shares_objects=unused.heap is not None)
        return self._reaches[declared]

    def _write(self, writer: Writer, run: ThreadRun) -> None:
        pending = run.pending
        if not isinstance(pending, Operation):
            _write_end(writer, pending)
            return
        execution = run.interpreted.execution
        writer.begin(execution)
        program_things.write_thread(writer, run.thread)
        program_things.write_operation(writer, pending)
        self._frames.write_execution(writer, execution)
        _write_places(writer)


def _write_end(writer: Writer, end: Terminal) -> None:
    writer.tokens.append(type(end))
    match end:
        case Ended():
            writer.write(end.value)
        case Blocked():
            writer.tokens += (end.reason, end.source)
        case Failed():
            writer.tokens += (end.error, end.message, end.stack)


def _write_places(writer: Writer) -> None:
    """Writes what the code reaches by name and may have changed. What is written reaches more."""
    seen: set[int] = set()
    done = 0
    while done < len(writer.namespaces):
        for namespace in list(writer.namespaces.values())[done:]:
            for place in namespace.changed():
                if place.number not in seen:
                    seen.add(place.number)
                    writer.tokens += ("place", place.number)
                    writer.write(place.get(place.name, MISSING))
            done += 1
    for namespace in writer.namespaces.values():
        writer.compare(namespace)
