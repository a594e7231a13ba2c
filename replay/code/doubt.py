"""What is raised where a key cannot be had."""

from __future__ import annotations


class Doubt(Exception):
    """Something that the thread's future may depend on cannot be seen; the message says what, in a few words."""
