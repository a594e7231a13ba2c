"""Definitions of functions, generators, coroutines and asynchronous generators, with closures and decorators."""

from __future__ import annotations

from tests.interpreter.grammar import ANY, ATOMS, COMPOUND, FUNCTION, ITERABLE, NUMBER, in_scope
from tests.interpreter.writer import CODE, DATA, Scope, Writer

compound = COMPOUND.add

PARAMETERS = (
    "p",
    "p, k=1",
    "p, /, k=2",
    "p, q={0}, *rest, k={1}, **kw",
    "p=0, *rest, k={0}",
    "p, *, k={0}",
    "*rest, k=3, **kw",
    "p, q=1, /, k={0}, **kw",
    "p, k",
    "p: int, k: 'str' = {0}, *rest",
)

DECORATORS = (
    "@traced",
    "@traced",
    "@repeated(2)",
    "@cache",
    "@wrapped",
    "@Callable",
    "@(lambda f: f)",
    "@partial(partial, k=4)",
)


def parameters(w: Writer) -> tuple[str, dict[str, str]]:
    """The parameters of a function, and their names."""
    shape = w.pick(*PARAMETERS)
    known = {"p": NUMBER, "q": NUMBER, "k": NUMBER, "rest": ITERABLE, "kw": ANY}
    words = shape.replace("*", " ").replace(",", " ").replace("=", " ").replace(":", " ").split()
    first, second = (w.small(kind) if w.chance(0.1) else w.atom(kind) for kind in (ANY, NUMBER))
    return shape.format(first, second), {name: known[name] for name in words if name in known}


def type_parameters(w: Writer) -> str:
    if w.version < (3, 12) or w.chance(0.85):
        return ""
    return w.pick("[T]", "[T: int]", "[*Ts, **P]", "[T, U: (int, str)]") if w.version < (3, 13) else "[T = int]"


def definition(w: Writer, prefix: str, kind: str, decorators: tuple[str, ...] = DECORATORS) -> str:
    """Writes a function of a kind of scope, and returns its name."""
    name = w.new(prefix)
    if decorators and w.chance(0.3):
        w.line(w.pick(*decorators))
    written, names = parameters(w)
    keyword = "async def" if kind in ("coroutine", "async generator") else "def"
    annotation = w.pick("", "", "", " -> int", " -> 'Later'")
    with w.block(f"{keyword} {name}{type_parameters(w)}({written}){annotation}:"), w.within(Scope(kind, names=names)):
        function_body(w, name)
    return name


def function_body(w: Writer, name: str) -> None:
    """Declarations, a log entry (it bounds recursion), statements, an end."""
    parameter_names = set(w.scope.names)
    declare_outer_names(w)
    if w.chance(0.1):
        w.line(f"'''What {name} does.'''")
    w.line(f"log({name!r}{w.pick('', *(f', {each}' for each in w.scope.names if each in parameter_names))})")
    if w.chance(0.7):
        kind = w.data_kind()
        w.line(f"{w.bind(w.new(kind[0]), kind)} = {ATOMS[kind](w)}")
    for _ in w.count(1, 3):
        w.statement()
    _end(w)


def _end(w: Writer) -> None:
    kind = w.scope.kind
    if kind in ("generator", "async generator"):
        w.line(f"yield {w.small(ANY)}")
        if kind == "generator" and w.chance(0.5):
            w.line(f"return {w.small(ANY)}")
    elif w.chance(0.85):
        w.line(f"return {w.expression(w.pick(NUMBER, ANY))}")


def declare_outer_names(w: Writer) -> None:
    """Variables of the functions around, and globals, that this function assigns."""
    names, scope = w.scope.names, w.scope.parent
    while scope is not None and scope.kind not in CODE:
        scope = scope.parent
    around = [] if scope is None else [name for name, kind in scope.names.items() if kind in DATA and name not in names]
    if around and w.chance(0.5):
        chosen = w.some(around, 1, 2)
        w.scope.outer.update((name, scope.names[name]) for name in chosen)  # type: ignore[union-attr]
        w.line(f"nonlocal {', '.join(chosen)}")
    if w.chance(0.2):
        w.scope.outer["total"] = NUMBER
        w.line("global total")


