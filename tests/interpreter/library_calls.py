"""Calls of builtins and of the standard library that call back or go through iterators."""

from __future__ import annotations

from tests.interpreter.grammar import ANY, DICT, EXPRESSIONS, FUNCTION, ITERABLE, LIST, NUMBER
from tests.interpreter.writer import Writer

number, of_list, of_dict, iterable, anything = (EXPRESSIONS[kind].add for kind in (NUMBER, LIST, DICT, ITERABLE, ANY))


@number(3)
def reduced(w: Writer) -> str:
    return w.pick(
        "sum({0})", "sum({0}, {2})", "min({0})", "max({0}, default={2})", "max({0}, key={1})", "min({0}, {2})"
    ).format(w.expression(ITERABLE), w.expression(FUNCTION), w.small(NUMBER))


@number(2)
def quantified(w: Writer) -> str:
    return w.pick("any({0})", "all({0})", "any(map({1}, {0}))", "all(filter({1}, {0}))").format(
        w.expression(ITERABLE), w.expression(FUNCTION)
    )


@number(2)
def folded(w: Writer) -> str:
    start = w.pick("", f", {w.small(NUMBER)}")
    two = w.pick("operator.add", "(lambda s, t: (s, t))", "(lambda s, t: s or t)", "max", *w.named("function"))
    return f"reduce({two}, {w.expression(ITERABLE)}{start})"


@number(1)
def bisected(w: Writer) -> str:
    key = w.pick("", "", f", key={w.small(FUNCTION)}")
    return f"bisect.{w.pick('bisect_left', 'bisect', 'bisect_right')}({w.expression(LIST)}, {w.small(NUMBER)}{key})"


@number(1)
def by_operator(w: Writer) -> str:
    function = w.pick("add", "sub", "eq", "lt", "contains", "getitem", "is_", "and_", "iadd", "truediv")
    return f"operator.{function}({w.expression(ANY)}, {w.expression(ANY)})"


@of_list(4)
def in_order(w: Writer) -> str:
    return w.pick("sorted({0}, key={1})", "sorted({0}, key={1}, reverse={2})", "sorted({0}, reverse=True)").format(
        w.expression(ITERABLE), w.expression(FUNCTION), w.small(NUMBER)
    )


@of_list(2)
def of_heap(w: Writer) -> str:
    return w.pick("heapq.nsmallest(2, {0})", "heapq.nlargest(2, {0}, key={1})", "list(heapq.merge({2}, {2}))").format(
        w.expression(ITERABLE), w.expression(FUNCTION), w.small(LIST)
    )


@of_list(2)
def of_deque(w: Writer) -> str:
    return f"list(deque({w.expression(ITERABLE)}, {w.pick('None', '2', 'maxlen=1')}))"


@of_dict(2)
def counted(w: Writer) -> str:
    return w.pick("Counter({0})", "dict(Counter({0}).most_common(2))", "ChainMap({1}, {2})").format(
        w.expression(ITERABLE), w.small(DICT), w.small(DICT)
    )


@of_dict(2)
def ordered(w: Writer) -> str:
    return w.pick(
        "OrderedDict({1})", "defaultdict({0}, {1})", "defaultdict(list, {1})", "OrderedDict(enumerate({2}))"
    ).format(w.small(FUNCTION), w.expression(DICT), w.small(ITERABLE))


@of_dict(1)
def grouped(w: Writer) -> str:
    return (
        f"{{k: list(g) for k, g in itertools.groupby({w.expression(ITERABLE)}, {w.pick('None', w.small(FUNCTION))})}}"
    )


@iterable(5)
def of_itertools(w: Writer) -> str:
    shape = w.pick(
        "chain({0}, {1})",
        "chain.from_iterable([{0}, {1}])",
        "islice({0}, 2)",
        "islice(itertools.count({3}), 3)",
        "islice(itertools.cycle({0}), 4)",
        "takewhile({2}, {0})",
        "dropwhile({2}, {0})",
        "accumulate({0})",
        "accumulate({0}, {2}, initial={3})",
        "zip_longest({0}, {1}, fillvalue={3})",
        "starmap({2}, zip({0}, {1}))",
        "product({0}, {1})",
        "permutations({0}, 2)",
        "combinations({0}, 2)",
        "compress({0}, {1})",
        "filterfalse({2}, {0})",
        "pairwise({0})",
        "repeat({3}, 2)",
        "tee({0})[0]",
    )
    return f"itertools.{shape}".format(
        w.expression(ITERABLE), w.small(ITERABLE), w.expression(FUNCTION), w.small(NUMBER)
    )


@anything(2)
def next_of(w: Writer) -> str:
    return f"next(iter({w.expression(ITERABLE)}){w.pick('', ', 9')})"


@anything(1)
def dispatched(w: Writer) -> str:
    return f"dispatched({w.expression(ANY)})"


@anything(1)
def named_tuple(w: Writer) -> str:
    point = f"Point({w.small(NUMBER)}, {w.small(ANY)})"
    return w.pick(
        f"{point}._replace(y=5)", f"{point}[1]", f"{point} == (1, 2)", f"{point}._asdict()", f"{point}.total()"
    )


@anything(1)
def of_enum(w: Writer) -> str:
    return w.pick(
        f"Colour({w.small(NUMBER)})",
        "Colour['RED'].next()",
        "Colour.RED == 1",
        "[c.name for c in Colour]",
        "Flags.A | Flags.B",
    )


@anything(1)
def copied(w: Writer) -> str:
    return f"copy.{w.pick('copy', 'deepcopy')}({w.expression(w.pick(LIST, DICT, ANY))})"
