"""CPython against the interpreter: random functions run by both, everything that can be observed compared."""
