"""Statements: assignments of all kinds, branches, loops, `with`."""

from __future__ import annotations

from tests.interpreter.grammar import (
    ANY,
    COMPOUND,
    DICT,
    FUNCTION,
    ITERABLE,
    LIST,
    NUMBER,
    SIMPLE,
    TEXT,
    in_scope,
    knows,
)
from tests.interpreter.writer import CODE, Writer

simple, compound = SIMPLE.add, COMPOUND.add


# -- one line ------------------------------------------------------------------------------


@simple(10)
def assignment(w: Writer) -> None:
    kind = w.data_kind()
    value = w.expression(kind)
    w.line(f"{w.target(kind)} = {value}")


@simple(3)
def assignment_to_several(w: Writer) -> None:
    value = w.expression(NUMBER)
    w.line(f"{w.target(NUMBER)} = {w.target(NUMBER)} = {value}")


@simple(5)
def in_place(w: Writer) -> None:
    """An operation on a variable; nothing is multiplied by what may be large."""
    kind = w.pick(NUMBER, NUMBER, TEXT, LIST, DICT, ANY)
    held = [name for name, of in w.scope.writable() if of == kind]
    if not held:
        return assignment(w)
    operators = {NUMBER: ("+=", "-=", "//=", "|=", "&=", "^=", "%=", "/="), TEXT: ("+=",), LIST: ("+=",), DICT: ("|=",)}
    name, operator = w.random.choice(held), w.pick(*operators.get(kind, ("+=", "-=", "|=", "@=", "&=", ">>=")))
    value = "2" if w.chance(0.1) else w.expression(w.pick(LIST, ITERABLE) if kind == LIST else kind)
    w.line(f"{name} {w.pick('*=', '**=') if value == '2' and kind == NUMBER else operator} {value}")
    return None


@simple(2)
def in_place_on_part(w: Writer) -> None:
    part = w.pick("spy.n", "spy[0]", f"{w.atom(LIST)}[0]", f"{w.atom(DICT)}['k']", f"{w.atom(ANY)}.v", "total_of.v")
    w.line(f"{part} {w.pick('+=', '-=', '|=')} {w.expression(NUMBER)}")


@simple(5)
def log(w: Writer) -> None:
    w.line(f"log({w.expression(ANY)})" if w.chance(0.85) else f"print({w.expression(TEXT)}, {w.small(NUMBER)})")


@simple(4)
def unpacking(w: Writer) -> None:
    value = w.pick("(1, 2)", f"({w.expression(NUMBER)}, {w.expression(NUMBER)})", w.expression(ITERABLE), "spy")
    shape = w.pick(
        "{0}, {1}", "{0}, {1}", "{0}, *{2}", "*{2}, {0}", "[{0}, ({1})]", "{0}, *{2}, {1}", "({0}, {1}), {2}"
    )
    targets = [w.target(kind) if f"{{{number}}}" in shape else "" for number, kind in enumerate((NUMBER, NUMBER, LIST))]
    w.line(f"{shape.format(*targets)} = {value}")


@simple(2)
def unpacking_into_parts(w: Writer) -> None:
    """The order of evaluation: the value, then each target from left to right."""
    w.line(f"spy.p, spy[{w.small(NUMBER)}], *{w.atom(LIST)}[0:1] = {w.pick('(1, 2)', '(1, 2, 3)', w.small(ITERABLE))}")


@simple(4)
def into_part(w: Writer) -> None:
    container = w.pick(f"{w.atom(LIST)}[{w.pick('0', '-1', w.small(NUMBER))}]", f"{w.atom(DICT)}[{w.small(ANY)}]")
    part = w.pick(container, f"{w.atom(LIST)}[1:]", f"{w.atom(ANY)}.{w.pick('x', 'v', 'p', 'q')}", "spy.p", "spy['k']")
    w.line(f"{part} = {w.expression(w.pick(NUMBER, LIST, ANY))}")


