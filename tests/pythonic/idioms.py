"""Things that people write, as text: each is a place where a running thread keeps state that is easily overlooked.

In an idiom, {v} is the name that takes its result, {c} and {d} are cells, {n}
is a number, {p} the declarations, {i} a suffix that makes its other names its
own. Cells are accessed at most as often as its key in `IDIOMS` says.
"""

from __future__ import annotations

IDIOMS: dict[int, list[str]] = {
    1: [
        # references, things that threads make, state of their own
        "{v} = {c}.compare_exchange_seen({n}, 2)[1]",
        "{v} = 2 if {c}.compare_exchange_seen({n}, 1)[0] else 3",
        """
ref{i} = {c}.ref
{v} = ref{i}.load() if ref{i} == {c}.ref else 0
""",
        """
own{i} = {p}.local("own{i}", kept={n}, log=())
own{i}.kept = {c}.load()
own{i}.log = [own{i}.kept]
{v} = own{i}.kept + len(own{i}.log)
""",
        """
many{i} = {p}.record("many", cells={p}.array([{n}, 1]), lock={p}.mutex())
{v} = many{i}.cells[1].exchange({n})
""",
        # what an object does when Python asks it
        """
class Truth{i}:
    def __bool__(me):
        return {c}.load() == {n}
{v} = 1 if Truth{i}() else 2
""",
        """
class Compared{i}:
    def __eq__(me, other):
        return {c}.load() == other
    __hash__ = None
{v} = int(Compared{i}() == {n})
""",
        """
class Computed{i}:
    def __init__(me, n):
        me.n = n
    @property
    def value(me):
        me.n += {c}.load()
        return me.n
{v} = Computed{i}({n}).value
""",
        """
class Missing{i}(dict):
    def __missing__(me, key):
        me[key] = {c}.load()
        return me[key]
{v} = Missing{i}()
{v} = {v}[0] + {v}[0]
""",
        """
class Base{i}:
    def get(me, c):
        return c.load()
class Derived{i}(Base{i}):
    def get(me, c):
        return super().get(c) + {n}
{v} = Derived{i}().get({c})
""",
        """
class Slots{i}:
    __slots__ = ("n",)
    @classmethod
    def made(cls, c):
        one = cls()
        one.n = c.load()
        return one
{v} = Slots{i}.made({c}).n
""",
        # generators of the thread's own
        """
def cleaned{i}():
    try:
        yield 1
        yield 2
    finally:
        {c}.store({n})
{v} = next(cleaned{i}())
""",
        """
def echo{i}():
    got = 0
    while True:
        got = yield got + {n}
{v} = echo{i}()
next({v})
{v} = {v}.send({c}.load())
""",
        """
def thrown{i}():
    try:
        yield
    except KeyError:
        yield {c}.load()
{v} = thrown{i}()
next({v})
{v} = {v}.throw(KeyError())
""",
        # functions
        """
def traced{i}(function):
    @functools.wraps(function)
    def inner(*args, **options):
        return function(*args, **options) + {n}
    return inner
@traced{i}
def reads{i}(c):
    return c.load()
{v} = reads{i}({c})
""",
        """
@functools.cache
def once{i}(n):
    return {c}.load() + n
{v} = once{i}(0) + once{i}(0)
""",
        """
{v} = [lambda n=n: {c}.load() + n for n in range(2)][1]()
""",
        """
def kept{i}(items=[]):
    items.append({c}.load())
    return len(items) + items[0]
{v} = kept{i}()
""",
        """
def counts{i}(n):
    return {c}.load() if n == 0 else 1 + counts{i}(n - 1)
{v} = counts{i}(2)
""",
        # exceptions
        """
{v} = None
try:
    {v} = {{1: 5}}[{c}.load()]
except KeyError as error:
    {v} = error
if isinstance({v}, KeyError):
    {v} = len({v}.args)
""",
        """
for {v} in (0, 1):
    try:
        if {c}.load() == {n}:
            continue
        break
    finally:
        {v} += 1
""",
        """
{v} = 0
try:
    with contextlib.suppress(ZeroDivisionError):
        {v} = 1 // {c}.load()
finally:
    {v} += 1
""",
        """
with contextlib.ExitStack() as stack{i}:
    {v} = {n}
    stack{i}.callback({c}.store, {v})
""",
        """
try:
    try:
        assert {c}.load() == {n}, {n}
    except AssertionError as error:
        raise ValueError({n}) from error
except ValueError as error:
    {v} = type(error.__cause__).__name__
else:
    {v} = ""
""",
        # waits
        """
{v} = {p}.wait_until({c}.load)
""",
        """
tries{i} = 0
def ready{i}():
    nonlocal tries{i}
    tries{i} += 1
    return {c}.load() == {n}
{v} = {p}.wait_until(ready{i})
{v} = tries{i} + 1
""",
        """
tries{i} = [0]
def ready{i}():
    tries{i}[0] += 1
    return 1 // {c}.load()
try:
    {v} = {p}.wait_until(ready{i})
except ZeroDivisionError:
    {v} = tries{i}[0]
""",
        """
try:
    {p}.wait_until(lambda: fails_if({c}.load() == {n}, {n}))
    {v} = 1
except Oops:
    {p}.assume({c} is not None)
    {v} = 2
""",
        # values
        """
{v} = [[{n}]]
{v} += {v}
{v}[0].append({c}.load())
{v} = len({v}[1])
""",
        """
{v} = {{}}
{v}[({n}, {c}.load())] = 1
{v} = tuple({v})
""",
        """
{v}, *rest{i} = [{c}.load(), {n}, 2]
{v} = ({v}, tuple(rest{i}))
""",
        """
{v} = type({c}.load()).__name__
""",
        """
{v} = "".join(f"{{{c}.load()}}{{n}}" for n in (1,))
""",
        """
{v} = {c}.update(lambda v: ({n}, v)[1] if v else (lambda: 1)())
""",
    ],
    2: [
        """
lock{i} = {p}.mutex("made{i}")
with lock{i}:
    {v} = 1
""",
        """
node{i} = {p}.record("node", lock={p}.mutex(), value={n})
if node{i}.lock.try_lock():
    {v} = node{i}.value.load()
else:
    {v} = 0
""",
        """
done{i}, {v} = {c}.compare_exchange_seen(0, {n})
if not done{i}:
    {v} = {c}.compare_exchange_seen({v}, {v} + 1)[1]
""",
        """
{v} = [0, 0]
{v}[int({c}.load()) % 2] = {d}.load()
{v} = tuple({v})
""",
        """
{v} = [{c}.load(), 0]
{v}[0] += {d}.load()
{v} = {v}[0]
""",
        """
{v} = {{c.load(): i for i, c in enumerate(({c}, {d}))}}
{v} = tuple({v}.items())
""",
        """
{v} = [a + b.load() for a in (c.load() for c in ({c},)) for b in ({d},)]
{v} = tuple({v})
""",
        """
{v} = tuple(n for n, c in zip(range(3), ({c}, {d})) if c.load() == {n})
""",
        """
def pairs{i}():
    for one in ({c}, {d}):
        yield one.load()
{v} = tuple(pairs{i}())
""",
        """
def outer{i}():
    def inner():
        yield {c}.load()
        return {n}
    got = yield from inner()
    yield got + {d}.load()
{v} = sum(outer{i}())
""",
        """
def handed{i}():
    while True:
        try:
            yield {c}.load()
        except ValueError:
            return
        finally:
            {d}.store({n})
{v} = next(handed{i}())
""",
        """
class Cells{i}:
    def __len__(me):
        return 2
    def __getitem__(me, n):
        if n == 2:
            raise IndexError(n)
        return ({c}, {d})[n].load()
{v} = list(Cells{i}())
{v} = max({v})
""",
        """
class Both{i}:
    def __iter__(me):
        me.left = [{c}, {d}]
        return me
    def __next__(me):
        if not me.left:
            raise StopIteration
        return me.left.pop().load()
{v} = sum(Both{i}())
""",
        """
class Lock{i}:
    def __enter__(me):
        return {c}.exchange(1)
    def __exit__(me, *error):
        {c}.store(0)
        return True
{v} = 0
with Lock{i}() as {v}:
    {v} = 1 // {v}
""",
        """
{v} = sorted([1, 0], key=lambda n: ({c}, {d})[n].load())
{v} = tuple({v})
""",
        """
{v} = next(filter(None, (c.load() for c in ({c}, {d}))), {n})
""",
        """
match [{c}.load(), {d}.load()]:
    case [0, {v}] | [{v}, 0]:
        pass
    case [int() as {v}, *_] if {v} > {n}:
        pass
    case _:
        {v} = -1
""",
        """
{v} = {{"c": {c}, "d": {d}}}
match {{name: cell.load() for name, cell in {v}.items()}}:
    case {{"c": 0, **rest{i}}}:
        {v} = tuple(rest{i}.items())
    case _:
        {v} = 0
""",
        """
if ({v} := {c}.load()) and ({v} := {v} + {d}.load()) > 1:
    {v} = -{v}
""",
        """
try:
    {v} = {c}.load()
    {v} = [0][int({v})]
except IndexError:
    {v} = {d}.load()
else:
    {v} = -1
""",
        """
def tidied{i}():
    try:
        return {c}.load()
    finally:
        {d}.store({n})
{v} = tidied{i}()
""",
        """
def overridden{i}():
    for n in range(2):
        try:
            return {c}.load()
        finally:
            if n <= 0:
                continue
{v} = overridden{i}()
""",
        """
{v} = 0
while ({v} := {v} + 1) < 3:
    if {c}.load() == {n}:
        break
else:
    {v} = 9
""",
        """
try:
    {v} = {c}.update(lambda v: 1 // v)
except ZeroDivisionError:
    {v} = {d}.fetch_add({n})
""",
        """
try:
    {v} = {p}.wait_until(lambda: 1 // {c}.load())
except ZeroDivisionError:
    {d}.store({n})
    {v} = 5
""",
        """
errors{i} = []
for {v} in ({c}, {d}):
    try:
        errors{i}.append(1 // {v}.load())
    except ArithmeticError as error:
        errors{i}.append(error)
{v} = tuple(type(each).__name__ for each in errors{i})
""",
        """
sum{i} = 0
def adds{i}(c):
    nonlocal sum{i}
    sum{i} += c.load()
    return sum{i}
{v} = adds{i}({c}) * 2 + adds{i}({d})
""",
        """
{v} = functools.partial(lambda a, b, c: a + b * c.load(), {c}.load())({n}, {d})
""",
        """
{v} = operator.attrgetter("load")({c})() - ({c}, {d})[1].load()
""",
        """
{v} = f"{{{c}.load()}}, {{{d}.load()!r:>3}}"
""",
        """
{v} = {n} if {c}.load() == {n} else {d}.load() if {n} else 3
""",
        """
with contextlib.ExitStack() as stack{i}:
    {v} = {c}.load()
    stack{i}.enter_context(contextlib.suppress(Oops))
    stack{i}.callback(lambda: {d}.load())
    fails_if({v} == {n}, {v})
""",
    ],
}
"""By how many accesses they make at most."""
