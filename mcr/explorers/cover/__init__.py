"""Cover every local state of every thread, with seeds from executions and from a solver (docs/algorithms.md)."""
