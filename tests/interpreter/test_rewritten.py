"""Code of which pytest has rewritten the assertions is interpreted as its file reads."""

import gc
from pathlib import Path
from types import CodeType
from weakref import ref

import pytest

from replay.interpreter.execution import compiled
from replay.interpreter.rewritten import as_written

TEXT = "def first():\n    assert 1 == 2\n\n\ndef second(): return [lambda: 1, lambda: 2]\n"


def rewritten(file: Path) -> list[CodeType]:
    """The functions of a file, with the name by which rewritten code knows pytest."""
    file.write_text(TEXT)
    module = compile(TEXT, str(file), "exec")
    codes = [each for each in module.co_consts if type(each) is CodeType]
    return [code.replace(co_names=(*code.co_names, "@pytest_ar")) for code in codes]


def test_the_code_of_the_file_is_interpreted(tmp_path: Path) -> None:
    for code in rewritten(tmp_path / "test_x.py"):
        found = compiled(code).code
        assert found is not code
        assert (found.co_name, found.co_firstlineno) == (code.co_name, code.co_firstlineno)
        assert "@pytest_ar" not in found.co_names


def test_code_without_a_file_is_interpreted_as_it_is(tmp_path: Path) -> None:
    code, _ = rewritten(tmp_path / "test_x.py")
    gone = code.replace(co_filename=str(tmp_path / "gone.py"))
    assert as_written(gone) is gone
    (tmp_path / "broken.py").write_text("def")
    broken = code.replace(co_filename=str(tmp_path / "broken.py"))
    assert as_written(broken) is broken


def test_a_file_that_was_written_anew_has_other_code(tmp_path: Path) -> None:
    """A process may run pytest twice, as notebooks and tests of plug-ins do."""
    file = tmp_path / "test_x.py"
    first, _ = rewritten(file)
    assert 2 in as_written(first).co_consts
    file.write_text(TEXT.replace("1 == 2", "1 == 30"))
    assert 30 in as_written(first).co_consts


@pytest.mark.parametrize("place", [0, 1])
def test_what_is_known_by_its_identity_stays(tmp_path: Path, place: int) -> None:
    """Else another code object may have the same identity, and be run as this one."""
    code = rewritten(tmp_path / "test_x.py")[place]
    kept = ref(code)
    compiled(code)
    del code
    gc.collect()
    assert kept() is not None
