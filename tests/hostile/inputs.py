"""Hostile inputs: files that are damaged, and command lines that are given them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcr.cli.commands import COMMANDS, command
from tests.desk import EXAMPLES, ROOT
from tests.hostile.mutations import HOSTILE, damaged_bytes, damaged_json, damaged_python, damaged_words

LIMITS = ("--timeout", "2", "--max-executions", "40")
SMALL = """
import mcr

@mcr.program
def sb(p, n=1):
    x, y = p.var("x", 0), p.var("y", 0)

    def thread(mine, other):
        mine.store(n)
        return other.load()

    threads = [p.thread(thread, x, y), p.thread(thread, y, x)]

    @p.final
    def check():
        assert any(thread.join() for thread in threads), "both read 0"
"""


@dataclass(frozen=True)
class Input:
    """Files by name, and the command line that meets them."""

    kind: str
    files: dict[str, bytes]
    arguments: tuple[str, ...]


class Inputs:
    """Makes inputs out of what is sound: traces, litmus tests, models."""

    def __init__(self, traces: dict[str, Any]) -> None:
        """`traces` are documents by the name of their file."""
        self._traces = list(traces.values())
        folder = ROOT / "tests" / "litmus"
        self._litmus = [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.litmus"))] + [C_TEST]
        self._models = [
            path.read_text(encoding="utf-8") for path in sorted(EXAMPLES.glob("*.py")) if not path.is_symlink()
        ]
        self._models += [SMALL] * len(self._models)
        self._options = {name: _options(name) for name in COMMANDS}

    def make(self, rng: random.Random) -> Input:
        makers: list[Callable[[random.Random], Input]] = [
            self.trace, self.trace, self.trace, self.trace, self.litmus, self.litmus, self.model,
            self.configuration, self.configuration, self.command_line,
        ]  # fmt: skip
        return rng.choice(makers)(rng)

    def trace(self, rng: random.Random) -> Input:
        data = damaged_json(rng, rng.choice(self._traces))
        commands = [
            ("verify", "t.json", "--model", rng.choice(("sc", "tso", "pso"))),
            ("verify", "t.json", "--json"),
            ("verify", "t.json", "--save", "w.json"),
            ("replay", "t.json"),
            ("replay", "t.json", "--html", "t.html", "--graph", "t.svg"),
            ("replay", "t.json", "--json"),
            ("explain", "t.json", "--load", str(rng.randrange(8)), "--value", rng.choice(("0", "1", "None", "\x1b"))),
        ]
        return Input("trace", {"t.json": data, "sb.py": SMALL.encode()}, rng.choice(commands))

    def litmus(self, rng: random.Random) -> Input:
        text = damaged_words(rng, rng.choice(self._litmus), [*_LITMUS, *HOSTILE])
        data = text.encode(errors="surrogatepass")
        if rng.random() < 0.1:
            data = damaged_bytes(rng, data)
        commands = [
            ("litmus", "t.litmus", "--timeout", "2"),
            ("litmus", "t.litmus", "--timeout", "2", "--json"),
            ("litmus", "t.litmus", "--timeout", "2", "--table", "--model", "tso"),
            ("litmus", "t.litmus", "--emit-python"),
            ("check", "t.litmus", *LIMITS),
        ]
        return Input("litmus", {"t.litmus": data}, rng.choice(commands))

    def model(self, rng: random.Random) -> Input:
        data = damaged_python(rng, rng.choice(self._models)).encode(errors="surrogatepass")
        if rng.random() < 0.05:
            data = damaged_bytes(rng, data)
        commands = [
            ("check", "m.py", *LIMITS, "--max-operations", "60", "--model", rng.choice(("sc", "tso", "pso"))),
            ("check", "m.py", *LIMITS, "--max-operations", "60", "--model", "tso", "--json", "--objective", "outcomes"),
            ("litmus", "--from-python", "m.py"),
        ]
        return Input("model", {"m.py": data}, rng.choice(commands))

    def configuration(self, rng: random.Random) -> Input:
        keys = [
            "models",
            "solver",
            "timeout",
            "max_executions",
            "max_operations",
            "folder",
            "allow_incomplete",
            "collect",
        ]
        lines = [f"{rng.choice(keys)} = {rng.choice(_TOML)}" for _ in range(rng.randrange(1, 3))]
        data = "\n".join(["[tool.mcr]", *lines, ""]).encode(errors="surrogatepass")
        if rng.random() < 0.3:
            data = damaged_bytes(rng, data)
        return Input("configuration", {"pyproject.toml": data, "sb.py": SMALL.encode()}, ("check", "sb.py", *LIMITS))

    def command_line(self, rng: random.Random) -> Input:
        name = rng.choice([name for name in self._options if name != "doctor"])
        words = [name, *rng.sample(_TARGETS, rng.randrange(3))]
        for option in rng.sample(self._options[name], min(len(self._options[name]), rng.randrange(4))):
            words.append(option)
            if rng.random() < 0.8:
                words.append(rng.choice(_VALUES))
        if name == "diy":
            words += ["--edges", "3", "--threads", "2"]  # more of them take long, and rightly so
        files = {"sb.py": SMALL.encode(), "t.json": json.dumps(rng.choice(self._traces)).encode(), "empty": b""}
        return Input("command line", files, tuple(words))


def _options(name: str) -> list[str]:
    """The options of a command, as its help names them."""
    import argparse

    parser = argparse.ArgumentParser()
    command(name).add_arguments(parser)
    return [option for option in parser._option_string_actions if option.startswith("--") and option != "--jobs"]


C_TEST = """C SB
{ x = 0; y = 0; }
P0 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
}
P1 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(y, 1, memory_order_relaxed);
  if (atomic_load(x) == 0) { atomic_thread_fence(memory_order_seq_cst); }
  int r0 = atomic_fetch_add(x, 2);
}
exists (0:r0=0 /\\ (1:r0=0 \\/ not (x=2)))
"""

_LITMUS = [
    "MOV", "XCHG", "MFENCE", "EAX", "[x]", "$1", "$99999999999999999999", ";", "|", "{", "}", "(", ")", "exists",
    "forall", "~", "/\\", "\\/", "P0", "P9", "0:EAX", "7:EAX=1", "x", "(*", "*)", "X86", "X86_64", "C", "AArch64",
    "if", "while", "int", "atomic_store(x,1)", "(" * 3000, "not " * 3000, "\n", "locations [x;]", "filter", "-1",
    "JMP", "LOCK", "CMPXCHG", "INC", "ADD",
]  # fmt: skip
_TOML = [
    '"tso"', '["tso", "arm"]', "[]", "3", "-1", "0", "1e999", "inf", "nan", "true", '""', '"a\\u0000b"', '"sub"',
    '"\\u001b]0;x"', "{}", "1979-05-27", "[[[]]]", "9" * 5000, "9" * 40, '"/dev/null"', '"sb.py"', "0.5", "1",
    '"minisat22"', '"z3"', '"\ud800"', "[" * 3000, '["sc"]', '"é"', "'''x\ny'''",
]  # fmt: skip
_TARGETS = [
    "sb.py", "sb.py::sb", "sb.py::x", "t.json", "nowhere", ".", "empty", "/dev/null", "loop", "", "::", "sb.py::",
    "\x1b]0;x\x07", "x" * 300, "folder.py", "folder.json",
]  # fmt: skip
_VALUES = [
    "", "0", "-1", "1", "2", "x", "tso", "all", "1e999", "nan", "9" * 5000, "n=2", "n=[", "n=" + "[" * 3000,
    "n=3 4", "m=1", "=", "sb.py::sb", "out", "folder.json", "w.json", "w.svg", "w.png", "w.html", "empty/x.svg",
    "loop/x.html", "outcomes", "deadlocks,rf", "rf,rf", "minisat22", "z3", "\u202e", "t.json", "x" * 300, "auto",
    "graphs", "²",
]  # fmt: skip


def prepare(folder: Path) -> None:
    """What the names in command lines may lead to."""
    (folder / "folder.py").mkdir()
    (folder / "folder.json").mkdir()
    (folder / "loop").symlink_to("loop")
