"""Definitions of classes: special methods, properties, descriptors, slots, metaclasses, subclasses of builtins."""

from __future__ import annotations

from tests.interpreter.functions import function_body, parameters, type_parameters
from tests.interpreter.grammar import ANY, COMPOUND, NUMBER
from tests.interpreter.writer import Scope, Writer

OPERATORS = ("add", "sub", "mul", "matmul", "or", "and", "floordiv", "mod", "truediv", "pow", "lshift")
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")

RESULTS = ("NotImplemented", "self", "4", "(self, o)", "[1]", "o", "Base(5)")

SPECIAL: dict[str, tuple[str, tuple[str, ...]]] = {
    **{f"__{place}{name}__": ("self, o", RESULTS) for name in OPERATORS for place in ("", "r", "i")},
    **{
        f"__{name}__": ("self, o", ("NotImplemented", "True", "False", "self.v < o", "[]", "o == 1"))
        for name in COMPARISONS
    },
    "__neg__": ("self", ("self", "-1", "[1]")),
    "__invert__": ("self", ("self.v",)),
    "__abs__": ("self", ("self.v", "3")),
    "__bool__": ("self", ("False", "True", "1", "self.v == 1")),
    "__len__": ("self", ("0", "2", "-1", "self.v", "'x'")),
    "__getitem__": ("self, o", ("o", "[1, 2, 3][o]", "{'k': 1}[o]", "self.v")),
    "__setitem__": ("self, o, value", ("None",)),
    "__delitem__": ("self, o", ("None",)),
    "__missing__": ("self, o", ("o",)),
    "__contains__": ("self, o", ("True", "0", "[o]", "o == 1")),
    "__iter__": ("self", ("iter([1, 2])", "iter((self.v,))", "self", "(i for i in range(2))", "5")),
    "__next__": ("self", ("1 // 0", "next(iter(()))", "[][0]")),
    "__reversed__": ("self", ("iter('ba')",)),
    "__call__": ("self, p=1, *rest, k=2", ("(p, k)", "rest", "p", "lambda: self.v")),
    "__getattr__": ("self, name", ("5", "object.__getattribute__(self, 'v' + name)", "{'zz': 1}[name]")),
    "__getattribute__": ("self, name", ("object.__getattribute__(self, name)", "super().__getattribute__(name)")),
    "__setattr__": (
        "self, name, value",
        ("object.__setattr__(self, name, value)", "super().__setattr__(name, (value,))"),
    ),
    "__delattr__": ("self, name", ("object.__delattr__(self, name)", "None")),
    "__repr__": ("self", ("'repr'", "f'C({self.v!r})'", "5")),
    "__str__": ("self", ("'str'", "f'<{type(self).__name__}>'")),
    "__format__": ("self, spec", ("'formatted' + spec", "super().__format__(spec)", "f'{self.v}'")),
    "__hash__": ("self", ("3", "hash(2)", "'x'")),
    "__eq__": ("self, o", ("True", "self.v == getattr(o, 'v', o)", "self is o")),
    "__int__": ("self", ("7", "self.v")),
    "__index__": ("self", ("1", "self.v")),
    "__float__": ("self", ("1.5", "2")),
    "__round__": ("self, digits=0", ("8",)),
    "__enter__": ("self", ("self", "(1, 2)")),
    "__exit__": ("self, kind, error, trace", ("True", "None", "self.v", "log(kind)")),
    "__init_subclass__": ("cls, **kw", ("super().__init_subclass__()", "super().__init_subclass__(**kw)")),
    "__class_getitem__": ("cls, o", ("o", "cls")),
    "__get__": ("self, o, owner=None", ("'got'", "self if o is None else o")),
    "__set__": ("self, o, value", ("log('set')",)),
    "__set_name__": ("self, owner, name", ("log('named', name)",)),
    "__instancecheck__": ("self, o", ("True",)),
    "__dir__": ("self", ("['v']", "['b', 'a']")),
    "__length_hint__": ("self", ("2", "NotImplemented")),
    "__divmod__": ("self, o", ("(1, o)",)),
    "__copy__": ("self", ("'copy'", "type(self)(6)")),
    "__await__": ("self", ("iter([1])", "(yield self.v)")),
    "__bytes__": ("self", ("b'q'", "'q'")),
    "__sizeof__": ("self", ("1",)),
}
"""Parameters of special methods, and what they may return."""

BASES = (
    "",
    "",
    "Base",
    "Base",
    "Base, tag=1",
    "metaclass=Meta",
    "Base, metaclass=Meta",
    "Mixin, Base",
    "Abstract",
    "Generic[T]",
)
NATIVE_BASES = (
    "list",
    "dict",
    "int",
    "str",
    "tuple",
    "Exception",
    "deque",
    "OrderedDict",
    "defaultdict",
    "type",
    "set",
    "UserDict",
)


@COMPOUND.add(8)
def class_definition(w: Writer) -> None:
    name = w.new("C")
    base = _base(w)
    if w.chance(0.1):
        w.line(w.pick("@total_ordering", "@(lambda c: c)", "@wrapped", "@remembered"))
    with w.block(f"class {name}{type_parameters(w)}({base}):"), w.within(Scope("class")):
        class_body(w, name, native=base in NATIVE_BASES)
    w.bind(name, "class")
    w.line(f"{w.target(ANY)} = {name}({w.small(NUMBER)})")
    if w.chance(0.3):
        w.line(
            w.pick(
                f"log({name}.__mro__)",
                f"log(vars({name}).keys() - ['__static_attributes__', '__firstlineno__'])",
                f"log({name}.x)",
            )
        )


