"""Constants, and expressions whose value is a number or a text."""

from __future__ import annotations

from tests.interpreter.grammar import (
    ANY,
    ATOMS,
    DICT,
    EXPRESSIONS,
    FUNCTION,
    ITERABLE,
    LIST,
    NUMBER,
    TEXT,
    in_scope,
    since,
)
from tests.interpreter.writer import CODE, Writer

number, text = EXPRESSIONS[NUMBER].add, EXPRESSIONS[TEXT].add

CONSTANTS = {
    NUMBER: ("0", "1", "2", "-1", "3", "7", "True", "2.5", "False", "300"),
    TEXT: ("'x'", "'abc'", "''", "'k'", "'b a'", "'é'"),
    LIST: ("[]", "[1, 2]", "[3, 1, 2]", "['b', 'a']", "[0, None]"),
    DICT: ("{}", "{'k': 1}", "{'k': 2, 1: 'x'}", "{'p': 3, 'k': [1]}"),
    ITERABLE: ("range(3)", "(0, 1)", "'ab'", "[2, 1]", "range(2, -1, -1)", "{1: 2, 0: 3}", "spy", "b'pq'"),
    FUNCTION: ("abs", "str", "bool", "repr", "type", "list", "spy"),
}
"""Sets hold small integers only: the order of others would depend on addresses and the hash seed."""

MISCELLANEOUS = (
    "None",
    "(1, 2)",
    "b'q'",
    "()",
    "...",
    "{1, 2}",
    "frozenset((3,))",
    "spy",
    "1j",
    "NotImplemented",
    "int",
)


def _register_atoms() -> None:
    for kind, constants in CONSTANTS.items():
        ATOMS[kind].add(1)(lambda w, constants=constants: w.pick(*constants))  # type: ignore[misc]
        ATOMS[ANY].add(2)(lambda w, kind=kind: w.atom(kind))  # type: ignore[misc]
    ATOMS[ANY].add(3)(lambda w: w.pick(*MISCELLANEOUS))


_register_atoms()


# -- numbers -----------------------------------------------------------------------------


@number(6)
def arithmetic(w: Writer) -> str:
    return f"({w.expression(NUMBER)} {w.pick('+', '-', '//', '%', '/', '&', '|', '^')} {w.expression(NUMBER)})"


@number(2)
def multiplication(w: Writer) -> str:
    """One operand is small, so that no result is large."""
    return w.pick("({0} * {1})", "({1} * {0})", "({0} ** 2)", "({0} << 1)", "({0} >> {1})").format(
        w.small(NUMBER), w.pick("2", "-1", "0", "1.5")
    )


@number(2)
def unary(w: Writer) -> str:
    return f"({w.pick('not ', '-', '~', '+')}{w.expression(NUMBER)})"


@number(4)
def comparison(w: Writer) -> str:
    kind = w.pick(NUMBER, NUMBER, TEXT, LIST, ANY)
    return f"({w.expression(kind)} {w.pick('<', '<=', '==', '!=', '>', '>=')} {w.expression(kind)})"


@number(2)
def chained_comparison(w: Writer) -> str:
    first, second = w.pick("<", "<=", "=="), w.pick("<", "!=", ">=", "is", "in")
    last = w.expression(ITERABLE if second == "in" else NUMBER)
    return f"({w.expression(NUMBER)} {first} {w.expression(NUMBER)} {second} {last})"


@number(2)
def identity(w: Writer) -> str:
    return f"({w.expression(ANY)} {w.pick('is', 'is not')} {w.pick('None', 'True', w.atom(ANY))})"


@number(3)
def containment(w: Writer) -> str:
    return f"({w.expression(ANY)} {w.pick('in', 'not in')} {w.expression(w.pick(ITERABLE, LIST, DICT, ANY))})"


@number(3)
def conditional_number(w: Writer) -> str:
    return f"({w.expression(NUMBER)} if {w.expression(ANY)} else {w.expression(NUMBER)})"


@number(3)
def measured(w: Writer) -> str:
    kind = w.pick(LIST, TEXT, DICT, ANY)
    return f"{w.pick('len', 'len', 'bool')}({w.expression(kind)})"


