"""A shared container is one location, and each of its methods one operation."""

from __future__ import annotations

from collections import Counter, defaultdict
from copy import copy, deepcopy
from functools import partial
from itertools import combinations_with_replacement
from textwrap import indent

import pytest

import mcr
from tests.ordinary.classes import Stores
from tests.ordinary.test_objects import outcomes


def test_take_if_there_is_something():
    @mcr.program
    def taken(p):
        stores = p.share(Stores())
        p.thread(stores.items.clear)
        p.thread(stores.take)

    result = mcr.check(taken, "sc")
    assert str(result.failures[0].failure) == "IndexError: pop from empty list"


def test_what_is_put_in_twice():
    @mcr.program
    def noted(p):
        stores = p.share(Stores())
        for _ in range(2):
            p.thread(stores.note, "b")
        p.final(lambda: len(stores.table["b"]))

    @mcr.program
    def noted_well(p):
        stores = p.share(Stores())
        for _ in range(2):
            p.thread(stores.note_well, "b")
        p.final(lambda: len(stores.groups["b"]))

    assert outcomes(noted) == {"1", "2"}
    assert outcomes(noted_well) == {"2"}


def test_a_deep_copy_is_made_element_by_element():
    @mcr.program
    def copied(p):
        stores = p.share(Stores())
        p.thread(stores.note, "b")
        p.thread(lambda: deepcopy(stores.table))

    @mcr.program
    def copied_at_once(p):
        stores = p.share(Stores())
        p.thread(stores.note, "b")
        p.thread(lambda: deepcopy(stores.table.copy()))

    assert str(mcr.check(copied, "sc").failures[0].failure) == "RuntimeError: dictionary changed size during iteration"
    assert mcr.check(copied_at_once, "sc").verdict is mcr.Verdict.VERIFIED


class Labelled(dict):
    def __init__(self, label):
        super().__init__()
        self.label = label


class Kept(Labelled):
    def __copy__(self):
        return Kept(self.label)


def test_an_object_of_a_class_made_from_a_container_is_copied_by_its_class_alone():
    @mcr.program
    def refused(p):
        it = p.share(Labelled("a"))
        p.thread(lambda: copy(it))

    @mcr.program
    def kept(p):
        it = p.share(Kept("a"))
        thread = p.thread(lambda: (type(copy(it)) is Kept, copy(it).label))
        p.final(lambda: thread.join())

    with pytest.raises(mcr.ModelError, match="Labelled cannot be copied as a whole: write a method __copy__"):
        mcr.check(refused, "sc")
    assert outcomes(kept) == {"(True, 'a')"}


def test_what_has_no_hash_ends_an_update_where_it_stands():
    @mcr.program
    def updated(p):
        it = p.share(Stores())

        def update():
            try:
                it.members.update([7, [], 8])
            except TypeError as error:
                return str(error)

        thread = p.thread(update)
        p.final(lambda: (thread.join(), sorted(it.members)))

    with pytest.raises(TypeError) as native:  # its words are another version's
        set().update([7, [], 8])
    assert outcomes(updated) == {repr((str(native.value), [1, 2, 7]))}


def test_a_loop_sees_changes():
    @mcr.program
    def walked(p):
        stores = p.share(Stores())
        p.thread(stores.note, "b")
        p.thread(stores.walk)

    @mcr.program
    def copied(p):
        stores = p.share(Stores())
        p.thread(stores.note, "b")
        p.thread(stores.walk_copy)

    assert str(mcr.check(walked, "sc").failures[0].failure) == "RuntimeError: dictionary changed size during iteration"
    assert mcr.check(copied, "sc").verdict is mcr.Verdict.VERIFIED


class Key:
    def __init__(self, number):
        self.number = number

    def __hash__(self):
        return self.number

    def __eq__(self, other):
        return isinstance(other, Key) and self.number == other.number


class Shown:
    def __init__(self):
        self.table = defaultdict(list, {0: 1})
        self.table[1] = self.table
        self.partial = partial(len, [2])

    def __repr__(self):
        return f"{self.table} {self.partial}"

    def grow(self):
        self.table[2], self.partial.args[0][0] = [], 3

    def show(self):
        return [str(self), repr(self.__repr__)]


