"""Which of two engines runs code that shares ordinary objects, while there are two."""

import os

INTERPRETS_ORDINARY = [os.environ.get("MCR_ORDINARY") == "frames"]
"""True if it runs on frames of the interpreter (`replay.frontend.ownership`)."""
