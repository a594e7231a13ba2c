"""Statements that are written twice: on an ordinary object, and on what a model declares.

A statement is a pair of texts, `Twin`. Both have the same holes: `{e}` an
expression, `{v}` a small number, `{k}` a key. The names on the ordinary side are
attributes of `self`, on the model's side those of `tests.ordinary.generator.MODEL`.
A thread has one register, `r`, a number at any time.
"""

from __future__ import annotations

from typing import NamedTuple


class Twin(NamedTuple):
    """One statement, or the beginning of one that has a block (`has_block`).

    catches  the exceptions that it may raise: some programs catch them, in the others they are bugs
    """

    ordinary: str
    model: str
    catches: str = ""
    has_block: bool = False


def _method(attribute: str, call: str, catches: str = "", *, takes: bool = False) -> Twin:
    """A call of a method that changes a container; its result goes to the register if it `takes` something out."""
    name, _, arguments = call.partition("(")
    arguments = arguments.removesuffix(")")
    ending = f", {arguments})" if arguments else ")"
    to = "r = " if takes else ""
    return Twin(f"{to}self.{attribute}.{call}", f'{to}change({attribute}.load(), "{name}"{ending}', catches)


def _reading(attribute: str, expression: str, catches: str = "", *, look: str = "value") -> Twin:
    """An expression over one container, written `_`, that reads it at once; `whole` is the look that takes its lock."""
    return Twin(
        f"r = {expression.replace('_', f'self.{attribute}')}",
        f"r = {expression.replace('_', f'{look}({attribute}.load())')}",
        catches,
    )


MEMORY = (
    Twin("r = self.x", "r = x.load()"),
    Twin("r = self.y", "r = y.load()"),
    Twin("self.x = {e}", "x.store({e})"),
    Twin("self.y = {e}", "y.store({e})"),
    Twin("self.x += {e}", "x.store(x.load() + {e})"),
    Twin("self.y -= {v}", "y.store(y.load() - {v})"),
    Twin("r = self.x + self.y", "r = x.load() + y.load()"),
    Twin("self.x, self.y = self.y, self.x", "fetched = y.load(), x.load(); x.store(fetched[0]); y.store(fetched[1])"),
    Twin('assert self.x != {v}, "x is {v}"', 'assert x.load() != {v}, "x is {v}"', "AssertionError"),
    Twin('assert r != {v}, "r is {v}"', 'assert r != {v}, "r is {v}"', "AssertionError"),
)

ATTRIBUTES = (
    Twin("self.late = {e}", "late.store({e})"),
    Twin("r = self.late", "r = present(late.load())", "AttributeError"),
    Twin("del self.late", "removed(late)", "AttributeError"),
    Twin('r = getattr(self, "late", {v})', "r = either(late.load(), {v})"),
    Twin('r = int(hasattr(self, "late"))', "r = int(late.load() != MISSING)"),
    Twin(
        'if not hasattr(self, "late"): self.late = {e}',
        "if late.load() == MISSING: late.store({e})",
    ),
    Twin('setattr(self, "x", {e})', "x.store({e})"),
    Twin('self.__dict__["late"] = {e}', "late.store({e})"),
    Twin('r = vars(self)["late"]', "r = present(late.load(), KeyError)", "KeyError"),
    Twin('r = self.__dict__.pop("late", {v})', "r = taken(late, {v})"),
    Twin('r = vars(self).setdefault("late", {e})', "r = defaulted(late, {e})"),
)

OBJECTS = (
    Twin("self.head = Node({e}, None)", 'head.store(p.record("node", value={e}, next=None))'),
    Twin(
        "self.head = Node({e}, self.head)",
        'head.store(p.record("node", value={e}, next=head.load()))',
    ),
    Twin("r = self.head.value", "r = head.load().value.load()", "AttributeError"),
    Twin("self.head.value = {e}", "node = head.load(); assigned(node, {e})", "AttributeError"),
    Twin("self.head.value += {v}", "node = head.load(); assigned(node, node.value.load() + {v})", "AttributeError"),
    Twin("self.head = self.head.next", "head.store(head.load().next.load())", "AttributeError"),
    Twin("self.head = None", "head.store(None)"),
    Twin(
        "node = self.head; r = 0 if node is None else node.value",
        "node = head.load(); r = 0 if node is None else node.value.load()",
    ),
    Twin(
        "node = Node({e}, None); self.head = node; node.value = {v}",
        'node = p.record("node", value={e}, next=None); head.store(node); node.value.store({v})',
    ),
)

