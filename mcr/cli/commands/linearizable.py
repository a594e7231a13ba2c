"""Check whether a class is linearizable: for each set of concurrent calls there is an order, which keeps each call
between its begin and its return, in which one thread would have got the same results.

The class itself, used by one thread, is the specification. All clients within the bounds are explored: a proof holds
for this number of threads and calls, and these arguments.

examples:
  mcr linearizable counter.py::Counter
  mcr linearizable stack.py::Stack --operation "push(1)" --operation "push(2)" --operation "pop()" --model tso
  mcr linearizable package.module:Cache --threads 3 --calls 2

A class whose constructor takes `p` declares its shared state on it, as programs do; objects of all others are shared
memory themselves, under SC, since that is CPython's (docs/linearizability.md).
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from mcr.cli.arguments import add_options, add_output_arguments
from mcr.cli.progress import Progress
from mcr.cli.request import Request, until_interrupted
from mcr.cli.status import Status, complain, gravest
from mcr.exploration.verdict import Verdict
from mcr.keys import add_keys, count
from mcr.linearizability.client import named
from mcr.linearizability.observers import LINEARIZABLE
from mcr.linearizability.search import Linearizability, linearizable
from mcr.report.document import write_document
from mcr.report.history import page, picture
from mcr.report.layout import style_for, terminal_width
from mcr.report.linearizability import linearizability_document, render_answer, render_rest
from replay.errors import CheckerError
from replay.files import write_atomically

Found = TypeVar("Found")


def _operation(text: str) -> tuple[object, ...]:
    """A call with literals, such as "push(1)", as a method and its arguments."""
    try:
        call = ast.parse(text.strip(), mode="eval").body
        if isinstance(call, ast.Name):
            return (call.id,)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.keywords:
            return (call.func.id, *map(ast.literal_eval, call.args))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        pass
    raise argparse.ArgumentTypeError(f"{text!r} is not a call with literals, such as \"put(1, 'a')\"")


def _owned(text: str) -> tuple[str, int]:
    """A method and the number of the thread that alone calls it."""
    method, _, thread = text.partition("=")
    if not thread.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a method and a thread, such as put=0")
    return method, int(thread)


def _counts(text: str) -> list[object]:
    return list(map(count, text.split(",")))


def add_class_arguments(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Which classes, operations and models, limits and output; returns the group of bounds."""
    parser.add_argument("targets", metavar="CLASS", nargs="+", help="FILE::NAME, or package.module:NAME")
    calls = 'what clients call, such as "put(1)"; may be repeated (default: the public methods, with small arguments)'
    parser.add_argument("--operation", dest="operations", metavar="CALL", type=_operation, action="append", help=calls)
    add_options(parser, {"--spec CLASS": "the specification, used by one thread (default: the class itself)"})
    add_keys(parser, "models", "python", models="memory model (default: sc for ordinary classes, else tso)")
    bounds = parser.add_argument_group("bounds")
    limits = parser.add_argument_group("limits")
    add_keys(
        limits, "timeout", "memory", "max_operations", "reduce",
        timeout="stop after this time, for each class and model",
        reduce="also run clients and orders of steps that make no difference (for comparison)",
    )  # fmt: skip
    add_keys(parser, "folder", folder="where the client and its trace go, if one fails (default: .mcr)")
    add_output_arguments(parser)
    return bounds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    bounds = add_class_arguments(parser)
    add_options(bounds, {"--threads N": "threads of a client (default: 2)"}, threads=2)
    calls = "calls of each at most (default: 3), or a number for each thread, such as 1,7"
    bounds.add_argument("--calls", metavar="N", type=_counts, default=[3], help=calls)
    level = (
        "decide one level: linearizable, 'sequentially consistent' or 'quiescently consistent' (default: linearizable "
        "and, if that fails, the two weaker ones)"
    )
    parser.add_argument("--level", metavar="LEVEL", help=level)
    add_options(parser, {"--picture FILE": "draw the histories of what fails: an .svg of one class, or an .html"})
    shown = "write what shows that the class is linearizable, and its clients, for `mcr certify` (docs/certificates.md)"
    add_options(parser, {"--certificate FOLDER": shown})
    only = "only thread N calls that method, such as put=0; may be repeated"
    bounds.add_argument("--only", metavar="METHOD=N", type=_owned, action="append", default=[], help=only)


