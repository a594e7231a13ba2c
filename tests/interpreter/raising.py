"""Statements that raise and handle exceptions."""

from __future__ import annotations

from tests.interpreter.grammar import ANY, COMPOUND, SIMPLE, in_scope
from tests.interpreter.writer import Writer

ERRORS = (
    "ValueError",
    "TypeError",
    "KeyError",
    "ZeroDivisionError",
    "IndexError",
    "AttributeError",
    "LookupError",
    "StopIteration",
    "RuntimeError",
    "Mine",
    "Mine",
    "ArithmeticError",
    "AssertionError",
    "NameError",
    "StopAsyncIteration",
    "KeyboardInterrupt",
    "GeneratorExit",
    "OSError",
    "UnboundLocalError",
)


def error(w: Writer) -> str:
    """An exception, or, rarely, what cannot be raised."""
    kind = w.pick(*ERRORS)
    return w.pick(
        kind,
        f"{kind}({w.small(ANY)})",
        f"{kind}({w.small(ANY)}, 2)",
        f"{kind}()",
        w.atom(ANY) if w.chance(0.2) else kind,
    )


def matched(w: Writer) -> str:
    """What an `except` names."""
    pair = f"({w.pick(*ERRORS)}, {w.pick(*ERRORS)})"
    return w.pick(
        w.pick(*ERRORS),
        pair,
        "Exception",
        "Exception",
        "LookupError",
        "BaseException",
        w.atom(ANY) if w.chance(0.1) else pair,
    )


@SIMPLE.add(4)
def raising(w: Writer) -> None:
    cause = w.pick("", "", "", " from None", f" from {error(w)}", f" from {w.atom(ANY)}")
    condition = "" if w.chance(0.3) else f"if {w.expression(ANY)}: "
    w.line(f"{condition}raise {error(w)}{cause}")


@SIMPLE.add(1)
def raising_group(w: Writer) -> None:
    w.line(f"if {w.expression(ANY)}: raise {group(w)}")


def group(w: Writer) -> str:
    one, two, three = (w.pick(*ERRORS[:14]) for _ in range(3))
    return f"ExceptionGroup('g', [{one}(1), {two}(2), ExceptionGroup('h', [{three}(3)])])"


def end_of_handler(w: Writer, name: str) -> None:
    """What a handler does last."""
    kind = w.pick(*ERRORS)
    w.line(
        w.pick(
            "raise",
            f"raise {kind}(1) from {name}",
            f"raise {kind}",
            f"log({name}, {name}.args, type({name}.__context__))",
            f"raise {name}",
            f"raise {name} from None",
            f"{name}.add_note('noted'); raise",
            f"{name}.__context__ = None; raise {name}.with_traceback(None)",
            f"caught({name})",
        )
    )


@COMPOUND.add(9)
def trying(w: Writer) -> None:
    w.body("try:", 1, 3)
    only_finally = w.chance(0.2)
    if not only_finally:
        for _ in w.count(1, 2):
            _handler(w)
        if w.chance(0.1):
            w.body("except:")
        if w.chance(0.3):
            w.body("else:")
    if only_finally or w.chance(0.3):
        w.body("finally:")


def _handler(w: Writer) -> None:
    if w.chance(0.2):
        return w.body(f"except {matched(w)}:")
    name = w.new("e")
    with w.block(f"except {matched(w)} as {name}:"), w.perhaps():
        w.bind(name, ANY)
        for _ in w.count(1, 2):
            w.statement()
        if w.chance(0.5):
            end_of_handler(w, name)
    w.scope.names.pop(name, None)
    return None


@COMPOUND.add(3)
def trying_groups(w: Writer) -> None:
    with w.block("try:"), w.perhaps():
        w.statement()
        w.line(f"raise {w.pick(group(w), group(w), error(w), f'Exceptions({w.small(ANY)})')}")
    for _ in w.count(1, 2):
        _group_handler(w)
    if w.chance(0.2):
        w.body("finally:")


def _group_handler(w: Writer) -> None:
    """No statement in it may leave it."""
    scope, name = w.scope, w.new("e")
    loops, scope.loops, may_leave, scope.may_leave = scope.loops, 0, scope.may_leave, False
    kinds = w.pick(
        w.pick(*ERRORS),
        f"({w.pick(*ERRORS)}, {w.pick(*ERRORS)})",
        "Exception",
        "Exception" if w.chance(0.9) else "ExceptionGroup",
    )
    with w.block(f"except* {kinds} as {name}:"), w.perhaps():
        w.line(f"caught({name})")
        w.statement()
        if w.chance(0.4):
            w.line(
                w.pick(
                    "raise", f"raise {w.pick(*ERRORS)}(9)", f"raise {w.pick(*ERRORS)}(8) from {name}", f"raise {name}"
                )
            )
    scope.loops, scope.may_leave = loops, may_leave


@COMPOUND.add(2, in_scope("generator", "async generator", "coroutine"))
def suspended_while_handling(w: Writer) -> None:
    """What is handled where a generator is resumed, and what it handles itself, are two things."""
    name = w.new("e")
    with w.block("try:"):
        w.line(f"raise {error(w)}")
    with w.block(f"except BaseException as {name}:"):
        w.line(_suspension(w))
        w.line(w.pick("raise", f"caught({name})", "log(sys.exception())", f"raise {w.pick(*ERRORS)}(2)"))
    with w.block("finally:"):
        w.line(_suspension(w))


def _suspension(w: Writer) -> str:
    value = w.small(ANY)
    return f"await kept(Pause({value}))" if w.scope.kind == "coroutine" else f"yield {value}"
