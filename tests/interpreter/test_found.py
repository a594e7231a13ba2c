"""Findings of the campaign, as short programs: they fail if the interpreter differs from CPython again."""

from __future__ import annotations

import sys
import textwrap

import pytest

from tests.interpreter.running import Judge, prepared

PROGRAMS = {
    "what cannot be unpacked is named": "n1, n2 = Manager(True)",
    "a type of C is named with its module": "n1, n2 = deque.maxlen",
    "a generator is named as CPython's in messages of native code": "+(n for n in 'ab')",
    "an iterator over a dictionary is named as CPython's": "{'k': 1} + iter({'k': 1})",
    "`in` of what cannot be iterated over": "1 in Described",
    "a free variable that is empty has its name in the exception": """
        def f():
            return late
        try:
            f()
        except NameError as error:
            caught(error)
        late = 1
        """,
    "divmod asks the right operand by a method that both have": """
        class Base:
            def __rdivmod__(self, other):
                return 'reflected'
        class Derived(Base):
            pass
        log(divmod(Base(), Derived()))
        divmod(Derived(), Derived())
        """,
    "a length that is none is refused as a truth, too": """
        class Sized:
            def __init__(self, size):
                self.size = size
            def __len__(self):
                return self.size
        class Index:
            def __index__(self):
                return 'x'
        for size in (0, 2, -1, 1 << 70, 1.5, Index()):
            try:
                log(bool(Sized(size)), 'yes' if Sized(size) else 'no')
            except (TypeError, ValueError, OverflowError) as error:
                caught(error)
        """,
    "keywords that are no texts": "traced(abs)(1, **{1: 2})",
    "keywords that are there already": "log(1, **{'k': 2}, k=3)",
    "keywords that are there already, while an exception is handled": """
        try:
            [][0]
        except IndexError:
            log(1, k=3, **{'k': 2})
        """,
    "the function is not asked for its name before it fails": "log(spy(**{'k': 2}, z=3))",
    "`return` in `finally` drops an exception that has lines": """
        def f():
            try:
                return -'t'
            finally:
                return [].zz
        f()
        """,
    "closing what waits for a native iterator": """
        def f():
            yield from (1, 2)
        it = f()
        log(next(it), it.close(), next(it, 'closed'))
        """,
    "StopIteration thrown into a generator that has not begun": """
        def f():
            yield 1
        f().throw(StopIteration(4))
        """,
    "StopIteration thrown into a `yield from` of a native iterator while an exception is handled": """
        def f():
            try:
                [][0]
            finally:
                log((yield from iter('ab')))
        it = f()
        log(next(it), it.throw(StopIteration(4)))
        """,
    "StopIteration thrown into a generator": """
        def f():
            yield 1
        it = f()
        log(next(it), it.throw(StopIteration(4)))
        """,
    "a traceback that is put back": """
        def f():
            [][0]
        try:
            f()
        except IndexError as error:
            before = error.__traceback__
            try:
                raise error
            except IndexError as again:
                again.__traceback__ = before.tb_next
                caught(again)
            raise error.with_traceback(before)
        """,
    "a context manager made of a generator leaves no line": """
        with spread(1):
            raise KeyboardInterrupt(2)
        """,
    "a part of a group has its lines, notes and context": """
        group = ExceptionGroup('g', [ValueError(1), KeyError(2), ExceptionGroup('h', [TypeError(3)])])
        group.add_note('noted')
        try:
            raise group
        except* ValueError as error:
            caught(error)
        """,
    "a group that is raised again by name": """
        try:
            raise ExceptionGroup('g', [ValueError(1), ExceptionGroup('h', [TypeError(3)])])
        except* Exception as error:
            raise error
        """,
    "a group that no clause matches": """
        try:
            raise ExceptionGroup('g', [ValueError(1)])
        except* KeyError:
            pass
        except* Exception as error:
            caught(error)
        """,
    "a group which makes its parts itself": """
        try:
            raise Exceptions(1)
        except* (ValueError, ArithmeticError):
            raise KeyError
        """,
    "steps of an asynchronous generator that is over": """
        async def f():
            yield 1
        it = f()
        log(drive(it.__anext__()), drive(it.aclose()), drive(it.aclose()), drive(it.__anext__()))
        """,
    "an asynchronous generator that fails": """
        async def f():
            try:
                yield 1
            finally:
                await Pause(2)
        it = f()
        log(drive(it.asend(None)))
        log(drive(it.athrow(StopAsyncIteration)))
        """,
    "a count from a truth value": "log(next(itertools.count(True)))",
    "a type of C in a module is named with it in messages": "itertools.chain() + 1",
    "a class made by a metaclass": """
        class C(metaclass=Meta):
            x = 1
        log(C(), C.x)
        """,
    "a mapping is asked once for its keys": "log({**spy})",
    "an ordered dictionary asks once for keys": "OrderedDict(spy)",
    "keywords from a dictionary with its own items": """
        class C(dict):
            def __getitem__(self, key):
                return log('asked', key)
        traced(log)(1, **C(k=1))
        """,
    "the key of a cache that cannot be hashed": "cache(log)(1, k={2})",
    "no element of a sequence of pairs": "dict([1])",
    "`sum` does not look at the start": """
        class C:
            def __getattribute__(self, name):
                log(name)
        sum([1], C())
        """,
    "generators and iterators have no dictionary": """
        for each in (n for n in 'ab'), map(str, []), iter({}):
            try:
                log(vars(each))
            except TypeError as error:
                caught(error)
        """,
    "a set is not asked for its class": """
        class C(set):
            def __getattribute__(self, name):
                log(name)
        o = C([1])
        log([*o], tuple(o), sorted(o), len(o), sum(o), {*o})
        """,
    "a comparison which does not know is asked again while sorting": """
        class C(Base):
            def __lt__(self, other):
                log('lt')
                return NotImplemented
        [3, 1, 2].sort(key=C)
        """,
    "the place of what is not there": "(1, 2) + [2].index(1)",
    "a tuple is not asked how long an iterable is on 3.14": """
        class C:
            def __length_hint__(self):
                log('hint')
                return 1
            def __iter__(self): return iter([1])
        log(tuple(C()), list(C()), [*C()])
        log(*C())
        """,
    "a pattern which is no class": """
        match 1:
            case log(): pass
        """,
    "a mapping that raises KeyError is taken for a repeated keyword": """
        class C:
            def __getattr__(self, name): return {}[name]
        spy(**C())
        """,
    "a step is used twice": """
        async def f():
            yield 1
        step = f().__anext__()
        log(drive(step))
        drive(step)
        """,
    "an operator in place which a class says it does not have": """
        class A:
            __iadd__ = None
            def __add__(self, other):
                log('added')
        a = A()
        try:
            a += 1
        except TypeError as error:
            caught(error)
        class B:
            __sub__ = __rsub__ = __lt__ = None
        for f in (lambda: B() - 1, lambda: 1 - B(), lambda: B() < 1, lambda: 1 > B()):
            try:
                f()
            except TypeError as error:
                caught(error)
        """,
    "keywords of a cache that are no texts": """
        @cache
        def f(*rest, **more):
            log('called')
        for rest in ([1],), ((1,),):
            try:
                f(*rest, **{1: 2})
            except TypeError as error:
                caught(error)
        """,
    "what stands for a native object has the attributes of that alone": """
        log(hasattr(enumerate('ab'), 'iterator'), hasattr(zip(), 'next_strictly'))
        log(hasattr((n for n in 'ab'), 'frame'), getattr(map(str, 'ab'), 'function', 'none'))
        enumerate('ab').count
        """,
    "too many arguments for a class derived from int": """
        class C(int):
            pass
        for kind in int, C:
            for rest in (1j, 2, 3), (1, {}, 3):
                for more in {}, {'base': 1}:
                    try:
                        kind(*rest[len(more):], **more)
                    except TypeError as error:
                        caught(error)
        """,
    "an exception which watches its attributes": """
        class Watches(Exception):
            def __getattribute__(self, name):
                log(name)
            def __setattr__(self, name, value):
                log(name, value)
        try:
            try:
                [][0]
            except IndexError as error:
                raise Watches from error
        except Watches:
            pass
        raise Watches
        """,
    "slices of a class derived from deque": """
        class D(deque):
            pass
        def put(d):
            d[1:2] = 1
        def drop(d):
            del d['x']
        for d in D(), deque():
            for f in (lambda d: d[1:2], put, drop):
                try:
                    f(d)
                except TypeError as error:
                    caught(error)
        """,
    "bytes of a number that is none, before one that is no number": """
        class T(tuple):
            pass
        for make in bytes, bytearray:
            make(T((1, 2)))
            try:
                make(T((-1, 'x')))
            except ValueError as error:
                caught(error)
        """,
    "a dictionary is made of one that hides what it has": """
        class Hiding(dict):
            def __getattribute__(self, name):
                log(name)
                raise AttributeError(name)
        log(dict(Hiding()), {} | Hiding(), {**Hiding(a=1)})
        dict(Hiding(a=1))
        """,
    "the last group, whose key is compared no more": """
        class Key(Base):
            v = Described()
        log([list(group) for _, group in itertools.groupby([1, 1], lambda _: Key(1))])
        """,
    "names of C in messages": """
        def f(*given):
            pass
        class Wrong:
            def __init__(self):
                return OrderedDict()
            def __bool__(self):
                return partial(f)
            def __aiter__(self):
                return self
        for use in (lambda: f(1, *partial(f)), Wrong, lambda: bool(object.__new__(Wrong)), lambda: [*partial(f)]):
            try:
                use()
            except TypeError as error:
                caught(error)
        """,
    "a result of a generator while an exception is handled": """
        def made():
            yield 1
            return 2
        async def awaited():
            return 3
        async def stepping():
            yield 4
        try:
            [][0]
        except IndexError:
            begun = made()
            next(begun)
            for use in (begun.__next__, lambda: awaited().send(None), lambda: stepping().__anext__().send(None)):
                try:
                    use()
                except StopIteration as stop:
                    log(stop.value, repr(stop.__context__))
        """,
    "containers that say otherwise what they have": """
        class Items(deque):
            def __iter__(self):
                log('asked')
                return iter((9,))
        class Members(set):
            def __iter__(self):
                log('asked')
                return iter((9,))
        log(repr(Items('x')), repr(Items()), repr(Members('x')), repr(Members()))
        """,
    "an object that does not say its class": """
        class Silent:
            def __getattribute__(self, name):
                log(name)
                raise AttributeError(name)
        log(isinstance(Silent(), int), isinstance(Silent(), (str, Silent)))
        """,
    "arguments of a derived text": """
        class Text(str):
            pass
        for use in (lambda: Text(b'', 1), lambda: str(b'', spy), lambda: Text(b'', spy), lambda: Text(1, 'utf-8')):
            try:
                use()
            except TypeError as error:
                caught(error)
        """,
    "a hash that fails": """
        class Wrong:
            def __hash__(self):
                raise TypeError('no')
        class NoNumber:
            def __hash__(self):
                pass
        for key in (Wrong(), NoNumber()):
            for use in ({}.get, {}.__contains__, {1}.discard, lambda k: {k: 1}, lambda k: {(1, k)}, {}.pop):
                try:
                    use(key)
                except TypeError as error:
                    log(error.__context__)
                    caught(error)
        """,
    "too many arguments, and a keyword, for an object of C": """
        tell = methodcaller('tell', 2)
        for wrong in (lambda: tell(1, 2, k=''), lambda: tell(k=1), lambda: tell(1, 2)):
            try:
                wrong()
            except TypeError as error:
                caught(error)
        """,
    "objects of C that show what they hold": """
        from types import MappingProxyType, MethodType
        class Part(partial):
            pass
        class Shown:
            def __init__(self, fails=False):
                self.fails = fails
            def __repr__(self):
                log('repr')
                return self.fails or 'shown'
            def __call__(self):
                pass
            def ask(self):
                pass
        class Named:
            def __call__(self):
                pass
        a_named, a_numbered = Named(), Named()
        a_named.__name__, a_numbered.__qualname__ = 'name', 1
        for each in (Shown(), Shown(True)):
            things = [partial(len, each, k=each), partial(each.ask), Part(each), methodcaller('a'),
                      methodcaller('a', each, k=each), operator.itemgetter(each), operator.itemgetter(each, 1),
                      each.ask, MethodType(partial(len), each), MethodType(a_named, each),
                      MethodType(a_numbered, each), slice(each), slice(1, each, each),
                      staticmethod(each), classmethod(each.ask),
                      MappingProxyType({each: each}), MappingProxyType(OrderedDict(a=each)), [partial(each)]]
            for thing in things:
                for use in (repr, str, '{}'.format):
                    try:
                        log(use(thing))
                    except TypeError as error:
                        caught(error)
        inside = []
        inside += partial(len, inside), operator.itemgetter(inside), methodcaller('a', inside)
        inside.append(MappingProxyType({1: inside}))
        for each in inside:
            log(repr(each))
        class Told:
            def __init__(self, name):
                self.name = name
            def __call__(self):
                pass
            def __repr__(self):
                log(self.name)
                return self.name
        log(repr(partial(Told('f'), Told('a'), k=Told('k'))), repr(methodcaller('m', Told('a'), k=Told('k'))))
        """,
    "keywords for a bound method of C that takes none": """
        for method in (''.index, b''.count, set().union, [].append, OrderedDict().__contains__, {}.get):
            for use in (lambda: method(*(1,), **{'zz': 1}), partial(method, zz=1)):
                try:
                    use()
                except TypeError as error:
                    caught(error)
        try:
            ''.index('a', zz=1)
        except TypeError as error:
            caught(error)
        """,
    "bytes of an object whose __index__ fails": """
        class Failing:
            def __index__(self):
                raise TypeError('no')
        class Iterable(Failing):
            def __iter__(self):
                return iter([1, 2])
        class Other:
            def __index__(self):
                raise ValueError('no')
        for kind in (Iterable, Failing, Other):
            for use in (bytes, bytearray, lambda thing: bytes([thing])):
                try:
                    log(use(kind()))
                except (TypeError, ValueError) as error:
                    caught(error)
        """,
    "a set that cannot be hashed, looked up in a set": """
        class Failing(set):
            def __hash__(self):
                log('hash')
                raise TypeError('no')
        class Other(set):
            def __hash__(self):
                raise ValueError('no')
        for key in (Failing([1]), Other([1])):
            for use in (set.__contains__, set.discard, set.remove, set.add, lambda s, key: key in frozenset(s)):
                for things in ({frozenset([1]), 2}, {2}):
                    try:
                        log(use(things, key), len(things))
                    except (TypeError, ValueError, KeyError) as error:
                        caught(error)
        """,
    "iterators have no other attributes than those of C": """
        things = [itertools.product('ab', 'cd'), itertools.combinations('ab', 2), itertools.permutations('ab'),
                  itertools.cycle([]), iter(OrderedDict()), enumerate('ab'), zip('ab', 'cd'), map(str, 'ab')]
        for thing in things:
            for use in (operator.attrgetter('items'), methodcaller('following'), '{0.iterator}'.format, OrderedDict):
                try:
                    log(use(thing))
                except (AttributeError, ValueError, TypeError) as error:
                    caught(error)
        """,
    "an iterator over an alias": "log([*iter(list[int])], next(iter(list[int])))",
    "a class made by a call is of the module that makes it": """
        class Meta(type):
            pass
        log(type('K', (), {}).__module__, Meta('K', (), {}).__module__, type.__new__(Meta, 'K', (), {}).__module__)
        log(type('K', (), {'__module__': 'other'}).__module__, type('E', (ValueError,), {}))
        """,
}


SINCE_3_12 = {
    "an alias whose value fails when it is asked for": """
        type Alias[T] = 1 / 0
        log(Alias.__name__, len(Alias.__type_params__), Alias)
        log(Alias.__value__)
        """,
    "a bound that is found out later": """
        def f[T: Later](p: T) -> T:
            return p
        class Later: pass
        log(f(1), f.__type_params__[0].__bound__)
        """,
}
PROGRAMS |= SINCE_3_12 if sys.version_info >= (3, 12) else {}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_short_program(program: str) -> None:
    source = "def main():\n" + textwrap.indent(textwrap.dedent(program), "    ")
    with prepared():
        assert Judge().difference(source) is None