@simple(2)
def deletion(w: Writer) -> None:
    what = w.pick(
        f"{w.atom(LIST)}[0]", f"{w.atom(DICT)}['k']", f"{w.atom(ANY)}.v", "spy.p", "spy['k']", f"{w.atom(LIST)}[1:]"
    )
    names = list(w.scope.names)
    w.line(f"del {w.random.choice(names) if names and w.chance(0.15) else what}")


@simple(2)
def change_of_container(w: Writer) -> None:
    change = w.pick(
        f"{w.atom(LIST)}.append({w.expression(ANY)})",
        f"{w.atom(LIST)}.extend({w.expression(ITERABLE)})",
        f"{w.atom(LIST)}.insert(0, {w.expression(ANY)})",
        f"{w.atom(LIST)}.sort({w.pick('', f'key={w.small(FUNCTION)}')})",
        f"{w.atom(LIST)}.reverse()",
        f"{w.atom(DICT)}.update({w.expression(DICT)})",
        f"setattr({w.atom(ANY)}, 'x', {w.expression(NUMBER)})",
        f"heapq.heappush({w.atom(LIST)}, {w.expression(NUMBER)})",
        f"bisect.insort({w.atom(LIST)}, {w.expression(NUMBER)})",
    )
    w.line(change)


@simple(1)
def importing(w: Writer) -> None:
    w.line(
        w.pick(
            "import math as module; log(module.floor(2.5))",
            "from operator import add, sub as subtract; log(subtract(3, add(1, 1)))",
            "from operator import missing",
            "import os.path as path; import no_such_module",
            "import collections.abc; log(collections.abc.Sized)",
        )
    )


@simple(1)
def annotated(w: Writer) -> None:
    value = w.expression(NUMBER)
    w.line(f"{w.bind(w.new('n'), NUMBER)}: {w.pick('int', repr('Later'), 'list[int]')} = {value}")


@simple(2)
def asserted(w: Writer) -> None:
    w.line(f"assert {w.expression(ANY)}{w.pick('', f', {w.small(ANY)}')}")


@simple(3)
def leaving(w: Writer) -> None:
    ways = ["break", "continue"] if w.scope.loops else []
    if w.scope.kind in CODE:
        ways.append("return" if w.scope.kind == "async generator" else f"return {w.expression(ANY)}")
    if ways and w.scope.may_leave:
        w.line(f"if {w.expression(ANY)}: {w.pick(*ways)}")
    else:
        assignment(w)


@simple(6, in_scope("generator"))
def yielding(w: Writer) -> None:
    value = w.expression(ANY)
    w.line(
        w.pick(
            f"yield {value}",
            f"{w.target(ANY)} = yield {value}",
            f"{w.target(ANY)} = yield from {w.expression(ITERABLE)}",
        )
    )


@simple(6, in_scope("async generator"))
def yielding_asynchronously(w: Writer) -> None:
    value = w.expression(ANY)
    w.line(w.pick(f"yield {value}", f"{w.target(ANY)} = yield {value}"))


@simple(6, in_scope("coroutine", "async generator"))
def awaiting(w: Writer) -> None:
    coroutines = [f"{name}({w.small(ANY)})" for name in w.named("coroutine")]
    value = f"await kept({w.pick(f'Pause({w.small(ANY)})', *coroutines)})"
    w.line(f"{w.target(ANY)} = {value}")


@simple(1, lambda w: w.version >= (3, 12) and w.scope.kind == "function")
def type_alias(w: Writer) -> None:
    name = w.new("Alias")
    w.line(f"type {name}{w.pick('', '[T]')} = {w.pick('int', 'list[int]', '1 / 0')}")
    w.line(f"log({name}.__name__, {name}.__value__)")


@simple(1, lambda w: w.version >= (3, 14))
def template_string(w: Writer) -> None:
    name = w.new("t")
    w.line(f't{name} = t"{{{w.atom(ANY)}!r:>4}} and {{{w.atom(NUMBER)}}}"; log(t{name}.strings, t{name}.values)')


