"""Random programs of one or two threads, in all of what people write, against Python itself.

    python -m tests.ordinary.alone --programs 5000
    python -m tests.ordinary.alone --programs 2000 --threads 2

What one thread sees must be what it sees under Python; what two see there, under random schedules, must be possible.
Each statement is tried while a program is drawn, so that most do something. Programs are determined by their seeds,
which count from --seed. Exit status 1 if one sees something else. Sets have one element at first: the order of more is
Python's own affair.
"""

from __future__ import annotations

import argparse
import linecache
import random
import re
import sys
from collections import Counter
from contextlib import nullcontext
from types import ModuleType
from typing import Any

import mcr
from replay.world.shown import shortened
from tests.ordinary import alone_classes, real
from tests.ordinary.locked import imports, library

ALGORITHMS = ("stateful", "cover")

HEAD = """\
import copy, functools, heapq, itertools, json, operator, queue, threading
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque
from contextlib import suppress

import mcr
from tests.ordinary.alone_classes import (
    Both, Box, Color, Entry, Items, Named, Pair, Point, Table, Wrong, doubled, noted, told
)


class Shared:
    def __init__(self):
{fields}

{threads}

def seen(shared):
    return told(shared.a), told(shared.b), told(shared.c)


@mcr.program
def generated(p):
    shared = p.share(Shared())
    threads = [p.thread(getattr(shared, f"thread_{{number}}")) for number in range({count})]

    @p.final
    def outcome():
        return (*[thread.join() for thread in threads], *seen(shared))
"""

THREAD = """\
    def thread_{number}(self):
        log = []
{body}
        return repr(log)

"""

_SCALARS = ("0", "1", "2", "3", "-1", "'a'", "'b'", "'ab'", "None", "True", "1.5", "b'x'", "Color.RED")
_HASHABLE = ("{s}", "{s}", "{s}", "({s}, {s})", "Point(1, {d})", "frozenset({{{s}}})", "Pair({s})", "Both({s})")
_VALUES = (
    "{s}", "{s}", "{s}", "[{vs}]", "[{vs}]", "[{vs}]", "{{{kvs}}}", "{{{kvs}}}", "{{{h}}}", "({v}, {v})", "({v},)",
    "deque([{vs}])", "deque([{vs}], 2)", "Box({s}, {v})", "Named({s})", "Point({d}, {d})", "Table({{{kvs}}})",
    "Items([{vs}])", "OrderedDict([({h}, {v}), ({h}, {v})])", "defaultdict({f}, {{{kvs}}})", "Counter([1, 2, 1])",
    "Counter('aab')", "Entry({d}, [{vs}])", "Pair({v}, {v})", "Both({v}, {v})", "Wrong({v})", "[{d}, {d}, {d}]",
    "['b', 'a']", "functools.partial(Box, {v})", "len",
)  # fmt: skip

