"""Translation to Python and back keeps the outcomes."""

from __future__ import annotations

from pathlib import Path

import pytest

import mcr
from mcr.litmus.emit_python import emit_python
from mcr.litmus.from_python import from_python
from mcr.litmus.parser import parse, parse_file
from mcr.litmus.program import LitmusProgram
from mcr.litmus.run import run
from mcr.litmus.test import LitmusTest
from replay.errors import ModelError
from replay.frontend.program import Program
from replay.traces.loader import find_programs
from tests.litmus.regenerate import FOLDER

MODELS = ("sc", "tso", "pso")

TESTS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.litmus"))[::4]} | {
    "jumps": "X86 jumps\n{ x=2; 0:ECX=1; }\n P0 | P1 ;\n MOV EAX,[x] | MOV [x],$1 ;\n CMP EAX,$1 | MOV EBX,$5 ;\n"
    " JNE L | XCHG [y],EBX ;\n MOV [y],ECX | ;\n L: LOCK XADD [z],ECX | ;\nexists (y=1 /\\ 0:ECX=0)\n",
    "addresses": "X86_64 addresses\n{ 0:rdi=x; y=x; }\n P0 | P1 ;\n movq (y),%rax | movq $7,(x) ;\n"
    " movq (%rax),%rbx | movq $z,(y) ;\n movq (%rdi),%rcx | ;\nexists (0:rbx=7 /\\ 0:rcx=0)\n",
    "sizes": "X86_64 sizes\n{ uint8_t x=250; }\n P0 | P1 ;\n"
    " lock xaddb %al,(x) | addb $200,(x) ;\n"
    " movb (x),%bl | ;\nforall (x=194)\n",
    "compare": "X86 compare\n{ }\n P0 | P1 ;\n MOV EBX,$1 | MOV EBX,$2 ;\n"
    " LOCK CMPXCHG [x],EBX | LOCK CMPXCHG [x],EBX ;\n LOCK SUB [y],$1 | LOCK NOT [y] ;\n"
    "locations [x; 1:EAX;]\nfilter (0:EAX=0 \\/ y=0)\n~exists (x=3 \\/ not (y=0 => x=1))\n",
    "names": "C names\n{ int p0_r=1; int X=2; }\nP0 (int* p0_r, int* x, int* X, int* p) { int R = *X; int r = *x; "
    "int mcr = *p0_r; *p = r + R; }\nP1 (int* x) { *x = 3; }\nexists (0:r=3 /\\ 0:R=2 /\\ p=5 /\\ X=2 /\\ 0:mcr=1)\n",
    "C": "C C\n{ }\nP0 (atomic_int* x, int* y) { int r0 = 0; "
    "if (atomic_compare_exchange_strong(x, &r0, 3)) { *y = r0 + 1; } "
    "else { atomic_thread_fence(memory_order_release); } }\n"
    "P1 (atomic_int* x) { atomic_store(x, 1); }\nexists (0:r0=1 \\/ y=1)\n",
}  # fmt: skip


@pytest.mark.parametrize("name", TESTS)
def test_the_python_model_has_the_same_outcomes(name: str, tmp_path: Path) -> None:
    test = parse(TESTS[name])
    file = tmp_path / "model.py"
    file.write_text(emit_python(test))
    (model,) = find_programs(str(file))
    for name_of_model in MODELS:
        options = mcr.Options(keep_going=True)
        expected = mcr.check(LitmusProgram(test), name_of_model, options=options)
        found = mcr.check(model, name_of_model, options=options)
        assert (found.verdict, found.outcomes) == (expected.verdict, expected.outcomes)


def test_the_python_model_reads_like_one_that_was_written_by_hand() -> None:
    assert emit_python(parse_file(FOLDER / "SB+mfence+po.litmus")) == EMITTED


EMITTED = '''\
"""SB+mfence+po: exists (0:EAX=0 /\\\\ 1:EAX=0)

A litmus test, written out by `mcr litmus --emit-python`.
"""

import mcr


@mcr.program
def sb_mfence_po(p):
    x = p.var("x", 0)
    y = p.var("y", 0)

    def p0():
        x.store(1)
        p.fence()
        eax = y.load()
        return eax

    def p1():
        y.store(1)
        eax = x.load()
        return eax

    t0 = p.thread(p0, name="P0")
    t1 = p.thread(p1, name="P1")

    @p.final
    def final():
        p0_eax = t0.join()
        p1_eax = t1.join()
        mark = "*>" if p0_eax == 0 and p1_eax == 0 else ":>"
        return f"{mark}0:EAX={p0_eax}; 1:EAX={p1_eax};"
'''


