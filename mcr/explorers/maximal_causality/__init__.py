"""Maximal causality reduction for SC, TSO and PSO, as published ([huang-2016]; docs/algorithms.md maps its parts)."""