_OF_LISTS = (
    "append({v})", "appendleft({v})", "insert({i}, {v})", "extend({w})", "extendleft({w})", "pop()", "pop({i})",
    "popleft()", "remove({v})", "clear()", "reverse()", "sort()", "sort(key=repr)", "sort(reverse=True)",
    "index({v})", "count({v})", "copy()", "rotate({i})", "__len__()", "__contains__({v})", "__getitem__({i})",
    "add({v})",
)  # fmt: skip
_OF_DICTS = (
    "get({h})", "get({h}, {v})", "pop({h})", "pop({h}, {v})", "setdefault({h}, {v})",
    "setdefault({h}, []).append({v})", "update({w})", "update(a={v})", "update([(1, {v})])",
    "update({{2: {v}}}, b={v})", "popitem()", "popitem(last=False)", "move_to_end({h})", "clear()", "copy()",
    "keys()", "values()", "items()", "fromkeys([1, 2])", "bump({h})", "most_common(1)", "elements()", "total()",
    "subtract([1])", "__getitem__({h})", "__len__()", "__missing__({h})",
)  # fmt: skip
_OF_SETS = (
    "add({h})", "discard({h})", "remove({h})", "clear()", "update([{h}])", "union({w})", "intersection({w})",
    "difference({w})", "symmetric_difference({w})", "difference_update({w})", "intersection_update({w})",
    "issubset({w})", "issuperset({w})", "isdisjoint({w})", "copy()",
)  # fmt: skip
_OF_OBJECTS = (
    "grow()", "grow({v})", "double", "size", "inner", "name", "of({v})", "twice({v})", "kind", "hits", "limit",
    "once", "maxlen", "default_factory", "weight", "parts", "one", "left", "what", "args", "_replace(left={v})",
    "_asdict()", "func", "__class__", "__dict__", "x", "value", "made",
)  # fmt: skip
_EXPRESSIONS = (
    "len({p})", "list({p})", "tuple({p})", "sorted({p})", "sorted({p}, key=repr)", "set({p})", "dict({p})",
    "sum({p})", "min({p})", "max({p})", "max({p}, key=repr, default={v})", "any({p})", "all({p})",
    "list(reversed({p}))", "list(enumerate({p}))", "list(zip({p}, {q}))", "list(map(told, {p}))",
    "list(filter(None, {p}))", "bool({p})", "type({p})", "isinstance({p}, (list, dict))", "isinstance({p}, Box)",
    "issubclass(type({p}), dict)", "str({p})", "repr({p})", "'%s' % ({p},)", "iter({p}) is {p}",
    "{p} == {q}", "{p} != {q}", "{p} < {q}", "{p} >= {q}", "{p} is {q}", "{p} is {p}", "{p} + {q}", "{p} * 2",
    "{p} | {q}", "{p} & {q}", "{p} - {q}", "{p} ^ {q}", "{v} in {p}", "{h} not in {p}", "{p}[{i}:{i}]", "{p}[::2]",
    "{p}[::-1]", "[*{p}, *{q}]", "{{**{p}, **{q}}}", "[each for each in {p} if each]",
    "{{key: value for key, value in {p}.items()}}", "copy.copy({p})", "copy.deepcopy({p})", "deque({p}, 2)",
    "OrderedDict({p})", "Counter({p})", "Table({p})", "Items({p})",
    "functools.reduce(lambda one, other: [one, other], {p})", "list(itertools.chain({p}, {q}))",
    "list(itertools.islice({p}, 2))", "list(itertools.accumulate({p}))", "operator.itemgetter({h})({p})",
    "operator.attrgetter('size')({p})", "json.dumps({p})", "' '.join(map(str, {p}))", "getattr({p}, 'size', {v})",
    "hasattr({p}, 'inner')", "callable({p})", "vars({p})", "not {p}", "({p} or {q})", "({p} and {q})",
    "type({p}) is list", "{p}.__class__.__name__", "type({p}) is Box", "functools.partial({p}.append, {v})()",
    "[one for one, *_ in {p}]", "(lambda *args: len(args))(*{p})", "(lambda **names: sorted(names))(**{p})",
    "list({p}.items())", "-{p}", "{p}.keys() == {q}.keys()", "{p}.keys() & {q}.keys()", "list({p}.values())",
    "len({p}.items())", "list(doubled({p}))", "heapq.nsmallest(2, {p})",
    "ChainMap({p}, {q})[{h}]", "{p}()", "copy.replace({p})", "[{p}].index({q})",
    "{p} in [{q}]", "{{1: {p}}}[1] is {p}", "next(iter({p}), {v})",
)  # fmt: skip
_STATEMENTS = (
    "{p}[{h}] = {v}", "{p}[{i}] = {v}", "del {p}[{h}]", "del {p}[{i}]", "{p}.size = {v}", "{p}.inner = {v}",
    "del {p}.inner", "{p}.double = {i}", "{p} += {w}", "{p} -= {w}", "{p} |= {w}", "{p} &= {w}", "{p} *= 2",
    "{p}[{i}:{i}] = {w}", "del {p}[{i}:]", "{p}[::2] = {w}", "self.{n} = {v}", "self.{n} = {p}",
    "self.{n} = [{p}, {q}]", "self.{n} = ({p},)", "self.{n} = {{{h}: {p}}}", "{p} = {q}",
    "self.a, self.b = self.b, self.a", "for each in {p}: log.append(told(each))",
    "for key, value in {p}.items(): log.append(told((key, value)))",
    "one, *rest = {p}; log.append(told((one, rest)))", "one, two = {p}; log.append(told((one, two)))",
    "steps = iter({p}); log.append(told(next(steps))); log.append(told(list(steps)))",
    "add = {p}.append; add({v}); add({v})", "find = {p}.get; log.append(told(find({h})))",
    "setattr({p}, 'size', {v})", "vars({p})['size'] = {v}", "log.append(told(vars({p}).pop('size', {v})))",
    "vars({p}).setdefault('size', {v})", "{p}.__init__({v})", "{p}.size += 1", "{p}[{h}] += 1",
    "for each in list({p}): {p}.remove(each)", "while {p}: log.append(told({p}.pop()))",
    "kept = {p}; kept.append(kept); log.append(len(kept))", "{p}.sort(key=lambda each: str(each))",
    "assert {p}, 'nothing'", "raise Wrong({p})", "raise {p}",
    "self.c = lambda: {p}; log.append(told(self.c())); self.c = {v}",
    "heap = [3, 1]; self.c = heap; heapq.heappush(self.c, {d}); log.append(heapq.heappop(self.c))",
    "with {p} as box: log.append(told(box)); raise KeyError",
    "with suppress(KeyError): del {p}[{h}]; log.append('deleted')", "with noted(log, {p}) as it: it.append({v})",
    "with threading.Lock(): log.append(told({p}))",
    "jobs = queue.Queue(); jobs.put({p}); log.append(told(jobs.get()))",
    "tables = defaultdict(list); tables[1].append({p}); self.c = tables; self.c[2].append({v})",
    "done = threading.Event(); self.a = done; done.set(); log.append(self.a.is_set()); self.a = {v}",
    "lock = threading.RLock(); self.b = lock; lock.acquire(); self.b.release(); self.b = {v}",
    "if (found := {p}): log.append(told(found))",
    "pairs = [({p}, 1)]; self.{n} = pairs; log.append(told(dict(pairs)))",
    "match {p}:\n"
    "                case [one, *_]: log.append(told(one))\n"
    "                case {{1: one}}: log.append(told(one))\n"
    "                case Box(size=one) | Point(x=one): log.append(told(one))\n"
    "                case _: log.append('none')",
)  # fmt: skip
_PLACES = ("", "", "", "[{h}]", "[{i}]", "[{i}]", ".inner", ".parts", ".one", ".left", ".what")