@number(3)
def from_number(w: Writer) -> str:
    function = w.pick(
        "abs({})", "int({})", "round({})", "float({})", "divmod({}, 3)[0]", "pow({}, 2, 7)", "int({}).bit_length()"
    )
    return function.format(w.expression(NUMBER))


@number(1)
def from_text(w: Writer) -> str:
    return w.pick("int({})", "{}.count('a')", "{}.find('b')", "ord({})", "{}.index('x')").format(w.expression(TEXT))


@number(3)
def item_of_list(w: Writer) -> str:
    return f"{w.expression(LIST)}[{w.pick('0', '-1', '1', w.small(NUMBER))}]"


@number(2)
def value_of_dict(w: Writer) -> str:
    return w.pick("{0}[{1}]", "{0}.get({1}, 5)", "{0}.pop({1}, 6)", "{0}.setdefault({1}, 7)").format(
        w.expression(DICT), w.pick("'k'", "1", w.small(ANY))
    )


@number(2)
def of_spy(w: Writer) -> str:
    return w.pick("spy.p", "spy.q", "spy.bad", f"spy[{w.small(NUMBER)}]", f"spy({w.small(ANY)})")


@number(2, in_scope(*CODE))
def walrus(w: Writer) -> str:
    value = w.expression(NUMBER)
    return f"({w.target(NUMBER)} := {value})"


@number(1)
def method_of_list(w: Writer) -> str:
    return f"{w.expression(LIST)}.{w.pick('pop()', 'count(1)', 'index(2)', '__len__()', 'pop(0)')}"


@number(2)
def kind_of(w: Writer) -> str:
    classes = [*w.named("class"), "int", "str", "(int, list)", "int | str"]
    return w.pick(
        f"isinstance({w.expression(ANY)}, {w.pick(*classes)})",
        f"issubclass({w.pick(*classes[:-2])}, {w.pick(*classes)})",
        f"callable({w.expression(ANY)})",
        f"hasattr({w.expression(ANY)}, {w.pick(repr('v'), repr('p'), repr('x'))})",
    )


# -- texts -------------------------------------------------------------------------------


@text(4)
def f_string(w: Writer) -> str:
    one, two = w.small(ANY), w.atom(NUMBER)
    return (
        w.pick(
            f'f"{{{one}}}"',
            f'f"{{{one}!r}}-{{{two}:>4}}"',
            f'f"{{{one}!s:.3}}{{{{}}}}"',
            f'f"{{{two}:{{{two}}}}}"',
            f'f"{{{one}!a}} {{{two}=}}"',
        )
        if '"' not in one + two
        else "'f'"
    )


@text(1, since(3, 12))
def nested_f_string(w: Writer) -> str:
    return f'f"{{f"{{{w.atom(ANY)}}}" + "y"}}"'


@text(4)
def shown(w: Writer) -> str:
    return f"{w.pick('str', 'repr', 'ascii', 'format')}({w.expression(ANY)})"


@text(2)
def concatenation(w: Writer) -> str:
    return f"({w.expression(TEXT)} + {w.expression(TEXT)})"


@text(3)
def text_method(w: Writer) -> str:
    method = w.pick("upper()", "strip()", "title()", "replace('a', 'z')", "zfill(4)", "center(5, '*')", "join('ab')")
    return f"{w.expression(TEXT)}.{method}"


@text(2)
def joined(w: Writer) -> str:
    parts = w.pick("map(str, {})", "{}").format(w.expression(ITERABLE))
    return f"{w.pick(repr('-'), repr(''), w.small(TEXT))}.join({parts})"


@text(2)
def formatted(w: Writer) -> str:
    return w.pick("'%s|%r' % ({0}, {1})", "'{{}}:{{k}}'.format({0}, k={1})", "'%s' % {0}", "'%d' % {1}").format(
        w.small(ANY), w.small(NUMBER)
    )


@text(2)
def part_of_text(w: Writer) -> str:
    return f"{w.expression(TEXT)}[{w.pick('0', '1:', ':-1', '::-1', ':2')}]"


@text(1)
def name_of(w: Writer) -> str:
    return w.pick(f"type({w.expression(ANY)}).__name__", f"{w.expression(FUNCTION)}.__name__", "__name__")


@text(2)
def conditional_text(w: Writer) -> str:
    return f"({w.expression(TEXT)} {w.pick('or', 'and')} {w.expression(TEXT)})"