LISTS = (
    _method("items", "append({e})"),
    _method("items", "insert(0, {e})"),
    _method("items", "extend([{e}, {v}])"),
    _method("items", "pop()", "IndexError", takes=True),
    _method("items", "pop(0)", "IndexError", takes=True),
    _method("items", "remove({v})", "ValueError"),
    _method("items", "clear()"),
    _method("items", "reverse()"),
    _method("items", "sort()"),
    _reading("items", "len(_)"),
    _reading("items", "_[0]", "IndexError"),
    _reading("items", "_[-1]", "IndexError"),
    Twin("r = int({v} in self.items)", "r = int(has(items.load(), {v}))"),
    Twin("r = self.items.count({v})", "r = counted(items.load(), {v})"),
    Twin("r = self.items.index({v})", "r = place(items.load(), {v})", "ValueError"),
    _reading("items", "len(_[1:])", look="whole"),
    _reading("items", "len(_.copy())", look="whole"),
    Twin("self.items[0] = {e}", 'change(items.load(), "__setitem__", 0, {e})', "IndexError"),
    Twin("del self.items[0]", 'change(items.load(), "__delitem__", 0)', "IndexError"),
    Twin(
        "self.items[-1] += {v}",
        'kept = items.load(); change(kept, "__setitem__", -1, value(kept)[-1] + {v})',
        "IndexError",
    ),
    Twin(
        "self.items += [{e}]",
        'kept = items.load(); change(kept, "extend", [{e}]); items.store(kept)',
    ),
    Twin("self.items = self.items + [{e}]", "items.store(listed([*whole(items.load()), {e}]))"),
    Twin("self.items = [{e}]", "items.store(listed([{e}]))"),
    Twin(
        "if self.items: r = self.items.pop()",
        'if value(items.load()): r = change(items.load(), "pop")',
        "IndexError",
    ),
    Twin("for each in self.items:", "for each in each_step(items.load()):", has_block=True),
)

DICTS = (
    Twin("self.table[{k}] = {e}", 'change(table.load(), "__setitem__", {k}, {e})'),
    Twin("del self.table[{k}]", 'change(table.load(), "__delitem__", {k})', "KeyError"),
    Twin(
        "self.table[{k}] += {v}",
        'kept = table.load(); change(kept, "__setitem__", {k}, value(kept)[{k}] + {v})',
        "KeyError",
    ),
    Twin(
        "if {k} not in self.table: self.table[{k}] = {e}",
        'if {k} not in value(table.load()): change(table.load(), "__setitem__", {k}, {e})',
    ),
    _method("table", "pop({k}, 0)", takes=True),
    _method("table", "pop({k})", "KeyError", takes=True),
    _method("table", "setdefault({k}, {e})", takes=True),
    _method("table", "update({{{k}: {e}, 7: {v}}})"),
    _method("table", "clear()"),
    Twin(
        "r = self.table.popitem()[1]",
        'r = change(table.load(), "popitem")[1]',
        "KeyError",
    ),
    _reading("table", "_[{k}]", "KeyError"),
    _reading("table", "_.get({k}, 0)"),
    _reading("table", "len(_)"),
    _reading("table", "int({k} in _)"),
    _reading("table", "len(_.copy())"),
)

