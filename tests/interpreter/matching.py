"""`match` statements with patterns of all kinds."""

from __future__ import annotations

from tests.interpreter.grammar import ANY, COMPOUND, DICT, LIST, NUMBER, TEXT
from tests.interpreter.writer import Writer


def _pattern(w: Writer, name: str) -> str:
    classes = w.named("class")
    shapes = [
        "1 | 2",
        f"[{name}, *_]",
        f"({name}, 2)",
        f"[_, *{name}]",
        f"{{'k': {name}}}",
        f"{{'k': 1, **{name}}}",
        f"int({name}) | str({name})",
        "str()",
        "None",
        f"[1, [{name}, _]]",
        f"[int() as {name}, *_]",
        "Colour.RED",
        f"Point({name}, y=_)",
        f"Base(v={name})",
        *[f"{each}(v={name})" for each in classes],
        *[f"{each}({name})" for each in classes],
        f"BaseException(args=[{name}])",
        "'k' | b'q' | True",
        f"list([{name}, *_])",
    ]
    return w.pick(*shapes)


@COMPOUND.add(4)
def matching(w: Writer) -> None:
    with w.block(f"match {w.expression(w.pick(NUMBER, LIST, LIST, DICT, TEXT, ANY, ANY))}:"):
        for _ in w.count(1, 4):
            with w.perhaps():
                name = w.new("m")
                pattern = _pattern(w, name)
                if name in pattern:
                    w.bind(name, ANY)
                guard = f" if {w.small(ANY)}" if w.chance(0.2) else ""
                w.body(f"case {pattern}{guard}:", 1, 2)
        if w.chance(0.4):
            w.body(f"case {w.bind(w.new('m'), ANY)}:", 1, 2)
