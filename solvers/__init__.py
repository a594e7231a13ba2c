"""Solvers for statements and orders: one interface, PySAT and Z3 behind it."""

from solvers.interface import OrderSolver, SolverError
from solvers.registry import DEFAULT_SOLVER, available_solvers, make_solver

__all__ = ["DEFAULT_SOLVER", "OrderSolver", "SolverError", "available_solvers", "make_solver"]
