"""The meaning of single instructions: final states of short tests, and what each is to a memory model."""

from __future__ import annotations

import pytest

from mcr.litmus.parser import parse
from mcr.litmus.run import run


def only_state(code: str, shown: str, initial: str = "", architecture: str = "X86") -> str:
    """The only final state of a one-thread test."""
    rows = "".join(f" {line.strip()} ;\n" for line in code.split(";"))
    test = parse(f"{architecture} test\n{{ {initial} }}\n P0 ;\n{rows}locations [{shown}]\nexists (true)\n")
    (state,) = run(test, "pso").states
    return state


@pytest.mark.parametrize(
    ("code", "shown", "expected"),
    [
        ("MOV EAX,$5; MOV EBX,EAX; MOV [x],EBX", "x", "[x]=5"),
        ("MOV EAX,$-1; MOV [x],EAX", "x", "[x]=-1"),
        ("MOV EAX,$0x7fffffff; INC EAX", "0:EAX", "0:EAX=-2147483648"),
        ("DEC [x]; NEG [x]", "x", "[x]=1"),
        ("NOT [x]", "x", "[x]=-1"),
        ("MOV [x],$6; AND [x],$3; OR [x],$8; XOR [x],$1", "x", "[x]=11"),
        ("MOV [x],$6; MOV EAX,$2; SUB [x],EAX; ADD EAX,[x]", "x; 0:EAX", "0:EAX=6; [x]=4"),
        ("MOV EAX,$1; XCHG [x],EAX; XCHG EBX,[x]", "x; 0:EAX; 0:EBX", "0:EAX=0; 0:EBX=1; [x]=0"),
        ("MOV EAX,$1; MOV EBX,$2; XCHG EAX,EBX", "0:EAX; 0:EBX", "0:EAX=2; 0:EBX=1"),
        ("MOV [x],$3; MOV EAX,$4; LOCK XADD [x],EAX", "x; 0:EAX", "0:EAX=3; [x]=7"),
        ("MOV [x],$3; MOV EAX,$4; XADD [x],EAX", "x; 0:EAX", "0:EAX=3; [x]=7"),
        ("MOV EBX,$7; LOCK CMPXCHG [x],EBX", "x; 0:EAX", "0:EAX=0; [x]=7"),
        ("MOV [x],$3; MOV EBX,$7; LOCK CMPXCHG [x],EBX", "x; 0:EAX", "0:EAX=3; [x]=3"),
        ("MOV [x],$3; MOV EBX,$7; CMPXCHG [x],EBX", "x; 0:EAX", "0:EAX=3; [x]=3"),
        ("LOCK ADD [x],$2; LOCK DEC [x]; LOCK NOT [x]; LOCK NEG [x]", "x", "[x]=2"),
        ("CMP EAX,$0; JE L; MOV [x],$1; L: MOV [y],$1", "x; y", "[x]=0; [y]=1"),
        ("CMP EAX,$1; JE L; MOV [x],$1; L: MOV [y],$1", "x; y", "[x]=1; [y]=1"),
        ("CMP EAX,$1; JL L; MOV [x],$1; L: NOP", "x", "[x]=0"),
        ("MOV EAX,$-1; CMP EAX,$1; JB L; MOV [x],$1; L: NOP", "x", "[x]=1"),
        ("MOV EAX,$-1; CMP EAX,$1; JL L; MOV [x],$1; L: NOP", "x", "[x]=0"),
        ("MOV EAX,$2; TEST EAX,$1; JNE L; MOV [x],$1; L: NOP", "x", "[x]=1"),
        ("MOV EAX,$-3; ADD EAX,$1; JS L; MOV [x],$1; L: NOP", "x", "[x]=0"),
        ("JMP L; MOV [x],$1; L: MOV [y],$1", "x; y", "[x]=0; [y]=1"),
        ("CMP EAX,$1; SETE BL; CMP EAX,$0; SETNE CL; SETE DL", "0:EBX; 0:EDX", "0:EBX=0; 0:EDX=1"),
        ("MOV EAX,$511; MOV AL,$0", "0:EAX", "0:EAX=256"),
        ("CMP EAX,$0; CMOVE EBX,[y]; MOV [x],EBX", "x", "[x]=0"),
    ],
)
def test_intel_syntax(code: str, shown: str, expected: str) -> None:
    assert only_state(code, shown) == expected