GIVEN = (
    *(Twin(f"r = {there}", f"r = {here}") for there, here in (
        ("len(set(self.tags))", "len(value(tags.load()))"),
        ("sum(frozenset(self.tags))", "sum(value(tags.load()))"),
        ("len({{1, 5, *self.tags}})", "len({{1, 5, *value(tags.load())}})"),
        ("int({{1, 2}}.issubset(self.tags))", "int({{1, 2}}.issubset(value(tags.load())))"),
        ("sum({{1, 2, 3}} & self.tags)", "sum({{1, 2, 3}} & value(tags.load()))"),
        ("sum({{1, 2, 3}} - self.tags)", "sum({{1, 2, 3}} - value(tags.load()))"),
        ("int({{1}} < self.tags)", "int({{1}} < value(tags.load()))"),
        ("sum(dict(self.table).values())", "sum(value(table.load()).values())"),
        ("sum({{5: 5, **self.table}}.values())", "sum({{5: 5, **value(table.load())}}.values())"),
        ("len(set(self.table))", "len(value(table.load()))"),
        ("len({{1, 2}} & self.table.keys())", "len({{1, 2}} & value(table.load()).keys())"),
    )),
    Twin("plain = {{1, 5}}; plain |= self.tags; r = sum(plain)", "r = sum({{1, 5}} | value(tags.load()))"),
    Twin("plain = {{5: 5}}; plain.update(self.table); r = sum(plain.values())",
         "r = sum(({{5: 5}} | value(table.load())).values())"),
    Twin("self.tags.add({v})", 'change(tags.load(), "add", {v})'),
    Twin("self.tags.discard({v})", 'change(tags.load(), "discard", {v})'),
    Twin("self.table[{k}] = {e}", 'change(table.load(), "__setitem__", {k}, {e})'),
    Twin("self.table.pop({k}, 0)", 'change(table.load(), "pop", {k}, 0)'),
)  # fmt: skip

CLASSES = (
    Twin("r = Shared.made", "r = made.load()"),
    Twin("r = self.made", "r = made.load()"),
    Twin("Shared.made = {e}", "made.store({e})"),
    Twin("Shared.made += {e}", "made.store(made.load() + {e})"),
    Twin("type(self).made += {e}", "made.store(made.load() + {e})"),
    Twin("self.__class__.made -= {v}", "made.store(made.load() - {v})"),
    Twin('setattr(Shared, "made", {e})', "made.store({e})"),
    Twin("Shared.known.append({e})", 'change(known.load(), "append", {e})'),
    Twin("r = self.known.pop()", 'r = change(known.load(), "pop")', "IndexError"),
    Twin("r = len(Shared.known)", "r = len(value(known.load()))"),
    Twin("Shared.known = [*Shared.known, {e}]", "known.store(listed([*whole(known.load()), {e}]))"),
    Twin("for each in Shared.known:", "for each in each_step(known.load()):", has_block=True),
    Twin("if Shared.sole is None: Shared.sole = Node({e}, None)",
         'if sole.load() is None: sole.store(p.record("node", value={e}, next=None))'),
    Twin("r = Shared.sole.value", "r = sole.load().value.load()", "AttributeError"),
    Twin("Shared.sole.value = {e}", "node = sole.load(); assigned(node, {e})", "AttributeError"),
    Twin("type(self).sole = None", "sole.store(None)"),
)  # fmt: skip

DEQUES = (
    _method("ring", "append({e})"),
    _method("ring", "appendleft({e})"),
    _method("ring", "pop()", "IndexError", takes=True),
    _method("ring", "popleft()", "IndexError", takes=True),
    _method("ring", "rotate(1)"),
    _method("ring", "extend([{e}, {v}])"),
    _method("ring", "clear()"),
    _reading("ring", "len(_)"),
    _reading("ring", "_[0]", "IndexError"),
    _reading("ring", "_.count({v})"),
    Twin(
        "while self.ring: r += self.ring.popleft()",
        'while value(ring.load()): r += change(ring.load(), "popleft")',
        "IndexError",
    ),
)

