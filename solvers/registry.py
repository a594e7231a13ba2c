"""Solvers by name. What they need is imported when one is made, never before: it takes a fifth of a second."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from solvers.interface import Check, OrderSolver, SolverError, unchecked

# PySAT's solvers that may be asked again after more clauses and under assumptions.
# Not here: lingeling and kissat404 abort the process at the second question, maplesat crashes
# when asked about nothing, and maplechrono does not answer the same way twice.
SAT_SOLVERS = (
    "minisat22", "minisat-gh", "minisatep", "minicard", "glucose3", "glucose4", "glucose42", "gluecard3", "gluecard4",
    "cadical103", "cadical153", "cadical195", "cadical300", "maplecm", "mergesat3", "ergo",
)  # fmt: skip
Z3 = "z3"
NAMES = (*SAT_SOLVERS, Z3)
"""Every solver. SAT solvers learn of a cycle when they propose it; Z3 never proposes one."""

DEFAULT_SOLVER = "minisat22"


def check_name(name: str) -> None:
    """Raises SolverError if there is no such solver, installed or not."""
    if name not in NAMES:
        raise SolverError(f"There is no solver {name!r}; there are {', '.join(NAMES)}.")


def make_solver(name: str = DEFAULT_SOLVER, check: Check = unchecked) -> OrderSolver:
    """A new solver; SolverError if the name is unknown or what it needs is not installed.

    `check` is called while it searches, several times a second mostly.
    """
    check_name(name)
    return _make_smt(check) if name == Z3 else _make_sat(name, check)


def available_solvers() -> list[str]:
    """The names that `make_solver` accepts in this installation, the default one first."""
    return [name for name in NAMES if _can_be_made(name)]


def _can_be_made(name: str) -> bool:
    try:
        make_solver(name)
    except SolverError:
        return False
    return True


def _make_smt(check: Check) -> OrderSolver:
    from solvers.smt import SmtSolver

    try:
        return SmtSolver(check)
    except ImportError as error:
        raise SolverError("Z3 cannot be imported; run `pip install z3-solver`.") from error


def _make_sat(name: str, check: Check) -> OrderSolver:
    _check_python_sat()
    from pysat.solvers import NoSuchSolverError

    from solvers.sat import SatSolver

    try:
        return SatSolver(name, check)
    except NoSuchSolverError as error:
        raise SolverError(f"This python-sat has no {name}; run `pip install --upgrade python-sat`.") from error


def _check_python_sat() -> None:
    """Tell apart a missing python-sat and the unrelated PyPI project that takes its import name."""
    if find_spec("pysat") is None:
        raise SolverError("The package python-sat is missing; run `pip install python-sat`.")
    try:
        import_module("pysat.solvers")
    except Exception as error:
        raise SolverError(
            f"Importing python-sat fails ({error}), as it does when the unrelated PyPI project `pysat` takes its place;"
            " run `pip uninstall pysat` and then `pip install --force-reinstall python-sat`."
        ) from error
