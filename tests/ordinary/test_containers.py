"""A shared container is one location, and each of its methods one operation."""

from __future__ import annotations

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
    "it.items.clear(); it.table.clear(); it.members.clear(); r = not it.items, not it.table, not it.members",
]


@pytest.mark.parametrize("call", CALLS)
def test_alone_it_does_what_python_does(call):
    names = {"it": Stores()}
    exec(call, names)
    expected = repr(names["r"])

    @mcr.program
    def alone(p):
        it = p.share(Stores())

        def run():
            names = {"it": it}
            exec(call, names)
            return repr(names["r"])

        thread = p.thread(run)
        p.final(lambda: thread.join())

    assert outcomes(alone) == {repr(expected)}


def raised_by(call):
    with pytest.raises((LookupError, TypeError, ValueError, AttributeError)) as raised:
        exec(call, {"it": Stores()})
    return type(raised.value).__name__, str(raised.value)


def alone(call):
    @mcr.program
    def program(p):
        it = p.share(Stores())
        p.thread(lambda: exec(call, {"it": it}))

    return program


@pytest.mark.parametrize("call", ["it.items.remove(9)", "it.table['q']", "it.table[[]]"])
def test_alone_it_raises_what_python_raises(call):
    failure = mcr.check(alone(call), "sc").failures[0].failure
    assert (failure.error, failure.message) == raised_by(call)


@pytest.mark.parametrize("call", ["it.members.add([])", "it.x"])
def test_what_python_raises_before_anything_is_read_is_no_bug_but_a_broken_model(call):
    with pytest.raises(mcr.ModelError) as broken:
        mcr.check(alone(call), "sc")
    assert f"{': '.join(raised_by(call))}, whatever the schedule" in broken.value.message
