"""Random litmus tests: the engine and brute force find the same states, and so does the Python model."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mcr
from mcr.litmus.emit_python import emit_python
from mcr.litmus.parser import parse
from mcr.litmus.program import LitmusProgram
from mcr.litmus.run import run
from replay.traces.loader import find_programs
from replay.world.memory_models import MODELS
from tests.amount import amount
from tests.litmus.regenerate import oracle_states

LOCATION = st.sampled_from(("[x]", "[y]"))
REGISTER = st.sampled_from(("EAX", "EBX"))
VALUE = st.sampled_from(("$0", "$1", "$2"))
JUMP = st.sampled_from(("JE", "JNE", "JL", "JGE", "JB"))

INSTRUCTION = st.one_of(
    st.builds("MOV {},{}".format, LOCATION, VALUE),
    st.builds("MOV {},{}".format, LOCATION, REGISTER),
    st.builds("MOV {},{}".format, REGISTER, LOCATION),
    st.builds("MOV {},{}".format, REGISTER, VALUE),
    st.builds("XCHG {},{}".format, LOCATION, REGISTER),
    st.builds("INC {}".format, LOCATION),
    st.builds("LOCK ADD {},{}".format, LOCATION, VALUE),
    st.builds("LOCK XADD {},{}".format, LOCATION, REGISTER),
    st.builds("LOCK CMPXCHG {},EBX".format, LOCATION),
    st.builds("CMP {},{}".format, REGISTER, VALUE),
    st.builds("{} END".format, JUMP),
    st.sampled_from(("MFENCE", "SFENCE")),
)
THREAD = st.lists(INSTRUCTION, min_size=1, max_size=4)


@st.composite
def litmus_texts(draw: st.DrawFn) -> str:
    threads = [[*thread, "END: NOP"] for thread in draw(st.lists(THREAD, min_size=2, max_size=2))]
    height = max(map(len, threads))
    rows = [" | ".join(thread[row] if row < len(thread) else "" for thread in threads) for row in range(height)]
    body = "".join(f" {row} ;\n" for row in rows)
    return f"X86 random\n{{ x=1; }}\n P0 | P1 ;\n{body}exists (0:EAX=0 /\\ 0:EBX=1 /\\ 1:EAX=1 /\\ x=1 /\\ y=1)\n"


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=amount(10, 60), deadline=None, derandomize=True)
@given(text=litmus_texts())
def test_engine_and_brute_force_agree(model: str, text: str) -> None:
    assert sorted(run(parse(text), model).states) == oracle_states(text, MODELS[model])


@settings(max_examples=amount(10, 60), deadline=None, derandomize=True)
@given(text=litmus_texts())
def test_the_python_model_agrees(text: str) -> None:
    test = parse(text)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "model.py"
        file.write_text(emit_python(test))
        (model,) = find_programs(str(file))
        assert mcr.check(model, "pso").outcomes == mcr.check(LitmusProgram(test), "pso").outcomes
