"""The algorithms, each in a room of its own; none knows another."""
