"""Uses of definitions: without them most functions and methods of a program would never run."""

from __future__ import annotations

from collections.abc import Callable

from tests.interpreter.calls import call
from tests.interpreter.grammar import ANY, ITERABLE, NUMBER
from tests.interpreter.writer import Writer


def of_function(w: Writer, name: str) -> str:
    return f"log({call(w, name)})"


def of_generator(w: Writer, name: str) -> str:
    made = f"kept({call(w, name)})"
    return w.pick(
        *[f"log(drained({made}))"] * 4,
        f"log([*{made}])",
        f"a, *b = {made}; log(a, b)",
        f"it = {made}; log(next(it), it.send({w.small(ANY)}), it.send({w.small(ANY)}))",
        f"it = {made}; log(next(it), it.throw({w.pick('Mine(3)', 'KeyError', 'StopIteration(4)', 'LookupError(1)')}))",
        f"it = {made}; log(next(it), it.close(), next(it, 'closed'))",
    )


def of_coroutine(w: Writer, name: str) -> str:
    return f"log(drive(kept({name}({w.small(ANY)}))))"


def of_asynchronous_generator(w: Writer, name: str) -> str:
    step = w.pick(
        "__anext__()",
        f"asend({w.small(ANY)})",
        f"athrow({w.pick('Mine(3)', 'KeyError', 'LookupError(1)')})",
        "aclose()",
    )
    return f"it = kept({name}({w.small(ANY)})); log(drive(kept(it.__anext__())), drive(kept(it.{step})))"


USE_OF_OBJECT = (
    *[
        f"{{0}} {operator} {{1}}"
        for operator in ("+", "-", "@", "|", "&", "//", "%", "/", "<", "<=", ">", ">=", "==", "!=")
    ],
    *[f"{{1}} {operator} {{0}}" for operator in ("+", "-", "@", "|", "<", ">=", "==")],
    *[f"{{0}} {operator} {{0}}" for operator in ("+", "<", "==")],
    "{0} * 2",
    "2 * {0}",
    "{0} ** 2",
    "pow(2, {0}, 5)",
    "-{0}",
    "~{0}",
    "not {0}",
    "{0}[{1}]",
    "{0}[1:2]",
    "{1} in {0}",
    "{1} not in {0}",
    "[*{0}]",
    "list(reversed({0}))",
    "next({0})",
    "len({0})",
    "bool({0})",
    "abs({0})",
    "int({0})",
    "float({0})",
    "round({0})",
    "{0}({1})",
    "{0}({1}, k=2)",
    "{0}.zz",
    "{0}.v",
    "{0}.x",
    "{0}.p",
    "{0}.q",
    "{0}.m1({1})",
    "{0}.m2({1})",
    "{2}.m2({1})",
    "[*{0}.m3({1})]",
    "{0}.m4({1})",
    "{0}.tell({1})",
    "{0}.tell()",
    "{2}.tell({0}, 3)",
    "repr({0})",
    "str({0})",
    'f"{{{0}}}-{{{0}!r}}-{{{0}:>5}}"',
    "hash({0}) == hash({0})",
    "{{{0}: 1, {0}: 2}}",
    "{{{0}: 1}}.get({0})",
    "{0} in [{0}, 1]",
    "[0, {0}].index({0})",
    "sorted([{0}, {0}])",
    "max({0}, {0})",
    "sum([{0}, {0}], {0})",
    "isinstance({0}, {2})",
    "isinstance(1, {2})",
    "{2}[int]",
    "{2}.x",
    "vars({0})",
    "dir({0})[:1]",
    "[1, 2, 3][{0}]",
    "divmod({0}, 2)",
    "bytes({0})",
    "copy.copy({0})",
    "getattr({0}, 'zz', 'none')",
    "hasattr({0}, 'p')",
    "type({0}).__name__",
    "(lambda *p, **k: (p, k))(*{0})",
    "(lambda *p, **k: (p, k))(**{0})",
    "dict({0})",
    "{0}.__class__",
    "operator.index({0})",
    "range({0})",
    "'%s %r' % ({0}, {0})",
    "min([{0}, {1}], key=bool)",
    "{0} and {1}",
    "drive({0})",
)
"""Expressions with an object, another value, and the object's class."""

CHANGES_OF_OBJECT = (
    *[f"{{0}} {operator} {{1}}" for operator in ("+=", "-=", "@=", "|=", "//=", "%=")],
    "{0} *= 2",
    "{0}.v = {1}",
    "{0}.x = {1}",
    "{0}.p = {1}",
    "{0}.q = {1}",
    "del {0}.v",
    "del {0}.p",
    "{0}[{1}] = {1}",
    "del {0}[{1}]",
    "{0}[0] += 1",
    "{0}.v += 1",
    "{2}.x = {1}",
    "{2}.zz = {1}",
    "for one in {0}: log(one)",
    "one, *two = {0}; log(one, two)",
    "with {0} as entered: log(entered); raise Mine(1)",
    "with {0} as entered: log(entered)",
    "raise {0}",
    "raise {2}",
    "raise Mine from {0}",
    "class sub({2}): pass",
)


def of_class(w: Writer, name: str) -> str:
    """An object is made and used in several ways."""
    value = w.pick(w.small(NUMBER), w.small(ANY), "1", "'x'", w.small(ITERABLE))
    o = w.new("o")
    uses = [w.pick(*USE_OF_OBJECT).format(o, value, name) for _ in range(3)]
    change = w.pick(*CHANGES_OF_OBJECT).format(o, value, name)
    made = f"{o} = {name}({w.pick('', value, '1', '2')})"
    if w.chance(0.35):
        if change.startswith(("for", "with", "class")):
            w.line(made)
            return change
        return f"{made}; {change}; log({o})"
    return f"{made}; " + "; ".join(f"log({each})" for each in uses)


USES: dict[str, Callable[[Writer, str], str]] = {
    "function": of_function,
    "generator": of_generator,
    "coroutine": of_coroutine,
    "ticks": of_asynchronous_generator,
    "class": of_class,
}
"""By the kind of name that a definition binds."""
