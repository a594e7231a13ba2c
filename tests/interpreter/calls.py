"""Callables of every kind, and the ways to call them."""

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
    knows,
)
from tests.interpreter.writer import Scope, Writer

function, anything, number = EXPRESSIONS[FUNCTION].add, EXPRESSIONS[ANY].add, EXPRESSIONS[NUMBER].add

ATTRIBUTES = ("v", "x", "p", "q", "m1", "m2", "zz", "real", "__class__", "count")
METHODS = ("m1", "m2", "m3", "m4", "tell", "append", "get", "upper", "index", "pop", "__len__", "__add__")


# -- what can be called with one argument ---------------------------------------------------


@function(4)
def simple_lambda(w: Writer) -> str:
    name = w.new("l")
    with w.within(Scope("lambda", names={name: NUMBER})):
        return f"(lambda {name}, *more: {w.small(w.data_kind())})"


@function(3)
def lambda_with_defaults(w: Writer) -> str:
    name, default = w.new("l"), w.new("l")
    value = w.small(NUMBER)
    with w.within(Scope("lambda", names={name: NUMBER, default: NUMBER})):
        return f"(lambda {name}=0, {w.pick('*, ', '')}{default}={value}, **kw: {w.small(ANY)})"


@function(3)
def partial(w: Writer) -> str:
    return f"partial({w.expression(FUNCTION)}{w.pick('', '', f', {w.small(ANY)}', f', k={w.small(ANY)}')})"


@function(2)
def bound_method(w: Writer) -> str:
    return f"{w.expression(w.pick(LIST, TEXT, ANY))}.{w.pick(*METHODS)}"


@function(2)
def method_of_class(w: Writer) -> str:
    return w.pick(
        "str.upper", "int.bit_length", "list.copy", "int.__neg__", "dict.fromkeys", "(5).__add__", "'a'.__add__"
    )


@function(2)
def getter(w: Writer) -> str:
    return w.pick(
        "itemgetter(0)", "itemgetter(1, 0)", "attrgetter('v')", "methodcaller('m1')", "methodcaller('tell', 2)"
    )


@function(2)
def wrapped_function(w: Writer) -> str:
    return f"{w.pick('Callable', 'traced', 'cache', 'staticmethod', 'Callable.make')}({w.expression(FUNCTION)})"


def _register_known_functions() -> None:
    ATOMS[FUNCTION].add(8, knows("function"))(lambda w: w.pick(*w.named("function")))
    ATOMS[FUNCTION].add(3, knows("class"))(lambda w: w.pick(*w.named("class")))
    ATOMS[FUNCTION].add(1, knows("generator"))(lambda w: w.pick(*w.named("generator")))
    EXPRESSIONS[FUNCTION].add(8)(lambda w: w.atom(FUNCTION))
    ATOMS[ANY].add(1, knows("class"))(lambda w: w.pick(*w.named("class")))


_register_known_functions()


# -- calls ---------------------------------------------------------------------------------


def call(w: Writer, callee: str) -> str:
    """A call which is right more often than wrong: most callables take one argument or more."""

    def some() -> str:
        return w.expression(ANY) if w.chance(0.2) else w.small(ANY)

    shapes = (
        (8, lambda: f"({some()})"),
        (3, lambda: f"({some()}, {some()})"),
        (3, lambda: f"({some()}, k={some()})"),
        (2, lambda: f"({some()}, *{w.expression(ITERABLE)})"),
        (2, lambda: f"({some()}, **{{'k': {some()}}})"),
        (1, lambda: f"(*{w.expression(ITERABLE)})"),
        (1, lambda: f"({some()}, *[{some()}], **{w.expression(DICT)}, k={some()})"),
        (1, lambda: f"({some()}, bad={some()})"),
        (1, lambda: f"({some()}, k=1, **{{'k': {some()}}})"),
        (1, lambda: "()"),
    )
    (shape,) = w.random.choices(shapes, [weight for weight, _ in shapes])
    return callee + shape[1]()


@anything(8, knows("function"))
def call_of_function(w: Writer) -> str:
    return call(w, w.pick(*w.named("function")))