@pytest.mark.parametrize("algorithm", ["cover", "stateful"])
def test_showing_again_in_another_run_begins_anew(algorithm):
    @mcr.program
    def shown(p):
        it = p.share(Shown())
        p.thread(it.grow)
        thread = p.thread(it.show)
        p.final(lambda: thread.join())

    def text(grown, changed):
        more, held = ", 2: []" if grown else "", 3 if changed else 2
        table = f"defaultdict(<class 'list'>, {{0: 1, 1: defaultdict(<class 'list'>, {{...}}){more}}})"
        return f"{table} functools.partial(<built-in function len>, [{held}])"

    expected = set()
    for table, held, table_again, held_again in combinations_with_replacement(range(3), 4):
        later = text(table_again >= 1, held_again == 2)
        expected.add(repr([text(table >= 1, held == 2), f"<bound method Shown.__repr__ of {later}>"]))
    assert set(mcr.check(shown, "sc", objective="outcomes", algorithm=algorithm).outcomes) == expected


CALLS = [
    "it.items.append(4); it.items[0] = 9; del it.items[1]; r = it.items[:], len(it.items), 4 in it.items",
    "it.items.extend([5, 6]); it.items.insert(0, 0); it.items.remove(2); it.items += [8]; r = it.items.copy()",
    "it.items.sort(reverse=True); it.items.reverse(); r = (it.items.pop(), it.items.index(2), it.items.count(1))",
    "it.items.sort(key=lambda n: -n); r = list(it.items), sorted(it.items), [*it.items], sum(it.items), it.items + [1]",
    "it.items[1:2] = [7, 8]; it.items *= 2; r = it.items == [1, 7, 8, 3] * 2, [0] + it.items, [n for n in it.items]",
    "r = it.table.get('a'), it.table.get('z', 5), it.table['a'], 'a' in it.table, len(it.table), dict(it.table)",
    "it.table['b'] = 2; it.table.update({'c': 3}, d=4); r = list(it.table.items()), [*it.table], it.table.pop('a')",
    "it.table |= {'k': 1}; r = it.table.setdefault('z', 9), it.table.popitem(), it.table.pop('q', None), it.table | {}",
    "r = [(k, v) for k, v in it.table.items()], sum(it.table.values()), sorted(it.table.keys()), 'a' in it.table",
    "it.members.add(3); it.members.discard(9); it.members |= {7}; r = sorted(it.members), 3 in it.members",
    "it.members.update([4, 5], {6}); it.members -= {1}; r = sorted(it.members | {0}), len(it.members & {4})",
    "r = it.members.pop() in (1, 2), len(it.members), it.members <= {1, 2}, [n for n in it.members if n > 5]",
    "it.line.append(2); it.line.appendleft(0); it.line.append(3); r = list(it.line), it.line[0], it.line.popleft()",
    "it.line.extend([5, 6]); it.line.rotate(1); r = it.line.pop(), list(it.line), bool(it.line), it.line.copy()",
    "it.groups['x'].append(1); it.groups['x'].append(2); r = list(it.groups['x']), 'y' in it.groups, len(it.groups)",
    "it.order.move_to_end('a'); r = list(it.order), it.order.popitem(last=False), list(it.order.items())",
    "it.order['c'] = 3; it.order.move_to_end('c', last=False); del it.order['a']; r = list(reversed(it.order))",
    "it.order.update({'q': 7}); it.order |= {'w': 8}; it.order.update(v=9); r = it.order, list(it.order)",
    "r = it.order.fromkeys([1, 2]), it.table.fromkeys('ab', 0), it.table.__init__(z=1), it.table",
    "it.items.append(it.items); it.line.append(it.line); it.table[1] = it.table; r = it.items, it.line, it.table",
    "import copy; it.items.append(it.items); r = copy.deepcopy(it.items), copy.copy(it.items)[3] is it.items",
    "import copy; it.groups['x'].append(it.line); r = copy.deepcopy(it.groups), copy.deepcopy(it.order)",
    "it.items.append(Counter('aab')); import copy; r = copy.deepcopy(it.items), copy.copy(it.items[-1]).most_common(1)",
    "it.items[:] = [1]; a = it.items[0]; it.items[0] = True; b = it.items[0]; it.items[0] = 1.0; r = a, b, it.items",
    "it.table['a'] = 1; it.table['a'] = True; it.line[0] = True; r = it.table['a'] is True, it.line",
    "it.items[:] = [float('nan')]; it.items.append(2); r = repr(it.items), it.items[0] == it.items[0], len(it.items)",
    "import copy, operator; r = copy.copy(it.line), operator.itemgetter('a')(it.table), bool(it.groups)",
    "plain = {5}; plain |= it.members; r = sorted({2, 3} & it.members), sorted(plain), [0] + it.items, {**it.table}",
    "r = tuple(set(it.items)), 1 in it.table.values(), list(reversed(it.items)), dict(**it.table), [*it.line]",
    "plain = [0, 0]; plain[:1] = it.items; plain[0] = it.items; r = plain, plain[0] is it.items",
    "class Items(list): pass\nr = list(Items(it.items)), [1] == it.items, it.items == Items([1, 2, 3])",
    "try: it.items.size = 1\nexcept AttributeError as error: r = str(error)",
    "it.order[Key(3)] = 1; it.table[Key(3)] = 2; r = it.order[Key(3)], it.table.pop(Key(3)), Key(3) in it.order, "
    "[*it.order.values()], list(it.order)[-1].number, it.order.pop(Key(3)), list(it.order)",
    "it.items.clear(); it.table.clear(); it.members.clear(); r = not it.items, not it.table, not it.members",
]