SETS = (
    _method("tags", "add({v})"),
    _method("tags", "discard({v})"),
    _method("tags", "remove({v})", "KeyError"),
    _method("tags", "update([{v}, 7])"),
    _method("tags", "clear()"),
    _reading("tags", "len(_)"),
    _reading("tags", "int({v} in _)"),
    Twin(
        "if {v} not in self.tags: self.tags.add({v}); self.x += 1",
        'if {v} not in value(tags.load()): change(tags.load(), "add", {v}); x.store(x.load() + 1)',
    ),
)


def _keyed(twin: Twin) -> Twin:
    """The same of a dict of a class of the user's, with keys that are compared by code."""
    ordinary = twin.ordinary.replace("table", "keyed").replace("{k}", "Key({k})").replace(", 7:", ", Key(7):")
    return twin._replace(ordinary=ordinary, model=twin.model.replace("table", "keyed"))


MADE = (
    *map(_keyed, DICTS),
    Twin("self.keyed.put(Key({k}), {e})", 'change(keyed.load(), "__setitem__", {k}, {e}); puts.store(puts.load() + 1)'),
    Twin("r = self.keyed.puts", "r = puts.load()"),
    Twin("self.keyed.puts = {e}", "puts.store({e})"),
    Twin("r = self.keyed.look(Key({k}))", "r = value(keyed.load()).get({k}, 0)"),
    Twin("r = dict.__len__(self.keyed)", "r = len(value(keyed.load()))"),
    Twin("self.mine.add({e})", 'change(mine.load(), "append", {e}); last.store({e})'),
    Twin("r = self.mine.last", "r = last.load()"),
    Twin("r = self.mine.take()", 'r = change(mine.load(), "pop", 0)', "IndexError"),
    Twin("r = len(self.mine)", "r = len(value(mine.load()))"),
    Twin("self.mine[-1] = {e}", 'change(mine.load(), "__setitem__", -1, {e})', "IndexError"),
    Twin("for each in self.mine:", "for each in each_step(mine.load()):", has_block=True),
)

LOCKS = (
    Twin("with self.lock:", "with lock:", has_block=True),
    Twin("with self.other:", "with other:", has_block=True),
    Twin("with self.again:", "with again:", has_block=True),
    Twin("with self.room:", "with room:", has_block=True),
    Twin("with self.changed:", "with changed:", has_block=True),
    Twin("if self.other.acquire(blocking=False): self.other.release()", "if other.try_lock(): other.unlock()"),
    Twin("r = int(self.other.locked())", "r = int(other.locked())"),
    Twin("self.lock.acquire(); self.x += 1; self.lock.release()", "lock.lock(); x.store(x.load() + 1); lock.unlock()"),
)

WAITING = (
    Twin("self.go.set()", "go.set()"),
    Twin("self.go.wait()", "go.wait()"),
    Twin("r = int(self.go.wait(0.001))", "r = int(go.wait(0.001))"),
    Twin("self.go.clear()", "go.clear()"),
    Twin("r = int(self.go.is_set())", "r = int(go.is_set())"),
    Twin("self.jobs.put({e})", "jobs.put({e})"),
    Twin("r = self.jobs.get()", "r = jobs.get()"),
    Twin("r = self.jobs.qsize()", "r = jobs.qsize()"),
    Twin("r = self.jobs.get_nowait()", "r = jobs.get_nowait()", "queue.Empty"),
    Twin("self.jobs.put_nowait({e})", "jobs.put_nowait({e})", "queue.Full"),
    Twin("with self.changed: self.x = {e}; self.changed.notify_all()",
         "with changed: x.store({e}); changed.notify_all()"),
    Twin("with self.changed: self.changed.wait_for(lambda: self.x)",
         "with changed: changed.wait_for(lambda: x.load())"),
    Twin("r = self.meeting.wait()", "r = meeting.wait()"),
    Twin("child = threading.Thread(target=self.helper, args=({e},)); child.start(); child.join()",
         "child = p.spawn(helper, {e}); child.join()"),
    Twin("threading.Thread(target=self.helper, args=({e},)).start()", "p.spawn(helper, {e})"),
)  # fmt: skip