_TRIES = 12
"""Statements that are tried for one that raises nothing."""


SCHEDULES = 40
"""Of a program of two threads under Python."""


class _Drawn:
    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)

    def field(self) -> str:
        return self._filled(self._rng.choice(_VALUES), 0)

    def statement(self) -> str:
        kind = self._rng.randrange(10)
        if kind < 4:
            methods = self._rng.choice((_OF_LISTS, _OF_DICTS, _OF_SETS, _OF_OBJECTS))
            return f"log.append(told({self._place()}.{self._filled(self._rng.choice(methods), 1)}))"
        if kind < 7:
            return f"log.append(told({self._filled(self._rng.choice(_EXPRESSIONS), 1)}))"
        return self._filled(self._rng.choice(_STATEMENTS), 1)

    def often(self, share: float) -> bool:
        return self._rng.random() < share

    def number(self, *of: int) -> int:
        return self._rng.choice(of)

    def _place(self) -> str:
        steps = (self._filled(self._rng.choice(_PLACES), 1) for _ in range(2))
        return f"self.{self._rng.choice('abc')}{''.join(steps)}"

    def _filled(self, template: str, depth: int) -> str:
        """The template with something in each of its holes (`hole`)."""
        return template.format_map(_Holes(self, depth))

    def hole(self, name: str, depth: int) -> str:
        choose = self._rng.choice
        if name == "v" and depth > 2:
            name = "s"
        match name:
            case "s":
                return choose(_SCALARS)
            case "d":
                return choose("123")
            case "h":
                return self._filled(choose(_HASHABLE), depth + 1)
            case "v":
                return self._filled(choose(_VALUES), depth + 1)
            case "vs":
                return ", ".join(self.hole("v", depth + 1) for _ in range(choose((0, 1, 1, 2, 3))))
            case "kvs":
                count = choose((0, 1, 1, 2))
                return ", ".join(f"{self.hole('h', depth)}: {self.hole('v', depth + 1)}" for _ in range(count))
            case "w":
                return self._place() if choose((True, False)) else self.hole("v", depth)
            case "i":
                return choose(("0", "1", "-1", "2"))
            case "n":
                return choose("abc")
            case "f":
                return choose(("int", "list", "Box"))
        return self._place()


class _Holes(dict[str, str]):
    """What comes into each hole of a template, another one each time."""

    def __init__(self, draw: _Drawn, depth: int) -> None:
        self._draw = draw
        self._depth = depth

    def __missing__(self, name: str) -> str:
        return self._draw.hole(name, self._depth)