def _base(w: Writer) -> str:
    known = w.named("class")
    several = [", ".join(w.some(known, 2, 2))] if len(known) > 1 else []
    return w.pick(w.pick(*BASES), w.pick(*known, *several, "Base"), w.pick(*NATIVE_BASES) if w.chance(0.3) else "")


def class_body(w: Writer, name: str, native: bool) -> None:
    slots = w.chance(0.1)
    if slots:
        w.line(f"__slots__ = {w.pick(repr(('v', 'x')), repr(['v']), repr('v'), repr(('v', 'x', '__dict__')))}")
    _class_attributes(w, slots)
    if w.chance(0.3 if native else 0.85):
        _constructor(w, name)
    for method in w.some(list(SPECIAL), 1, 6):
        _special_method(w, method)
    for method in w.some(["m1", "m2", "m3", "p", "q", "tell", "m4"], 1, 4):
        _named_method(w, method, name)


def _class_attributes(w: Writer, slots: bool) -> None:
    if w.chance(0.4) and not slots:
        w.line(f"x = {w.expression(ANY) if w.chance(0.2) else w.atom(ANY)}")
        w.bind("x", ANY)
    if w.chance(0.2):
        w.line(f"count: int = {w.small(NUMBER)}")
    if w.chance(0.2):
        w.line(
            w.pick("q = Described()", "p = Described()", "q = Once()", "v = Described()" if not slots else "p = Once()")
        )
    if w.chance(0.15):
        w.line("__match_args__ = ('v', 'x')")
    if w.chance(0.08):
        w.statement()
    if w.chance(0.1):
        w.line(
            w.pick(
                "m2 = partialmethod(lambda self, o: (o, self.v), 3)",
                "m2 = len",
                "m2 = log",
                "__iadd__ = None",
                "__hash__ = None",
                "__iter__ = None",
            )
        )


def _constructor(w: Writer, name: str) -> None:
    if w.chance(0.1):
        with w.block("def __new__(cls, *rest, **kw):"):
            w.line("log('__new__', rest)")
            w.line(
                w.pick(
                    "return super().__new__(cls)",
                    "return super().__new__(cls, *rest)",
                    "return 5",
                    "return object.__new__(cls)",
                )
            )
    with (
        w.block(f"def __init__(self, v=1, *rest{w.pick('', ', k=0', ', **kw')}):"),
        w.within(Scope("function", names={"v": NUMBER})),
    ):
        w.line("log('__init__', v)")
        if w.chance(0.35):
            w.line(
                w.pick(
                    "super().__init__()",
                    f"super({name}, self).__init__(v)",
                    "super().__init__(v, *rest)",
                    "Base.__init__(self, v)",
                )
            )
        w.line("self.v = v")
        if w.chance(0.2):
            w.statement()
        if w.chance(0.1):
            w.line("return 5")


def _special_method(w: Writer, method: str) -> None:
    written, results = SPECIAL[method]
    with w.block(f"def {method}({written}):"):
        names = {each: ANY for each in ("self", "o") if each in written.split(", ")}
        with w.within(Scope("function", names=names)):
            w.line(
                f"log({method!r}{w.pick('', *(f', {each}' for each in ('o', 'name') if each in written.split(', ')))})"
            )
            if method == "__getattr__":
                w.line("if name.startswith('__'): raise AttributeError(name)")
            if w.chance(0.2):
                w.statement()
            _return(w, method, results)


def _return(w: Writer, method: str, results: tuple[str, ...]) -> None:
    if method == "__iter__" and w.chance(0.5):
        w.line("yield 1")
        w.line(f"yield {w.small(ANY)}")
    elif w.chance(0.08):
        w.line(w.pick("raise Mine(self.v)", "raise TypeError('no')", "raise AttributeError('gone')", "return None"))
    elif w.chance(0.05):
        w.line(f"return {w.small(ANY)}")
    else:
        w.line(f"return {w.pick(*results)}")


def _named_method(w: Writer, method: str, name: str) -> None:
    kind = {"p": "property", "q": "property", "m2": w.pick("classmethod", "staticmethod"), "m3": "generator"}.get(
        method, "function"
    )
    decorator = {"generator": "", "function": w.pick("", "", "", "@traced", "@cache", "@wrapped", "@dispatching")}.get(
        kind, f"@{kind}"
    )
    if kind == "property":
        decorator = w.pick("@property", "@property", "@cached_property")
    if decorator:
        w.line(decorator)
    written, names = ("", {}) if kind == "property" else parameters(w)
    first = "" if decorator == "@staticmethod" else "self"
    header = ", ".join(each for each in (first, written) if each)
    scope = Scope(
        "generator" if kind == "generator" else "function", names={**({first: ANY} if first else {}), **names}
    )
    with w.block(f"def {method}({header}):"), w.within(scope):
        if first and w.chance(0.15):
            of_self = w.pick(
                "self.v", "__class__", "super().tell()", f"super().{method}", f"super({name}, self).tell(2)"
            )
            w.line(f"log({of_self})")
        function_body(w, method)
    if decorator == "@property" and w.chance(0.4):
        _setter(w, method)


def _setter(w: Writer, name: str) -> None:
    what = w.pick("setter", "deleter")
    w.line(f"@{name}.{what}")
    with w.block(f"def {name}(self{', value' if what == 'setter' else ''}):"):
        w.line(f"log({name!r}, {what!r})")
        w.line(w.pick("self.v = 5", "raise Mine(1)", "pass"))