def run(arguments: argparse.Namespace) -> Status:
    if arguments.certificate and (arguments.spec or (arguments.level or LINEARIZABLE) != LINEARIZABLE):
        raise CheckerError(
            "--certificate shows that a class is linearizable by its own specification: leave out --spec and --level"
        )
    width, style = terminal_width(), style_for(sys.stdout, arguments.color)
    begun: list[Linearizability] = []

    def look(make: Callable[..., Any], **how: Any) -> Linearizability:
        how["options"] = replace(how["options"], certificate=False)  # it is made of clients of its own
        calls = arguments.calls if len(arguments.calls) > 1 else arguments.calls[0]
        with Progress(1) as bar:

            def show_history(found: Linearizability) -> None:
                bar.clear()
                print("\n".join(render_answer(found, width, style)), flush=True)
                begun.append(found)

            found = linearizable(
                make, threads=arguments.threads, calls=calls, only=dict(arguments.only), level=arguments.level,
                on_progress=bar.update if bar.is_shown else None,
                on_counterexample=begun.append if arguments.json else show_history, **how,
            )  # fmt: skip
        if arguments.certificate is None or found.verdict is not Verdict.VERIFIED:
            return found
        from mcr.linearizability.certificate import with_certificate  # late, as few ask for one

        return with_certificate(
            found, make, how["operations"], dict(arguments.only), how["options"], arguments.certificate
        )

    def lines(found: Linearizability) -> Iterable[str]:
        if not any(each.counterexample is found.counterexample is not None for each in begun):
            yield from render_answer(found, width, style)
        yield from render_rest(found, width)

    def drawn(found: Sequence[Linearizability]) -> None:
        file = arguments.picture
        if file is not None:
            write_atomically(file, page(found) if file.suffix == ".html" else "".join(map(picture, found[:1])))

    return answered(arguments, look, linearizability_document, lines, lambda found: Status.of(found.verdict), drawn)


def answered(
    arguments: argparse.Namespace,
    look: Callable[..., Found],
    document: Callable[[Sequence[Found]], dict[str, Any]],
    render: Callable[[Found], Iterable[str]],
    status: Callable[[Found], Status],
    write: Callable[[Sequence[Found]], None] = lambda found: None,
) -> Status:
    """Look at each class and model, and report each result when it is known; as one document with --json."""
    wrong: list[Status] = []

    def tell(found: Found) -> None:
        if not arguments.json:
            print("\n".join([*render(found), ""]), flush=True)

    found, interrupted = until_interrupted(_found(arguments, look, wrong), tell)
    if arguments.json:
        write_document(document(found), sys.stdout)
    write(found)
    statuses = [*map(status, found), *wrong]
    return gravest([*statuses, *([Status.INCOMPLETE] if interrupted else [])])


def _found(arguments: argparse.Namespace, look: Callable[..., Found], wrong: list[Status]) -> Iterator[Found]:
    """Yields the finding for each class and model; what is wrong with one is told, and goes to `wrong`."""
    request = Request.of(arguments)
    for target in request.targets:
        try:
            make = named(target)
            spec = None if arguments.spec is None else named(arguments.spec)
            for model in arguments.models or (None,):
                yield look(
                    make, operations=arguments.operations, spec=spec, model=model, options=request.options,
                    folder=request.folder,
                )  # fmt: skip
        except CheckerError as error:
            complain(error)
            wrong.append(Status.WRONG_USE)
