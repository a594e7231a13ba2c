"""Runs of the suite on every Python, and a comparison of what the checker finds there."""