@pytest.mark.parametrize("call", CALLS)
def test_alone_it_does_what_python_does(call):
    names = {"it": Stores(), "Counter": Counter, "Key": Key}
    exec(call, names)
    expected = repr(names["r"])

    @mcr.program
    def alone(p):
        names = {"it": p.share(Stores()), "Counter": Counter, "Key": Key}
        exec(f"def run():\n{indent(call, '    ')}\n    return repr(r)", names)
        thread = p.thread(names["run"])
        p.final(lambda: thread.join())

    assert outcomes(alone, algorithm="exhaustive") == {repr(expected)}  # of one thread, so there is one way


class Groups:
    def __init__(self):
        self.groups = defaultdict(list)

    def put(self):
        self.groups["a"] = 1


@pytest.mark.parametrize(
    "look",
    [
        "(lambda **names: names)(**groups)",
        "(lambda **names: names)(b=2, **groups)",
        "dict(**groups)",
        "{**groups}",
        "dict.copy(groups)",
        "dict.__repr__(groups)",
        "dict.__or__(groups, {})",
    ],
)
def test_a_default_dict_is_taken_for_a_dict_at_once(look):
    names = {}
    exec(f"def seen(it):\n    groups = it.groups\n    return {look}", names)

    @mcr.program
    def taken(p):
        it = p.share(Groups())
        p.thread(it.put)
        thread = p.thread(names["seen"], it)
        p.final(lambda: thread.join())

    filled = Groups()
    filled.put()
    assert outcomes(taken) == {repr(names["seen"](each)) for each in (Groups(), filled)}


def test_a_method_of_a_base_that_is_passed_by_is_refused():
    @mcr.program
    def passing_by(p):
        stores = p.share(Stores())
        p.thread(lambda: dict.pop(stores.order, "a", 0))

    with pytest.raises(mcr.ModelError, match="looked into it past its methods"):
        mcr.check(passing_by, "sc")


def raised_by(call):
    with pytest.raises((LookupError, TypeError, ValueError, AttributeError)) as raised:
        exec(call, {"it": Stores()})
    return type(raised.value).__name__, str(raised.value)


def alone(call):
    @mcr.program
    def program(p):
        names = {"it": p.share(Stores())}
        exec(f"def run(): {call}", names)
        p.thread(names["run"])

    return program


@pytest.mark.parametrize(
    "call",
    [
        "it.items.remove(9)", "it.table['q']", "it.table[[]]", "len(it.members); it.members.update([5, []])",
        "it.members.add([])", "it.x",
    ],
)  # fmt: skip
def test_alone_it_raises_what_python_raises(call):
    failure = mcr.check(alone(call), "sc").failures[0].failure
    assert (failure.error, failure.message) == raised_by(call)
