"""Solvers by name: what is there, what is said when something is missing, and that imports come late."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from solvers import DEFAULT_SOLVER, SolverError, available_solvers, make_solver
from solvers.registry import NAMES, Z3

ROOT = Path(__file__).parents[2]


def run(code: str, path: Path = ROOT) -> str:
    """What a fresh interpreter prints."""
    script = f"import sys; sys.path[:0] = [{str(path)!r}, {str(ROOT)!r}]\n{code}"
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout


def test_the_default_comes_first_and_z3_last() -> None:
    names = available_solvers()
    assert names[0] == DEFAULT_SOLVER
    assert names[-1] == Z3
    assert set(names) <= set(NAMES)


@pytest.mark.parametrize("name", available_solvers())
def test_what_is_available_can_be_made_and_knows_its_name(name: str) -> None:
    assert make_solver(name).name == name


@pytest.mark.parametrize("name", ["", "Z3", "minisat", "kissat404", "lingeling"])
def test_an_unknown_name_gets_the_list(name: str) -> None:
    with pytest.raises(SolverError, match=f"no solver '{name}'; there are {DEFAULT_SOLVER}, .*, {Z3}"):
        make_solver(name)


def test_importing_solvers_imports_no_solver() -> None:
    loaded = run("import solvers, solvers.sat, solvers.smt; print({'pysat', 'pysolvers', 'z3'} & set(sys.modules))")
    assert loaded == "set()\n"


def test_none_is_loaded_for_a_small_program() -> None:
    code = "from examples import reference; import mcr; mcr.check(reference.sb()); print('pysat' in sys.modules)"
    assert run(code) == "False\n"


def test_pysat_is_not_imported_for_z3_nor_z3_for_pysat() -> None:
    assert run("import solvers; solvers.make_solver('z3'); print('pysat' in sys.modules)") == "False\n"
    assert run("import solvers; solvers.make_solver(); print('z3' in sys.modules)") == "False\n"


def test_missing_python_sat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pysat", None)
    with pytest.raises(SolverError, match="pip install python-sat"):
        make_solver()
    assert available_solvers() == [Z3]


def test_missing_z3(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    with pytest.raises(SolverError, match="pip install z3-solver"):
        make_solver(Z3)
    assert Z3 not in available_solvers()


def test_a_python_sat_without_that_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    solvers = pytest.importorskip("pysat.solvers")

    def refuse(name: str) -> None:
        raise solvers.NoSuchSolverError(name)

    monkeypatch.setattr(solvers, "Solver", refuse)
    with pytest.raises(SolverError, match="upgrade python-sat"):
        make_solver()


@pytest.mark.parametrize("content", ["", "raise ImportError('no xarray')", "raise OSError('no home')"])
def test_the_other_pysat_of_pypi(tmp_path: Path, content: str) -> None:
    """It has the same import name, no solvers, and dependencies of its own that may be missing."""
    (tmp_path / "pysat").mkdir()
    (tmp_path / "pysat" / "__init__.py").write_text(content)
    ask = "import solvers\ntry: solvers.make_solver()\nexcept solvers.SolverError as error: print(error)"
    message = run(ask, tmp_path)
    assert "pip uninstall pysat" in message
    assert "python-sat" in message
    assert message.count("\n") == 1
