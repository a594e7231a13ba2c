"""The unfolding of a program's threads, and the store-buffer machine that runs along it (docs/semantics.md 1)."""