def drawn(seed: int, threads: int = 1) -> str:
    """The program of a seed; "" if its object cannot be made."""
    draw = _Drawn(seed)
    fields = [f"self.{name} = {draw.field()}" for name in "abc"]
    if draw.often(0.3):
        fields.append("self.c = [self.a, self.a, self.b]")
    names: dict[str, Any] = {"__name__": f"drawn_{seed}"}
    try:
        exec(_text(fields, []), names)
        live = names["self"] = names["Shared"]()
    except Exception:
        return ""
    return _text(
        fields, [_body(draw, names, live, (3, 6, 10) if threads == 1 else (1, 2, 2, 3)) for _ in range(threads)]
    )


def _body(draw: _Drawn, names: dict[str, Any], live: object, sizes: tuple[int, ...]) -> list[str]:
    body = []
    for _ in range(draw.number(*sizes)):
        for _ in range(_TRIES if draw.often(0.85) else 1):
            statement = draw.statement()
            names["log"] = []
            try:
                exec(f"if True:\n            {statement}", names)
                break
            except Exception:
                names["self"] = live
        body += ["try:", f"    {statement}", "except Exception as error:", "    log.append(type(error).__name__)"]
    return body


def _text(fields: list[str], bodies: list[list[str]]) -> str:
    threads = [THREAD.format(number=number, body=_indented(body)) for number, body in enumerate(bodies)]
    return HEAD.format(fields=_indented(fields), threads="\n".join(threads), count=len(bodies))


def _indented(lines: list[str]) -> str:
    return "\n".join(f"        {line}" for line in lines)


def under_python(text: str, seed: int) -> set[str]:
    """What a program shows under Python: of one thread all, of more some."""
    names: dict[str, Any] = {"__name__": f"python_{seed}"}
    count = text.count("def thread_")
    with imports(library()) if count > 1 else nullcontext():
        exec(compile(text, real.FILE, "exec"), names)

    def make() -> tuple[Any, list[Any]]:
        shared = names["Shared"]()
        return shared, [getattr(shared, f"thread_{number}") for number in range(count)]

    if count == 1:
        shared, (thread,) = make()
        return {repr((thread(), *names["seen"](shared)))}
    runner = real.Runner(make, names["seen"], {real.FILE, str(alone_classes.__file__)})
    return runner.at_random(SCHEDULES, seed).outcomes


OF_PYTHON_ALONE = (" at 0x", "OutsideError")
"""What stands in outcomes that are about the process, or about the locks that these runs have."""


def difference(seed: int, threads: int = 1) -> str:
    """What the checker tells of the program of a seed, if that is not what Python shows.

    "refused: ..." if it is refused; "" if the program cannot be made, or what Python shows cannot be told.
    """
    text = drawn(seed, threads)
    if not text or (threads > 1 and "RLock" in text):  # the one of these runs may have any attribute
        return ""
    try:
        shows = {
            shortened(each) for each in under_python(text, seed) if not any(map(each.__contains__, OF_PYTHON_ALONE))
        }
    except AttributeError:  # an attribute is gone that `told` asks for
        return ""
    if not shows:
        return ""
    name = f"alone_{seed}"
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    module = sys.modules[name] = ModuleType(name)
    module.__file__ = file
    try:
        exec(compile(text, file, "exec"), module.__dict__)
        algorithm = ALGORITHMS[seed % len(ALGORITHMS)]
        result = mcr.check(module.__dict__["generated"], "sc", objective="outcomes", algorithm=algorithm)
    except mcr.ModelError as error:
        return f"refused: {error.message}"
    finally:
        del sys.modules[name], linecache.cache[file]
    if result.stop is None and (set(result.outcomes) == shows if threads == 1 else shows.issubset(result.outcomes)):
        return ""
    return f"{sorted(shows - set(result.outcomes))}\n{result.outcomes} {result.stop}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.ordinary.alone", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--programs", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    refused: Counter[str] = Counter()
    wrong = 0
    for seed in range(options.seed, options.seed + options.programs):
        found = difference(seed, options.threads)
        if found.startswith("refused: "):
            refused[re.sub(r"'[^']*'|\S*[.\[#]\S*", "...", found)] += 1
        elif found:
            wrong += 1
            text = drawn(seed, options.threads)
            print(f"seed {seed}\n{text[text.index('class Shared') :]}\n{found}\n")
    for sentence, number in refused.most_common():
        print(f"{number} {sentence}")
    print(f"{options.programs} programs, {refused.total()} refused, {wrong} see something else than under Python")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
