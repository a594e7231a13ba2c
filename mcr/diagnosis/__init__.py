"""What to say about a failure or an outcome: what was reordered, and which memory models allow it."""