@number(5, knows("function"))
def number_from_function(w: Writer) -> str:
    return call(w, w.pick(*w.named("function")))


@anything(4)
def call_of_any(w: Writer) -> str:
    return call(w, w.expression(FUNCTION))


@anything(6, knows("class"))
def instance(w: Writer) -> str:
    return call(w, w.pick(*w.named("class")))


@anything(5)
def call_of_method(w: Writer) -> str:
    classes = [f"{name}({w.small(NUMBER)})" for name in w.named("class")]
    receiver = w.pick(*classes) if classes and w.chance(0.5) else w.expression(ANY)
    return f"{receiver}.{w.pick(*METHODS)}({w.pick('', w.small(ANY))})"


@anything(4)
def attribute(w: Writer) -> str:
    return f"{w.expression(ANY)}.{w.pick(*ATTRIBUTES)}"


@anything(3)
def attribute_by_name(w: Writer) -> str:
    name = w.pick(*(repr(each) for each in ATTRIBUTES))
    return w.pick("getattr({0}, {1})", "getattr({0}, {1}, {2})", "vars({0})").format(
        w.expression(ANY), name, w.atom(ANY)
    )


@anything(3)
def operator_on_objects(w: Writer) -> str:
    classes = [f"{name}({w.small(NUMBER)})" for name in w.named("class")]
    one, two = (w.pick(*classes) if classes and w.chance(0.7) else w.small(ANY) for _ in range(2))
    return f"({one} {w.pick('+', '-', '@', '<', '<=', '==', '!=', '>', '>=', '&', '|', '%', '//')} {two})"


@anything(2, knows("class"))
def product_of_object(w: Writer) -> str:
    """An object's own multiplication; numbers and sequences are never multiplied by what may be large."""
    return f"({w.pick(*w.named('class'))}({w.small(NUMBER)}) {w.pick('*', '**', '<<')} {w.pick('2', 'None', '1.5')})"


@anything(2)
def unary_on_object(w: Writer) -> str:
    return f"({w.pick('-', '+', '~', 'not ')}{w.expression(ANY)})"


@anything(3)
def conditional(w: Writer) -> str:
    return f"({w.expression(ANY)} if {w.expression(ANY)} else {w.expression(ANY)})"


@anything(3)
def either(w: Writer) -> str:
    return f"({w.expression(ANY)} {w.pick('and', 'or')} {w.expression(ANY)})"


def _register_kinds_as_anything() -> None:
    for kind in (NUMBER, TEXT, LIST, DICT, ITERABLE, FUNCTION):
        anything(6 if kind in (NUMBER, LIST) else 3)(lambda w, kind=kind: w.expression(kind))  # type: ignore[misc]


_register_kinds_as_anything()


# -- what suspended functions give ---------------------------------------------------------------


@anything(4, knows("generator"))
def of_generator(w: Writer) -> str:
    generator = f"kept({call(w, w.pick(*w.named('generator')))})"
    return w.pick("next({}, 'end')", "sum({})", "[*{}]", "tuple({})", "drained({})", "{}.send(None)").format(generator)


@anything(4, knows("coroutine"))
def of_coroutine(w: Writer) -> str:
    return f"drive(kept({w.pick(*w.named('coroutine'))}({w.expression(ANY)})))"


@anything(6, in_scope("coroutine", "async generator"))
def awaited(w: Writer) -> str:
    coroutines = [f"{name}({w.small(ANY)})" for name in w.named("coroutine")]
    return f"(await kept({w.pick('Pause(1)', f'Pause({w.small(ANY)})', *coroutines)}))"


@anything(6, in_scope("generator"))
def yielded(w: Writer) -> str:
    return f"(yield {w.pick('', w.expression(ANY))})"


@anything(2, in_scope("generator"))
def delegated(w: Writer) -> str:
    return f"(yield from {w.expression(ITERABLE)})"


@number(1, in_scope("generator"))
def yielded_number(w: Writer) -> str:
    return f"(yield {w.expression(NUMBER)})"
