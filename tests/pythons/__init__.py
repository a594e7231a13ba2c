"""The same on every Python: what makes one and runs the suite there, and what compares what the checker finds."""
