"""Keys of local states: what must have one, what must not share one, and programs at random."""
