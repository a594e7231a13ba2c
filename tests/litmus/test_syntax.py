"""Texts that are read, and those that are refused: by a sentence with file and line."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcr.litmus.errors import LitmusError
from mcr.litmus.parser import parse
from mcr.litmus.run import run


def states(text: str, model: str = "sc") -> set[str]:
    return set(run(parse(text), model).states)


def x86(code: str, condition: str = "exists (x=1)", initial: str = "", architecture: str = "X86") -> str:
    return f"{architecture} test\n{{ {initial} }}\n{code}\n{condition}\n"


ONE = " P0 ;\n MOV [x],$1 ;"


@pytest.mark.parametrize(
    ("initial", "expected"),
    [
        ("", "[x]=1; [y]=0"),
        ("y=3;", "[x]=1; [y]=3"),
        ("int y=3", "[x]=1; [y]=3"),
        ("[y]=0x10;", "[x]=1; [y]=16"),
        ("int64_t y=-5;", "[x]=1; [y]=-5"),
        ("uint8_t y=-1;", "[x]=1; [y]=255"),
        ("int x; int y;", "[x]=1; [y]=0"),
        ("y=x;", "[x]=1; [y]=x"),
        ("int *y=&x;", "[x]=1; [y]=x"),
        ("(* y=7; *) y=2; (* (* nested *) *)", "[x]=1; [y]=2"),
    ],
)
def test_initial_states(initial: str, expected: str) -> None:
    assert states(x86(ONE, "exists (x=1 /\\ y=0)", initial)) == {expected}


@pytest.mark.parametrize(
    ("condition", "written", "ok"),
    [
        ("exists (x=1)", "exists ([x]=1)", True),
        ("exists x=1", "exists ([x]=1)", True),
        ("~exists ([x]=1)", "~exists ([x]=1)", False),
        ("not exists (x=2)", "~exists ([x]=2)", True),
        ("forall (x=1 \\/ x=2)", "forall ([x]=1 \\/ [x]=2)", True),
        ("forall (x=1 /\\ (x=2 \\/ not (x=3)))", "forall ([x]=1 /\\ ([x]=2 \\/ not ([x]=3)))", True),
        ("forall (x=2 => x=3)", "forall ([x]=2 => [x]=3)", True),
        ("exists (x!=1)", "exists (not ([x]=1))", False),
        ("exists (0:EAX=[x])", "exists (0:EAX=[x])", False),
        ("final (P0:EAX=0)", "exists (0:EAX=0)", True),
        ("exists (true)", "exists (true)", True),
        ("", "forall (true)", True),
    ],
)
def test_conditions(condition: str, written: str, ok: bool) -> None:
    report = run(parse(x86(ONE, condition)), "sc")
    assert (report.condition, report.ok) == (written, ok)


def test_implication_binds_closer_than_and_as_in_herd() -> None:
    assert run(parse(x86(ONE, "exists (x=2 /\\ x=3 => x=3)")), "sc").ok is False


def test_locations_add_columns_and_filter_takes_states_away() -> None:
    code = " P0 | P1 ;\n MOV EAX,[x] | MOV [x],$1 ;\n MOV EBX,$2 | ;"
    assert states(x86(code, "locations [x; 0:EBX;]\nexists (0:EAX=1)")) == {
        "0:EAX=0; 0:EBX=2; [x]=1",
        "0:EAX=1; 0:EBX=2; [x]=1",
    }
    assert states(x86(code, "filter (0:EAX=1)\nexists (x=1)")) == {"[x]=1"}
    assert states(x86(code, "filter (0:EAX=3)\nexists (x=1)")) == set()


def test_herds_headings_are_read() -> None:
    text = 'X86 a+b.c-d\n"Some document"\nCycle=Rfe PodRR {not this} Fre\n{ }\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n'
    text = text.replace("{not this} ", "")
    test = parse(text)
    assert (test.name, test.document) == ("a+b.c-d", "Some document")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("PPC test\n{ }\n P0 ;\n sync ;\nexists (x=1)", 1, "the architecture PPC is not supported"),
        ("", 1, "not a litmus test"),
        (x86(" P0 ;\n MOV [x],$1 ;\n CLFLUSH [x] ;"), 5, "the instruction 'clflush' is not supported"),
        (x86(" P0 ;\n MOVNTI EAX,[x] ;"), 4, "'movnti' is not supported"),
        (x86(" P0 ;\n LOCK MOV [x],$1 ;"), 4, "takes no lock prefix"),
        (x86(" P0 ;\n LOCK INC EAX ;"), 4, "takes no lock prefix"),
        (x86(" P0 ;\n L0: INC [x] ;\n JNE L0 ;"), 5, "a backward jump to 'L0'"),
        (x86(" P0 ;\n JMP L9 ;"), 4, "no label 'L9'"),
        (x86(" P0 ;\n L: NOP ;\n L: NOP ;"), 5, "stands twice"),
        (x86(" P0 ;\n MOV [x],[y] ;"), 4, "two memory operands"),
        (x86(" P0 ;\n MOV EAX ;"), 4, "needs two operands"),
        (x86(" P0 ;\n MOV EAX,AX ;"), 4, "different sizes"),
        (x86(" P0 ;\n MOV [x+4],$1 ;"), 4, "the operand '[x+4]' is not supported"),
        (x86(" P0 ;\n MOV XYZ,$1 ;"), 4, "no register of X86"),
        (x86(" P0 | P1 ;\n MOV [x],$1 ;"), 4, "1 columns, the test has 2 threads"),
        (x86(" P0 ;\n MOV [x],$1 ;\n | ;"), 5, "2 columns, the test has 1 threads"),
        (x86(" P0 ;\n MOV [x],$1 $2 ;"), 4, "the operand '$1 $2' is not supported"),
        (x86(" P0 ;\n MOV [x],EAX EBX ;"), 4, "expected ',', ';', '|' or the end of the section, found 'EBX'"),
        (x86(" Q0 ;\n MOV [x],$1 ;"), 3, "expected the name of a thread"),
        (x86(" P0 ;\n movl $1,(x) ;\n movq $1,(x) ;", architecture="X86_64"), 5, "different sizes, 32 and 64 bits"),
        (x86(ONE, initial="int x[2]={1,2};"), 2, "arrays are not supported"),
        (x86(ONE, initial="x=1; x=2;"), 2, "two initial values"),
        (x86(ONE, initial="0:R9=1;"), 2, "'R9' is no register of X86"),
        (x86(ONE, "exists (3:EAX=1)"), 5, "there are 1"),
        (x86(ONE, "exists (x=1"), 6, "expected ')', found the end of the section"),
        (x86(ONE, "exists ([x+4]=1)"), 5, "expected ']' (mixed sizes and offsets are not supported), found '+'"),
        (x86(ONE, initial="x=1 y=2;"), 2, "expected ';' or the end of the section, found 'y'"),
        (x86(ONE, initial="x=? y;"), 2, "expected '&', '-', 'ATOMIC_VAR_INIT', a name or a number, found '?'"),
        (x86(ONE, "observed x=1;"), 5, "'observed' is not supported"),
        (x86(ONE, "exists (x=1) with tso: forall"), 5, "after the condition"),
        (x86(ONE, "(* open"), 5, "a comment is not closed"),
        ("X86 test\n P0 ;\n MOV [x],$1 ;\nexists (x=1)", 1, "no initial state"),
    ],
)
def test_refusals_name_file_line_and_reason(text: str, line: int, said: str) -> None:
    with pytest.raises(LitmusError) as caught:
        parse(text, "some.litmus")
    assert said in caught.value.message
    assert caught.value.where == f"some.litmus:{line}"


def test_an_access_to_what_is_no_location_is_refused_when_it_happens() -> None:
    with pytest.raises(LitmusError, match=r"test:4: .*no location"):
        run(parse(x86(" P0 ;\n MOV EAX,[EBX] ;"), "test"), "sc")


WHOLE = (
    x86(
        " P0 | P1 ;\n L0: MOV [x],$1 | CMP EAX,$2 ;\n LOCK INC [y] | JE L1 ;\n XCHG EAX,[y] | L1: ;",
        "locations [x;]\n~exists (x=1 /\\ 0:EAX=[y])",
        "int x=3; 0:EBX=x;",
    ),
    "C c\n{ int x=1; }\nP0 (atomic_int* x) {\n  int r0 = atomic_fetch_add(x, 1);\n"
    "  if (r0 == 1) { *x = 2; } else *x = -1;\n}\nexists (0:r0=1)\n",
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    text=st.sampled_from(WHOLE),
    place=st.integers(0, 200),
    removed=st.integers(0, 9),
    added=st.text("x0[]{}();:|$-/\\*~=", max_size=2),
)
def test_a_damaged_test_is_read_or_refused_and_never_crashes(text: str, place: int, removed: int, added: str) -> None:
    with contextlib.suppress(LitmusError):
        parse(text[:place] + added + text[place + removed :])
