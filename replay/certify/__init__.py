"""Confirms certificates of *verified*: by itself, with nothing of mcr or solvers (docs/certificates.md)."""
