"""What proves that nothing is left to explore.

solver  a formula of all executions has no answer left (`mcr.encoding.formula`)
graphs  every execution graph was visited (`mcr.explorers.trust`)
auto    the solver, but graphs where there are few (`mcr.explorers.survey`)
"""

AUTO, SOLVER, GRAPHS = "auto", "solver", "graphs"

STRATEGIES = (AUTO, SOLVER, GRAPHS)