@pytest.mark.parametrize(
    ("code", "shown", "expected"),
    [
        ("movl $1,(x)", "x", "[x]=1"),
        ("movl $-1,%eax", "0:rax", "0:rax=4294967295"),
        ("movq $-1,%rax", "0:rax", "0:rax=-1"),
        ("movq $-1,%rax; movb $0,%al", "0:rax", "0:rax=-256"),
        ("movl $1,(%rdi); movl (%rdi),%eax", "x; 0:rax", "0:rax=1; [x]=1"),
        ("movl $1,[x]; incl [x]; addl $3,(x)", "x", "[x]=5"),
        ("movl $5,%eax; subl $7,%eax; cmpl $-2,%eax; sete (y)", "y", "[y]=1"),
        ("movl $7,%ebx; lock cmpxchgl (x),%ebx", "x", "[x]=7"),
        ("movl $7,%ebx; lock cmpxchgl %ebx,(x)", "x", "[x]=7"),
        ("movl $7,%r8d; uxchl %r8d,(x)", "x; 0:r8", "0:r8=0; [x]=7"),
    ],
)
def test_att_syntax(code: str, shown: str, expected: str) -> None:
    assert only_state(code, shown, "0:rdi=x;", "X86_64") == expected


def store_buffering(between: str) -> str:
    return (
        f"X86 SB\n{{ }}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n {between} | {between} ;\n"
        " MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n"
    )


@pytest.mark.parametrize(
    ("between", "allowed"),
    [
        ("NOP", True),
        ("SFENCE", True),
        ("LFENCE", True),
        ("INC [z]", True),
        ("MFENCE", False),
        ("LOCK INC [z]", False),
        ("XCHG [z],EBX", False),
        ("LOCK CMPXCHG [z],EBX", False),
    ],
)
def test_what_orders_a_store_before_a_load(between: str, allowed: bool) -> None:
    for model, relaxed in (("sc", False), ("tso", True), ("pso", True)):
        assert (run(parse(store_buffering(between)), model).positive > 0) == (allowed and relaxed)


@pytest.mark.parametrize(
    ("between", "allowed"), [("NOP", True), ("LFENCE", True), ("SFENCE", False), ("MFENCE", False)]
)
def test_what_orders_two_stores(between: str, allowed: bool) -> None:
    text = (
        f"X86 MP\n{{ }}\n P0 | P1 ;\n MOV [x],$1 | MOV EAX,[y] ;\n {between} | MOV EBX,[x] ;\n MOV [y],$1 | ;\n"
        "exists (1:EAX=1 /\\ 1:EBX=0)\n"
    )
    for model, relaxed in (("sc", False), ("tso", False), ("pso", True)):
        assert (run(parse(text), model).positive > 0) == (allowed and relaxed)


def test_an_unlocked_increment_can_be_lost_and_a_locked_one_cannot() -> None:
    for instruction, expected in (("INC [x]", {"[x]=1", "[x]=2"}), ("LOCK INC [x]", {"[x]=2"})):
        text = f"X86 inc\n{{ }}\n P0 | P1 ;\n {instruction} | {instruction} ;\nexists (x=1)\n"
        assert set(run(parse(text), "sc").states) == expected


def test_jumps_that_cross() -> None:
    """The jump to M leaves the code that the jump to L skips."""
    code = "CMP EAX,$0; JE L; CMP EBX,$0; JE M; MOV [x],$1; L: MOV [y],$1; M: MOV [z],$1"
    assert only_state(code, "x; y; z") == "[x]=0; [y]=1; [z]=1"
    assert only_state(f"MOV EAX,$1; {code}", "x; y; z") == "[x]=0; [y]=0; [z]=1"
    assert only_state(f"MOV EAX,$1; MOV EBX,$1; {code}", "x; y; z") == "[x]=1; [y]=1; [z]=1"
