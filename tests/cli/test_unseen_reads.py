"""One thread changes a Python object that is not declared, and another one only looks: refused, whatever it is.

Each case says what is made, how the first thread changes it, and how the second one looks; 0 is what it finds first.
"""

from __future__ import annotations

import copyreg
import logging
from collections.abc import Iterator

import pytest

from tests.desk import Desk

HEAD = """
import base64, copyreg, datetime, enum, functools, gettext, importlib, io, itertools, logging, operator, re, sys, types
import weakref
import mcr

X = 0
MAPPED = types.SimpleNamespace(n=0)

class Cached:
    @functools.cached_property
    def v(self): return 1

class Plain:
    n = 0
    def m(self): return 0

class Text(str): pass

class Zone(datetime.tzinfo):
    n = 0
    def utcoffset(self, moment): return datetime.timedelta(seconds=self.n)

def named(*, k=0): return k

def raised(e):
    try: raise e
    except ValueError: pass

@mcr.program
def unseen(p):
    x = p.var("x", 0)
    {made}

    def first():
        x.load()
        {changes}
        x.store(1)

    def second():
        x.load()
        assert not ({looks})

    p.thread(first)
    p.thread({second})
"""

CASES = {
    "traceback": ("e = ValueError()", "raised(e)", "e.__traceback__"),
    "traceback set": ("e = ValueError()", "raised(e)", "getattr(e, '__traceback__')"),
    "cached result": ("c = Cached()", "c.v", "'v' in c.__dict__"),
    "cached result by vars": ("c = Cached()", "c.v", "vars(c)"),
    "cached result set": ("c = Cached()", "c.v = 5", "c.v - 1"),
    "attribute of a logger": ("g = logging.getLogger('unseen')", "g.extra = 1", "getattr(g, 'extra', 0)"),
    "logging.disable": ("pass", "logging.Logger.manager.disable = 5", "logging.Logger.manager.disable"),
    "manager of a logger": ("pass", "logging.getLogger('a').manager.disable = 5", "logging.root.manager.disable"),
    "logger that is new": ("pass", "logging.getLogger('unseen2').setLevel(7)", "logging.getLogger('unseen2').level"),
    "loggers by name": ("pass", "logging.getLogger('unseen3')", "'unseen3' in logging.Logger.manager.loggerDict"),
    "class of loggers": ("pass", "logging.setLoggerClass(logging.RootLogger)", "0"),
    "name of a class": ("B = type('B', (), {})", "B.__name__ = 'C'", "B.__name__ == 'C'"),
    "module of a function": ("f = lambda: 0", "f.__module__ = 'm'", "f.__module__ == 'm'"),
    "combined flag": ("E = enum.Flag('E', 'a b')", "(E.a | E.b).n = 1", "getattr(E.a | E.b, 'n', 0)"),
    "map of flags": ("E = enum.Flag('E', 'a b')", "E(3)", "3 in E._value2member_map_"),
    "last reference": ("box = [Plain()]; r = weakref.ref(box[0])", "box.clear()", "r() is None"),
    "callback of a reference": ("l = []; o = [Plain()]; r = [weakref.ref(o[0], l.append)]", "r and o.clear()", "l"),
    "bound weakly": ("o = Plain(); r = weakref.WeakMethod(o.m)", "o.n = 1", "r().__self__.n"),
    "called by an iterator": ("l = []; it = iter(lambda: l.append(1), 5)", "next(it)", "l"),
    "under an iterator": ("a = iter([0, 1]); it = itertools.islice(a, 2)", "next(it)", "operator.length_hint(a) - 2"),
    "under a generator": ("l = []; it = (l.append(i) for i in (1, 2))", "next(it)", "l"),
    "in a slice": ("l = []; s = slice(l)", "s.stop.append(1)", "l"),
    "in a moment": ("z = Zone(); d = datetime.time(1, tzinfo=z)", "d.tzinfo.n = 1", "z.n"),
    "in a match": ("s = Text('a'); m = re.match('a', s)", "m.string.n = 1", "getattr(s, 'n', 0)"),
    "doc of a property": ("s = property(raised)", "s.__doc__ = 'a'", "s.__doc__ == 'a'"),
    "property begun anew": ("s = property(raised)", "s.__init__(named)", "s.fget is named"),
    "name of a cached property": ("s = functools.cached_property(raised)", "s.attrname = 'a'", "s.attrname"),
    "dict of an object": ("o = Plain(); d = o.__dict__", "d['n'] = 1", "o.n"),
    "object of a dict": ("o = Plain(); d = o.__dict__", "o.n = 1", "d.get('n', 0)"),
    "keywords of a function": ("f = named; d = f.__kwdefaults__", "d['k'] = 1", "f()"),
    "keywords of a partial": ("f = functools.partial(named, k=0); d = f.keywords", "d['k'] = 1", "f()"),
    "dict of a module": ("d = globals()", "d['X'] = 1", "X"),
    "module of a dict": ("d = globals(); m = MAPPED", "globals()['X'] = 1", "d['X']"),
    "globals()": ("pass", "globals()['X'] = 1", "X"),
    "globals() and a new name": ("pass", "globals()['Y'] = 1", "'Y' in globals()"),
    "exec": ("pass", "exec('global X; X = 1')", "X"),
    "exec that imports": ("pass", "exec('import base64; base64.n = 1', {})", "getattr(base64, 'n', 0)"),
    "import by name": ("pass", "importlib.import_module('base64').n = 1", "getattr(base64, 'n', 0)"),
    "partial": ("f = functools.partial(int)", "f.n = 1", "getattr(f, 'n', 0)"),
    "stream": ("pass", "sys.stdout.n = 1", "getattr(sys.stdout, 'n', 0)"),
    "table of a library": ("pass", "copyreg.add_extension('m', 'n', 240)", "240 in copyreg._inverted_registry"),
    "variable of a library": ("pass", "gettext.textdomain('unseen')", "gettext.textdomain() == 'unseen'"),
    "numbers of numpy over bytes": (
        "import numpy; b = bytearray(1); a = numpy.frombuffer(b, dtype='u1')", "a.__setitem__(0, 1)", "b[0]"
    ),
    "view of numpy": ("import numpy; a = numpy.zeros(2); b = a[:1]", "a.__setitem__(0, 1)", "b[0]"),
    "fields of numpy": ("import numpy; d = numpy.dtype([('a', 'i4')])", "d.names = ('b',)", "d.names == ('b',)"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """What a refused program has changed of the process stays."""
    yield
    logging.disable(logging.NOTSET)
    if copyreg._inverted_registry.get(240) == ("m", "n"):  # type: ignore[attr-defined]
        copyreg.remove_extension("m", "n", 240)
    for name in [each for each in logging.Logger.manager.loggerDict if each.startswith("unseen")]:
        del logging.Logger.manager.loggerDict[name]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_another_thread_changes(desk: Desk, case: tuple[str, str, str]) -> None:
    made, changes, looks = case
    desk.write("unseen.py", HEAD.format(made=made, changes=changes, looks=looks, second="second"))
    answer = desk.mcr("check", "unseen.py", "--model", "sc")
    assert answer.status == 2, answer.out + answer.err
    assert answer.err.startswith("error: unseen.py:")
    assert answer.err.count("\n") == 1
    assert "not deterministic" not in answer.err


LASTING = (
    "logging.disable", "logger that is new", "class of loggers", "globals()", "exec", "stream", "table of a library",
    "variable of a library", "import by name",
)  # fmt: skip


@pytest.mark.parametrize("name", LASTING)
def test_what_outlives_a_run(desk: Desk, name: str) -> None:
    """A thread alone would find in its second run what it did in the first."""
    made, changes, looks = CASES[name]
    text = HEAD.format(made=made, changes=f"assert not ({looks}); {changes}", looks=looks, second="x.store, 2")
    desk.write("unseen.py", text)
    answer = desk.mcr("check", "unseen.py", "--model", "sc")
    assert answer.status == 2, answer.out + answer.err


HARMLESS = {
    "own traceback": "e = ValueError(); raised(e); assert e.__traceback__",
    "own cached result": "own = Cached(); own.v; assert vars(own) == {'v': 1}",
    "logger asked for": "logging.getLogger('unseen4').isEnabledFor(10)",
    "text that is run": "d = {'x': x}; exec('y = x.load()', d); assert eval('y + 1', d) > 0",
    "table of a library": "base64.b64encode(b'a')",
}


@pytest.mark.parametrize("line", HARMLESS.values(), ids=HARMLESS)
def test_what_is_its_own(desk: Desk, line: str) -> None:
    desk.write("unseen.py", HEAD.format(made="c = Cached()", changes=f"c.v; {line}", looks="c.v - 1", second="second"))
    answer = desk.mcr("check", "unseen.py", "--model", "sc")
    assert answer.status == 0, answer.out + answer.err
