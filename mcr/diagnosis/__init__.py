"""Explanations of a failure or an outcome (what was reordered, which memory models allow it), or an installation."""
