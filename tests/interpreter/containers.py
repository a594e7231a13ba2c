"""Expressions that make and look into containers: displays, comprehensions, slices, iterators."""

from __future__ import annotations

from tests.interpreter.grammar import ANY, DICT, EXPRESSIONS, FUNCTION, ITERABLE, LIST, NUMBER, TEXT, in_scope, knows
from tests.interpreter.writer import Scope, Writer

of_list, of_dict, iterable, anything = (EXPRESSIONS[kind].add for kind in (LIST, DICT, ITERABLE, ANY))


@of_list(4)
def display(w: Writer) -> str:
    return f"[{w.expression(ANY)}, {w.expression(ANY)}]"


@of_list(3)
def starred_display(w: Writer) -> str:
    return f"[*{w.expression(ITERABLE)}, {w.expression(ANY)}{w.pick('', f', *{w.small(ITERABLE)}')}]"


@of_list(4)
def listed(w: Writer) -> str:
    return f"{w.pick('list', 'list', 'sorted', 'tuple')}({w.expression(ITERABLE)})"


@of_list(2)
def part_of_list(w: Writer) -> str:
    return f"{w.expression(LIST)}[{w.pick('1:', ':2', '::2', '::-1', ':-1', f'{w.small(NUMBER)}:')}]"


@of_list(2)
def concatenated(w: Writer) -> str:
    return w.pick("({0} + {1})", "({0} * 2)", "(2 * {0})", "({0} or {1})").format(
        w.expression(LIST), w.expression(LIST)
    )


@of_list(2)
def of_dictionary(w: Writer) -> str:
    return f"list({w.expression(DICT)}{w.pick('', '.items()', '.values()', '.keys()')})"


@of_list(1)
def split(w: Writer) -> str:
    return f"{w.expression(TEXT)}.{w.pick('split()', 'partition(chr(97))', 'splitlines()', 'split(chr(97), 1)')}"


# -- comprehensions ----------------------------------------------------------------------


def _inside(w: Writer, name: str, kind: str = ANY) -> str:
    """An expression that may use the variable of a comprehension."""
    with w.within(Scope("comprehension", names={name: NUMBER})):
        return w.expression(kind)


def _clauses(w: Writer) -> tuple[str, str]:
    """The `for` clauses of a comprehension, and what it gathers."""
    name, first = w.new("i"), w.expression(ITERABLE)
    clause = f"for {name} in {first}"
    if w.chance(0.3):
        clause += f" if {_inside(w, name)}"
    if w.chance(0.2):
        other = w.new("j")
        return f"{clause} for {other} in {_inside(w, name, ITERABLE)} if {name} != {other}", _inside(w, other)
    return clause, _inside(w, name)


@of_list(4)
def list_comprehension(w: Writer) -> str:
    clauses, value = _clauses(w)
    return f"[{value} {clauses}]"


@of_list(1, in_scope("coroutine"))
def asynchronous_comprehension(w: Writer) -> str:
    name = w.new("i")
    generator = w.pick("ticks", *w.named("ticks"))
    return f"[{_inside(w, name)} async for {name} in kept({generator}({w.pick('2', '3')}))]"


@of_list(1)
def closures_over_loop(w: Writer) -> str:
    name = w.new("i")
    return f"[f() for f in [lambda: {name} for {name} in {w.expression(ITERABLE)}]]"


@iterable(3)
def generator_expression(w: Writer) -> str:
    clauses, value = _clauses(w)
    return f"({value} {clauses})"


@of_dict(3)
def dict_comprehension(w: Writer) -> str:
    name = w.new("i")
    return f"{{{name}: {_inside(w, name)} for {name} in {w.expression(ITERABLE)}}}"


@anything(2)
def set_comprehension(w: Writer) -> str:
    """Of small integers, whose order in a set is always the same."""
    name = w.new("i")
    return f"{{{name} % 3 for {name} in range(4) if {_inside(w, name)}}}"


# -- dictionaries ------------------------------------------------------------------------


@of_dict(4)
def dict_display(w: Writer) -> str:
    return f"{{'k': {w.expression(ANY)}, {w.atom(ANY)}: {w.expression(ANY)}}}"


@of_dict(3)
def merged(w: Writer) -> str:
    return w.pick("{{**{0}, 'z': {1}, **{2}}}", "({0} | {2})", "dict({0}, a={1})", "dict(a={1}, **{2})").format(
        w.expression(DICT), w.expression(ANY), w.small(DICT)
    )


@of_dict(2)
def dict_of_pairs(w: Writer) -> str:
    return w.pick(
        "dict(zip({0}, {1}))", "dict(enumerate({0}))", "dict.fromkeys({0}, 1)", "dict(([1, 2], 'ab'))"
    ).format(w.expression(ITERABLE), w.small(ITERABLE))


# -- iterables ---------------------------------------------------------------------------


@iterable(3)
def wrapped_iterable(w: Writer) -> str:
    wrapper = w.pick(
        "zip({0}, {1})", "enumerate({0})", "enumerate({0}, 5)", "reversed({2})", "iter({0})", "zip({0}, [1, 2])"
    )
    return wrapper.format(w.expression(ITERABLE), w.small(ITERABLE), w.small(LIST))


@iterable(2)
def mapped_iterable(w: Writer) -> str:
    wrapper = w.pick("map({1}, {0})", "filter({1}, {0})", "filter(None, {0})", "map({1}, {0})")
    return wrapper.format(w.expression(ITERABLE), w.expression(FUNCTION))


@iterable(2)
def called_until(w: Writer) -> str:
    return f"iter(iter({w.expression(ITERABLE)}).__next__, {w.small(NUMBER)})"


@iterable(4, knows("generator"))
def of_generator(w: Writer) -> str:
    return f"kept({w.pick(*w.named('generator'))}({w.expression(ANY)}))"


@iterable(2, knows("class"))
def of_instance(w: Writer) -> str:
    return f"{w.pick(*w.named('class'))}({w.small(NUMBER)})"


@iterable(2)
def of_container(w: Writer) -> str:
    return w.expression(w.pick(LIST, DICT, TEXT))


@iterable(1)
def of_view(w: Writer) -> str:
    return f"{w.expression(DICT)}.{w.pick('items', 'values', 'keys')}()"


# -- others ------------------------------------------------------------------------------


@anything(3)
def tuple_display(w: Writer) -> str:
    return f"({w.expression(ANY)}, {w.expression(ANY)}{w.pick('', f', *{w.small(ITERABLE)}')})"


@anything(2)
def set_operation(w: Writer) -> str:
    """On small integers, whose order in a set is always the same."""
    one, two = w.pick("{1, 2}", "{0}", "set()"), w.pick("{2, 3}", "{1}", "frozenset({2})")
    return w.pick(f"({one} {w.pick('|', '&', '-', '^', '<', '<=', '==')} {two})", f"{one}.union({two})", f"set({two})")


@anything(2)
def any_item(w: Writer) -> str:
    return f"{w.expression(ANY)}[{w.pick('0', '-1', repr('k'), '1:', '::2', w.small(ANY))}]"


@anything(2)
def sliced(w: Writer) -> str:
    return w.pick(f"slice({w.small(NUMBER)}, 3)", f"spy[{w.small(NUMBER)}:{w.small(NUMBER)}]", "spy[::2, 1]")
