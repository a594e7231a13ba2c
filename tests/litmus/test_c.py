"""The C form: relaxed accesses are loads and stores, the rest is what compilers make of it."""

from __future__ import annotations

import pytest

from mcr.litmus.errors import LitmusError
from mcr.litmus.parser import parse
from mcr.litmus.run import run

MODELS = ("sc", "tso", "pso")

RELAXED = "memory_order_relaxed"


def c_test(*bodies: str, condition: str, initial: str = "") -> str:
    functions = "\n".join(
        f"P{number} (atomic_int* x, atomic_int* y, int* z) {{\n  {body}\n}}" for number, body in enumerate(bodies)
    )
    return f"C test\n{{ {initial} }}\n{functions}\n{condition}\n"


def allowed(text: str) -> tuple[bool, ...]:
    """Whether some state satisfies the condition, under SC, TSO and PSO."""
    return tuple(run(parse(text), model).positive > 0 for model in MODELS)


def store_buffering(store: str, between: str = "") -> str:
    threads = (
        f"{store.format(mine)} {between} int r0 = atomic_load_explicit({other}, {RELAXED});"
        for mine, other in (("x", "y"), ("y", "x"))
    )
    return c_test(*threads, condition="exists (0:r0=0 /\\ 1:r0=0)")


@pytest.mark.parametrize(
    ("store", "between", "expected"),
    [
        (f"atomic_store_explicit({{}}, 1, {RELAXED});", "", (False, True, True)),
        ("atomic_store_explicit({}, 1, memory_order_release);", "", (False, True, True)),
        ("atomic_store_explicit({}, 1, memory_order_seq_cst);", "", (False, False, False)),
        ("atomic_store({}, 1);", "", (False, False, False)),
        ("*{} = 1;", "", (False, False, False)),
        (f"atomic_exchange_explicit({{}}, 1, {RELAXED});", "", (False, False, False)),
        (f"atomic_fetch_add_explicit({{}}, 1, {RELAXED});", "", (False, False, False)),
        (f"atomic_store_explicit({{}}, 1, {RELAXED});", "atomic_thread_fence(memory_order_seq_cst);", (False,) * 3),
        (
            f"atomic_store_explicit({{}}, 1, {RELAXED});",
            "atomic_thread_fence(memory_order_acq_rel);",
            (False, True, True),
        ),
    ],
)
def test_store_buffering(store: str, between: str, expected: tuple[bool, ...]) -> None:
    assert allowed(store_buffering(store, between)) == expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (f"atomic_store_explicit(x, 1, {RELAXED});", f"atomic_store_explicit(y, 1, {RELAXED});", (False, False, True)),
        ("*z = 1; atomic_store_explicit(x, 1, memory_order_release);", "atomic_store(y, 1);", (False, False, False)),
        (
            f"atomic_store_explicit(x, 1, {RELAXED});",
            "atomic_store_explicit(y, 1, memory_order_release);",
            (False,) * 3,
        ),
    ],
)
def test_message_passing(first: str, second: str, expected: tuple[bool, ...]) -> None:
    reader = "".join(
        f"int r{number} = atomic_load_explicit({location}, memory_order_acquire);"
        for number, location in enumerate("yx")
    )
    assert allowed(c_test(first + second, reader, condition="exists (1:r0=1 /\\ 1:r1=0)")) == expected


@pytest.mark.parametrize(
    ("body", "condition", "expected"),
    [
        ("int r0 = 2; int r1 = r0 * 3 + 1; *z = r1 - 1;", "exists (z=6)", "[z]=6"),
        ("int r0 = atomic_fetch_sub(x, 1);", "exists (0:r0=0 /\\ x=0)", "0:r0=0; [x]=-1"),
        ("int r0 = 5; int r1 = atomic_compare_exchange_strong(x, &r0, 7);", "exists (0:r0=0 /\\ 0:r1=0 /\\ x=0)",
         "0:r0=0; 0:r1=0; [x]=0"),
        ("int r0 = 0; int r1 = atomic_compare_exchange_strong(x, &r0, 7);", "exists (0:r0=0 /\\ 0:r1=0 /\\ x=0)",
         "0:r0=0; 0:r1=1; [x]=7"),
        ("int r0 = *z; if (r0 == 0 && !r0) { *z = 1; } else *z = 2;", "exists (z=1)", "[z]=1"),
        ("if (*z == 1) *z = 2; else { *z = 3; *x = *z; }", "exists (x=1 /\\ z=1)", "[x]=3; [z]=3"),
        ("int a, b = 1; a = b; a += 4; *z = a; /* not this: *z = 9; */ // nor this", "exists (z=1)", "[z]=5"),
        ("uint8_t r0 = 255; r0 = r0 + 1; int8_t r1 = 128; *z = 1;", "exists (0:r0=1 /\\ 0:r1=1)", "0:r0=0; 0:r1=-128"),
    ],
)  # fmt: skip
def test_one_thread(body: str, condition: str, expected: str) -> None:
    assert run(parse(c_test(body, condition=condition)), "pso").states == (expected,)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("while (1) ;", "'while' is not supported"),
        ("int r0 = READ_ONCE(x);", "the function 'READ_ONCE' is not supported"),
        ("atomic_compare_exchange_weak(x, &y, 1);", "the function 'atomic_compare_exchange_weak' is not supported"),
        ("atomic_store_explicit(x, 1, memory_order_acquire);", "does not take memory_order_acquire"),
        ("atomic_store(x);", "wrong arguments"),
        ("r0 = 1;", "the variable 'r0' is not declared"),
        ("*q = 1;", "neither a parameter nor a variable"),
        ("int r0 = 1 && atomic_load(x);", "on the right of &&"),
        ("atomic_store(x + 1, 1);", "a computed address"),
        ("x = 1;", "cannot be assigned"),
        ("for (int i = 0; i < 3; i += 1) ;", "'for' is not supported"),
        ("int r0 = 1 int r1 = 2;", "expected ',', ';' or an operator, found 'int'"),
        ("*x 1;", "expected ';', '=' or an operator, found '1'"),
    ],
)
def test_refusals(body: str, said: str) -> None:
    with pytest.raises(LitmusError) as caught:
        parse(c_test("", body, condition="exists (x=1)"), "some.litmus")
    assert said in caught.value.message
    assert caught.value.where == "some.litmus:7"