# -- and back -----------------------------------------------------------------------


def written(program: Program) -> LitmusTest:
    return parse(from_python(program), program.name)


@mcr.program
def asserts_in_a_thread(p):
    x, y = p.var("x", 0), p.var("y", 5)

    def reader():
        seen = y.load(), x.load()
        assert seen != (6, 0)

    def writer():
        x.store(1)
        y.store(6)

    p.thread(writer)
    p.thread(reader)


@mcr.program
def copies_and_updates(p):
    x, y, z = p.var("x", 0), p.var("y", 0), p.var("z", False)

    def copier():
        y.store(x.load() + 1)
        p.store_fence()
        z.store(True)

    def updater():
        return x.fetch_add(2), y.exchange(7), z.compare_exchange(True, False), x.fetch_add(1)

    p.thread(copier)
    thread = p.thread(updater)

    @p.final
    def final():
        seen = thread.join()
        assert seen != (0, 3, True, 2)
        return seen, y.load()


@mcr.program
def copies_an_exchanged_value(p):
    x, y = p.var("x", 1), p.var("y", 2)

    def swap(first, second):
        second.exchange(first.load())

    p.thread(swap, x, y)
    p.thread(swap, y, x)

    @p.final
    def final():
        assert (x.load(), y.load()) != (2, 1)


EXAMPLES = Path(__file__).parents[2] / "examples" / "litmus.py"
NUMERIC = ("store_buffering", "load_buffering", "iriw", "store_forwarding_fenced", "coherence", "two_plus_two_writes")
PROGRAMS = [asserts_in_a_thread, copies_and_updates, copies_an_exchanged_value] + [
    next(iter(find_programs(f"{EXAMPLES}::{name}"))) for name in NUMERIC
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
@pytest.mark.parametrize("model", MODELS)
def test_the_litmus_test_fails_under_the_same_models(program: Program, model: str) -> None:
    test = written(program)
    assert mcr.check(LitmusProgram(test), model).verdict is mcr.check(program, model).verdict


def test_the_final_states_are_the_outcomes() -> None:
    @mcr.program
    def program(p):
        x, y = p.var("x", 0), p.var("y", 0)

        def thread(mine, other):
            mine.store(1)
            return other.fetch_add(2)

        threads = p.thread(thread, x, y), p.thread(thread, y, x)

        @p.final
        def final():
            return tuple(thread.join() for thread in threads)

    test = written(program)
    for model in MODELS:
        states = {tuple(int(part.split("=")[1]) for part in state.split(";")) for state in run(test, model).states}
        assert {repr(state) for state in states} == set(mcr.check(program, model).outcomes)


def branching(p):
    x = p.var("x", 0)
    p.thread(x.store, 1)
    p.thread(lambda: x.store(2) if x.load() else None)


def locking(p):
    mutex = p.mutex("m")

    def thread():
        with mutex:
            pass

    p.thread(thread)


def texts(p):
    x = p.var("x", "hello")
    p.thread(x.load)


def computing(p):
    x, y, z = p.var("x", 0), p.var("y", 0), p.var("z", 0)
    p.thread(x.store, 1)
    p.thread(y.store, 1)
    p.thread(lambda: z.store(2 * x.load() + y.load()))


def updating(p):
    x = p.var("x", 0)
    p.thread(lambda: x.update(lambda old: old * 2))


def assuming(p):
    x = p.var("x", 0)
    p.thread(x.store, 1)
    p.thread(lambda: p.assume(x.load()))


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (branching, "does different things depending on what it read"),
        (locking, "'lock m', which x86 has not"),
        (texts, "x86 has only numbers; 'hello'"),
        (computing, "computed from several reads"),
        (updating, "none of x86's locked operations"),
        (assuming, "cannot be a litmus test"),
    ],
)
def test_what_cannot_be_written_is_refused_with_its_line(function: object, said: str) -> None:
    with pytest.raises(ModelError) as caught:
        from_python(mcr.program(function))
    assert said in caught.value.message
    assert caught.value.where.startswith(f"{__file__}:")
