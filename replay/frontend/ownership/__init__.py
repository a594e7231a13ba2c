"""Ordinary objects as shared memory, where thread code runs on the interpreter: their classes stay what they are."""
