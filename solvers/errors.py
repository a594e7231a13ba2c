"""What can go wrong with a solver before it starts to solve."""


class SolverError(Exception):
    """A solver that was asked for cannot be had; the message is one sentence that says what to do."""
