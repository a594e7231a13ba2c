"""Doing many things at once: in this process, in processes beside it, and on a cluster (docs/scaling.md)."""
