"""Definitions of metaclasses, data classes, enumerations and named tuples."""

from __future__ import annotations

from tests.interpreter.classes import class_body
from tests.interpreter.grammar import ANY, COMPOUND, TEXT
from tests.interpreter.writer import Scope, Writer

USES_OF_CLASS = ("{0}(1)", "len({0})", "list({0})", "{0}.zz", "1 in {0}", "isinstance(1, {0})", "type({0})")


@COMPOUND.add(1)
def metaclass(w: Writer) -> None:
    """A metaclass of the program's own, and a class made by it."""
    meta, name = w.new("M"), w.new("C")
    with w.block(f"class {meta}({w.pick('type', 'Meta')}):"):
        with w.block("def __new__(mcs, name, bases, space, **kw):"):
            w.line("log('new', name, sorted(space.keys() - ['__static_attributes__', '__firstlineno__']), kw)")
            w.line(
                w.pick(
                    "return super().__new__(mcs, name, bases, space)",
                    "return type.__new__(mcs, name, bases, dict(space, x=9))",
                )
            )
        with w.block("def __init__(cls, name, bases, space, **kw):"):
            w.line(w.pick("super().__init__(name, bases, space)", "cls.tag = kw", "log('init', cls)"))
        for method in w.some(
            ["__call__", "__getattr__", "__iter__", "__len__", "__contains__", "__prepare__", "__instancecheck__"], 0, 3
        ):
            _method_of_metaclass(w, method)
    with (
        w.block(f"class {name}({w.pick('', 'Base, ')}metaclass={meta}{w.pick('', ', tag=2')}):"),
        w.within(Scope("class")),
    ):
        class_body(w, name, native=False)
    w.bind(name, "class")
    w.line(f"log({w.pick(*USES_OF_CLASS).format(name)})")


def _method_of_metaclass(w: Writer, method: str) -> None:
    parameter_names, result = {
        "__call__": ("cls, *rest, **kw", "super().__call__(*rest, **kw)"),
        "__getattr__": ("cls, name", "{'zz': 1}[name]"),
        "__iter__": ("cls", "iter([cls, 2])"),
        "__len__": ("cls", "4"),
        "__contains__": ("cls, o", "o"),
        "__prepare__": ("cls, bases, **kw", "{'prepared': kw}"),
        "__instancecheck__": ("cls, o", "o == 1"),
    }[method]
    if method == "__prepare__":
        w.line("@classmethod")
    with w.block(f"def {method}({parameter_names}):"):
        w.line(f"log({method!r})")
        w.line(f"return {result}")


DATA_CLASSES = ("", "(order=True)", "(frozen=True)", "(slots=True)", "(kw_only=False, eq=False)")


@COMPOUND.add(1)
def class_of_library(w: Writer) -> None:
    """A data class, enumeration or named tuple of the program's own."""
    name = w.new("C")
    w.random.choice((data_class, enumeration, named_tuple))(w, name)
    w.bind(name, "class")
    use = w.pick(name, f"{name}(1) == {name}(1)", f"{name}(1) < {name}(2)", f"repr({name}(1))")
    w.line(f"log({name}({w.pick('1', '2', w.small(ANY))}), {use})")


def data_class(w: Writer, name: str) -> None:
    w.line(f"@dataclass{w.pick(*DATA_CLASSES)}")
    with w.block(f"class {name}{w.pick('', '', '(Item)')}:"):
        w.line(f"v: int = {w.pick('1', repr('x'), '2.5')}")
        w.line(f"x: list = {w.pick('field(default_factory=list)', 'field(default=3, repr=False)', '4')}")
        with w.block(w.pick("def __post_init__(self):", "def m1(self, o=1):")):
            w.line("log('called', self.v)")


def enumeration(w: Writer, name: str) -> None:
    with w.block(f"class {name}({w.pick('Enum', 'IntEnum', 'Enum')}):"):
        w.line(f"A = {w.pick('1', 'auto()')}")
        w.line(f"B = {w.pick('2', 'auto()', '1')}")
        with w.block("def m1(self, o=1):"):
            w.line("return log('called', self.name)")


def named_tuple(w: Writer, name: str) -> None:
    with w.block(f"class {name}(NamedTuple):"):
        w.line("v: int = 1")
        w.line(f"x: str = {w.small(TEXT)}")
        with w.block("def m1(self, o=1):"):
            w.line("return self.v")