# -- branches and loops ----------------------------------------------------------------------


@compound(6)
def branch(w: Writer) -> None:
    w.body(f"if {w.expression(w.pick(NUMBER, ANY))}:")
    if w.chance(0.4):
        w.body(f"elif {w.expression(NUMBER)}:")
    if w.chance(0.5):
        w.body("else:")


@compound(5)
def for_loop(w: Writer) -> None:
    iterable = w.expression(ITERABLE)
    names = dict(w.scope.names)
    shape = w.pick("{0}", "{0}", "{0}", "{0}, {1}", "spy.p")
    target = shape.format(w.target(NUMBER), w.target(NUMBER) if "{1}" in shape else "")
    w.loop(f"for {target} in {iterable}:")
    w.scope.names = names
    if w.chance(0.3):
        w.body("else:")


@compound(3)
def while_loop(w: Writer) -> None:
    """At most three rounds, whatever the body does to variables."""
    counter = w.new("w")
    w.line(f"{counter} = iter(range(3))")
    w.loop(f"while next({counter}, None) is not None{w.pick('', f' and {w.expression(NUMBER)}')}:")
    if w.chance(0.3):
        w.body("else:")


@compound(3, in_scope("coroutine"))
def asynchronous_loop(w: Writer) -> None:
    generator = w.pick("ticks", *w.named("ticks"))
    w.loop(f"async for {w.target(NUMBER)} in kept({generator}({w.small(NUMBER)})):")
    if w.chance(0.3):
        w.body("else:")


@compound(5)
def managed(w: Writer) -> None:
    hides = w.pick("True", "False", "None", "0", "1", w.small(NUMBER))
    more = w.pick(
        "", "", ", Manager(False)", f", spread({w.small(NUMBER)}) as {w.target(ANY)}", ", suppress(KeyError, Mine)"
    )
    target = w.pick("", f" as {w.target(ANY)}", f" as {w.target(ANY)}", f" as ({w.target(NUMBER)}, {w.target(NUMBER)})")
    w.body(f"with Manager({hides}){target}{more}:")


@compound(3, in_scope("coroutine", "async generator"))
def asynchronously_managed(w: Writer) -> None:
    w.body(f"async with AsyncManager({w.pick('True', 'False', w.small(NUMBER))}) as {w.target(NUMBER)}:")


@compound(3, knows("generator"))
def driving(w: Writer) -> None:
    """A generator resumed by hand, in every way there is."""
    name = w.new("it")
    w.line(f"{name} = kept({w.pick(*w.named('generator'))}({w.small(ANY)}))")
    for _ in w.count(1, 4):
        error = w.pick("ValueError(5)", "KeyError", "StopIteration(6)", "GeneratorExit()", "Mine(7)", "StopIteration")
        step = w.pick(
            "next({0})", "{0}.send(None)", "{0}.send({1})", "{0}.throw({2})", "{0}.close()", "next({0}, 0)", "[*{0}]"
        )
        guarded = w.chance(0.5)
        line = f"log({step.format(name, w.small(ANY), error)})"
        if guarded:
            with w.block("try:"):
                w.line(line)
            with w.block("except Exception as error:"):
                w.line("caught(error)")
        else:
            w.line(line)
    w.bind(name, ANY)


@compound(2, knows("ticks"))
def driving_asynchronously(w: Writer) -> None:
    name = w.new("it")
    w.line(f"{name} = kept({w.pick(*w.named('ticks'))}({w.small(ANY)}))")
    for _ in w.count(1, 4):
        step = w.pick("asend({1})", "__anext__()", "asend(None)", "athrow({2})", "aclose()", "__anext__()")
        error = w.pick("ValueError(5)", "KeyError", "StopAsyncIteration()", "GeneratorExit", "Mine(7)")
        w.line(f"log(drive(kept({name}.{step.format('', w.small(ANY), error)})))")