@compound(6)
def function(w: Writer) -> None:
    w.bind(definition(w, "f", "function"), "function")


@compound(4)
def generator(w: Writer) -> None:
    w.bind(definition(w, "g", "generator", ("@traced", "@wrapped", "@(lambda f: f)")), "generator")


@compound(2)
def coroutine(w: Writer) -> None:
    w.bind(definition(w, "co", "coroutine", ("@traced", "@wrapped")), "coroutine")


@compound(2)
def asynchronous_generator(w: Writer) -> None:
    w.bind(definition(w, "ag", "async generator", ()), "ticks")


@compound(3)
def counter(w: Writer) -> None:
    """A closure that counts its calls, called several times."""
    maker, count, inner, name = w.new("make"), w.new("n"), w.new("inner"), w.new("f")
    with w.block(f"def {maker}({count}={w.small(NUMBER)}):"), w.within(Scope("function", names={count: NUMBER})):
        w.line(f"log({maker!r})")
        with w.block(f"def {inner}(p={w.small(NUMBER)}, k=1):"), w.within(Scope("function", {}, {"p": NUMBER})):
            w.scope.outer[count] = NUMBER
            w.line(f"nonlocal {count}")
            function_body(w, inner)
        w.line(f"{count} += 1")
        w.line(f"return {w.pick(inner, f'partial({inner}, k=2)', f'lambda p=0, k=1: {inner}(p) or {count}')}")
    w.line(f"{name} = {maker}({w.pick('0', '5')})")
    w.bind(name, "function")


@compound(2)
def context_manager(w: Writer) -> None:
    name = w.new("cm")
    w.line("@contextmanager")
    with w.block(f"def {name}(p):"), w.within(Scope("function", names={"p": NUMBER})):
        w.line(f"log({name!r})")
        with w.block("try:"):
            w.line(f"yield {w.small(NUMBER)}")
        w.body(w.pick("finally:", "except (KeyError, Mine):", "except Exception:"))
    w.body(f"with {name}({w.small(NUMBER)}) as {w.target(NUMBER)}:")


@compound(1, in_scope("function"))
def recursion(w: Writer) -> None:
    """A function that calls itself a few times."""
    name = w.new("f")
    with w.block(f"def {name}(n, k=1):"), w.within(Scope("function", names={"n": NUMBER, "k": NUMBER})):
        w.line(f"log({name!r}, n)")
        w.line(f"if not isinstance(n, int) or n % 4 == 0: return {w.small(NUMBER)}")
        w.statement()
        w.line(
            w.pick(
                f"return {name}(n - 1) + k", f"return [{name}(n - 1, k=i) for i in range(2)]", f"return {name}(n=n - 1)"
            )
        )
    w.bind(name, "function")


@compound(1)
def decorator(w: Writer) -> None:
    """A decorator of the program's own, used at once."""
    name, inner, used = w.new("deco"), w.new("inner"), w.new("f")
    with w.block(f"def {name}(function):"), w.within(Scope("function", names={"function": FUNCTION})):
        if w.chance(0.5):
            w.line("@wraps(function)")
        with w.block(f"def {inner}(*rest, **kw):"), w.within(Scope("function", names={"rest": ITERABLE, "kw": ANY})):
            w.line(f"log({inner!r}, rest)")
            w.body("try:", 1, 2)
            with w.block("finally:"):
                w.line(f"return function({w.pick('*rest, **kw', '*rest', '*rest[:1]', w.small(ANY))})")
        w.line(f"return {inner}")
    w.line(f"@{name}")
    with w.block(f"def {used}(p, k=1):"), w.within(Scope("function", names={"p": NUMBER, "k": NUMBER})):
        function_body(w, used)
    w.bind(used, "function")
